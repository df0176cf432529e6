import PCMCore
import PCMDelivery
import PCMSites

extension CheckCatalog {
  /// The rules about a pixel's redirect, according to the grammar of browsers.
  static let pixelCriteria: [Criterion] = [
    Criterion(
      CheckRule(
        "pixel-is-answered", "The pixel returns a response within 10 seconds", .error, .webkit,
        fix: "Respond to the pixel request immediately, and complete the response."),
      probes: [.pixel]
    ) { inquiry in
      guard inquiry.options.pixel != nil else { return .notApplicable("no pixel was given (--pixel)") }
      return .none(
        of: inquiry.observations[.pixel].whose { $0.failure != nil || $0.duration > inquiry.options.patience.tolerable },
        "a request for the pixel")
    },
    Criterion(
      CheckRule(
        "pixel-is-answered-within-2-seconds", "The pixel responds within 2 seconds", .warning, .ours,
        fix: "Respond to the pixel request immediately: a user who leaves the page earlier is not measured."),
      within: "pixel-is-answered", probes: [.pixel]
    ) { inquiry in slow(inquiry.observations[.pixel], "a request for the pixel", inquiry) },
    pixel(
      CheckRule(
        "pixel-redirects", "The pixel returns a redirect", .error, .apple,
        fix: "Return 302 with a Location header: browsers evaluate only the target of a redirect."),
      within: "pixel-is-answered"
    ) { sight in
      let isRedirect = [301, 302, 303, 307, 308].contains(sight.exchange.httpStatus) && sight.exchange.location != nil
      return isRedirect
        ? nil
        : "a request for the pixel \(sight.exchange.account), Location: "
          + "\(sight.exchange.location.map(Redaction.shown) ?? "none")"
    },
    pixel(
      CheckRule(
        "pixel-redirect-is-temporary", "The pixel's redirect is temporary", .warning, .draft,
        fix: "Return 302, 303, or 307: browsers cache 301 and 308 (RFC 9110, section 15.4), so later triggering events "
          + "may never reach you."),
      within: "pixel-redirects"
    ) { sight in
      guard let status = sight.exchange.httpStatus, [301, 308].contains(status) else { return nil }
      return "the pixel returns \(status), a permanent redirect, which browsers cache"
    },
    pixel(
      CheckRule(
        "pixel-redirects-to-a-trigger", "The pixel redirects to the well-known trigger path", .error, .apple,
        fix: "Redirect to /.well-known/private-click-measurement/trigger-attribution/ followed by two digits."),
      within: "pixel-redirects"
    ) { sight in
      sight.target.map(TriggerURL.isTrigger) == true
        ? nil : "the pixel redirects to \(sight.exchange.location.map(Redaction.shown) ?? "nothing")"
    },
    pixel(
      CheckRule(
        "pixel-redirect-is-same-site", "The pixel redirects to its own site", .error, .webkit,
        fix: "Redirect to the trigger path on the registrable domain of the pixel."),
      within: "pixel-redirects-to-a-trigger"
    ) { sight in
      guard let target = sight.target, !target.site.contains(host: sight.url.host) else { return nil }
      return "the pixel on \(sight.url.host) redirects to \(target.site.domain)"
    },
    pixel(
      CheckRule(
        "pixel-trigger-is-read", "The trigger URL is valid in browsers", .error, .webkit,
        fix: "Use https and /trigger-attribution/DD or /DD/PP with two digits each, 00 to 15 and 00 to 63, without "
          + "parameters other than attributionSource and attributionDestinationNonce."),
      within: "pixel-redirects-to-a-trigger"
    ) { sight in
      guard case .failure(let rejection) = sight.trigger, !rejection.isOfSource else { return nil }
      return rejection.reason.detail
    },
    pixel(
      CheckRule(
        "pixel-trigger-keeps-to-the-grammar", "The trigger URL matches the published grammar", .warning, .draft,
        fix: "Use only digits, with a slash between data and priority: other browsers may not be lenient."),
      within: "pixel-trigger-is-read"
    ) { sight in (try? sight.trigger.get().isLenient) == true ? TriggerURL.leniency.detail : nil },
    pixel(
      CheckRule(
        "pixel-source-is-a-site", "The attributionSource is the URL of a site", .error, .webkit,
        fix: "Specify attributionSource once, as a percent-encoded https URL without a path, query, or fragment."),
      within: "pixel-trigger-is-read"
    ) { sight in
      guard case .failure(let rejection) = sight.trigger, rejection.isOfSource else { return nil }
      return rejection.reason.detail
    },
    pixel(
      CheckRule(
        "pixel-source-fits-the-role", "Only a pixel on the destination's own site has an attributionSource", .error,
        .webkit,
        fix: "Omit attributionSource from pixels on the source's site, and add it to pixels on the destination's own site."),
      within: "pixel-source-is-a-site"
    ) { sight in
      guard let trigger = try? sight.trigger.get() else { return nil }
      switch sight.role {
      case .source:
        return trigger.attributionSource == nil ? nil : "a pixel on the source's site must not have an attributionSource"
      case .destination:
        return trigger.attributionSource != nil ? nil : "a pixel on the destination's site must have an attributionSource"
      }
    },
  ]

  private static func pixel(
    _ rule: CheckRule, within: String, _ violation: @escaping @Sendable (PixelSight) -> String?
  ) -> Criterion {
    Criterion(rule, within: within, probes: [.pixel]) { inquiry in
      guard let sight = PixelSight(inquiry), let violation = violation(sight) else { return .passed }
      return .failed(violation)
    }
  }
}

/// A pixel and the target of its redirect.
private struct PixelSight {
  let url: WebURL
  let exchange: ProbeExchange
  let role: CheckReport.Role
  /// Nil without a redirect to a valid URL.
  let target: WebURL?
  let trigger: Result<TriggerURL, RejectionReason>

  init?(_ inquiry: CheckContext) {
    guard let url = inquiry.options.pixel, let exchange = inquiry.observations.first(.pixel) else { return nil }
    self.url = url
    self.exchange = exchange
    role = inquiry.options.role
    let parser = inquiry.parser
    let text = exchange.location.flatMap { try? parser.redirectTarget(of: $0, from: url) }
    target = text.flatMap { try? parser.url($0) }
    guard let target else {
      trigger = .failure(.pathUnrecognised(tail: ""))
      return
    }
    var evaluation = RuleEvaluation()
    trigger = TriggerURL.parse(TriggerURL.Reading(target) { try? parser.url($0) }, &evaluation)
  }
}

extension RejectionReason {
  /// Whether the reason concerns `attributionSource`.
  fileprivate var isOfSource: Bool {
    switch self {
    case .sourceParameterEmpty, .sourceParameterRepeated, .sourceParameterInvalid: true
    default: false
    }
  }
}
