package import PCMCore
import PCMCrypto

/// A request of the recorded browser and its result, as far as they affect the event log.
package struct RecordedExchange: Hashable, Sendable {
  package let host: String
  private let kind: RequestTarget.Kind
  /// The path and query of a page; nil for other requests.
  private let path: String?
  package private(set) var response: SiteBehavior.Response
  /// The token key that was served, unchanged.
  package let keyWire: String?

  /// The name of the list with the response in a site's behavior.
  package var list: String { path ?? kind.rawValue }

  package init(_ request: OutgoingRequest, _ exchange: Exchange) {
    let target = RequestTarget(request)
    (host, kind) = (target.host, target.kind)
    path = kind == .load ? target.path : nil
    keyWire = kind == .tokenKey ? Self.key(in: exchange) : nil
    let isToken = keyWire != nil || (kind == .sign && Self.member("unlinkable_token", of: exchange) != nil)
    response = Self.response(exchange, kind: kind, isToken: isToken)
  }

  /// Marks an invalid signature as forged. Only the log distinguishes it from a valid one.
  ///
  /// - Parameter details: The details of the events in the meantime.
  package static func marked(_ exchanges: [RecordedExchange], by details: [String]) -> [RecordedExchange] {
    guard details.contains(where: { $0.contains(#""token-signature-invalid""#) }),
      let index = exchanges.lastIndex(where: { $0.kind == .sign && $0.response == .good })
    else { return exchanges }
    var marked = exchanges
    marked[index].response.forged = true
    return marked
  }

  private static func response(_ exchange: Exchange, kind: RequestTarget.Kind, isToken: Bool) -> SiteBehavior.Response {
    var response = SiteBehavior.Response()
    if let failure = exchange.failure {
      response.failure = failure.code
      response.failureDetail = failure.detail
      return response
    }
    switch kind {
    case .load:
      response.status = exchange.httpStatus
      response.location = exchange.location?.withMarkedUserInformation
      response.resourcePolicy = exchange.resourcePolicy
    case .report, .postback, .sdkRequest:
      if exchange.httpStatus != 200 { response.status = exchange.httpStatus }
    // Keys and signatures come from the simulation, because a replay cannot unblind a signature for another token.
    case .tokenKey, .sign:
      if exchange.httpStatus != 200 { response.status = exchange.httpStatus }
      if !isToken {
        response.contentType = exchange.contentType
        response.body = body(of: exchange)
      }
    case .signedPayload:
      response.status = exchange.httpStatus
      response.contentType = exchange.contentType ?? ""
      response.body = body(of: exchange)
    }
    return response
  }

  /// The body with one more byte than the browser reads, so that a replay truncates it, too.
  private static func body(of exchange: Exchange) -> String {
    String(decoding: exchange.body, as: UTF8.self) + (exchange.bodyTruncated ? " " : "")
  }

  /// The valid key in the response.
  private static func key(in exchange: Exchange) -> String? {
    member("token_public_key", of: exchange).flatMap { (try? TokenPublicKey(wire: $0)) == nil ? nil : $0 }
  }

  /// Returns a member as the browser reads it.
  private static func member(_ name: String, of exchange: Exchange) -> String? {
    exchange.failure == nil && exchange.httpStatus != nil ? try? exchange.tokenMember(name) : nil
  }
}

extension RecordedExchange {
  package var json: JSON {
    var members: [JSON.Member] = [.init("host", .string(host)), .init("kind", .string(kind.rawValue))]
    if let path { members.append(.init("path", .string(path))) }
    if let keyWire { members.append(.init("key", .string(keyWire))) }
    return .object(members + [.init("response", response.json)])
  }

  /// The number of bytes of the parts that sites determine.
  fileprivate var byteCount: Int {
    [host, path, keyWire, response.location, response.resourcePolicy, response.body].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }

  /// Creates the exchange from the value of ``json``.
  package init?(json: JSON) {
    guard let host = json["host"]?.string, let kind = json["kind"]?.string.flatMap(RequestTarget.Kind.init(rawValue:)),
      let response = json["response"]
    else { return nil }
    (self.host, self.kind) = (host, kind)
    path = kind == .load ? json["path"]?.string ?? "" : nil
    self.response = SiteBehavior.Response(checked: response)
    keyWire = json["key"]?.string
  }
}

/// The exchanges with sites in order. Where the last response to a kind of request was the same several times, it is only once
/// in the list, because simulated sites repeat it.
package struct ExchangeList: Sendable {
  package private(set) var exchanges: [RecordedExchange] = []
  private var latest: [Place: (exchange: RecordedExchange, repetitions: Int)] = [:]

  private struct Place: Hashable {
    let host: String
    let list: String
  }

  package init() {}

  /// Returns the least number of bytes of the exchanges that this adds to the list.
  @discardableResult
  package mutating func append(_ exchange: RecordedExchange) -> Int {
    var byteCount = exchange.byteCount
    let place = Place(host: exchange.host, list: exchange.list)
    if let last = latest[place] {
      guard last.exchange != exchange else {
        latest[place]?.repetitions += 1
        return 0
      }
      exchanges += Array(repeating: last.exchange, count: last.repetitions)
      byteCount += last.exchange.byteCount * last.repetitions
    }
    latest[place] = (exchange, 0)
    exchanges.append(exchange)
    return byteCount
  }
}
