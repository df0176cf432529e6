public import Foundation

extension Report {
  /// One attempt to send a report.
  public struct Attempt: Hashable, Sendable, Decodable {
    /// When, on the browser's clock.
    public let at: Date
    /// When, on the machine's clock.
    public let wallAt: Date
    /// What the endpoint answered; nil when it did not.
    public let httpStatus: Int?
    /// Why it was no success.
    public let error: Reason?
    /// `1.1` or `2`.
    public let httpVersion: String?
    /// Who was spoken to.
    public let remoteAddress: String?
    /// How long it took.
    public let timings: Timings?
    /// What the endpoint's answer said, as far as it was read.
    public let response: Response?

    /// How long each part of an attempt took, from its start.
    public struct Timings: Hashable, Sendable {
      /// Until the address was known.
      public let dns: Duration
      /// Until the connection stood.
      public let connect: Duration
      /// Until TLS stood.
      public let tls: Duration
      /// Until the first byte of the answer.
      public let firstByte: Duration
      /// Until the end.
      public let total: Duration
    }

    /// What an endpoint answered.
    public struct Response: Hashable, Sendable, Decodable {
      /// `Content-Type`.
      public let contentType: String?
      /// The beginning of the body.
      public let body: String
      /// Whether there was more.
      public let truncated: Bool
    }
  }
}

extension Report.Attempt: CustomStringConvertible {
  /// `status 200`, or the error.
  public var description: String { error?.description ?? httpStatus.map { "status \($0)" } ?? "no answer" }
}

extension Report.Attempt.Timings: Decodable {
  private enum CodingKeys: String, CodingKey {
    case dns, connect, tls, firstByte, total
  }

  /// Reads ISO 8601 seconds.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func duration(_ key: CodingKeys) throws -> Duration {
      let text = try container.decode(String.self, forKey: key)
      guard let duration = Duration(wireSeconds: text) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "\"\(text)\" is no ISO 8601 duration in seconds")
      }
      return duration
    }
    dns = try duration(.dns)
    connect = try duration(.connect)
    tls = try duration(.tls)
    firstByte = try duration(.firstByte)
    total = try duration(.total)
  }
}
