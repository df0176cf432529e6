package import PCMCore
import PCMCrypto
package import PCMNetwork
import PCMSimulatedSites

/// A transport that records all requests and forwards them to another transport: simulated sites or the real network.
package actor RecordingTransport: Transport {
  private let transport: any Transport
  private let now: @Sendable () async -> Instant
  private var tokens = SentTokens()
  /// The requests in the order in which they were sent.
  package private(set) var sent: [SentRequest] = []

  /// - Parameter now: Returns the time of the sending browser, which does not change during a request.
  package init(_ transport: any Transport, now: @escaping @Sendable () async -> Instant) {
    self.transport = transport
    self.now = now
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    let target = RequestTarget(request)
    let body = request.body.flatMap { $0.isEmpty ? nil : JSON(parsing: $0) ?? .string(String(decoding: $0, as: UTF8.self)) }
    let verdicts = target.kind == .report ? body.map(tokens.verdicts) ?? [] : []
    sent.append(SentRequest(kind: target.kind, host: target.host, at: await now(), body: body, tokens: verdicts))
    let exchange = await transport.send(request, route: route)
    if target.kind == .tokenKey { tokens.note(exchange, of: target.host) }
    return exchange
  }
}

/// The token keys that sites served, for verifying the tokens of reports.
struct SentTokens: Sendable {
  /// The last valid key of each host.
  private var keys: [String: TokenPublicKey] = [:]

  /// Records the response of a site to a request for its key.
  mutating func note(_ exchange: Exchange, of host: String) {
    guard exchange.failure == nil, case .string(let wire)? = JSON(parsing: exchange.body)?["token_public_key"],
      let key = try? TokenPublicKey(wire: wire)
    else { return }
    keys[host] = key
  }

  func verdicts(on body: JSON) -> [SentRequest.Token] {
    [(Recipient.source, "source_site"), (.destination, "attributed_on_site")].compactMap { recipient, site in
      let (token, signature) = (
        body["\(recipient.rawValue)_secret_token"], body["\(recipient.rawValue)_secret_token_signature"]
      )
      guard token != nil || signature != nil else { return nil }
      return SentRequest.Token(recipient: recipient, verdict: verdict(token, signature, by: key(of: body[site])))
    }
  }

  private func key(of site: JSON?) -> TokenPublicKey? {
    guard case .string(let host)? = site else { return nil }
    return keys[host]
  }

  private func verdict(_ token: JSON?, _ signature: JSON?, by key: TokenPublicKey?) -> SentRequest.TokenVerdict {
    guard let key else { return .unverified }
    guard case .string(let tokenText)? = token, case .string(let signatureText)? = signature,
      let bytes = Base64URL.decode(tokenText), let signed = Base64URL.decode(signatureText),
      let unblinded = try? UnlinkableToken(bytes: bytes)
    else { return .rejected }
    return key.verifies(signed, over: unblinded) ? .verified : .rejected
  }
}
