import PCMCore
package import PCMDelivery
import PCMSimulation

/// A request of the recorded browser and its result, as far as they affect the event log.
package struct RecordedExchange: Hashable, Sendable {
  let host: String
  let purpose: Purpose
  var response: SiteBehavior.Response
  /// The token key that was served, unchanged.
  let keyWire: String?

  enum Purpose: Hashable, Sendable {
    case report
    case tokenKey
    case sign
    /// The path and query.
    case load(String)
  }

  package init(_ request: OutgoingRequest, _ exchange: Exchange) {
    let target = RequestTarget(request)
    host = target.host
    purpose = Purpose(target)
    let wire = purpose == .tokenKey ? Self.text("token_public_key", in: exchange) : nil
    keyWire = wire
    let isToken = wire != nil || (purpose == .sign && Self.text("unlinkable_token", in: exchange) != nil)
    response = Self.response(exchange, purpose: purpose, isToken: isToken)
  }

  /// Marks an invalid signature as forged. Only the log distinguishes it from a valid one.
  ///
  /// - Parameter details: The details of the events in the meantime.
  package static func marked(_ exchanges: [RecordedExchange], by details: [String]) -> [RecordedExchange] {
    guard details.contains(where: { $0.contains(#""token-signature-invalid""#) }),
      let index = exchanges.lastIndex(where: { $0.purpose == .sign && $0.response == .good })
    else { return exchanges }
    var marked = exchanges
    marked[index].response.forged = true
    return marked
  }

  private static func response(_ exchange: Exchange, purpose: Purpose, isToken: Bool) -> SiteBehavior.Response {
    var response = SiteBehavior.Response()
    if let failure = exchange.failure {
      response.failure = failure.code
      response.failureDetail = failure.detail
      return response
    }
    switch purpose {
    case .load:
      response.status = exchange.httpStatus
      response.location = exchange.location
    case .report:
      if exchange.httpStatus != 200 { response.status = exchange.httpStatus }
    // Keys and signatures come from the simulation, because a replay cannot unblind a signature for another token.
    case .tokenKey, .sign:
      if exchange.httpStatus != 200 { response.status = exchange.httpStatus }
      if !isToken {
        response.contentType = exchange.contentType
        response.body = String(decoding: exchange.body, as: UTF8.self)
      }
    }
    return response
  }

  private static func text(_ member: String, in exchange: Exchange) -> String? {
    exchange.failure == nil ? JSON(parsing: exchange.body)?[member]?.string : nil
  }
}

extension RecordedExchange.Purpose {
  fileprivate init(_ target: RequestTarget) {
    switch target.kind {
    case .report: self = .report
    case .tokenKey: self = .tokenKey
    case .sign: self = .sign
    case .load: self = .load(target.path)
    }
  }

  /// The default response of a site in a scenario.
  var defaultResponse: SiteBehavior.Response {
    guard case .load = self else { return .good }
    var response = SiteBehavior.Response()
    response.status = 404
    return response
  }
}
