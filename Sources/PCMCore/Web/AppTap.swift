/// An app that opens a URL with a `UIEventAttribution` (reference, section 2.4). Some rules belong to iOS and not to
/// WebKit: verified tap, manifest, SFSafariViewController, Mac Catalyst.
package struct AppTap: Sendable {
  package enum Presentation: String, Hashable, Sendable, CaseIterable {
    /// The scene or the application opens the URL in the browser.
    case openURL
    /// The app shows the URL in an `SFSafariViewController`.
    case safariViewController
  }

  /// The report endpoint in the app's manifest.
  package enum Endpoint: Hashable, Sendable {
    case missing
    case invalid(why: String)
    /// - Parameter written: The endpoint exactly as in the manifest.
    case valid(WebURL, written: String)

    var written: String? {
      guard case .valid(_, let written) = self else { return nil }
      return written
    }

    var invalidReason: String? {
      guard case .invalid(let why) = self else { return nil }
      return why
    }
  }

  package struct App: Hashable, Sendable {
    package let bundleIdentifier: String
    package let endpoint: Endpoint
    package let platform: AppBuild.Platform

    var isMacCatalyst: Bool { platform == .macCatalyst }

    fileprivate var lacksEndpoint: Violation {
      Violation(
        "no-report-endpoint", "the Info.plist of \(bundleIdentifier) has no NSAdvertisingAttributionReportEndpoint",
        change: "add NSAdvertisingAttributionReportEndpoint with an https URL to the Info.plist of \(bundleIdentifier), "
          + "and register it again")
    }

    fileprivate var isOnVisionOS: Reason {
      Reason(
        "visionos",
        "\(bundleIdentifier) is an app for visionOS; Apple documents the interface there, but whether Safari measures the click is "
          + "not established")
    }

    package init(bundleIdentifier: String, endpoint: Endpoint, platform: AppBuild.Platform) {
      self.bundleIdentifier = bundleIdentifier
      self.endpoint = endpoint
      self.platform = platform
    }
  }

  /// The tap as given. A `UIEventAttribution` has no nonce: that is an extension.
  package let input: EventAttributionInput
  package let app: App
  package let sourceID: UInt8
  package let destination: WebURL
  package let presentation: Presentation
  /// The URL that the app opens.
  package let opened: WebURL
  /// The URL that the main frame commits, after redirects.
  package let landing: WebURL

  package init(
    _ input: EventAttributionInput, app: App, sourceID: UInt8, destination: WebURL, presentation: Presentation, opened: WebURL,
    landing: WebURL
  ) {
    self.input = input
    self.app = app
    self.sourceID = sourceID
    self.destination = destination
    self.presentation = presentation
    self.opened = opened
    self.landing = landing
  }

  /// The rules, in the order of a device. Redirects between the opened URL and the page that loads are invisible
  /// (conformance case 18), so an opened URL on another site matters only when the landing is on another site.
  package static let rules: [Rule<AppTap>] = [
    Rule(
      "app-runs-on-iphone-or-ipad",
      "App-to-web measurement works on iPhone and iPad, and not in Mac Catalyst apps.",
      .apple("UIEventAttribution"),
      reasons: [
        "mac-catalyst": "build the app for iPhone or iPad: name 1 or 2 in UIDeviceFamily, and register its Info.plist again"
      ], inputs: ["bundleIdentifier": { .string($0.app.bundleIdentifier) }, "macCatalyst": { .bool($0.app.isMacCatalyst) }]
    ) { tap in
      guard tap.app.isMacCatalyst else { return nil }
      return Violation(
        "mac-catalyst",
        "\(tap.app.bundleIdentifier) is a Mac Catalyst app; app-to-web measurement works on iPhone and iPad only")
    },
    Rule(
      "manifest-names-report-endpoint", "The app's Info.plist has NSAdvertisingAttributionReportEndpoint.",
      .apple("NSAdvertisingAttributionReportEndpoint"),
      reasons: [
        "no-report-endpoint":
          "add NSAdvertisingAttributionReportEndpoint with an https URL to the Info.plist, and register it again"
      ], inputs: ["reportEndpoint": { .string($0.app.endpoint.written) }]
    ) { tap in
      tap.app.endpoint == .missing ? tap.app.lacksEndpoint : nil
    },
    Rule(
      "report-endpoint-is-usable", "The report endpoint is an https URL with a registrable domain, which is the source site.",
      .assumption("Apple documents an https URL (NSAdvertisingAttributionReportEndpoint), and WebKit checks no scheme"),
      reasons: [
        "report-endpoint-invalid":
          "make NSAdvertisingAttributionReportEndpoint an https URL on a registrable domain, such as https://news.example"
      ], inputs: ["endpointProblem": { .string($0.app.endpoint.invalidReason) }]
    ) { tap in
      guard let why = tap.app.endpoint.invalidReason else { return nil }
      return Violation(
        "report-endpoint-invalid", "the report endpoint cannot be used: \(why)")
    },
    Rule(
      "tap-is-verified", "The tap lands on a control that a UIEventAttributionView covers.",
      .apple("UIEventAttributionView"),
      reasons: ["tap-not-verified": "cover the tapped control with a UIEventAttributionView (tapVerified: true)"],
      inputs: ["tapVerified": { .bool($0.input.tapVerified) }]
    ) { tap in
      guard !tap.input.tapVerified else { return nil }
      return Violation(
        "tap-not-verified", "the tap did not land on a control that a UIEventAttributionView covers")
    },
    Rule(
      "safari-view-controller-opens-https",
      "The first URL of an SFSafariViewController is https.",
      .apple("SFSafariViewController.Configuration, eventAttribution"),
      reasons: ["safari-view-controller-http": "open an https URL"],
      inputs: ["presentation": { .string($0.presentation.rawValue) }, "openedURL": { .string($0.opened.text) }]
    ) { tap in
      guard tap.presentation == .safariViewController, tap.opened.scheme == "http" else { return nil }
      let opened = tap.opened.text
      return Violation(
        "safari-view-controller-http", "SFSafariViewController ignores the attribution when it opens http: \(opened)",
        change: "open https\(opened.dropFirst("http".count))")
    },
    Rule(
      "destination-is-opened",
      "The app opens a URL on the site of the ad's destination.",
      .webkit("WebPageProxy.cpp"),
      reasons: ["destination-not-opened": "open a URL on the destination's site, or change the attribution's destination"],
      inputs: [
        "destinationSite": { .string($0.destination.site.domain) }, "openedSite": { .string($0.opened.site.domain) },
        "landingSite": { .string($0.landing.site.domain) },
      ]
    ) { tap in
      let (opened, destination) = (tap.opened.site, tap.destination.site)
      guard tap.landing.site != destination, opened != destination else { return nil }
      return Violation(
        "destination-not-opened", "the opened URL is on \(opened.domain), the ad's destination is \(destination.domain)",
        change: "open a URL on \(destination.domain), or make \(opened.domain) the attribution's destination")
    },
    Rule(
      .landingIsOnDestination,
      inputs: [
        "destinationSite": { .string($0.destination.site.domain) }, "landingSite": { .string($0.landing.site.domain) },
      ]
    ) { tap in
      guard tap.landing.site != tap.destination.site else { return nil }
      return .landingSiteMismatch(landing: tap.landing.site, destination: tap.destination.site)
    },
  ]

  /// Decides about the click. A click from `openURL` belongs to Safari. A click from `SFSafariViewController` belongs to the
  /// app and is ephemeral.
  package func decide(_ settings: MeasurementSettings, at now: Instant, _ evaluation: inout RuleEvaluation) -> ClickDecision {
    let violation =
      evaluation.firstViolation(of: MeasurementSettings.rules, to: settings)
      ?? evaluation.firstViolation(of: Self.rules, to: self)
    if let violation { return .discard(violation) }
    guard case .valid(let endpoint, let written) = app.endpoint else { return .discard(app.lacksEndpoint) }
    let isEmbedded = presentation == .safariViewController
    let click = Click(
      key: ClickKey(
        source: endpoint.site, destination: destination.site,
        bundleIdentifier: isEmbedded ? app.bundleIdentifier : BundleIdentifier.safari),
      sourceID: sourceID, clickedAt: now, nonce: validNonce, reportEndpoint: written)
    return isEmbedded || settings.privateBrowsing ? .storeEphemeral(click, notes) : .store(click, notes)
  }

  private var nonce: String? { input.sourceNonce.flatMap { $0.isEmpty ? nil : $0 } }
  private var validNonce: String? { nonce.flatMap { Nonce.isValid($0) ? $0 : nil } }

  private var notes: [Reason] {
    let badNonce = validNonce == nil ? nonce.map { [Reason.nonceInvalid($0)] } ?? [] : []
    return badNonce + truncations + (app.platform == .visionOS ? [app.isOnVisionOS] : [])
  }

  private var truncations: [Reason] {
    [("sourceDescription", input.sourceDescription), ("purchaser", input.purchaser)].compactMap { member, text in
      guard let text, text.utf8.count > Self.textLimit, text.count > Self.textLimit else { return nil }
      return Reason(
        "text-truncated", "\(member) has \(text.count) characters; the system may truncate it after \(Self.textLimit)")
    }
  }

  /// The titles of its notes.
  static let notes = [
    RuleTitle.invalidNonceOfClick,
    RuleTitle(
      reason: "text-truncated",
      "sourceDescription or purchaser has more than \(textLimit) characters. The system may truncate it, and the report does not "
        + "contain it.", .apple("UIEventAttribution"), change: "shorten the text to \(textLimit) characters"),
    RuleTitle(
      reason: "visionos", "The app runs on visionOS. The click is stored.",
      .assumption("Apple lists visionOS for UIEventAttribution; whether Safari measures the click is not established"),
      change: "test on iPhone or iPad"),
  ]

  /// The system may truncate longer texts (reference, section 2.4).
  package static let textLimit = 100
}
