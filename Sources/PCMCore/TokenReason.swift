/// Why a browser got no token: each code names the step that failed (reference, sections 8.2 and 8.3).
package enum TokenReason: Error, Hashable, RuleViolation {
  /// No answer to the request for the key.
  case keyUnavailable(Site, why: String)
  /// The answer held no key that can be used.
  case keyInvalid(Site, why: String)
  case signatureUnavailable(Site, why: String)
  /// The answer held no signature, or one that does not verify.
  case signatureInvalid(Site, why: String)
  /// The click was attributed, replaced, cleared or has expired meanwhile.
  case late

  package var reason: Reason {
    switch self {
    case .keyUnavailable(let site, let why):
      Reason("token-key-unavailable", "\(site.domain) served no token key: \(why)")
    case .keyInvalid(let site, let why):
      Reason("token-key-invalid", "what \(site.domain) served is no token key: \(why)")
    case .signatureUnavailable(let site, let why):
      Reason("token-signature-unavailable", "\(site.domain) did not answer the request for a signature: \(why)")
    case .signatureInvalid(let site, let why):
      Reason("token-signature-invalid", "what \(site.domain) answered is no signature of the token: \(why)")
    case .late: Reason("token-late", "the token was signed when its click no longer waited, so it was dropped")
    }
  }

  package var change: String {
    switch self {
    case .keyUnavailable(let site, _), .keyInvalid(let site, _):
      #"answer GET \#(TokenExchange.keyURL(at: site)) with {"token_public_key": …} as application/json"#
    case .signatureUnavailable(let site, _), .signatureInvalid(let site, _):
      #"answer POST \#(TokenExchange.signingURL(at: site)) with {"unlinkable_token": …} as application/json"#
    case .late: "answer the requests for key and signature before the triggering event"
    }
  }
}
