package import PCMCore

/// Why no ad led to an install.
package enum InstallAbsence: Hashable, RuleViolation {
  /// Ads name apps by their identifier in the App Store, which an Info.plist does not contain.
  case itemUnknown(bundleIdentifier: String)
  case noImpression(item: Int64)
  /// Each ad for the app has its own reason.
  case noneConsidered(count: Int)

  package var reason: Reason {
    switch self {
    case .itemUnknown(let app):
      Reason("item-identifier-missing", "\(app) is registered without an itemIdentifier, by which ads name the app")
    case .noImpression(let item): Reason("no-impression", "the device keeps no ad for app \(item)")
    case .noneConsidered(let count):
      Reason(
        "no-impression-counts", count == 1 ? "the ad for the app does not count" : "none of \(count) ads for the app counts")
    }
  }

  package var change: String {
    switch self {
    case .itemUnknown: "register the app with the itemIdentifier that its ads advertise, and install it again"
    case .noImpression: "display an ad for the app, and end its view or tap it, before the install"
    case .noneConsidered: "see the change of each ad"
    }
  }
}

extension Install {
  /// Returns why no ad led to the install; nil if one did.
  package func absence(of decision: InstallDecision) -> InstallAbsence? {
    guard decision.winner == nil else { return nil }
    guard let item = app.itemIdentifier else { return .itemUnknown(bundleIdentifier: app.bundleIdentifier) }
    return decision.verdicts.isEmpty ? .noImpression(item: item) : .noneConsidered(count: decision.verdicts.count)
  }
}
