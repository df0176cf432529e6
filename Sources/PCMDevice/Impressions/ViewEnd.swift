package import PCMCore

/// The identity of a view: an app displays one ad for an advertised app at a time (SKAdNetwork reference, section 2.2).
package struct ViewKey: Hashable, Sendable {
  package let framework: AdFramework
  package let bundleIdentifier: String
  package let advertisedAppStoreItemIdentifier: Int64

  /// - Parameter ad: An ad of an app.
  package init(_ ad: AdImpression) {
    framework = ad.framework
    bundleIdentifier = ad.sourceApp ?? ""
    advertisedAppStoreItemIdentifier = ad.advertisedAppStoreItemIdentifier
  }
}

/// The end of a view: `endImpression`, or `endView`.
package struct ViewEnd: Sendable {
  package let key: ViewKey
  /// The open view; nil if there is none.
  package let view: AdImpression?
  package let device: Device
  package let now: Instant

  package init(_ key: ViewKey, of view: AdImpression?, device: Device, at now: Instant) {
    self.key = key
    self.view = view
    self.device = device
    self.now = now
  }

  package static let rules: [Rule<ViewEnd>] = [
    Rule(
      "view-has-started", "The view has started. An end without a successful start is an error.",
      .apple("StoreKit: SKANError, impressionNotFound"),
      reasons: ["view-not-started": "start the view successfully before you end it"],
      inputs: ["startedAt": { .instant($0.view?.recordedAt) }]
    ) { $0.view == nil ? $0.notStarted : nil },
    Rule(
      .viewIsLongEnough,
      inputs: [
        "startedAt": { .instant($0.view?.recordedAt) }, "displayed": { .string($0.displayed?.text) },
        "minimumViewTime": { .string($0.minimum.text) }, "systemVersion": { .string($0.device.system.text) },
      ]
    ) { end in
      guard let displayed = end.displayed else { return nil }
      return .viewTooShort(displayed, minimum: end.minimum, end.isSKAdNetwork ? .skan(.impressionTooShort) : nil)
    },
  ]

  /// Decides whether the view counts.
  package func decide(_ evaluation: inout RuleEvaluation) -> ImpressionDecision {
    let violation = evaluation.firstViolation(of: Self.rules, to: self)
    guard violation == nil, var impression = view else { return .reject(violation ?? notStarted) }
    impression.recordedAt = now
    return .record(impression, [])
  }

  private var notStarted: Violation {
    Violation(
      "view-not-started",
      "\(key.bundleIdentifier) displays no \(key.framework.title) ad for app \(key.advertisedAppStoreItemIdentifier)",
      change: "start the view successfully before you end it", isSKAdNetwork ? .skan(.impressionNotFound) : nil)
  }

  private var isSKAdNetwork: Bool { key.framework == .skadnetwork }
  private var displayed: Interval? { view.map { max(now - $0.recordedAt, .seconds(0)) } }
  private var minimum: Interval { isSKAdNetwork ? device.minimumViewTime : ViewTime.adAttributionKit }
}

extension Violation {
  /// Returns the reason a view does not count; nil for a sufficiently long view.
  static func viewTooShort(_ displayed: Interval, minimum: Interval, _ error: AppleError? = nil) -> Violation? {
    guard displayed < minimum else { return nil }
    return Violation(
      "view-too-short", "the ad was displayed for \(displayed.words), less than \(minimum.words)",
      change: "display the ad for \((minimum - displayed).words) longer", error)
  }
}
