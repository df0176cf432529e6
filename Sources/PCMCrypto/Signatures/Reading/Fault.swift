package import PCMCore

/// An error in a postback or an impression.
package struct Fault: Hashable, Sendable {
  /// The JSON pointer of the member; empty for the entire input. The parts of a JSON Web Signature are addressed as the
  /// members `header`, `payload`, and `signature`.
  package let pointer: String
  /// A sentence with the value and the expected value.
  package let detail: String

  package init(_ pointer: String, _ detail: String) {
    self.pointer = pointer
    self.detail = detail
  }

  package var json: JSON { ["pointer": .string(pointer), "detail": .string(detail)] }
}

/// The faults of values that only a first postback can have, in both frameworks.
enum LaterPostback {
  /// The digits of the source identifier in the second and the third postback.
  static let digits = 2

  static func absent(_ name: String, _ index: Int64) -> String {
    "\(name) is only in the first postback; this one has the sequence index \(index)."
  }

  static func twoDigits(_ identifier: String, _ index: Int64) -> String {
    "source-identifier has \(identifier.utf8.count) digits; a postback with the sequence index \(index) has the last \(digits)."
  }
}
