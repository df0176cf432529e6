/// A word of the service's vocabulary. The known ones are static members; a newer service may say others, which decode
/// all the same.
public protocol Term: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible where RawValue == String {
  /// The word as it stands in the service's answers.
  init(rawValue: String)
}

extension Term {
  /// The word as it stands in the service's answers.
  public var description: String { rawValue }

  init(_ word: String) {
    self.init(rawValue: word)
  }
}
