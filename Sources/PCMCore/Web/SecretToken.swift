/// 16 bytes in base64url that a server generates for one click or one triggering event.
package enum Nonce {
  /// Returns whether the text decodes to exactly 16 bytes: 22 characters without `+` and `/`, followed by any number of `=`,
  /// which WebKit's decoder ignores (Base64.cpp).
  package static func isValid(_ text: String) -> Bool {
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    let characters = text.utf8.dropLast(padding)
    return characters.count == 22 && characters.allSatisfy(isBase64URL)
  }

  /// Returns the 16 bytes of a valid nonce; nil for any other text.
  package static func bytes(of text: String) -> [UInt8]? {
    isValid(text) ? Base64URL.decode(String(text.prefix { $0 != "=" })) : nil
  }

  private static func isBase64URL(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

/// An unblinded token with its signature, which the browser keeps for the report (reference, section 8). All members are
/// base64url.
package struct SecretToken: Hashable, Sendable {
  private let parts: Boxed<Parts>

  package var token: String { parts.value.token }
  package var signature: String { parts.value.signature }
  /// The name of the signing key. It is never sent.
  package var keyID: String { parts.value.keyID }

  package init(token: String, signature: String, keyID: String) {
    parts = Boxed(Parts(token: token, signature: signature, keyID: keyID))
  }

  private struct Parts: Hashable, Sendable {
    let token: String
    let signature: String
    let keyID: String
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
  case failed(Violation, request: Int64)

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

  package func violation(_ evaluation: inout RuleEvaluation) -> Violation? {
    evaluation.firstViolation(of: Self.rules, to: self)
  }

  /// A failed exchange rejects the event (section 8.3).
  package static let rules: [Rule<DestinationToken>] = [
    Rule(
      "destination-token-is-signed",
      "The destination signs the token that the nonce requests.",
      .webkit("PrivateClickMeasurementManager.cpp"),
      reasons: [
        "destination-token-failed":
          "respond to the destination's requests for key and signature, or remove attributionDestinationNonce"
      ], inputs: ["destinationTokenRequest": { token in token.request.map { .number($0) } ?? .null }]
    ) { token in
      guard case .failed(let failure, _) = token else { return nil }
      return .destinationTokenFailed("\(failure.reason.code), \(failure.reason.detail)", change: failure.change)
    }
  ]
}

/// Why a browser has no token. Each code identifies the failed step (reference, sections 8.2 and 8.3).
extension Violation {
  /// The titles of the reasons of tokens that fail.
  static let titlesOfTokens = [
    RuleTitle(
      reason: "token-key-unavailable", "The site served no token key. A click is kept without its token.",
      .webkit("PrivateClickMeasurementManager.cpp"),
      change: "serve the key as application/json at /.well-known/private-click-measurement/get-token-public-key/"),
    RuleTitle(
      reason: "token-key-invalid", "The site served an invalid token key. A click is kept without its token.",
      .webkit("PrivateClickMeasurementManager.cpp"),
      change: "serve an RSA key with the identifier of RSASSA-PSS, encoded in DER and base64url, as token_public_key"),
    RuleTitle(
      reason: "token-signature-unavailable",
      "The site did not answer the request for a signature. A click is kept without its token.",
      .webkit("PrivateClickMeasurementManager.cpp"),
      change: "answer at /.well-known/private-click-measurement/sign-unlinkable-token/ as application/json"),
    RuleTitle(
      reason: "token-signature-invalid", "The site returned no valid signature. A click is kept without its token.",
      .webkit("PrivateClickMeasurementManager.cpp"), change: "sign with the private key of the served key, as unlinkable_token"),
    RuleTitle(
      reason: "token-late", "The token of a click arrived after the click was attributed or removed. It is discarded.",
      .ours("WebKit stores the attributed click again, which leads to a second report"),
      change: tokenLate.change),
  ]

  /// The request for the key received no response.
  package static func keyUnavailable(_ site: Site, why: String) -> Violation {
    Violation(
      "token-key-unavailable", "\(site.domain) served no token key: \(why)", change: TokenExchange.servingKey(at: site))
  }

  /// The response contained no usable key.
  package static func keyInvalid(_ site: Site, why: String) -> Violation {
    Violation(
      "token-key-invalid", "\(site.domain) served an invalid token key: \(why)", change: TokenExchange.servingKey(at: site))
  }

  package static func signatureUnavailable(_ site: Site, why: String) -> Violation {
    Violation(
      "token-signature-unavailable", "\(site.domain) did not answer the request for a signature: \(why)",
      change: TokenExchange.signing(at: site))
  }

  /// The response contained no valid signature.
  package static func signatureInvalid(_ site: Site, why: String) -> Violation {
    Violation(
      "token-signature-invalid", "\(site.domain) returned no valid signature: \(why)", change: TokenExchange.signing(at: site))
  }

  /// The click was attributed, replaced, or cleared, or expired, in the meantime.
  package static let tokenLate = Violation(
    "token-late", "the token arrived after its click was attributed or removed, and was discarded",
    change: "respond to the requests for key and signature before the triggering event")

  /// The triggering event is rejected without its destination token.
  static func destinationTokenFailed(_ why: String, change: String) -> Violation {
    Violation(
      "destination-token-failed", "the destination token is not available, so the event is rejected: \(why)", change: change)
  }
}

extension TokenExchange {
  fileprivate static func servingKey(at site: Site) -> String {
    #"answer GET \#(keyURL(at: site)) with {"token_public_key": …} as application/json"#
  }

  fileprivate static func signing(at site: Site) -> String {
    #"answer POST \#(signingURL(at: site)) with {"unlinkable_token": …} as application/json"#
  }
}
