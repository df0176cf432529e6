package import PCMCore

/// The ads that a device keeps: recorded views and clicks, and open views (references, section 3).
package struct ImpressionTable: Hashable, Sendable {
  /// The recorded ads, in the order of their recording.
  package private(set) var kept: [KeptImpression]
  /// The open views.
  package private(set) var open: [KeptImpression]

  package init(kept: [KeptImpression] = [], open: [KeptImpression] = []) {
    self.kept = kept
    self.open = open
  }

  /// An ad that the device no longer keeps.
  package struct Removal: Hashable, Sendable {
    package let id: Int64
    package let reason: Reason
  }

  /// The maximum number of views of a source app, for each framework.
  package static let maximumViews = 15

  /// The maximum length of a view.
  package static let longestView = Interval.days(1)

  /// Keeps an ad. If a source app has more than 15 views, the oldest view is dropped.
  package mutating func record(_ impression: KeptImpression) -> [Removal] {
    kept.append(impression)
    guard impression.impression.interaction == .view else { return [] }
    let views = kept.filter { $0.impression.interaction == .view && $0.impression.hasSameSource(as: impression.impression) }
    let dropped = views.sorted(by: Self.isOlder).dropLast(Self.maximumViews)
    return remove(dropped.map(\.id)) { oldest in
      Reason("too-many-views") {
        "only \(Self.maximumViews) views of one source app are kept; \(RecordName.impression(impression.id)) replaced the oldest, "
          + RecordName.impression(oldest.id)
      }
    }
  }

  /// Starts a view. In SKAdNetwork, it replaces an open view of the same source app for the same advertised app. In
  /// AdAttributionKit, each ad has a separate view.
  package mutating func begin(_ view: KeptImpression) -> [Removal] {
    let key = ViewKey(view.impression)
    let replaced = key.framework == .skadnetwork ? open.filter { ViewKey($0.impression) == key } : []
    open.removeAll { replaced.map(\.id).contains($0.id) }
    open.append(view)
    return replaced.map { old in
      Removal(
        id: old.id,
        reason: Reason("view-replaced") {
          "\(RecordName.impression(view.id)) started before \(RecordName.impression(old.id)) ended, for the same advertised app"
        })
    }
  }

  /// Removes ads that cannot count under any configuration of the advertised app, and views without an end.
  package mutating func removeExpired(at now: Instant, on system: OSVersion) -> [Removal] {
    let expired = kept.filter { now > $0.impression.latestInstall(on: system) }
    let forgotten = open.filter { now > $0.impression.recordedAt + Self.longestView }
    open.removeAll { now > $0.impression.recordedAt + Self.longestView }
    return remove(expired.map(\.id)) { ad in
      Reason("impression-expired") {
        "\(RecordName.impression(ad.id)) expired at \(ad.impression.latestInstall(on: system).text)"
      }
    }
      + forgotten.map { view in
        Removal(
          id: view.id,
          reason: Reason("view-not-ended") {
            "\(RecordName.impression(view.id)) started at \(view.impression.recordedAt.text) and did not end within "
              + Self.longestView.words
          })
      }
  }

  /// Removes the ads that were considered for an install.
  package mutating func remove(_ ids: [Int64], after conversion: Int64) -> [Removal] {
    remove(ids) { ad in
      Reason("impression-used") {
        "\(RecordName.impression(ad.id)) took part in the decision about \(RecordName.conversion(conversion))"
      }
    }
  }

  /// The catalog's entries for the reasons of removals.
  static let reasons = [
    RuleTitle(
      reason: "view-replaced", "A second start replaced the view. An app displays one ad for an advertised app at a time.",
      .apple("StoreKit: SKAdNetwork, startImpression(_:completionHandler:)"),
      change: "end the view before you start another one for the same app"),
    RuleTitle(
      reason: "too-many-views", "Fifteen views of a source app are kept. A newer view drops the oldest.",
      .apple("StoreKit: SKAdNetwork"), change: "display fewer ads as views, or tap the ad"),
    RuleTitle(
      reason: "impression-expired",
      "The ad is too old. A view counts for 24 hours and a click for 30 days, unless the advertised app changes it.",
      .attributions, change: "install the app earlier"),
    RuleTitle(
      reason: "view-not-ended", "The view did not end. A view is open for \(longestView.words) at most.",
      .assumption("Apple documents no end of a view that the app does not end"), change: "end the view"),
    RuleTitle(
      reason: "impression-used", "The ad took part in an earlier decision. An ad counts for one install.", .attributions,
      change: "display the ad again after the install"),
  ]

  private mutating func remove(_ ids: [Int64], _ reason: (KeptImpression) -> Reason) -> [Removal] {
    guard !ids.isEmpty else { return [] }
    let ids = Set(ids)
    let removals = kept.filter { ids.contains($0.id) }.map { Removal(id: $0.id, reason: reason($0)) }
    kept.removeAll { ids.contains($0.id) }
    return removals
  }

  private static func isOlder(_ left: KeptImpression, _ right: KeptImpression) -> Bool {
    (left.impression.recordedAt, left.id) < (right.impression.recordedAt, right.id)
  }
}

extension AdImpression {
  /// Returns the last instant at which an install can count under any configuration.
  fileprivate func latestInstall(on system: OSVersion) -> Instant {
    let canBeConfigured = framework == .adattributionkit && system >= AppAdAttribution.firstSystem
    return recordedAt
      + (canBeConfigured
        ? AppAdAttribution.longestWindow(interaction) : AppAdAttribution.standardWindow(interaction))
  }

  fileprivate func hasSameSource(as other: AdImpression) -> Bool {
    framework == other.framework && sourceApp == other.sourceApp
  }
}
