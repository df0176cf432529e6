/// Why a browser has no token. Each code identifies the failed step (reference, sections 8.2 and 8.3).
package enum TokenReason: Error, Hashable, RuleViolation {
  /// The request for the key received no response.
  case keyUnavailable(Site, why: String)
  /// The response contained no usable key.
  case keyInvalid(Site, why: String)
  case signatureUnavailable(Site, why: String)
  /// The response contained no signature, or an invalid one.
  case signatureInvalid(Site, why: String)
  /// The click was attributed, replaced, or cleared, or expired, in the meantime.
  case late

  package var reason: Reason {
    switch self {
    case .keyUnavailable(let site, let why):
      Reason("token-key-unavailable", "\(site.domain) served no token key: \(why)")
    case .keyInvalid(let site, let why):
      Reason("token-key-invalid", "\(site.domain) served an invalid token key: \(why)")
    case .signatureUnavailable(let site, let why):
      Reason("token-signature-unavailable", "\(site.domain) did not answer the request for a signature: \(why)")
    case .signatureInvalid(let site, let why):
      Reason("token-signature-invalid", "\(site.domain) returned no valid signature: \(why)")
    case .late: Reason("token-late", "the token arrived after its click was attributed or removed, and was discarded")
    }
  }

  package var change: String {
    switch self {
    case .keyUnavailable(let site, _), .keyInvalid(let site, _):
      #"answer GET \#(TokenExchange.keyURL(at: site)) with {"token_public_key": …} as application/json"#
    case .signatureUnavailable(let site, _), .signatureInvalid(let site, _):
      #"answer POST \#(TokenExchange.signingURL(at: site)) with {"unlinkable_token": …} as application/json"#
    case .late: "respond to the requests for key and signature before the triggering event"
    }
  }
}
