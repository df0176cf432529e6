import PCMCore

/// The identifiers that an ad can have for its source app: the app's identifier, or 0 for a development ad.
struct SourceAppExpectation {
  let app: DeviceApp
  let device: Device
  let now: Instant

  private var isSignedForDevelopment: Bool { app.signing == .development }
  private var isInDeveloperMode: Bool { device.isInDeveloperMode(at: now) }

  /// Returns whether the app can display an ad with the identifier. The identifier is 0 for an app that is signed for
  /// development. In developer mode, an app of a store can also use 0.
  func allows(_ identifier: Int64) -> Bool {
    identifier == 0 ? isSignedForDevelopment || isInDeveloperMode : !isSignedForDevelopment && identifier == app.itemIdentifier
  }

  var detail: String {
    if isSignedForDevelopment { return "\(app.bundleIdentifier) is signed for development, so its identifier is 0" }
    return "\(app.bundleIdentifier) "
      + (app.itemIdentifier.map { "is \($0) in the App Store" } ?? "has no identifier in the App Store")
  }

  /// Returns the remedy.
  ///
  /// - Parameter verb: The action on the identifier, such as `sign and pass`.
  func change(_ verb: String) -> String {
    if isSignedForDevelopment { return "\(verb) 0 as the source app" }
    if let itemIdentifier = app.itemIdentifier { return "\(verb) \(itemIdentifier) as the source app" }
    if isInDeveloperMode { return "\(verb) 0 as the source app" }
    return device.system >= Device.firstSystemWithDeveloperMode
      ? "switch on developer mode, and \(verb) 0 as the source app"
      : "register the app with its identifier in the App Store, and \(verb) it as the source app"
  }
}
