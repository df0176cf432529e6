internal import PCMCore

extension JSON {
  static func number(_ number: Int64?) -> JSON { number.map { .number($0) } ?? .null }

  /// The value of a number; nil for another value.
  var integer: Int64? {
    guard case .number(let number) = self else { return nil }
    return number
  }
}
