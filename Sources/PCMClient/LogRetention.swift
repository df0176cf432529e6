/// How much of a browser's event log is kept. Old events are removed in blocks of 1,024, and the log says which
/// (`Event.Kind.logTrimmed`).
public struct LogRetention: Hashable, Sendable, Codable {
  /// How many events are kept at least, the newest. From 1,000 to 1,000,000,000.
  public var maximumCount: Int
  /// How old an event may become on the browser's clock. From 1 day to 36,500 days.
  public var maximumAge: Duration

  /// The defaults are those of the service.
  public init(maximumCount: Int = 1_000_000, maximumAge: Duration = .days(400)) {
    self.maximumCount = maximumCount
    self.maximumAge = maximumAge
  }

  private enum CodingKeys: String, CodingKey { case maximumCount, maximumAge }

  /// Reads an answer of the service.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    let text = try members.decode(String.self, forKey: .maximumAge)
    guard let age = Duration(wire: text) else {
      throw DecodingError.dataCorruptedError(
        forKey: .maximumAge, in: members,
        debugDescription: "\"\(text)\" is not an ISO 8601 duration in hours, minutes, and seconds")
    }
    self.init(maximumCount: try members.decode(Int.self, forKey: .maximumCount), maximumAge: age)
  }

  /// Writes the member of a request.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(maximumCount, forKey: .maximumCount)
    try members.encode(maximumAge.wire, forKey: .maximumAge)
  }
}
