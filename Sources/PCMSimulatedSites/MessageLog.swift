package import PCMCore
package import PCMNetwork

/// A request that a simulated site received.
package struct SiteMessage: Hashable, Sendable {
  /// The number, in order and without gaps. The first is 1.
  package let number: Int64
  /// The time on the browser's clock.
  package let at: Instant
  package let target: RequestTarget
  package let request: OutgoingRequest
  /// The status of the response; nil without a response.
  package let httpStatus: Int?
  /// The failure that the browser saw instead of a response.
  package let failure: TransportFailure.Code?

  /// The size of the parts that callers determine.
  var byteCount: Int {
    request.url.utf8.count + request.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
      + (request.body?.count ?? 0)
  }
}

extension SiteMessage {
  /// The message as the API returns it.
  package var json: JSON {
    [
      "id": .string("message-\(number)"),
      "at": .string(at.text),
      "host": .string(target.host),
      "kind": .string(target.kind.rawValue),
      "method": .string(request.method.rawValue),
      "url": .string(request.url.withMarkedUserInformation),
      "headers": .array(request.wireHeaders.map { ["name": .string($0.name), "value": .string($0.value)] }),
      "body": .string(request.body.map { String(decoding: $0, as: UTF8.self) }),
      "httpStatus": httpStatus.map { .number(Int64($0)) } ?? .null,
      "failure": .string(failure?.rawValue),
    ]
  }
}

/// The requests that simulated sites received, newest last. It has a limited size; the oldest requests are dropped.
package struct MessageLog: Sendable {
  /// The maximum number of messages.
  package static let most = 1_000
  /// The maximum number of bytes in URLs, headers, and bodies.
  package static let maximumBytes = 1_048_576

  private var messages: [SiteMessage] = []
  private var byteCount = 0
  /// The number of dropped messages.
  package private(set) var droppedCount: Int64 = 0

  package init() {}

  /// Adds a request that reached its site.
  package mutating func add(
    _ request: OutgoingRequest, at instant: Instant, httpStatus: Int?, failure: TransportFailure.Code?
  ) {
    let message = SiteMessage(
      number: droppedCount + Int64(messages.count) + 1, at: instant, target: RequestTarget(request), request: request,
      httpStatus: httpStatus, failure: failure)
    messages.append(message)
    byteCount += message.byteCount
    while messages.count > Self.most || (byteCount > Self.maximumBytes && messages.count > 1) {
      byteCount -= messages.removeFirst().byteCount
      droppedCount += 1
    }
  }

  /// Returns the messages after a number, oldest first.
  ///
  /// - Parameter hosts: The hosts that received them; empty for all hosts.
  package func messages(to hosts: Set<String>, after number: Int64, limit: Int) -> [SiteMessage] {
    let found = messages.lazy.filter { $0.number > number && (hosts.isEmpty || hosts.contains($0.target.host)) }
    return Array(found.prefix(max(0, limit)))
  }
}

extension TransportFailure.Code {
  /// Whether the site received the request before the failure.
  package var isAfterRequest: Bool {
    switch self {
    case .timedOut, .connectionLost, .protocolError: true
    case .urlRefused, .nameNotResolved, .addressRefused, .connectionFailed, .tlsFailed, .certificateRefused,
      .authoritiesUnreadable, .transportClosed, .tokenKeyUnavailable, .tokenKeyInvalid, .tokenKeyChanged, .interrupted:
      false
    }
  }
}
