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
