import PCMBrowser
import PCMCore
import PCMManifest
import PCMScenario
import PCMSimulatedSites
import PCMURL

/// The device that all users of a simulation share, with its apps and ad networks.
struct SimulationDevice: Sendable {
  let sites: SiteParser
  private(set) var world: SimulatedWorld
  /// The identifiers of the ad networks.
  private(set) var networks: [String] = []
  /// The bundle identifiers of the apps.
  private(set) var apps: Set<String> = []
  /// The identifiers of the apps in the App Store.
  private(set) var items: [String: Int64] = [:]
  /// The crowd of each install and re-engagement.
  private(set) var crowdTiers = CrowdTiers()

  /// A device without apps, which knows the test ad network.
  init(sites: SiteParser, signsPostbacks: Bool = false) {
    self.sites = sites
    world = SimulatedWorld(sites: sites, signsPostbacks: signsPostbacks)
    let network = Scenario.AdNetwork(TestAdNetwork.identifier, place: SourcePlace(line: 1, column: 1))
    // The test key and its URL are valid.
    try? register(network)
  }

  /// The world of users; nil without apps, so that a user without them has nothing of it.
  var usedWorld: SimulatedWorld? { apps.isEmpty ? nil : world }

  /// The network of an ad that names none; nil unless there is only one.
  var onlyNetwork: String? { networks.count == 1 ? networks[0] : nil }

  /// Returns the bundle identifier of an app, by its number in the App Store; nil for an app that the profile does not have.
  func app(ofItem item: Int64) -> String? { items.filter { $0.value == item }.keys.min() }

  private mutating func register(_ network: Scenario.AdNetwork) throws {
    guard networks.count < Browser.maximumAdNetworkCount else {
      throw StartError(description: "expected at most \(Browser.maximumAdNetworkCount) ad networks, as a device has")
    }
    try world.register(adNetwork: network.identifier, try AdNetworkInput(json: network.registration.bytes))
    networks.append(network.identifier)
  }
}

extension SimulationDevice {
  /// Creates the device of a profile.
  ///
  /// - Parameters:
  ///   - root: The profile, of the checked shape.
  ///   - readFile: Reads the file at a path relative to the profile's folder.
  /// - Throws: The errors with their places.
  init(
    _ root: SourceNode, sites: SiteParser, signsPostbacks: Bool, readFile: (String) throws(StartError) -> [UInt8]
  ) throws(ScenarioErrors) {
    self.init(sites: sites, signsPostbacks: signsPostbacks)
    if let node = root["device"] {
      try Self.naming(node) { try world.change(try DeviceChange(json: node.json.bytes)) }
    }
    if let node = root["crowd_tiers"] {
      try Self.naming(node) { crowdTiers = try CrowdTiers(json: node.json.bytes) }
    }
    if let nodes = root["ad_networks"]?.members, !nodes.isEmpty {
      networks = []
      for member in nodes {
        try Self.naming(member.node) {
          try register(AdReading.network(member.node, member.name, at: member.namePlace))
        }
      }
    }
    let manifests = ManifestReader(sites: sites)
    for node in root["apps"]?.items ?? [] {
      try Self.naming(node) { try register(node, manifests, readFile) }
    }
  }

  private mutating func register(
    _ node: SourceNode, _ manifests: ManifestReader, _ readFile: (String) throws(StartError) -> [UInt8]
  ) throws {
    let (manifest, registration) = try Self.app(node, manifests, readFile)
    if let error = registration.platformError(for: manifest.platform) { throw BodyError.invalid([error]) }
    let identifier = manifest.bundleIdentifier
    guard apps.insert(identifier).inserted else {
      throw StartError(description: "expected each app once, found \(identifier) again")
    }
    items[identifier] = registration.itemIdentifier
    world.register(
      manifest, itemIdentifier: registration.itemIdentifier, build: registration.build(for: manifest.platform))
  }

  private static func app(
    _ node: SourceNode, _ manifests: ManifestReader, _ readFile: (String) throws(StartError) -> [UInt8]
  ) throws -> (AppManifest, AppRegistration) {
    let identifier = node["bundleIdentifier"]?.text
    guard let path = node["manifest"]?.text else {
      guard case .registration(let name, let body) = AdReading.app(node, identifier ?? "") else { preconditionFailure() }
      let registration = try AppRegistration(json: body.bytes)
      return (try manifests.read(infoPlist: registration.infoPlist(of: name)), registration)
    }
    let others = node.json.members.filter { !["manifest", "bundleIdentifier"].contains($0.name) }
    let registration = try AppRegistration(json: JSON.object([.init("infoPlist", [:])] + others).bytes)
    return (try manifests.read(try readFile(path), named: identifier), registration)
  }

  /// Performs a part of the reading, and gives its error the place of a value.
  private static func naming(_ node: SourceNode, _ read: () throws -> Void) throws(ScenarioErrors) {
    do {
      try read()
    } catch let error as StartError {
      throw ScenarioErrors([ScenarioError(error.description, at: node.place)])
    } catch let error as ManifestError {
      throw ScenarioErrors([ScenarioError(error.detail, at: node.place)])
    } catch BodyError.invalid(let errors), BrowserError.invalidInput(let errors) {
      throw ScenarioErrors(
        errors.map { error in
          ScenarioError(error.detail, at: error.path.reversed().lazy.compactMap { node[$0]?.place }.first ?? node.place)
        })
    } catch {
      throw ScenarioErrors([ScenarioError("expected values that can be registered", at: node.place)])
    }
  }
}
