package import PCMCore

/// Something wrong in a postback or an impression.
package struct Fault: Hashable, Sendable {
  /// The JSON pointer of the member; empty for the entire input. The parts of a JSON Web Signature are addressed as members
  /// named `header`, `payload`, and `signature`.
  package let pointer: String
  /// A sentence with the value and what it must be.
  package let detail: String

  init(_ pointer: String, _ detail: String) {
    self.pointer = pointer
    self.detail = detail
  }

  package var json: JSON { ["pointer": .string(pointer), "detail": .string(detail)] }
}
