import PCMCore
import PCMDevice
import PCMStore

/// The device of a browser of the service: its rows in a transaction, whose changes are logged.
struct StoredDevice: DeviceState {
  let writer: any BrowserWriter
  /// The random numbers after the decision.
  private(set) var streams: RandomStreams

  static let keepsInputs = true

  init(_ writer: any BrowserWriter, _ streams: RandomStreams) { (self.writer, self.streams) = (writer, streams) }

  static func failure(_ error: BrowserError) -> any Error { error }

  func nextSequence() throws -> Int64 { try writer.nextSequence() }

  mutating func nextDrawNumber() -> Int64 { streams.number(.conversion) }

  func deviceApp(_ bundleIdentifier: String, on device: Device) throws -> DeviceApp? {
    try writer.deviceApp(bundleIdentifier, on: device)
  }

  func deviceAds() throws -> DeviceAds { try writer.deviceAds() }

  func keptImpressionCount() throws -> Int { try writer.deviceRows(.impression, after: "", limit: .max).count }

  func keptImpression(_ id: Int64) throws -> KeptImpression? { try writer.keptImpression(id) }

  func appImpression(_ id: Int64) throws -> AppImpression? { try writer.appImpression(id) }

  func save(_ impression: AppImpression) throws { try writer.save(impression) }

  func removeView(_ id: Int64) throws { try writer.removeView(id) }

  func reading(ofImpression id: Int64, _ networks: AdNetworkRegistry) throws -> JWSReading {
    JWSReading(try writer.signedText(ofImpression: id), networks: networks)
  }

  func save(_ reading: JWSReading, ofImpression id: Int64) throws {
    try writer.save(signedText: reading.text, ofImpression: id)
  }

  func replace(_ before: ImpressionTable, with after: ImpressionTable) throws { try writer.replace(before, with: after) }

  func installedAppCount() throws -> Int { try writer.deviceRows(.installedApp, after: "", limit: .max).count }

  func installedApp(_ bundleIdentifier: String) throws -> InstalledApp? { try writer.installedApp(bundleIdentifier) }

  func installedApp(withItem item: Int64) throws -> InstalledApp? {
    try writer.installedApps(after: "", limit: .max).first { $0.itemIdentifier == item }
  }

  func save(_ app: InstalledApp) throws { try writer.save(app) }

  func removeTracking(of bundleIdentifier: String) throws { try writer.removeTracking(of: bundleIdentifier) }

  @discardableResult
  func append<Event: BrowserEvent>(
    _ event: @autoclosure () -> Event, at instant: Instant
  ) throws -> (sequence: Int64, at: Instant) {
    let logged = try writer.append(event(), at: instant)
    return (logged.sequence, logged.at)
  }
}

extension DecisionState {
  /// Decides about the device, and keeps the positions of its random numbers.
  mutating func onDevice<Outcome>(
    _ writer: any BrowserWriter, _ decide: (inout StoredDevice, DeviceContext) throws -> Outcome
  ) rethrows -> Outcome {
    var device = StoredDevice(writer, streams)
    defer { streams = device.streams }
    return try decide(&device, deviceContext)
  }
}
