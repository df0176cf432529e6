import PCMCore
import PCMNetwork
import PCMURL

extension CheckCatalog {
  /// The rules about a pixel's redirect, according to the grammar of browsers.
  static let pixelCriteria: [Criterion] = [
    CheckRule(
      "pixel-url-is-https", "The pixel's URL is an https URL", .warning,
      .measured("WebKitGTK 2.50.6 (MixedContentChecker.cpp)"),
      fix:
        "Request the pixel with https: on an https page, browsers upgrade or block requests with http, so a redirect over http "
        + "shows nothing about them."
    ).criterion { context in
      guard let pixel = context.options.pixel else { return .notApplicable("no pixel was given (--pixel)") }
      return pixel.scheme == "https" ? .passed : .failed("the pixel's URL has the scheme \(pixel.scheme)")
    },
    CheckRule(
      "pixel-is-answered", "The pixel returns a complete response", .error, .webkit("NetworkResourceLoader.cpp"),
      fix: "Respond to the pixel request immediately, and complete the response."
    ).criterion(probes: [.pixel]) { context in
      guard context.options.pixel != nil else { return .notApplicable("no pixel was given (--pixel)") }
      return .none(of: context.observations[.pixel].whose { $0.failure != nil }, "a request for the pixel")
    },
    CheckRule(
      "pixel-is-answered-within-2-seconds", "The pixel responds within 2 seconds", .warning, .advice,
      fix: "Respond to the pixel request immediately: a user who leaves the page earlier is not measured."
    ).criterion(within: "pixel-is-answered", probes: [.pixel]) { context in
      slow(context.observations[.pixel], "a request for the pixel", context)
    },
    CheckRule(
      "pixel-redirects", "The pixel returns a redirect", .error,
      .apple("WebKit blog: Introducing Private Click Measurement, PCM"),
      fix: "Return 302 with a Location header: browsers evaluate only the target of a redirect."
    ).pixel(within: "pixel-is-answered") { observation in
      let isRedirect =
        [301, 302, 303, 307, 308].contains(observation.exchange.httpStatus) && observation.exchange.location != nil
      return isRedirect
        ? nil
        : "a request for the pixel \(observation.exchange.account), Location: "
          + "\(observation.exchange.location.map(Redaction.shown) ?? "none")"
    },
    CheckRule(
      "pixel-redirect-is-temporary", "The pixel's redirect is temporary", .warning, .draft("RFC 9110, section 15.4"),
      fix: "Return 302, 303, or 307: browsers cache 301 and 308 (RFC 9110, section 15.4), so later triggering events "
        + "may never reach you."
    ).pixel(within: "pixel-redirects") { observation in
      guard let status = observation.exchange.httpStatus, [301, 308].contains(status) else { return nil }
      return "the pixel returns \(status), a permanent redirect, which browsers cache"
    },
    CheckRule(
      "pixel-redirects-to-a-trigger", "The pixel redirects to the well-known trigger path", .error,
      .apple("WebKit blog: Introducing Private Click Measurement, PCM"),
      fix: "Redirect to /.well-known/private-click-measurement/trigger-attribution/ followed by two digits."
    ).pixel(within: "pixel-redirects", namesSlips: true) { observation in
      observation.target.map(TriggerURL.isTrigger) == true
        ? nil : "the pixel redirects to \(observation.exchange.location.map(Redaction.shown) ?? "nothing")"
    },
    CheckRule(
      "pixel-redirect-is-same-site", "The pixel redirects to its own site", .error,
      .webkit("PrivateClickMeasurementManager.cpp"),
      fix: "Redirect to the trigger path on the registrable domain of the pixel."
    ).pixel(within: "pixel-redirects-to-a-trigger") { observation in
      guard let target = observation.target, !target.site.contains(host: observation.url.host) else { return nil }
      return "the pixel on \(observation.url.host) redirects to \(target.site.domain)"
    },
    CheckRule(
      "pixel-trigger-is-read", "The trigger URL is valid in browsers", .error, .webkit("PrivateClickMeasurement.cpp"),
      fix: "Use https and /trigger-attribution/DD or /DD/PP with two digits each, 00 to 15 and 00 to 63, without "
        + "parameters other than attributionSource and attributionDestinationNonce."
    ).pixel(within: "pixel-redirects-to-a-trigger", namesSlips: true) { observation in
      guard case .failure(let rejected)? = observation.trigger, !rejected.isOfSource else { return nil }
      return rejected.reason.detail
    },
    CheckRule(
      "pixel-trigger-keeps-to-the-grammar", "The trigger URL matches the published grammar", .warning,
      .draft("Private Click Measurement, the triggering event"),
      fix: "Use only digits, with a slash between data and priority: other browsers may not be lenient."
    ).pixel(within: "pixel-trigger-is-read") { observation in
      (try? observation.trigger?.get().isLenient) == true ? TriggerURL.leniency.detail : nil
    },
    CheckRule(
      "pixel-source-is-a-site", "The attributionSource is the URL of a site", .error, .webkit("PrivateClickMeasurement.cpp"),
      fix: "Specify attributionSource once, as a percent-encoded https URL without a path, query, or fragment."
    ).pixel(within: "pixel-trigger-is-read") { observation in
      guard case .failure(let rejected)? = observation.trigger, rejected.isOfSource else { return nil }
      return rejected.reason.detail
    },
    CheckRule(
      "pixel-source-fits-the-role", "Only a pixel on the destination's own site has an attributionSource", .error,
      .webkit("PrivateClickMeasurementManager.cpp"),
      fix: "Omit attributionSource from pixels on the source's site, and add it to pixels on the destination's own site."
    ).pixel(within: "pixel-source-is-a-site") { observation in
      guard let trigger = try? observation.trigger?.get() else { return nil }
      switch observation.role {
      case .source:
        return trigger.attributionSource == nil ? nil : "a pixel on the source's site must not have an attributionSource"
      case .destination:
        return trigger.attributionSource != nil ? nil : "a pixel on the destination's site must have an attributionSource"
      }
    },
  ]
}

extension CheckRule {
  /// - Parameter namesSlips: Whether common mistakes in a redirect explain a violation.
  fileprivate func pixel(
    within: String, namesSlips: Bool = false, _ violation: @escaping @Sendable (PixelObservation) -> String?
  ) -> Criterion {
    criterion(within: within, probes: [.pixel]) { context in
      guard let observation = PixelObservation(context), let violation = violation(observation) else { return .passed }
      let slips = namesSlips ? observation.slips : []
      return .failed(
        violation + slips.map(\.name).joined(),
        fix: slips.isEmpty ? nil : slips.map(\.fix).joined(separator: " "))
    }
  }
}

/// A pixel and the target of its redirect.
private struct PixelObservation {
  let url: WebURL
  let exchange: ProbeExchange
  let role: Recipient
  /// The target; nil without a redirect to a valid URL.
  let target: WebURL?
  let trigger: Result<TriggerURL, Violation>?

  init?(_ context: CheckContext) {
    guard let url = context.options.pixel, let exchange = context.observations.first(.pixel) else { return nil }
    self.url = url
    self.exchange = exchange
    role = context.options.role
    let parser = context.parser
    let text = exchange.location.flatMap { try? parser.redirectTarget(of: $0, from: url) }
    // The findings repeat parts of the target.
    target = text.flatMap { try? parser.url($0.withMarkedUserInformation) }
    guard let target else {
      trigger = nil
      return
    }
    var evaluation = RuleEvaluation()
    trigger = TriggerURL.parse(TriggerURL.Reading(target) { try? parser.url($0) }, &evaluation)
  }

  /// The common mistakes in a redirect to a trigger URL, as ends of a clause, with their remedies.
  var slips: [(name: String, fix: String)] {
    let location = exchange.location ?? ""
    // A host follows the slashes after a scheme, and the slashes of a URL without a scheme.
    let path = location.replacing(/^([A-Za-z]+:)?\/\/(?=[^.\/])/, with: "")
    let single = path.replacing(/\/{2,}/, with: "/")
    let isRight = single.contains(TriggerURL.pathPrefix)
    let read = target?.path ?? String(path.prefix { $0 != "?" })
    let spelling = TriggerPath.spelling(of: read)
    guard isRight || spelling != nil else { return [] }
    let hasOneSlash = location.contains(/^https?:\/[^\/]/)
    return [
      (
        isRight && single != path, ", with a doubled slash in the path",
        "Write one slash at each place of \(TriggerURL.pathPrefix)DD: a base URL that ends with a slash may be joined with the path."
      ),
      (
        hasOneSlash, ", with one slash after the scheme",
        "Write two slashes after https:, because browsers take the host after one slash for a part of the path."
      ),
      (
        target.map { $0.scheme == "http" } ?? location.lowercased().hasPrefix("http:"), ", over http",
        "Redirect to https, because browsers ignore a trigger URL with http:. Behind a proxy that ends TLS, let the framework trust "
          + "X-Forwarded-Proto."
      ),
      (
        !isRight && !hasOneSlash, "; \(spelling ?? "")",
        "Redirect to \(TriggerPath.intended(by: read) ?? TriggerURL.pathPrefix + "DD"), with two digits for the data, and two after a "
          + "slash for the priority."
      ),
    ].filter(\.0).map { ($0.1, $0.2) }
  }
}

extension Violation {
  /// Whether the violation concerns `attributionSource`.
  fileprivate var isOfSource: Bool { reason.code.hasPrefix("source-parameter-") }
}
