/// A device of the service, on which its browser runs. Both have the same name, clock, seed, and log: advance the clock and read
/// the events with `browser`.
///
/// The value contains only a name and a connection, so any task can use it. Every call may throw `ServiceError`.
///
/// ```swift
/// let shown = try await device.display(skAd, in: news)
/// #expect(shown.outcome == .recorded, "\(shown)")
/// try await device.install(game)
/// try await device.report(.skadnetwork(42), by: game)
/// try await device.browser.advance(by: .hours(120))
/// #expect(try await device.postbacks(in: [.delivered]).count == 1)
/// ```
public struct Device: Sendable {
  /// The browser of the device.
  public let browser: Browser

  /// The name of the device.
  public var name: String { browser.name }

  var connection: Connection { browser.connection }
  var path: String { "/v1/devices/\(name.pathPart)" }

  /// Returns the properties of the device.
  public func properties() async throws -> DeviceProperties {
    let state: BrowserState = try await connection.call("GET", path)
    return state.device
  }

  /// Changes properties: `try await device.change { $0.developerMode = true }`. A mode that is on stays on as long as before.
  ///
  /// - Returns: The new properties.
  @discardableResult
  public func change(_ edit: (inout DeviceProperties) -> Void) async throws -> DeviceProperties {
    let properties = try await properties()
    var edited = properties
    edit(&edited)
    let body: Members = ["device": edited.changes(from: properties)]
    let state: BrowserState = try await connection.call("PATCH", path, body)
    return state.device
  }

  /// Returns the published key pairs: the pairs that sign postbacks, and the pair of a test ad network.
  public func keys() async throws -> [TestKey] {
    try await connection.items("\(path)/keys")
  }
}

extension Browser {
  /// The device on which the browser runs.
  public var device: Device { Device(browser: self) }
}

extension PCMService {
  /// Returns an existing device. It belongs to the browser of the same name.
  ///
  /// - Throws: `ServiceError` with status 404 when the device does not exist.
  public func device(_ name: String) async throws -> Device { try await browser(name).device }
}

extension Device {
  /// Registers an ad network with Apple, or replaces its registration.
  ///
  /// - Parameters:
  ///   - identifier: The identifier in lower case, such as `example123.skadnetwork`.
  ///   - publicKey: The key that verifies the network's ads: a SubjectPublicKeyInfo on P-256, as PEM or as Base64 of DER.
  ///   - postbackURL: The https URL at which the network receives postbacks.
  @discardableResult
  public func register(
    adNetwork identifier: String, publicKey: String, postbackURL: String
  ) async throws -> AdNetwork {
    try await connection.call(
      "PUT", "\(path)/ad-networks/\(identifier.pathPart)", ["publicKey": publicKey, "postbackURL": postbackURL])
  }

  /// Returns all registered ad networks.
  public func adNetworks() async throws -> [AdNetwork] {
    try await connection.items("\(path)/ad-networks")
  }

  /// Returns a registered ad network.
  public func adNetwork(_ identifier: String) async throws -> AdNetwork {
    try await connection.call("GET", "\(path)/ad-networks/\(identifier.pathPart)")
  }

  /// Removes the registration of an ad network. Its ads remain.
  public func remove(_ network: AdNetwork) async throws {
    try await connection.send("DELETE", "\(path)/ad-networks/\(network.identifier.pathPart)")
  }
}

/// An ad network as it is registered with Apple.
///
/// ```swift
/// let key = try #require(try await device.keys().first { $0.id == .adNetwork })
/// let network = try await device.register(
///   adNetwork: "example456.skadnetwork", publicKey: key.publicKeyPEM, postbackURL: "https://network.example/postbacks")
/// #expect(network.publicKey == key.publicKey)
/// ```
public struct AdNetwork: Hashable, Sendable, Decodable {
  /// The identifier, such as `example123.skadnetwork`.
  public let identifier: String
  /// The key that verifies the network's ads: Base64 of a SubjectPublicKeyInfo.
  public let publicKey: String
  /// The URL at which the network receives postbacks.
  public let postbackURL: String

  private enum CodingKeys: String, CodingKey {
    case identifier = "adNetworkIdentifier"
    case publicKey, postbackURL
  }
}

/// A published pair of keys for tests. Do not trust it in production.
///
/// ```swift
/// let keys = try await device.keys()
/// let appleKey = try #require(keys.first { $0.id == .skadnetworkP256 })
/// #expect(appleKey.curve == "P-256")  // Verify the signatures of postbacks with `appleKey.publicKey`.
/// ```
public struct TestKey: Hashable, Sendable, Decodable {
  /// The name of the pair, which for AdAttributionKit is the `kid` of the signature.
  public let id: ID
  /// The use of the private key.
  public let use: String
  /// The curve: `P-192` or `P-256`.
  public let curve: String
  /// The SubjectPublicKeyInfo in Base64, as Apple publishes keys.
  public let publicKey: String
  /// The public key as PEM.
  public let publicKeyPEM: String
  /// The private key as PEM.
  public let privateKeyPEM: String

  /// The name of a pair.
  public struct ID: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Signs postbacks of SKAdNetwork 1.0 and 2.0.
    public static let skadnetworkP192 = ID("skadnetwork-p192")
    /// Signs postbacks of SKAdNetwork 2.1 and later.
    public static let skadnetworkP256 = ID("skadnetwork-p256")
    /// Signs postbacks of AdAttributionKit.
    public static let production = ID("test-cas-identifier/0")
    /// Signs the ads of a test ad network.
    public static let adNetwork = ID("ad-network")
  }
}
