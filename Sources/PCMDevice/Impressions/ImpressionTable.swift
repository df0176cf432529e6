package import PCMCore

/// The ads that a device keeps: recorded views and clicks, and views that have not ended (references, section 3).
package struct ImpressionTable: Hashable, Sendable {
  /// In the order in which they were recorded.
  package private(set) var kept: [KeptImpression]
  /// Views that have started and not ended.
  package private(set) var open: [KeptView]

  package init(kept: [KeptImpression] = [], open: [KeptView] = []) {
    self.kept = kept
    self.open = open
  }

  /// A view on display, with its number.
  package struct KeptView: Hashable, Identifiable, Sendable {
    package let id: Int64
    package var view: OpenView

    package init(id: Int64, view: OpenView) {
      self.id = id
      self.view = view
    }
  }

  /// An ad that the device no longer keeps.
  package struct Removal: Hashable, Sendable {
    package let id: Int64
    package let reason: RemovalReason

    package init(id: Int64, reason: RemovalReason) {
      self.id = id
      self.reason = reason
    }
  }

  /// The views of one source app that are kept, for each framework.
  package static let maximumViews = 15

  /// How long a view can be open.
  package static let longestView = Interval.days(1)

  /// Keeps an ad. Of more than 15 views of one source app, the oldest is dropped.
  package mutating func record(_ impression: KeptImpression) -> [Removal] {
    kept.append(impression)
    guard impression.impression.interaction == .view else { return [] }
    let views = kept.filter { $0.impression.interaction == .view && $0.impression.hasSameSource(as: impression.impression) }
    let dropped = views.sorted(by: Self.isOlder).dropLast(Self.maximumViews)
    return remove(dropped.map(\.id)) { .tooManyViews(newest: impression.id, of: $0) }
  }

  /// Begins a view. In SKAdNetwork, it replaces a view of the same app for the same advertised app. In AdAttributionKit, each ad
  /// has its own view.
  package mutating func begin(_ view: KeptView) -> [Removal] {
    let replaced = view.view.key.framework == .skadnetwork ? open.filter { $0.view.key == view.view.key } : []
    open.removeAll { replaced.map(\.id).contains($0.id) }
    open.append(view)
    return replaced.map { Removal(id: $0.id, reason: .replaced(by: view.id, $0.id)) }
  }

  /// Ends a view, and returns it; nil if none is open.
  package mutating func end(_ key: OpenView.Key) -> KeptView? {
    guard let index = open.firstIndex(where: { $0.view.key == key }) else { return nil }
    return open.remove(at: index)
  }

  /// Removes the ads that no configuration of an advertised app can make count any longer, and views that did not end.
  package mutating func removeExpired(at now: Instant, on system: OSVersion) -> [Removal] {
    let expired = kept.filter { now > $0.impression.latestInstall(on: system) }
    let forgotten = open.filter { now > $0.view.startedAt + Self.longestView }
    open.removeAll { now > $0.view.startedAt + Self.longestView }
    return remove(expired.map(\.id)) { .expired(at: $0.impression.latestInstall(on: system), $0.id) }
      + forgotten.map { Removal(id: $0.id, reason: .notEnded(since: $0.view.startedAt, $0.id)) }
  }

  /// Removes the ads that took part in a decision about an install.
  package mutating func remove(_ ids: [Int64], after conversion: Int64) -> [Removal] {
    remove(ids) { .used(conversion: conversion, $0.id) }
  }

  private mutating func remove(_ ids: [Int64], _ reason: (KeptImpression) -> RemovalReason) -> [Removal] {
    let ids = Set(ids)
    let removals = kept.filter { ids.contains($0.id) }.map { Removal(id: $0.id, reason: reason($0)) }
    kept.removeAll { ids.contains($0.id) }
    return removals
  }

  private static func isOlder(_ left: KeptImpression, _ right: KeptImpression) -> Bool {
    (left.impression.recordedAt, left.id) < (right.impression.recordedAt, right.id)
  }
}

/// Why a device no longer keeps an ad.
package enum RemovalReason: Hashable, Sendable {
  case tooManyViews(newest: Int64, of: KeptImpression)
  case replaced(by: Int64, Int64)
  case expired(at: Instant, Int64)
  case notEnded(since: Instant, Int64)
  case used(conversion: Int64, Int64)

  package var reason: Reason {
    switch self {
    case .tooManyViews(let newest, let oldest):
      Reason(
        "too-many-views",
        "only \(ImpressionTable.maximumViews) views of one source app are kept; \(RecordName.impression(newest)) replaced the oldest, "
          + RecordName.impression(oldest.id))
    case .replaced(let newer, let id):
      Reason(
        "view-replaced",
        "\(RecordName.impression(newer)) started before \(RecordName.impression(id)) ended, for the same advertised app")
    case .expired(let instant, let id): Reason("impression-expired", "\(RecordName.impression(id)) expired at \(instant.text)")
    case .notEnded(let start, let id):
      Reason(
        "view-not-ended",
        "\(RecordName.impression(id)) started at \(start.text) and did not end within \(ImpressionTable.longestView.words)")
    case .used(let conversion, let id):
      Reason(
        "impression-used", "\(RecordName.impression(id)) took part in the decision about \(RecordName.conversion(conversion))")
    }
  }
}

extension AdImpression {
  /// The last instant at which an install can count under some configuration.
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
