import PCMBrowser
import PCMCore
import PCMScenario

extension EventReading {
  /// Returns the action of the user's device.
  func deviceAction(_ step: EventStep) throws -> SimulatedAction {
    let world = device.world
    switch step {
    case .impression: return try impression()
    case .impressionEnd: return SimulatedAction(try input(ImpressionEndInput.self, step))
    case .impressionTap:
      var tap = try input(ImpressionTapInput.self, step)
      tap.crowdTiers = device.crowdTiers
      return try SimulatedAction(tap, in: world)
    case .install:
      var install = try input(InstallInput.self, step)
      install.crowdTiers = device.crowdTiers
      try requireApp(step)
      return try SimulatedAction(install, in: world)
    case .launch:
      let launch = try input(LaunchInput.self, step)
      try requireApp(step)
      return try SimulatedAction(launch, in: world)
    case .conversionValue:
      let value = try input(ConversionValueInput.self, step)
      try requireApp(step)
      return try SimulatedAction(value, in: world)
    case .link, .tap, .trigger, .clear, .settings: preconditionFailure("\(step) is no action of the device")
    }
  }

  /// An ad with a signature is displayed as it is. The test ad network signs others.
  private func impression() throws -> SimulatedAction {
    let step = EventStep.impression
    if value("jws", of: step) != nil || value("signature", of: step) != nil {
      let ad = try input(ImpressionInput.self, step)
      try requireApp(step)
      return try SimulatedAction(ad, in: device.world)
    }
    try requireItem()
    let network = try network()
    let ad = try input(SignedAdInput.self, step, more: ["adNetworkIdentifier": network])
    try requireApp(step)
    return try SimulatedAction(ad, in: device.world)
  }

  private func network() throws(EventError) -> String {
    let member = "adNetworkIdentifier"
    guard let name = value(member, of: .impression) ?? device.onlyNetwork else {
      throw EventError(
        column: member, detail: "the profile has several ad_networks; name one of them for each ad, or register only one")
    }
    guard !device.networks.contains(name) else { return name }
    throw EventError(
      column: column(of: member, in: .impression),
      detail: "\(name.quoted) is no ad network of the profile"
        + (NearestName.nearest(to: name, among: device.networks).map { "; did you mean \"\($0)\"?" }
          ?? "; add it, such as ad_networks: {\(name.visible): {postbackURL: \"https://network.example/postbacks\"}}"))
  }

  /// Throws unless the app of the step is registered.
  private func requireApp(_ step: EventStep) throws(EventError) {
    let member = "bundleIdentifier"
    guard let name = value(member, of: step), !device.apps.contains(name) else { return }
    throw EventError(column: column(of: member, in: step), detail: unknownApp(name))
  }

  /// Throws for a destination that is neither an identifier in the App Store nor an app with one.
  private func requireItem() throws(EventError) {
    let member = "advertisedAppStoreItemIdentifier"
    guard let text = value(member, of: .impression), Int64(text) == nil else { return }
    throw EventError(
      column: column(of: member, in: .impression),
      detail: device.apps.contains(text)
        ? "the app \(text.quoted) has no itemIdentifier in the profile's apps; add its identifier in the App Store"
        : unknownApp(text))
  }

  private func unknownApp(_ name: String) -> String {
    let nearest = NearestName.nearest(to: name, among: device.apps.sorted())
    return "\(name.quoted) is no app of the profile"
      + (nearest.map { "; did you mean \"\($0)\"?" }
        ?? "; add it, such as apps: [{bundleIdentifier: \(name.visible), itemIdentifier: 525463029}]")
  }
}
