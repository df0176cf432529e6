import PCMCore

/// The ads for apps, the installs, and the conversions in the log of a device.
struct DeviceHistory: Sendable {
  /// The kinds of the events to note.
  static let kinds: Set<EventKind> = [
    .impressionStarted, .impressionRecorded, .impressionTapped, .impressionRejected, .appInstalled, .conversionStarted,
    .appLaunched, .conversionValueAccepted, .conversionValueRejected, .postbackScheduled, .postbackDropped,
  ]

  /// An item with the records that name its lane.
  private struct Mark {
    let item: HistoryItem
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

  private func item(_ event: ShownEvent) -> HistoryItem? {
    let impression = event.detail.text(of: "impressionId")
    func item(_ kind: HistoryItem.Kind, _ id: String, _ title: String, _ outcome: String, _ facts: [String], row: Int = 0)
      -> HistoryItem
    {
      HistoryItem(
        kind: kind, id: id, start: event.at, title: title, outcome: outcome, facts: facts + event.detail.reasonCodes,
        reason: event.detail.firstReason, sequence: event.sequence, row: row)
    }
    let ad = "Ad\(event.detail["adNetworkIdentifier"]?.string.map { " of \($0)" } ?? "")"
    let adFacts = event.detail.facts("type", "framework", "sourceIdentifier", "advertisedAppStoreItemIdentifier")
    switch event.kind {
    case .impressionStarted: return item(.ad, impression, ad, "displayed", adFacts)
    case .impressionRecorded: return item(.ad, impression, ad, "recorded", adFacts)
    case .impressionTapped: return item(.ad, impression, ad, "tapped", adFacts)
    case .impressionRejected: return item(.rejected, impression, ad, "rejected", adFacts)
    case .appInstalled:
      let outcome = event.conversion == nil ? "without an ad" : "attributed"
      return item(.install, RecordName.install(event.sequence), "Install of \(event.app)", outcome, [])
    case .conversionValueAccepted:
      return event.conversion.map {
        item(
          .value, RecordName.conversion($0), "Conversion value of \(event.app)", "accepted",
          event.detail.facts("fineValue", "coarseValue", "lockWindow"), row: 1)
      }
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
