/// A token that a site signed without seeing it, as the browser keeps it until the report (reference, section 8): three
/// texts in base64url.
package struct SecretToken: Hashable, Sendable {
  package let token: String
  package let signature: String
  /// The name of the key that signed; it is never sent.
  package let keyID: String

  package init(token: String, signature: String, keyID: String) {
    self.token = token
    self.signature = signature
    self.keyID = keyID
  }
}

/// Where and how a browser asks a site for a signature (reference, sections 8.2 and 8.3).
package enum TokenExchange {
  package static func keyURL(at site: Site) -> String {
    "https://\(site.domain)/.well-known/private-click-measurement/get-token-public-key/"
  }

  package static func signingURL(at site: Site) -> String {
    "https://\(site.domain)\(signingPath)"
  }

  package static let signingPath = "/.well-known/private-click-measurement/sign-unlinkable-token/"

  /// Exactly four members, in the order of the wire.
  ///
  /// - Parameters:
  ///   - nonce: as the page or the redirect has it, verbatim.
  ///   - blinded: the blinded message in base64url.
  package static func signingBody(for party: Recipient, nonce: String, blinded: String) -> JSON {
    .object([
      .init("source_engagement_type", "click"), .init("\(party.rawValue)_nonce", .string(nonce)),
      .init("\(party.rawValue)_unlinkable_token", .string(blinded)), .init("version", .number(ReportBody.version)),
    ])
  }
}

/// What a triggering event has of a destination token when it comes to its attribution.
package enum DestinationToken: Hashable, Sendable {
  /// The event carries no nonce.
  case notAsked
  /// - Parameter request: the log event that tells of the request.
  case signed(SecretToken, request: Int64)
  case failed(TokenReason, request: Int64)

  package var token: SecretToken? {
    guard case .signed(let token, _) = self else { return nil }
    return token
  }

  private var request: Int64? {
    switch self {
    case .notAsked: nil
    case .signed(_, let request), .failed(_, let request): request
    }
  }

  /// Any failure ends the whole event (section 8.3).
  package static let rules: [Rule<DestinationToken, RejectionReason>] = [
    Rule(
      "destination-token-is-signed",
      sees: ["destinationTokenRequest": { token in token.request.map { .number($0) } ?? .null }]
    ) { token in
      guard case .failed(let failure, _) = token else { return nil }
      return .destinationTokenRefused(failure)
    }
  ]
}
