import PCMCore

extension Device {
  /// Registers an app by the keys of its `Info.plist`, or replaces its registration.
  ///
  /// - Parameters:
  ///   - bundleIdentifier: `CFBundleIdentifier` of the app.
  ///   - infoPlist: The keys, such as `SKAdNetworkItems` and `AdNetworkIdentifiers` of an app that displays ads.
  ///   - itemIdentifier: The identifier of the app in the App Store, by which ads name it. An `Info.plist` does not contain it.
  @discardableResult
  public func register(
    app bundleIdentifier: String, infoPlist: [String: JSONValue], itemIdentifier: Int? = nil
  ) async throws -> App {
    let body = InfoPlistRegistration(infoPlist: .object(infoPlist), itemIdentifier: itemIdentifier)
    return try await connection.call("PUT", "\(path)/apps/\(bundleIdentifier.pathPart)", body)
  }

  /// Installs a registered app.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - redownload: Whether the account had the app before; nil if it had when it was installed on this device before.
  ///   - marketplace: The bundle identifier of the marketplace; nil for the App Store.
  ///   - country: The country of the install, two letters; nil for the device's country.
  ///   - crowd: The crowd of the install, which decides what postbacks contain.
  /// - Returns: The ad that led to the install, and why others did not.
  @discardableResult
  public func install(
    _ app: App, redownload: Bool? = nil, marketplace: String? = nil, country: String? = nil, crowd: CrowdTiers = CrowdTiers()
  ) async throws -> InstallOutcome {
    var body = InstallInput()
    (body.bundleIdentifier, body.redownload, body.marketplace) = (app.bundleIdentifier, redownload, marketplace)
    (body.country, body.crowdTiers) = (country, PCMCore.CrowdTiers(crowd))
    return try await connection.perform(body, in: name)
  }

  /// Returns the installed apps with their pending conversions.
  public func installedApps() async throws -> [InstalledApp] {
    try await connection.items("\(path)/installs")
  }

  /// Opens an installed app.
  @discardableResult
  public func launch(_ app: App) async throws -> LaunchOutcome {
    var body = LaunchInput()
    body.bundleIdentifier = app.bundleIdentifier
    return try await connection.perform(body, in: name)
  }

  /// Reports a conversion value from an installed app.
  ///
  /// - Returns: The effect on each pending conversion, with the reasons and Apple's error if there is none.
  @discardableResult
  public func report(_ value: ConversionValue, by app: App) async throws -> ConversionValueOutcome {
    var body = ConversionValueInput()
    body.bundleIdentifier = app.bundleIdentifier
    body.framework = PCMCore.AdFramework(rawValue: value.framework.rawValue) ?? .skadnetwork
    (body.fineValue, body.coarseValue) = (value.fine.map { Int64($0) }, value.coarse?.rawValue)
    (body.lockWindow, body.conversionTag) = (value.lockWindow, value.tag)
    body.conversionTypes = value.types?.map(\.rawValue)
    return try await connection.perform(body, in: name)
  }
}

private struct InfoPlistRegistration: Encodable {
  let infoPlist: JSONValue
  let itemIdentifier: Int?
}
