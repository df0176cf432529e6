import Foundation
package import PCMCore
import PCMCrypto
package import PCMDevice
import PCMStore

// The rows of the device and their values.

extension DeviceRow {
  /// - Parameter value: The value, whose stored form is JSON.
  fileprivate init(_ kind: Kind, _ name: String, _ value: some Encodable, changesAt: Instant? = nil) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    self.init(kind, name, value: text, changesAt: changesAt)
  }

  /// Reads the value, which must have the members that this version writes.
  fileprivate func read<Value: Decodable>() throws -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: Data(value.utf8))
    } catch {
      throw unreadable("value")
    }
  }

  fileprivate func device() throws -> Device {
    try read()
  }

  fileprivate func adNetwork() throws -> AdNetworkRecord {
    try read()
  }

  fileprivate func impression() throws -> KeptImpression {
    let kept: KeptImpression = try read()
    try check(name: RecordName.impression(kept.id))
    return kept
  }

  func view() throws -> AppImpression {
    let view: AppImpression = try read()
    try check(name: RecordName.impression(view.kept.id), changesAt: view.countsAt)
    return view
  }

  func installedApp() throws -> InstalledApp {
    let app: InstalledApp = try read()
    try check(name: app.bundleIdentifier, changesAt: app.conversions.nextChange)
    return app
  }

  func tracking() throws -> AppTracking {
    let tracking: AppTracking = try read()
    try check(name: tracking.bundleIdentifier, changesAt: tracking.sdk.waitsUntil)
    return tracking
  }

  fileprivate func trackingSystem() throws -> TrackingSystem {
    try read()
  }

  func sdkRequest() throws -> SDKRequest {
    let request: SDKRequest = try read()
    try check(name: Self.name(ofSDKRequest: request.id), changesAt: request.dueAt)
    return request
  }

  /// The name of the row with a request of a measurement SDK.
  static func name(ofSDKRequest id: Int64) -> String {
    let digits = String(max(0, id))
    return String(repeating: "0", count: 19 - digits.utf8.count) + digits
  }

  /// Throws unless the row's name and time match its value. Otherwise, a due row would be found forever: writes for it would go to
  /// another row, or change nothing.
  private func check(name: String, changesAt instant: Instant? = nil) throws {
    guard key.name == name else { throw unreadable("value") }
    guard changesAt == instant else { throw unreadable("changes_at") }
  }

  fileprivate func card() throws -> FeedCard {
    let card: FeedCard = try read()
    try check(name: card.name)
    return card
  }

  func unreadable(_ column: String) -> StoreError {
    .unreadable(table: "device_rows", row: key.name, column: column)
  }
}

extension BrowserReader {
  func device() throws -> Device {
    try row(DeviceRow.self, .init(.device, "")).map { try $0.device() } ?? Device()
  }

  func adNetwork(_ identifier: String) throws -> AdNetworkRecord? {
    try row(DeviceRow.self, .init(.adNetwork, identifier))?.adNetwork()
  }

  func adNetworks(after identifier: String, limit: Int) throws -> [AdNetworkRecord] {
    try deviceRows(.adNetwork, after: identifier, limit: limit).map { try $0.adNetwork() }
  }

  /// Returns all ads. Their numbers are limited.
  func deviceAds() throws -> DeviceAds {
    let kept = try deviceRows(.impression, after: "", limit: .max).map { try $0.impression() }
    let views = try deviceRows(.view, after: "", limit: .max).map { try $0.view() }
    let open = views.filter(\.isOpen).map(\.kept)
    let table = ImpressionTable(kept: kept.sorted { $0.id < $1.id }, open: open.sorted { $0.id < $1.id })
    return DeviceAds(table: table, ended: views.filter { !$0.isOpen })
  }

  /// Returns the first ads after a number that the device keeps or that apps display. Only their rows are decoded.
  func impressionTable(after id: Int64, limit: Int) throws -> ImpressionTable {
    let rows = try [DeviceRow.Kind.impression, .view].flatMap { try deviceRows($0, after: "", limit: .max) }
    let numbered = rows.compactMap { row in RecordName.Kind.impression.number(row.key.name).map { (id: $0, row: row) } }
    var (kept, open): ([KeptImpression], [KeptImpression]) = ([], [])
    for (_, row) in numbered.filter({ $0.id > id }).sorted(by: { $0.id < $1.id }) {
      guard kept.count + open.count < limit else { break }
      if row.key.kind == .impression {
        kept.append(try row.impression())
      } else {
        let view = try row.view()
        if view.isOpen { open.append(view.kept) }
      }
    }
    return ImpressionTable(kept: kept, open: open)
  }

  func keptImpression(_ id: Int64) throws -> KeptImpression? {
    try row(DeviceRow.self, .init(.impression, RecordName.impression(id))).map { try $0.impression() }
  }

  func appImpression(_ id: Int64) throws -> AppImpression? {
    try row(DeviceRow.self, .init(.view, RecordName.impression(id))).map { try $0.view() }
  }

  /// Returns the signed text of an ad of AdAttributionKit on display.
  func signedText(ofImpression id: Int64) throws -> String {
    let name = RecordName.impression(id)
    guard let row = try row(DeviceRow.self, .init(.signedText, name)) else {
      throw StoreError.unreadable(table: "device_rows", row: name, column: "value")
    }
    return try row.read()
  }

  func installedApp(_ bundleIdentifier: String) throws -> InstalledApp? {
    try row(DeviceRow.self, .init(.installedApp, bundleIdentifier)).map { try $0.installedApp() }
  }

  func installedApps(after bundleIdentifier: String, limit: Int) throws -> [InstalledApp] {
    try deviceRows(.installedApp, after: bundleIdentifier, limit: limit).map { try $0.installedApp() }
  }

  /// Returns the cards of an app in the order of its feed, or the cards of all apps.
  func cards(of bundleIdentifier: String?) throws -> [FeedCard] {
    try cardRows(of: bundleIdentifier).map { try $0.card() }.sorted {
      ($0.bundleIdentifier, $0.place) < ($1.bundleIdentifier, $1.place)
    }
  }

  fileprivate func cardRows(of bundleIdentifier: String?) throws -> [DeviceRow] {
    guard let bundleIdentifier else { return try deviceRows(.card, after: "", limit: .max) }
    let prefix = "\(bundleIdentifier)/"
    return try deviceRows(.card, after: prefix, limit: CardFeed.maximumCount).filter { $0.key.name.hasPrefix(prefix) }
  }

  func card(_ idString: String, of bundleIdentifier: String) throws -> FeedCard? {
    try row(DeviceRow.self, .init(.card, FeedCard.name(idString, in: bundleIdentifier))).map { try $0.card() }
  }

  /// Returns the device's tracking of an app.
  func appTracking(_ bundleIdentifier: String) throws -> AppTracking {
    try row(DeviceRow.self, .init(.tracking, bundleIdentifier))?.tracking() ?? AppTracking(bundleIdentifier)
  }

  func trackingSystem() throws -> TrackingSystem {
    try row(DeviceRow.self, .init(.tracking, ""))?.trackingSystem() ?? TrackingSystem()
  }

  /// Whether the log has an event about tracking.
  func isTrackingUsed() throws -> Bool { try row(DeviceRow.self, .init(.tracking, "")) != nil }

  /// Returns the requests of measurement SDKs after a number, ordered by it.
  func sdkRequests(after id: Int64, limit: Int) throws -> [SDKRequest] {
    try deviceRows(.sdkRequest, after: DeviceRow.name(ofSDKRequest: id), limit: limit).map { try $0.sdkRequest() }
  }

  /// Returns a registered app as the rules of the device see it.
  func deviceApp(_ bundleIdentifier: String, on device: Device) throws -> DeviceApp? {
    try row(AppRecord.self, bundleIdentifier).map { try DeviceApp($0, on: device) }
  }
}

extension BrowserWriter {
  func save(_ device: Device) throws { try save(DeviceRow(.device, "", device)) }

  func save(_ network: AdNetworkRecord) throws {
    try save(DeviceRow(.adNetwork, network.identifier, network))
  }

  func save(_ app: InstalledApp) throws {
    try save(DeviceRow(.installedApp, app.bundleIdentifier, app, changesAt: app.conversions.nextChange))
  }

  func save(_ tracking: AppTracking) throws {
    try save(DeviceRow(.tracking, tracking.bundleIdentifier, tracking, changesAt: tracking.sdk.waitsUntil))
  }

  func save(_ system: TrackingSystem) throws { try save(DeviceRow(.tracking, "", system)) }

  func save(_ request: SDKRequest) throws {
    try save(DeviceRow(.sdkRequest, DeviceRow.name(ofSDKRequest: request.id), request, changesAt: request.dueAt))
  }

  func save(_ impression: AppImpression) throws {
    try save(DeviceRow(.view, RecordName.impression(impression.kept.id), impression, changesAt: impression.countsAt))
  }

  /// Keeps the signed text of an ad of AdAttributionKit until its view is removed. It has a separate row, because decisions read
  /// all views, and only a tap needs the text.
  func save(signedText jws: String, ofImpression id: Int64) throws {
    try save(DeviceRow(.signedText, RecordName.impression(id), jws))
  }

  func removeView(_ id: Int64) throws {
    for kind in [DeviceRow.Kind.view, .signedText] { try remove(DeviceRow.self, .init(kind, RecordName.impression(id))) }
  }

  func save(_ card: FeedCard) throws { try save(DeviceRow(.card, card.name, card)) }

  func remove(_ card: FeedCard) throws { try remove(DeviceRow.self, .init(.card, card.name)) }

  func removeCards(of bundleIdentifier: String) throws {
    for row in try cardRows(of: bundleIdentifier) { try remove(DeviceRow.self, row.key) }
  }

  func save(_ impression: KeptImpression) throws {
    try save(DeviceRow(.impression, RecordName.impression(impression.id), impression))
  }

  /// Writes the changes of a decision to the table of ads, except a new view, which contains more than the table.
  func replace(_ before: ImpressionTable, with after: ImpressionTable) throws {
    let (old, new) = (Set(before.kept.map(\.id)), Set(after.kept.map(\.id)))
    for id in old.subtracting(new).sorted() { try remove(DeviceRow.self, .init(.impression, RecordName.impression(id))) }
    for id in Set(before.open.map(\.id)).subtracting(after.open.map(\.id)).sorted() { try removeView(id) }
    for kept in after.kept where !old.contains(kept.id) { try save(kept) }
  }
}

/// The ads of a device.
struct DeviceAds: Sendable {
  /// The recorded ads and the displayed ads.
  let table: ImpressionTable
  /// The ads whose view is over or counts and that can be tapped.
  let ended: [AppImpression]
}

/// A registered ad network as it is stored.
package struct AdNetworkRecord: Hashable, Codable, Sendable {
  package let identifier: String
  /// Base64 of the SubjectPublicKeyInfo.
  package let publicKey: String
  package let postbackURL: String

  /// The network as the rules see it. Throws when its key or its URL is damaged.
  func network(environment: BrowserEnvironment) throws -> AdNetwork {
    guard let key = try? PublicKey(base64: publicKey), let url = environment.url(postbackURL),
      let network = try? AdNetwork(identifier: identifier, key: key, postbackURL: url)
    else { throw StoreError.unreadable(table: "device_rows", row: identifier, column: "value") }
    return network
  }
}

/// An app that was installed on the device, with its conversions.
package struct InstalledApp: Hashable, Codable, Sendable {
  package let bundleIdentifier: String
  package var itemIdentifier: Int64?
  package var installedAt: Instant
  /// The country of the last install; nil if unknown.
  package var country: String?
  package var launchedAt: Instant?
  package var conversions = AppConversions()

  /// The maximum number of pending conversions: one install, and re-engagements that overlap.
  package static let maximumConversionCount = 100
}

/// An ad that an app created and can display, end, or tap.
struct AppImpression: Hashable, Codable, Sendable {
  let kept: KeptImpression
  let presentation: ImpressionPresentation
  /// When its view ended; nil while it is displayed.
  var endedAt: Instant?
  /// The number of the event that recorded the view while the ad was displayed; nil if it was not.
  var recordedBy: Int64?

  var framework: AdFramework { kept.impression.framework }
  var isDisplayed: Bool { endedAt == nil }
  /// Whether the view has neither ended nor counted.
  var isOpen: Bool { isDisplayed && recordedBy == nil }

  /// When the view counts without a call of the app: only StoreKit knows how long it displays an ad (AdAttributionKit reference,
  /// section 2). Nil for other ads, and for a view that is not open.
  var countsAt: Instant? {
    guard isOpen, presentation == .storeKitRendered, framework == .adattributionkit else { return nil }
    return kept.impression.recordedAt + ViewTime.adAttributionKit
  }

  /// Whether the device has forgotten the ad: its view is too long, or ended too long ago for a tap.
  func isForgotten(at now: Instant) -> Bool { now > (endedAt ?? kept.impression.recordedAt) + ImpressionTable.longestView }
}
