import PCMBrowser
import PCMCore
import PCMDevice
import PCMPages
import PCMStore

extension Browser {
  /// Returns the history of the device as far as the page shows the log.
  func deviceHistory() async throws -> DeviceHistory {
    let events = try await newestEvents(DeviceHistory.kinds)
    return DeviceHistory(events, apps: try await events.items.isEmpty ? [:] : appsByItemIdentifier())
  }
}

/// The ads for apps, the installs, and the conversions in the log of a device.
struct DeviceHistory {
  /// The kinds of the events to read.
  static let kinds: Set<EventKind> = [
    .impressionStarted, .impressionRecorded, .impressionTapped, .impressionRejected, .appInstalled, .conversionStarted,
    .appLaunched, .conversionValueAccepted, .conversionValueRejected, .postbackScheduled, .postbackDropped,
  ]

  private let events: [ShownEvent]
  /// The number of the last event that is not shown; 0 when all are.
  let omitted: Int64
  /// The bundle identifiers of the apps by their identifiers in the App Store.
  private let apps: [Int64: String]
  /// The ad networks of the ads.
  private var networks: [Int64: String] = [:]
  private var conversions: [Int64: DeviceConversion] = [:]
  /// The conversions of an app that wait for their start.
  private var waiting: [String: [Int64]] = [:]

  /// - Parameter apps: The bundle identifiers of the registered apps by their identifiers in the App Store.
  init(_ log: NewestItems<ShownEvent>, apps: [Int64: String]) {
    (events, omitted) = (log.items, log.lastOmitted?.sequence ?? 0)
    self.apps = apps
    for event in events { note(event) }
  }

  /// The name of the lane of an ad network and an app.
  static func lane(_ network: String, _ app: String) -> String { "\(network) → \(app)" }

  private mutating func note(_ event: ShownEvent) {
    if let impression = event.impression, event.kind != .postbackDropped, let network = event.text("adNetworkIdentifier") {
      networks[impression] = network
    }
    switch event.kind {
    case .conversionStarted:
      guard let conversion = DeviceConversion(event) else { return }
      conversions[conversion.id] = conversion
      waiting[conversion.app, default: []].append(conversion.id)
    case .appLaunched, .conversionValueAccepted, .conversionValueRejected:
      let waiting = waiting[event.app] ?? []
      for id in Set(waiting + [event.conversion].compactMap { $0 }) { conversions[id]?.note(event) }
      self.waiting[event.app] = waiting.filter { conversions[$0]?.isStarted == false }
    case .postbackScheduled, .postbackDropped:
      if let id = event.conversion { conversions[id]?.note(event) }
    default: break
    }
  }
}

extension DeviceHistory {
  /// The items of the timeline, each with its lane.
  var items: [(lane: String, item: TimelineView.Item)] {
    let marks = events.compactMap { event in mark(event).map { (lane(of: event), $0) } }
    let bars = conversions.values.sorted { $0.id < $1.id }.flatMap { conversion in
      conversion.bars.map { (lane(of: conversion), $0) }
    }
    return marks + bars
  }

  private func mark(_ event: ShownEvent) -> TimelineView.Item? {
    switch event.kind {
    case .impressionStarted: item(.ad, event, event.text("impressionId") ?? "", "Ad displayed")
    case .impressionRecorded: item(.ad, event, event.text("impressionId") ?? "", "Ad recorded")
    case .impressionTapped: item(.ad, event, event.text("impressionId") ?? "", "Ad tapped")
    case .impressionRejected: item(.rejected, event, event.text("impressionId") ?? "", "Ad rejected")
    case .appInstalled:
      item(
        .install, event, RecordName.install(event.sequence),
        "Install of \(event.app), \(event.conversion == nil ? "without an ad" : "attributed")")
    case .conversionValueAccepted:
      event.conversion.flatMap {
        item(.value, event, RecordName.conversion($0), "Conversion value \(Self.values(of: event))", row: 1)
      }
    default: nil
    }
  }

  /// The values of a call that reports one, in words.
  private static func values(of event: ShownEvent) -> String {
    let values = [event.number("fineValue").map(String.init), event.text("coarseValue")].compactMap { $0 }
    return values.isEmpty ? "none" : values.joined(separator: ", ")
  }

  private func item(
    _ kind: TimelineView.Kind, _ event: ShownEvent, _ id: String, _ title: String, row: Int = 0
  ) -> TimelineView.Item {
    TimelineView.Item(kind, id: id, start: event.at.milliseconds, title: "\(title): \(id)", row: row)
  }

  private func lane(of event: ShownEvent) -> String {
    if let conversion = event.conversion.flatMap({ conversions[$0] }) { return lane(of: conversion) }
    guard let impression = event.impression else { return "Installs without an ad" }
    let item = event.number("advertisedAppStoreItemIdentifier")
    let app = item.map { apps[$0] ?? "app \($0)" } ?? "unknown app"
    return Self.lane(networks[impression] ?? "Unknown ad network", app)
  }

  private func lane(of conversion: DeviceConversion) -> String {
    Self.lane(networks[conversion.impression] ?? "Unknown ad network", conversion.app)
  }
}
