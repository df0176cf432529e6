import PCMCore
import PCMDevice
import PCMStore

extension DeviceApp {
  /// A registered app as the rules of the device see it. An app whose SDK is unknown was built with the SDK of the device's system.
  init(_ record: AppRecord, on device: Device) throws {
    self.init(
      bundleIdentifier: record.bundleIdentifier, itemIdentifier: record.itemIdentifier, sdk: record.build.sdk ?? device.system,
      platform: record.build.platform, signing: record.build.signing, adAttribution: try record.attribution())
  }
}

extension AppRecord {
  /// The values about ads in the app's Info.plist.
  fileprivate func attribution() throws -> AppAdAttribution {
    guard let attribution = JSON(parsing: Array(adAttribution.utf8)).flatMap({ AppAdAttribution(json: $0) }) else {
      throw StoreError.unreadable(table: "apps", row: bundleIdentifier, column: "ad_attribution")
    }
    return attribution
  }
}
