public import Foundation

extension Report {
  /// One attempt to send a report.
  ///
  /// ```swift
  /// let report = try #require(try await browser.reports(in: .delivered).first)
  /// #expect(report.attempts.map(\.httpStatus) == [200])
  /// ```
  public struct Attempt: Hashable, Sendable, Decodable {
    /// The time on the browser's clock.
    public let at: Date
    /// The time on the machine's clock.
    public let wallAt: Date
    /// The status of the endpoint's response; nil without a response.
    public let httpStatus: Int?
    /// Why the attempt did not succeed; nil when it did.
    public let error: Reason?
    /// `1.1` or `2`.
    public let httpVersion: String?
    /// The address and port of the connection.
    public let remoteAddress: String?
    /// The duration of each part.
    public let timings: Timings?
    /// The endpoint's response; nil without one.
    public let response: Response?

    /// The time from the start of an attempt to the end of each part.
    public struct Timings: Hashable, Sendable, Decodable {
      /// Until the name was resolved.
      public let dns: Duration
      /// Until the connection was established.
      public let connect: Duration
      /// Until the TLS handshake was complete.
      public let tls: Duration
      /// Until the first byte of the response.
      public let firstByte: Duration
      /// Until the end of the exchange.
      public let total: Duration
    }

    /// A response of an endpoint.
    public struct Response: Hashable, Sendable, Decodable {
      /// `Content-Type`.
      public let contentType: String?
      /// The beginning of the body.
      public let body: String
      /// Whether the body is longer.
      public let truncated: Bool
    }
  }
}

extension Report.Attempt: CustomStringConvertible {
  /// `status 200`, or the error.
  public var description: String { error?.description ?? httpStatus.map { "status \($0)" } ?? "no response" }
}
