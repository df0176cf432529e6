/// Why a redirect to the well-known trigger path is no triggering event (reference, sections 4.2 and 4.3).
package enum TriggerRejection: Hashable, Sendable {
  case measurementDisabled
  case notHTTPS(scheme: String)
  case hasCredentials
  case hasFragment
  case queryEmpty
  case queryUnsupported(why: String)
  case sourceParameterEmpty
  case sourceParameterRepeated
  case sourceParameterInvalid(text: String, why: String)
  case nonceParameterEmpty
  case nonceParameterRepeated
  case dataInvalid(text: String)
  case priorityInvalid(text: String)
  case pathUnrecognised(tail: String)
  case redirectNotSameSite(from: String, to: Site)
  case sameSiteNeedsSource(Site)
  case crossSiteForbidsSource(redirect: Site, firstParty: Site)

  package var reason: Reason {
    switch self {
    case .measurementDisabled:
      Reason("measurement-disabled", "measurement is switched off in this browser's settings (measurementEnabled)")
    case .notHTTPS(let scheme): Reason("not-https", "the trigger URL's scheme is \(scheme), it must be https")
    case .hasCredentials: Reason("has-credentials", "the trigger URL carries a user name or a password")
    case .hasFragment: Reason("has-fragment", "the trigger URL carries a fragment; a bare # counts")
    case .queryEmpty: Reason("query-empty", "the trigger URL has a question mark without a parameter behind it")
    case .queryUnsupported(let why):
      Reason("query-unsupported", "\(why); allowed are attributionSource and attributionDestinationNonce")
    case .sourceParameterEmpty: Reason("source-parameter-empty", "attributionSource has no value")
    case .sourceParameterRepeated: Reason("source-parameter-repeated", "attributionSource stands twice")
    case .sourceParameterInvalid(let text, let why):
      Reason("source-parameter-invalid", "attributionSource \"\(text)\" \(why)")
    case .nonceParameterEmpty: Reason("nonce-parameter-empty", "attributionDestinationNonce has no value")
    case .nonceParameterRepeated: Reason("nonce-parameter-repeated", "attributionDestinationNonce stands twice")
    case .dataInvalid(let text): Reason("data-invalid", "trigger data \"\(text)\" is not a number from 00 to 15")
    case .priorityInvalid(let text): Reason("priority-invalid", "priority \"\(text)\" is not a number from 00 to 63")
    case .pathUnrecognised(let tail):
      Reason("path-unrecognised", "\"\(tail)\" behind trigger-attribution/ is neither DD nor DD/PP")
    case .redirectNotSameSite(let from, let to):
      Reason("redirect-not-same-site", "the hop on \(from) redirected to another site, \(to.domain)")
    case .sameSiteNeedsSource(let site):
      Reason("same-site-needs-source", "the pixel is on the page's own site, \(site.domain), and lacks attributionSource")
    case .crossSiteForbidsSource(let redirect, let firstParty):
      Reason(
        "cross-site-forbids-source",
        "the pixel on \(redirect.domain) is cross-site to \(firstParty.domain) and must not carry attributionSource")
    }
  }
}
