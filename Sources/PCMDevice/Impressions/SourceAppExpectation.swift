package import PCMCore

/// The identifiers that an ad can have for the app that displays it: the app's own, or 0 for an ad that serves only for tests.
package struct SourceAppExpectation: Hashable, Sendable {
  package let bundleIdentifier: String
  /// The identifier in the App Store; nil for an app without one.
  package let itemIdentifier: Int64?
  package let isSignedForDevelopment: Bool
  package let isInDeveloperMode: Bool

  package init(_ app: DeviceApp, on device: Device, at now: Instant) {
    bundleIdentifier = app.bundleIdentifier
    itemIdentifier = app.itemIdentifier
    isSignedForDevelopment = app.signing == .development
    isInDeveloperMode = device.isInDeveloperMode(at: now)
  }

  /// Returns whether an ad with the identifier can be displayed by the app. An app that is signed for development has the
  /// identifier 0. In developer mode, an app of a store can use 0, too.
  func allows(_ identifier: Int64) -> Bool {
    identifier == 0 ? isSignedForDevelopment || isInDeveloperMode : !isSignedForDevelopment && identifier == itemIdentifier
  }

  var detail: String {
    if isSignedForDevelopment { return "\(bundleIdentifier) is signed for development, so its identifier is 0" }
    return "\(bundleIdentifier) " + (itemIdentifier.map { "is \($0) in the App Store" } ?? "has no identifier in the App Store")
  }

  var change: String {
    if isSignedForDevelopment { return "0 as the source app" }
    return itemIdentifier.map { "\($0) as the source app" } ?? "0 as the source app, and switch on developer mode"
  }
}
