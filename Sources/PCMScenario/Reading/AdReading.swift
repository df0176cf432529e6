import PCMCore
import PCMNetwork
import PCMSimulatedSites

/// Creates the calls of the device from nodes of the checked shape.
package struct AdReading {
  /// The identifier of an app in the ads that it displays: its identifier in the App Store, or 0 when it is signed for development.
  private var sourceItems: [String: Int64] = [:]

  /// Records the identifier that ads in an app have.
  mutating func note(_ app: SourceNode, _ bundleIdentifier: String) {
    sourceItems[bundleIdentifier] =
      app["signing"]?.text == "development" ? 0 : app["itemIdentifier"]?.json.integer
  }

  /// Returns the body of the call that displays an ad, signed if the node says so; nil when it cannot be signed.
  ///
  /// - Parameters:
  ///   - app: The app that displays the ad, if the node does not name it.
  ///   - time: The time of an ad without a timestamp.
  ///   - number: The number of the step, which the nonce of an ad without one contains.
  ///   - place: The index of the ad in the step, which the nonce also contains.
  func impression(_ node: SourceNode, in app: String?, at time: Instant, number: Int, place: Int) -> JSON? {
    guard node["signedBy"] != nil else { return node.json }
    let values = JSON.object((app.map { [.init("bundleIdentifier", .string($0))] } ?? []) + node.json.members)
    return TestAdNetwork.display(
      of: values, signedAs: node["signedAs"]?.json ?? .null,
      sourceItem: values["bundleIdentifier"]?.string.flatMap { sourceItems[$0] },
      nonce: "\(padded(place, to: 8))-0000-4000-8000-\(padded(number, to: 12))", at: time)
  }

  private func padded(_ number: Int, to count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  /// Returns the registration of an app with the values of its manifest.
  package static func app(_ node: SourceNode, _ bundleIdentifier: String) -> Scenario.App {
    let registration = node.members.filter { ["itemIdentifier", "sdkVersion", "signing", "platform"].contains($0.name) }
    var keys = node["infoPlist"]?.json.members ?? []
    if let endpoint = node["reportEndpoint"]?.text {
      keys.append(.init("NSAdvertisingAttributionReportEndpoint", .string(endpoint)))
    }
    if let networks = node["adNetworks"]?.items.compactMap(\.text) {
      keys.append(.init("SKAdNetworkItems", .array(networks.map { ["SKAdNetworkIdentifier": .string($0)] })))
      keys.append(.init("AdNetworkIdentifiers", .array(networks.map { .string($0) })))
    }
    return .registration(
      bundleIdentifier: bundleIdentifier,
      .object([.init("infoPlist", .object(keys))] + registration.map { .init($0.name, $0.node.json) }))
  }

  /// Returns an ad network with the published test key and a usual URL, unless the node has others.
  package static func network(_ node: SourceNode, _ identifier: String, at place: SourcePlace) -> Scenario.AdNetwork {
    Scenario.AdNetwork(
      identifier, publicKey: node["publicKey"]?.text, postbackURL: node["postbackURL"]?.text, place: place)
  }

  static func displayedAd(_ node: SourceNode) -> Scenario.DisplayedAd {
    if let name = node["step"]?.text { return .step(name) }
    return node["impressionId"]?.text.map { .identifier($0) } ?? .latest
  }
}
