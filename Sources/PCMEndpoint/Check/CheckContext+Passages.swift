import PCMCore
import PCMNetwork
import PCMURL

/// The ways around a failed rule, with which one check also shows the failures after it.
extension CheckContext {
  /// Returns whether the rules that depend on a failed rule wait for a way around it.
  func mayPass(_ rule: String) -> Bool {
    passage(around: rule) != nil
      || rule.hasSuffix(Self.redirectRule) && !observations.has(.redirectTargets) && nextTarget != nil
  }

  /// Returns the first message as the endpoint answered it in spite of a failed rule: at the target of a redirect, or with the
  /// headers of the accepted variant. Nil if there is no way around the rule.
  func passage(around rule: String) -> Sent? {
    if rule.hasSuffix(Self.redirectRule) { return observations[.redirectTargets].last.flatMap { $0.isServed ? $0 : nil } }
    guard rule.hasSuffix("-status-is-2xx") else { return nil }
    // Later messages have other bodies, so a variant of the body is no way.
    return variantResults.map(\.sent).first { accepts($0.exchange) && $0.request.body == firstSent?.request.body }
  }

  /// Puts the passage in the place of the first message. Later messages have its URL and its headers.
  mutating func pass(_ rule: String) {
    guard let sent = passage(around: rule), let first = firstSent else { return }
    passedRules.insert(rule)
    if !rule.hasSuffix(Self.redirectRule) { observations.refused = first }
    observations.replace(firstProbe, with: sent)
  }

  private static let redirectRule = "-is-not-redirected"

  /// The first message at the target of the last redirect; nil for a target that is on another site or a login.
  var nextTarget: ProbeRequest? {
    let earlier = observations[.redirectTargets]
    guard earlier.count < Probe.redirectCount, let last = earlier.last ?? firstSent, last.exchange.isRedirect,
      Refusal(last.exchange) == nil, let location = last.exchange.location, let base = try? parser.url(last.request.url),
      let target = try? parser.url(parser.redirectTarget(of: location, from: base)), target.scheme == "https",
      target.site == base.site, target.text != base.text, target.host == base.host || !options.route.hasEntries
    else { return nil }
    return last.request.changed(url: target.text, body: last.request.body)
  }
}

extension Sent {
  /// Whether a route of the endpoint answered.
  fileprivate var isServed: Bool {
    exchange.failure == nil && !exchange.isRedirect && ![404, 405, 410, 501].contains(exchange.httpStatus)
  }
}

extension NetworkRoute {
  /// Whether the user directs hosts. Another host of the site then has no server, or another one.
  fileprivate var hasEntries: Bool { !connectTo.isEmpty || !resolve.isEmpty || !forwardTo.isEmpty }
}
