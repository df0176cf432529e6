package import PCMCore

/// The record of one attempt to send a message, as the API returns it.
package struct Attempt: Hashable, Sendable {
  /// The start on the browser's clock.
  package let at: Instant
  /// The start on the machine's clock.
  package let wallAt: Instant
  package let exchange: Exchange

  package init(at: Instant, wallAt: Instant, exchange: Exchange) {
    self.at = at
    self.wallAt = wallAt
    self.exchange = exchange
  }

  /// - Parameter reason: Why the attempt delivered nothing; nil after a delivery.
  package func json(undelivered reason: Reason?) -> JSON {
    var members: [JSON.Member] = [
      .init("at", .string(at.text)),
      .init("wallAt", .string(wallAt.text)),
      .init("httpStatus", exchange.httpStatus.map { .number(Int64($0)) } ?? .null),
      .init("error", reason?.json ?? .null),
      .init("httpVersion", .string(exchange.httpVersion)),
      .init("remoteAddress", .string(exchange.remoteAddress)),
      .init("timings", exchange.timings.map(Self.json(of:)) ?? .null),
      .init("response", response),
    ]
    if exchange.insecure { members.append(.init("insecure", .bool(true))) }
    if let target = exchange.forwardedTo { members.append(.init("forwardedTo", .string(target))) }
    return .object(members)
  }

  /// The maximum number of bytes of a response that are kept.
  package static let maximumResponseBytes = 4_096

  /// The beginning of the response body. It often explains an endpoint's error.
  private var response: JSON {
    guard exchange.httpStatus != nil else { return .null }
    let kept = exchange.body.prefix(Self.maximumResponseBytes)
    return [
      "contentType": .string(exchange.contentType),
      "body": .string(String(decoding: kept, as: UTF8.self)),
      "truncated": .bool(exchange.bodyTruncated || kept.count < exchange.body.count),
    ]
  }

  private static func json(of timings: Exchange.Timings) -> JSON {
    [
      "dns": .string(text(microseconds: timings.dns)),
      "connect": .string(text(microseconds: timings.connect)),
      "tls": .string(text(microseconds: timings.tls)),
      "firstByte": .string(text(microseconds: timings.firstByte)),
      "total": .string(text(microseconds: timings.total)),
    ]
  }

  /// Returns an ISO 8601 duration with six fraction digits.
  private static func text(microseconds: Int64) -> String {
    let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
    return "PT\(microseconds / 1_000_000).\(fraction)S"
  }
}
