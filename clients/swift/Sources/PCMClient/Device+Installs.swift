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
    let body: Members = ["infoPlist": infoPlist, "itemIdentifier": itemIdentifier]
    return try await connection.call("PUT", "\(path)/apps/\(bundleIdentifier.pathPart)", body)
  }

  /// Installs a registered app.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - redownload: Whether the account had the app before; nil if it had when it was installed on this device before.
  ///   - marketplace: The bundle identifier of the marketplace; nil for the App Store.
  ///   - country: The country of the install, two letters; nil for the device's country.
  ///   - crowd: The crowd of the install, which determines the contents of postbacks.
  /// - Returns: The ad that led to the install, and why others did not.
  @discardableResult
  public func install(
    _ app: App, redownload: Bool? = nil, marketplace: String? = nil, country: String? = nil, crowd: CrowdTiers = CrowdTiers()
  ) async throws -> InstallOutcome {
    let body: Members = [
      "bundleIdentifier": app.bundleIdentifier, "redownload": redownload, "marketplace": marketplace, "country": country,
      "crowdTiers": crowd,
    ]
    return try await connection.call("POST", "\(path)/installs", body)
  }

  /// Returns the installed apps with their pending conversions.
  public func installedApps() async throws -> [InstalledApp] {
    try await connection.items("\(path)/installs")
  }

  /// Opens an installed app.
  @discardableResult
  public func launch(_ app: App) async throws -> LaunchOutcome {
    try await connection.call("POST", "\(path)/launches", ["bundleIdentifier": app.bundleIdentifier])
  }

  /// Reports a conversion value from an installed app.
  ///
  /// - Returns: The effect on each pending conversion, with the reasons and Apple's error if there is none.
  @discardableResult
  public func report(_ value: ConversionValue, by app: App) async throws -> ConversionValueOutcome {
    let body: Members = [
      "bundleIdentifier": app.bundleIdentifier, "framework": value.framework, "fineValue": value.fine,
      "coarseValue": value.coarse, "lockWindow": value.lockWindow, "conversionTypes": value.types, "conversionTag": value.tag,
    ]
    return try await connection.call("POST", "\(path)/conversion-values", body)
  }
}
