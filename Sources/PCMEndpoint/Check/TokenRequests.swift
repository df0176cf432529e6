import Crypto
import PCMCore
import PCMCrypto
import PCMNetwork

/// The requests for tokens, and to the admin interface of `pcm-browser receive`.
extension CheckContext {
  /// The token of the round trip.
  var token: UnlinkableToken? { try? UnlinkableToken(bytes: drawn("token")) }

  /// A token without a valid signature.
  var forgedToken: UnlinkableToken? { try? UnlinkableToken(bytes: drawn("forged token")) }

  /// Returns 32 bytes for a purpose, which depend only on the seed.
  private func drawn(_ purpose: String) -> [UInt8] {
    Array(SHA256.hash(data: Array("pcm-browser check, \(purpose), \(options.seed)".utf8)))
  }

  func signRequests(of probe: Probe) -> [ProbeRequest] {
    guard let byteCount = key?.modulusByteCount else { return [] }
    switch probe {
    case .sign:
      guard let blinded = observations.blinded else { return [] }
      return signing(nonce(0), blinded.blindedMessage)
    case .signWithUsedNonce: return signing(nonce(0), message(of: byteCount))
    case .signWithUnknownNonce: return signing(Base64URL.encode(Array(drawn("nonce").prefix(16))), message(of: byteCount))
    case .signWithMalformedNonce: return ProbeBody.malformedNonces.flatMap { signing($0, message(of: byteCount)) }
    case .signNothing: return [ProbeRequest(BrowserRequest.signing(at: site, body: .object([])))]
    case .signWrongSize: return signing(nonce(1), message(of: byteCount - 1))
    case .signAboveModulus: return signing(nonce(2), [UInt8](repeating: 0xFF, count: byteCount))
    default: return []
    }
  }

  private func nonce(_ number: Int) -> String? { nonces.count > number ? nonces[number] : nil }

  private func signing(_ nonce: String?, _ blinded: [UInt8]) -> [ProbeRequest] {
    guard let nonce else { return [] }
    let body = TokenExchange.signingBody(for: options.role, nonce: nonce, blinded: Base64URL.encode(blinded))
    return [ProbeRequest(BrowserRequest.signing(at: site, body: body))]
  }

  /// Returns a message of the given size whose value is less than each modulus of that size.
  private func message(of byteCount: Int) -> [UInt8] {
    let drawn = drawn("blinded message")
    return [UInt8](repeating: 0, count: max(0, byteCount - drawn.count)) + drawn
  }

  func tokenReports(of probe: Probe) -> [ProbeRequest] {
    guard let signed = try? signedToken.get(), let forgedToken, let values = values(of: probe).first else { return [] }
    let token = probe == .forgedTokenReport ? forgedToken : signed.token
    return [report(values, adding: tokenMembers(token.bytes, signature: signed.signature))]
  }

  func tokenMembers(_ token: [UInt8], signature: [UInt8]) -> [JSON.Member] {
    options.role.tokenMembers(token, signature: signature)
  }

  var mintRequests: [ProbeRequest] {
    guard let admin = options.admin else { return [] }
    return [ProbeRequest(admin.mintRequest(Probe.nonceCount))]
  }

  /// Returns the request for the next page of the list of reports; empty after the last page.
  func nextListing() -> [ProbeRequest] {
    guard let admin = options.admin, observations[.listing].count < Probe.listingPages else { return [] }
    guard let last = observations[.listing].last?.exchange else {
      return [ProbeRequest(admin.request(.get, "/reports?limit=1000"))]
    }
    guard let next = JSONResponse.decode(ReceiverListing.self, of: last)?.next else { return [] }
    let cursor = PercentEncoding.component.encode(next)
    return [ProbeRequest(admin.request(.get, "/reports?limit=1000&cursor=\(cursor)"))]
  }
}

extension CheckOptions.ReceiverAdmin {
  /// Returns a request for as many nonces.
  func mintRequest(_ count: Int) -> OutgoingRequest {
    let body: JSON = ["mint": .number(Int64(count))]
    return request(.post, "/nonces", body.bytes)
  }

  fileprivate func request(_ method: OutgoingRequest.Method, _ path: String, _ body: [UInt8]? = nil) -> OutgoingRequest {
    let type = body == nil ? [] : [OutgoingRequest.Header("Content-Type", "application/json")]
    let pass = token.map { [OutgoingRequest.Header("Authorization", "Bearer \($0)")] } ?? []
    return OutgoingRequest(method: method, url: url + path, headers: type + pass, body: body)
  }
}

extension Recipient {
  /// The members of a report with a token for this recipient.
  func tokenMembers(_ token: [UInt8], signature: [UInt8]) -> [JSON.Member] {
    let name = "\(rawValue)_secret_token"
    return [
      .init(name, .string(Base64URL.encode(token))), .init(name + "_signature", .string(Base64URL.encode(signature))),
    ]
  }
}
