/// How much of a browser's event log is kept. The browser removes old events in blocks of 1,024 and records each removal
/// (`Event.Kind.logTrimmed`).
public struct LogRetention: Hashable, Sendable, Codable {
  /// The minimum number of latest events to keep, from 1,000 to 1,000,000,000.
  public var maximumCount: Int
  /// The maximum age of an event on the browser's clock, from 1 day to 36,500 days.
  public var maximumAge: Duration

  /// Creates a retention with the service's defaults.
  public init(maximumCount: Int = 1_000_000, maximumAge: Duration = .days(400)) {
    self.maximumCount = maximumCount
    self.maximumAge = maximumAge
  }

  private enum CodingKeys: String, CodingKey { case maximumCount, maximumAge }

  /// Decodes a response of the service.
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

  /// Encodes the member of a request.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(maximumCount, forKey: .maximumCount)
    try members.encode(maximumAge.wire, forKey: .maximumAge)
  }
}
