internal import PCMCore

/// An app must be signed by a store, for installs and for re-engagement. An exception are ads that serve only for tests, in
/// developer mode.
extension AdImpression {
  /// Returns whether the ad counts for an app by the app's signing.
  func counts(for app: DeviceApp, on device: Device, at now: Instant) -> Bool {
    app.signing == .store || (isDevelopment && device.isInDeveloperMode(at: now))
  }
}

extension Reason {
  static func appNotFromStore(_ bundleIdentifier: String) -> Reason {
    Reason("app-not-from-store", "\(bundleIdentifier) is signed for development, so only test ads in developer mode count")
  }
}
