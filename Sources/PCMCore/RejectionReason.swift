/// Why a redirect to the well-known trigger path is not a triggering event (reference, sections 4.2 and 4.3).
package enum RejectionReason: Hashable, RuleViolation {
  case pathNotATrigger(path: String, intended: String?)
  /// A request or redirect of a load.
  case ignored(IgnoredTrigger)
  case measurementDisabled
  case mixedContentBlocked(request: String)
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
  case pathUnrecognized(tail: String)
  case redirectNotSameSite(from: String, to: Site)
  case sameSiteNeedsSource(Site)
  case crossSiteForbidsSource(redirect: Site, firstParty: Site)
  case destinationTokenFailed(why: String)
  case destinationTokenRefused(TokenReason)

  package var reason: Reason {
    switch self {
    case .pathNotATrigger(let path, let intended):
      Reason("path-not-a-trigger", "the path \"\(path)\" is not the trigger path; \(Self.spelling(intended))")
    case .ignored(let trigger): trigger.reason
    case .measurementDisabled:
      Reason("measurement-disabled", "measurement is switched off in this browser's settings (measurementEnabled)")
    case .mixedContentBlocked(let request):
      Reason("mixed-content-blocked", "an https page does not request http URLs, so \(request) cannot have redirected it")
    case .notHTTPS(let scheme): Reason("not-https", "the trigger URL's scheme is \(scheme), but must be https")
    case .hasCredentials: Reason("has-credentials", "the trigger URL contains a user name or a password")
    case .hasFragment: Reason("has-fragment", "the trigger URL contains a fragment; an empty one (#) counts")
    case .queryEmpty: Reason("query-empty", "the trigger URL has a question mark without a parameter")
    case .queryUnsupported(let why):
      Reason("query-unsupported", "\(why); allowed are attributionSource and attributionDestinationNonce")
    case .sourceParameterEmpty: Reason("source-parameter-empty", "attributionSource has no value")
    case .sourceParameterRepeated: Reason("source-parameter-repeated", "attributionSource appears twice")
    case .sourceParameterInvalid(let text, let why):
      Reason("source-parameter-invalid", "attributionSource \"\(text)\" \(why)")
    case .nonceParameterEmpty: Reason("nonce-parameter-empty", "attributionDestinationNonce has no value")
    case .nonceParameterRepeated: Reason("nonce-parameter-repeated", "attributionDestinationNonce appears twice")
    case .dataInvalid(let text): Reason("data-invalid", "trigger data \"\(text)\" is not a number from 00 to 15")
    case .priorityInvalid(let text): Reason("priority-invalid", "priority \"\(text)\" is not a number from 00 to 63")
    case .pathUnrecognized(let tail):
      Reason("path-unrecognised", "\"\(tail)\" after trigger-attribution/ is neither DD nor DD/PP")
    case .redirectNotSameSite(let from, let to):
      Reason("redirect-not-same-site", "the hop on \(from) redirected to another site, \(to.domain)")
    case .sameSiteNeedsSource(let site):
      Reason("same-site-needs-source", "the pixel is on the page's own site, \(site.domain), and lacks attributionSource")
    case .crossSiteForbidsSource(let redirect, let firstParty):
      Reason(
        "cross-site-forbids-source",
        "the pixel on \(redirect.domain) is cross-site to \(firstParty.domain) and must not carry attributionSource")
    case .destinationTokenFailed(let why):
      Reason("destination-token-failed", "the destination token is not available, so the event is rejected: \(why)")
    case .destinationTokenRefused(let failure):
      Self.destinationTokenFailed(why: "\(failure.reason.code), \(failure.reason.detail)").reason
    }
  }

  package var change: String {
    switch self {
    case .pathNotATrigger(_, let intended): "redirect to \(intended ?? "\(TriggerURL.pathPrefix)DD or …/DD/PP")"
    case .ignored(let trigger): trigger.change
    case .measurementDisabled: "set measurementEnabled to true in the browser's settings"
    case .mixedContentBlocked: "request an https URL"
    case .notHTTPS: "redirect to the same URL with https"
    case .hasCredentials: "redirect to the same URL without user name and password"
    case .hasFragment: "remove the fragment: the # and everything after it"
    case .queryEmpty: "remove the question mark"
    case .queryUnsupported: "remove all parameters except attributionSource and attributionDestinationNonce, each at most once"
    case .sourceParameterEmpty: "give attributionSource a value, such as https://news.example, or remove it"
    case .sourceParameterRepeated: "give attributionSource once"
    case .sourceParameterInvalid: "make attributionSource an origin, such as https://news.example"
    case .nonceParameterEmpty: "give attributionDestinationNonce a value, or remove it"
    case .nonceParameterRepeated: "give attributionDestinationNonce once"
    case .dataInvalid: "write the trigger data as two digits from 00 to 15"
    case .priorityInvalid: "write the priority as two digits from 00 to 63"
    case .pathUnrecognized(let tail):
      "end the path with trigger-attribution/\(Self.corrected(tail) ?? "DD or trigger-attribution/DD/PP")"
    case .redirectNotSameSite(let from, let to):
      "redirect from a URL on \(to.domain), or from \(from) to a trigger URL on its own site"
    case .sameSiteNeedsSource: Self.namingSource(nil)
    case .crossSiteForbidsSource(let redirect, let firstParty):
      "remove attributionSource, because the source is \(redirect.domain) itself, or redirect within \(firstParty.domain)"
    case .destinationTokenFailed: "give attributionDestinationNonce 16 bytes in base64url (22 characters), or remove it"
    case .destinationTokenRefused(let failure): failure.change
    }
  }

  /// Returns the data, and the priority if there is one, with two digits each; nil when the path names no valid numbers.
  private static func corrected(_ tail: String) -> String? {
    let parts = tail.split(separator: "/")
    let maximums = [15, 63]
    guard (1...2).contains(parts.count) else { return nil }
    let numbers = zip(parts, maximums).compactMap { part, maximum in
      part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part).flatMap { $0 <= maximum ? $0 : nil } : nil
    }
    guard numbers.count == parts.count else { return nil }
    return numbers.map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: "/")
  }

  private static func spelling(_ intended: String?) -> String {
    intended.map { "the closest correct spelling is \($0)" } ?? "a trigger path begins with \(TriggerURL.pathPrefix)"
  }

  /// Returns the change for a same-site pixel without a source, with the source site if one is known.
  package static func namingSource(_ source: Site?) -> String {
    guard let source else { return "add ?attributionSource= with the origin of the click's source site to the trigger URL" }
    return "add ?attributionSource=https://\(source.domain) to the trigger URL"
  }
}
