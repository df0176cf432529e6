/// Why a file is no scenario: what is wrong, where, and what was expected there.
package struct ScenarioFault: Error, Hashable, Sendable {
  package let place: SourcePlace
  /// A JSON pointer to the value; empty for the whole file.
  package let pointer: String
  /// A sentence without its full stop: `expected a duration such as PT26H, found "26h"`.
  package let detail: String

  package init(_ detail: String, at place: SourcePlace, pointer: String = "") {
    self.detail = detail
    self.place = place
    self.pointer = pointer
  }
}

/// All that was found wrong with a file, in its order.
package struct ScenarioFaults: Error, Hashable, Sendable {
  package let faults: [ScenarioFault]

  package init(_ faults: [ScenarioFault]) {
    self.faults = faults
  }
}
