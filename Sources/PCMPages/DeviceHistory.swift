import PCMCore

/// The ads for apps, the installs, and the conversions in the log of a device.
struct DeviceHistory {
  /// The kinds of the events to note.
  static let kinds: Set<EventKind> = [
    .impressionStarted, .impressionRecorded, .impressionTapped, .impressionRejected, .appInstalled, .conversionStarted,
    .appLaunched, .conversionValueAccepted, .conversionValueRejected, .postbackScheduled, .postbackDropped,
  ]

  /// An item with the records that name its lane.
  private struct Mark {
    let item: TimelineView.Item
    let conversion: Int64?
    let impression: Int64?
    let advertisedItem: Int64?
  }

  private var marks: [Mark] = []
  /// The ad networks of the ads.
  private var networks: [Int64: String] = [:]
  private var conversions: [Int64: DeviceConversion] = [:]
  /// The conversions of an app that wait for their start.
  private var waiting: [String: [Int64]] = [:]

  var isEmpty: Bool { marks.isEmpty && conversions.isEmpty }

  mutating func note(_ event: ShownEvent) {
    if let impression = event.impression, event.kind != .postbackDropped,
      let network = event.detail["adNetworkIdentifier"]?.string
    {
      networks[impression] = network
    }
    if let item = item(event) {
      marks.append(
        Mark(
          item: item, conversion: event.conversion, impression: event.impression,
          advertisedItem: event.detail["advertisedAppStoreItemIdentifier"]?.integer))
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

  private func item(_ event: ShownEvent) -> TimelineView.Item? {
    let impression = event.detail.text(of: "impressionId")
    func item(_ kind: TimelineView.Kind, _ id: String, _ title: String, row: Int = 0) -> TimelineView.Item {
      TimelineView.Item(kind: kind, id: id, start: event.at, title: "\(title): \(id)", row: row)
    }
    switch event.kind {
    case .impressionStarted: return item(.ad, impression, "Ad displayed")
    case .impressionRecorded: return item(.ad, impression, "Ad recorded")
    case .impressionTapped: return item(.ad, impression, "Ad tapped")
    case .impressionRejected: return item(.rejected, impression, "Ad rejected")
    case .appInstalled:
      let end = event.conversion == nil ? "without an ad" : "attributed"
      return item(.install, RecordName.install(event.sequence), "Install of \(event.app), \(end)")
    case .conversionValueAccepted:
      let values = [event.detail["fineValue"]?.integer.map(String.init), event.detail["coarseValue"]?.string].compactMap { $0 }
      let text = values.isEmpty ? "none" : values.joined(separator: ", ")
      return event.conversion.map { item(.value, RecordName.conversion($0), "Conversion value \(text)", row: 1) }
    default: return nil
    }
  }
}

extension DeviceHistory {
  /// - Parameter apps: The bundle identifiers of the registered apps by their identifiers in the App Store.
  func items(apps: [Int64: String]) -> [LaneItem] {
    marks.map { (lane(of: $0, apps), $0.item) }
      + conversions.values.sorted { $0.id < $1.id }.flatMap { conversion in
        conversion.bars.map { (lane(of: conversion), $0) }
      }
  }

  private func lane(of mark: Mark, _ apps: [Int64: String]) -> String {
    if let conversion = mark.conversion.flatMap({ conversions[$0] }) { return lane(of: conversion) }
    guard let impression = mark.impression else { return "Installs without an ad" }
    let app = mark.advertisedItem.map { apps[$0] ?? "app \($0)" } ?? "unknown app"
    return BrowserHistory.lane(networks[impression] ?? "Unknown ad network", app)
  }

  private func lane(of conversion: DeviceConversion) -> String {
    BrowserHistory.lane(networks[conversion.impression] ?? "Unknown ad network", conversion.app)
  }
}
