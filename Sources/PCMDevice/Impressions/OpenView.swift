package import PCMCore

/// An ad that is on display: its view has started and not ended (SKAdNetwork reference, section 2.2).
package struct OpenView: Hashable, Sendable {
  /// The app that displays the ad.
  package let bundleIdentifier: String
  package let signed: SignedImpression
  package let sourceSDK: OSVersion
  package let isDevelopment: Bool
  package let startedAt: Instant

  package init(
    bundleIdentifier: String, signed: SignedImpression, sourceSDK: OSVersion, isDevelopment: Bool, startedAt: Instant
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.signed = signed
    self.sourceSDK = sourceSDK
    self.isDevelopment = isDevelopment
    self.startedAt = startedAt
  }

  package var key: Key {
    Key(
      framework: signed.framework, bundleIdentifier: bundleIdentifier,
      advertisedAppStoreItemIdentifier: signed.advertisedAppStoreItemIdentifier)
  }

  /// The identity of a view: an app displays one ad for an advertised app at a time.
  package struct Key: Hashable, Sendable {
    package let framework: AdFramework
    package let bundleIdentifier: String
    package let advertisedAppStoreItemIdentifier: Int64

    package init(framework: AdFramework, bundleIdentifier: String, advertisedAppStoreItemIdentifier: Int64) {
      self.framework = framework
      self.bundleIdentifier = bundleIdentifier
      self.advertisedAppStoreItemIdentifier = advertisedAppStoreItemIdentifier
    }
  }
}

/// The end of a view: `endImpression`, or `endView`.
package struct ViewEnd: Sendable {
  package let key: OpenView.Key
  /// The view that ends; nil if none is open.
  package let view: OpenView?
  package let device: Device
  package let now: Instant

  package init(_ key: OpenView.Key, of view: OpenView?, device: Device, at now: Instant) {
    self.key = key
    self.view = view
    self.device = device
    self.now = now
  }

  package static let rules: [Rule<ViewEnd, ViewRejection>] = [
    Rule("view-has-started", inputs: ["startedAt": { .instant($0.view?.startedAt) }]) { end in
      end.view == nil ? .notStarted(end.key) : nil
    },
    Rule(
      "view-is-long-enough",
      inputs: [
        "startedAt": { .instant($0.view?.startedAt) }, "displayed": { .string($0.displayed?.text) },
        "minimumViewTime": { .string($0.minimum.text) },
      ]
    ) { end in
      guard let displayed = end.displayed, displayed < end.minimum else { return nil }
      return .tooShort(displayed, minimum: end.minimum, end.key.framework)
    },
  ]

  /// Decides whether the view counts.
  package func decide(_ evaluation: inout RuleEvaluation) -> ImpressionDecision {
    let violation = evaluation.firstViolation(of: Self.rules, to: self)
    guard violation == nil, let view else { return .reject(.view(violation ?? .notStarted(key))) }
    let impression = AdImpression(
      signed: view.signed, interaction: .view, sourceApp: view.bundleIdentifier, sourceSDK: view.sourceSDK,
      isDevelopment: view.isDevelopment, recordedAt: now)
    return .record(impression, [])
  }

  private var displayed: Interval? { view.map { max(now - $0.startedAt, .seconds(0)) } }
  private var minimum: Interval {
    key.framework == .skadnetwork ? device.settings.minimumViewTime : ViewTime.adAttributionKit
  }
}

/// Why the end of a view has no effect.
package enum ViewRejection: Hashable, RuleViolation {
  case notStarted(OpenView.Key)
  case tooShort(Interval, minimum: Interval, AdFramework)

  package var reason: Reason {
    switch self {
    case .notStarted(let key):
      Reason(
        "view-not-started",
        "\(key.bundleIdentifier) displays no \(key.framework.title) ad for app \(key.advertisedAppStoreItemIdentifier)")
    case .tooShort(let displayed, let minimum, _):
      Reason("view-too-short", "the ad was displayed for \(displayed.words), less than \(minimum.words)")
    }
  }

  package var change: String {
    switch self {
    case .notStarted: "start the view successfully before you end it"
    case .tooShort(let displayed, let minimum, _): "display the ad for \((minimum - displayed).words) longer"
    }
  }

  /// The error of `endImpression`; nil for AdAttributionKit, which reports none.
  package var appleError: AppleError? {
    switch self {
    case .notStarted(let key): key.framework == .skadnetwork ? .skan(.impressionNotFound) : nil
    case .tooShort(_, _, let framework): framework == .skadnetwork ? .skan(.impressionTooShort) : nil
    }
  }
}
