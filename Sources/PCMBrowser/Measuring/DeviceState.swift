import PCMCore
import PCMDevice
import PCMStore

/// The ads, the installed apps, and the postbacks of a device, as decisions about them read and change them.
///
/// A device of the service has them in rows, and logs each change (``StoredDevice``). The device of a simulated user has them in memory,
/// and keeps only losses and postbacks (``SimulatedDevice``). What decides is the same code, in the folder `Device`.
protocol DeviceState {
  associatedtype Failure: Error

  /// Whether decisions keep the values that their rules read.
  static var keepsInputs: Bool { get }

  /// Returns the error of a call that is not decided, such as the launch of an app that is not installed.
  static func failure(_ error: BrowserError) -> Failure

  /// Returns the number of the next record.
  func nextSequence() throws(Failure) -> Int64
  /// Returns the number that stands for the next conversion in the names of its random values.
  mutating func nextDrawNumber() -> Int64

  /// Returns a registered app.
  func deviceApp(_ bundleIdentifier: String, on device: Device) throws(Failure) -> DeviceApp?

  /// Returns all ads, ordered by number.
  func deviceAds() throws(Failure) -> DeviceAds
  /// Returns the number of recorded ads.
  func keptImpressionCount() throws(Failure) -> Int
  /// Returns a recorded ad.
  func keptImpression(_ id: Int64) throws(Failure) -> KeptImpression?
  /// Returns an ad that an app displays, or that can be tapped.
  func appImpression(_ id: Int64) throws(Failure) -> AppImpression?
  mutating func save(_ impression: AppImpression) throws(Failure)
  mutating func removeView(_ id: Int64) throws(Failure)
  /// Returns the signed text of an ad of AdAttributionKit that an app displays.
  func reading(ofImpression id: Int64, _ networks: AdNetworkRegistry) throws(Failure) -> JWSReading
  /// Keeps the signed text of an ad until its view is removed.
  mutating func save(_ reading: JWSReading, ofImpression id: Int64) throws(Failure)
  /// Writes the changes of a decision to the table of ads, except a new view, which contains more than the table.
  mutating func replace(_ before: ImpressionTable, with after: ImpressionTable) throws(Failure)

  func installedAppCount() throws(Failure) -> Int
  func installedApp(_ bundleIdentifier: String) throws(Failure) -> InstalledApp?
  /// Returns the first installed app, in the order of bundle identifiers, with an identifier in the App Store.
  func installedApp(withItem item: Int64) throws(Failure) -> InstalledApp?
  mutating func save(_ app: InstalledApp) throws(Failure)
  /// Forgets the tracking of an app that is installed again.
  mutating func removeTracking(of bundleIdentifier: String) throws(Failure)

  /// Schedules the postbacks of a window, in their order.
  mutating func schedule(
    _ planned: [PlannedPostback], for app: InstalledApp, _ context: DeviceContext) throws(Failure)

  /// Notes an event. Returns its number and its time.
  @discardableResult
  mutating func append<Event: BrowserEvent>(
    _ event: @autoclosure () -> Event, at instant: Instant
  ) throws(Failure) -> (sequence: Int64, at: Instant)
}

extension DeviceState {
  mutating func log(_ removals: [ImpressionTable.Removal], at now: Instant) throws(Failure) {
    for removal in removals {
      try append(ImpressionRemoved(impression: removal.id, reasons: [removal.reason]), at: now)
    }
  }
}
