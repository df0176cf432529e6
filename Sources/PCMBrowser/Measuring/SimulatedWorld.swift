package import PCMCore
import PCMDevice
package import PCMManifest
import PCMStore
package import PCMURL

/// The device, the apps, and the ad networks that all users of a simulation share.
///
/// ```swift
/// var world = SimulatedWorld(sites: SiteParser(publicSuffixList: .builtIn()))
/// var change = DeviceChange()
/// change.systemVersion = "26.2"
/// try world.change(change)
/// ```
package struct SimulatedWorld: Sendable {
  let sites: SiteParser
  /// Whether the bodies of postbacks are signed with the published test keys.
  package let signsPostbacks: Bool
  private(set) var device = Device()
  private(set) var networks: AdNetworkRegistry = [:]
  private(set) var apps: [String: DeviceApp] = [:]
  private var records: [String: AppRecord] = [:]

  package init(sites: SiteParser, signsPostbacks: Bool = false) {
    (self.sites, self.signsPostbacks) = (sites, signsPostbacks)
  }

  /// Changes the properties of the device. A mode for developers is switched on with the first event of each user.
  package mutating func change(_ change: DeviceChange) throws(BrowserError) {
    device = try device.changed(by: change, at: .earliest)
    for record in records.values { apps[record.bundleIdentifier] = try? DeviceApp(record, on: device) }
  }

  /// Returns a registered app that an action names.
  func app(_ bundleIdentifier: String) throws(BrowserError) -> DeviceApp {
    guard let app = apps[bundleIdentifier] else { throw .unregisteredApp(bundleIdentifier) }
    return app
  }

  /// Registers an ad network, or replaces its registration.
  package mutating func register(adNetwork identifier: String, _ input: AdNetworkInput) throws(BrowserError) {
    networks[identifier] = try input.network(identifier, InputChecker(sites: sites))
  }

  /// Registers an app, or replaces its registration.
  ///
  /// - Parameters:
  ///   - itemIdentifier: The identifier in the App Store, which a manifest does not contain.
  ///   - build: How the app was built; by default, from the manifest.
  package mutating func register(_ manifest: AppManifest, itemIdentifier: Int64? = nil, build: AppBuild? = nil) {
    let record = AppRecord(manifest, itemIdentifier: itemIdentifier, build: build ?? AppBuild(platform: manifest.platform))
    records[record.bundleIdentifier] = record
    apps[record.bundleIdentifier] = try? DeviceApp(record, on: device)
  }
}
