/// An unblinded token with its signature, which the browser keeps for the report (reference, section 8). All members are
/// base64url.
package struct SecretToken: Hashable, Sendable {
  package let token: String
  package let signature: String
  /// The name of the signing key. It is never sent.
  package let keyID: String

  package init(token: String, signature: String, keyID: String) {
    self.token = token
    self.signature = signature
    self.keyID = keyID
  }
}

/// The requests for a signature: their URLs and bodies (reference, sections 8.2 and 8.3).
package enum TokenExchange {
  package static func keyURL(at site: Site) -> String {
    "https://\(site.domain)/.well-known/private-click-measurement/get-token-public-key/"
  }

  package static func signingURL(at site: Site) -> String {
    "https://\(site.domain)\(signingPath)"
  }

  package static let signingPath = "/.well-known/private-click-measurement/sign-unlinkable-token/"

  /// Returns a body with exactly four members, in wire order.
  ///
  /// - Parameters:
  ///   - nonce: The nonce of the page or the redirect, verbatim.
  ///   - blinded: The blinded message in base64url.
  package static func signingBody(for recipient: Recipient, nonce: String, blinded: String) -> JSON {
    .object([
      .init("source_engagement_type", "click"), .init("\(recipient.rawValue)_nonce", .string(nonce)),
      .init("\(recipient.rawValue)_unlinkable_token", .string(blinded)), .init("version", .number(ReportBody.version)),
    ])
  }
}

/// The state of a triggering event's destination token at its attribution.
package enum DestinationToken: Hashable, Sendable {
  /// The event contains no nonce.
  case notRequested
  /// - Parameter request: The number of the log event of the request.
  case signed(SecretToken, request: Int64)
  case failed(TokenReason, request: Int64)

  package var token: SecretToken? {
    guard case .signed(let token, _) = self else { return nil }
    return token
  }

  private var request: Int64? {
    switch self {
    case .notRequested: nil
    case .signed(_, let request), .failed(_, let request): request
    }
  }

  /// A failed exchange rejects the event (section 8.3).
  package static let rules: [Rule<DestinationToken, RejectionReason>] = [
    Rule(
      "destination-token-is-signed",
      inputs: ["destinationTokenRequest": { token in token.request.map { .number($0) } ?? .null }]
    ) { token in
      guard case .failed(let failure, _) = token else { return nil }
      return .destinationTokenRefused(failure)
    }
  ]
}
