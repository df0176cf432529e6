import PCMCore
import PCMDevice
import PCMStore

/// The apps, networks, and properties of a browser, as inputs of its rules. A browser keeps them in memory, and reads them again
/// when the number in its row differs, because another process changed them.
struct Registry: Sendable {
  /// The number of changes. It is saved with each of them, in the same transaction.
  private(set) var version: Int64
  private(set) var device: Device
  private(set) var networks: AdNetworkRegistry
  private var apps: [String: AppTap.App]

  /// Creates the registry of a new browser.
  init() {
    (version, device, networks, apps) = (0, Device(), [:], [:])
  }

  init(_ reader: any BrowserReader, environment: BrowserEnvironment) throws {
    version = try reader.state().registry
    device = try reader.device()
    networks = AdNetworkRegistry(try reader.adNetworks(after: "", limit: .max).map { try $0.network(environment: environment) })
    apps = Dictionary(try reader.apps().map { ($0.bundleIdentifier, $0.facts(sites: environment.sites)) }) { $1 }
  }

  var appCount: Int { apps.count }

  /// Returns the app with exactly this identifier. A dictionary would also find it by a canonically equivalent text.
  func app(_ bundleIdentifier: String) -> AppTap.App? {
    BundleIdentifier.hasAllowedCharacters(bundleIdentifier) ? apps[bundleIdentifier] : nil
  }

  mutating func set(_ app: AppTap.App?, for bundleIdentifier: String) {
    apps[bundleIdentifier] = app
    version += 1
  }

  mutating func set(_ network: AdNetwork?, for identifier: String) {
    networks[identifier] = network
    version += 1
  }

  mutating func set(_ device: Device) {
    self.device = device
    version += 1
  }
}
