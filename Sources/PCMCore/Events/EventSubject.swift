/// Something that an event is about.
package enum EventSubject: Hashable, Sendable {
  case click(Int64)
  case attribution(Int64)
  case report(Int64)
  case site(Site)
  case app(bundleIdentifier: String)

  /// The name in the API: `click-12`, `shop.example`, `com.example.news`.
  package var name: String {
    switch self {
    case .click(let id): RecordName.click(id)
    case .attribution(let id): RecordName.attribution(id)
    case .report(let id): RecordName.report(id)
    case .site(let site): site.domain
    case .app(let bundleIdentifier): bundleIdentifier
    }
  }
}

extension BrowserEvent {
  /// Everything that the event is about; empty for events of the browser as a whole.
  package var subjects: [EventSubject] {
    switch self {
    case .appRegistered(let event): [.app(bundleIdentifier: event.bundleIdentifier)]
    case .clickStored(let event), .clickHeld(let event): [.click(event.click)] + event.key.subjects
    case .clickDiscarded(let event): event.destination.map { [.site($0)] } ?? []
    case .clickReplaced(let event): [.click(event.click), .click(event.successor)]
    case .clickExpired(let event): [.click(event.click)]
    case .clickConsumedByLowerPriority(let event): [.click(event.click), .attribution(event.attribution)]
    case .triggerIgnored(let event), .triggerRejected(let event):
      [.site(event.firstParty)] + (event.asked?.subjects ?? []).filter { $0 != .site(event.firstParty) }
    case .triggerAccepted(let event): event.subjects
    case .triggerUnmatched(let event): event.asked.subjects
    case .attributed(let event):
      [.attribution(event.attribution), .click(event.click)] + event.key.subjects
        + [event.sourceReport, event.destinationReport].compactMap { $0.map(EventSubject.report) }
    case .attributionReplaced(let event):
      [.attribution(event.attribution)] + event.asked.subjects + event.reports.map(EventSubject.report)
    case .reportScheduled(let event): [.report(event.report), .attribution(event.attribution)]
    case .reportSent(let event): [.report(event.report)]
    case .reportDelivered(let event), .reportFailed(let event), .reportRetryScheduled(let event): [.report(event.report)]
    case .tokenRequested(.key(let exchange, _)), .tokenRequested(.signature(let exchange, _, _)): exchange.subjects
    case .tokenRequested(.reportKeys(let report, _, _, _)): [.report(report)]
    case .tokenStored(let event): event.exchange.subjects
    case .tokenFailed(let event): event.exchange.subjects
    case .dataCleared(let event): event.site.map { [.site($0)] } ?? []
    case .clockAdvanced, .settingsChanged: []
    }
  }
}

extension ClickKey {
  fileprivate var subjects: [EventSubject] {
    (source == destination ? [.site(source)] : [.site(source), .site(destination)])
      + [.app(bundleIdentifier: bundleIdentifier)]
  }
}

extension AskedTrigger {
  fileprivate var subjects: [EventSubject] {
    source == destination ? [.site(source)] : [.site(source), .site(destination)]
  }
}

extension TokenExchangeRecord {
  fileprivate var subjects: [EventSubject] {
    (click.map { [.click($0)] } ?? []) + (source == destination ? [.site(source)] : [.site(source), .site(destination)])
  }
}
