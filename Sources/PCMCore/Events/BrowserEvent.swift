/// An event in a browser: one case for each kind of log event, with the details that the log keeps.
package enum BrowserEvent: Hashable, Sendable {
  case appRegistered(AppRegistered)
  case clickStored(ClickStored)
  case ephemeralClickStored(ClickStored)
  case clickDiscarded(ClickDiscarded)
  case clickReplaced(ClickReplaced)
  case clickExpired(ClickExpired)
  case clickConsumedByLowerPriority(ClickConsumed)
  case triggerIgnored(TriggerRejected)
  case triggerRejected(TriggerRejected)
  case triggerAccepted(RequestedTrigger)
  case triggerUnmatched(TriggerUnmatched)
  case attributed(Attributed)
  case attributionReplaced(AttributionReplaced)
  case reportScheduled(ReportScheduled)
  case reportSent(ReportSent)
  case reportDelivered(ReportFinished)
  case reportFailed(ReportFinished)
  case reportRetryScheduled(ReportFinished)
  case tokenRequested(TokenRequested)
  case tokenStored(TokenStored)
  case tokenFailed(TokenFailed)
  case dataCleared(DataCleared)
  case clockAdvanced(ClockAdvanced)
  case clockSetBack(ClockSetBack)
  case settingsChanged(BrowserSettings)
  case logTrimmed(LogTrimmed)
  case deviceChanged(DeviceChanged)
  case adNetworkRegistered(AdNetworkRegistered)
  case impressionStarted(ImpressionDecided)
  case impressionRecorded(ImpressionDecided)
  case impressionTapped(ImpressionTapped)
  case impressionRejected(ImpressionDecided)
  case impressionRemoved(ImpressionRemoved)
  case signedPayloadRequested(SignedPayloadRequested)
  case appInstalled(AppInstalled)
  case impressionCompared(ImpressionCompared)
  case appLaunched(AppLaunched)
  case conversionStarted(ConversionStarted)
  case conversionValueAccepted(ConversionValueReported)
  case conversionValueRejected(ConversionValueReported)
  case postbackScheduled(PostbackScheduled)
  case postbackDropped(PostbackDropped)
  case postbackSent(PostbackSent)
  case postbackDelivered(PostbackFinished)
  case postbackFailed(PostbackFinished)
  case postbackRetryScheduled(PostbackFinished)
}

extension BrowserEvent {
  /// The kinds of events, in the order of the documents.
  static let types: [EventType] = [
    EventType(.appRegistered, appRegistered),
    EventType(.clickStored, clickStored),
    EventType(.ephemeralClickStored, ephemeralClickStored),
    EventType(.clickDiscarded, clickDiscarded),
    EventType(.clickReplaced, clickReplaced),
    EventType(.clickExpired, clickExpired),
    EventType(.triggerIgnored, triggerIgnored),
    EventType(.triggerRejected, triggerRejected),
    EventType(.triggerAccepted, triggerAccepted),
    EventType(.triggerUnmatched, triggerUnmatched),
    EventType(.attributed, attributed),
    EventType(.attributionReplaced, attributionReplaced),
    EventType(.clickConsumedByLowerPriority, clickConsumedByLowerPriority),
    EventType(.reportScheduled, reportScheduled),
    EventType(.reportSent, reportSent),
    EventType(.reportDelivered, reportDelivered),
    EventType(.reportFailed, reportFailed),
    EventType(.reportRetryScheduled, reportRetryScheduled),
    EventType(.tokenRequested, tokenRequested),
    EventType(.tokenStored, tokenStored),
    EventType(.tokenFailed, tokenFailed),
    EventType(.dataCleared, dataCleared),
    EventType(.clockAdvanced, clockAdvanced),
    EventType(.clockSetBack, clockSetBack),
    EventType(.settingsChanged, settingsChanged),
    EventType(.logTrimmed, logTrimmed),
    EventType(.deviceChanged, deviceChanged),
    EventType(.adNetworkRegistered, adNetworkRegistered),
    EventType(.impressionStarted, impressionStarted),
    EventType(.impressionRecorded, impressionRecorded),
    EventType(.impressionTapped, impressionTapped),
    EventType(.impressionRejected, impressionRejected),
    EventType(.impressionRemoved, impressionRemoved),
    EventType(.signedPayloadRequested, signedPayloadRequested),
    EventType(.appInstalled, appInstalled),
    EventType(.impressionCompared, impressionCompared),
    EventType(.appLaunched, appLaunched),
    EventType(.conversionStarted, conversionStarted),
    EventType(.conversionValueAccepted, conversionValueAccepted),
    EventType(.conversionValueRejected, conversionValueRejected),
    EventType(.postbackScheduled, postbackScheduled),
    EventType(.postbackDropped, postbackDropped),
    EventType(.postbackSent, postbackSent),
    EventType(.postbackDelivered, postbackDelivered),
    EventType(.postbackFailed, postbackFailed),
    EventType(.postbackRetryScheduled, postbackRetryScheduled),
  ]

  private var typed: (kind: EventKind, detail: any EventDetail) {
    switch self {
    case .appRegistered(let detail): (.appRegistered, detail)
    case .clickStored(let detail): (.clickStored, detail)
    case .ephemeralClickStored(let detail): (.ephemeralClickStored, detail)
    case .clickDiscarded(let detail): (.clickDiscarded, detail)
    case .clickReplaced(let detail): (.clickReplaced, detail)
    case .clickExpired(let detail): (.clickExpired, detail)
    case .clickConsumedByLowerPriority(let detail): (.clickConsumedByLowerPriority, detail)
    case .triggerIgnored(let detail): (.triggerIgnored, detail)
    case .triggerRejected(let detail): (.triggerRejected, detail)
    case .triggerAccepted(let detail): (.triggerAccepted, detail)
    case .triggerUnmatched(let detail): (.triggerUnmatched, detail)
    case .attributed(let detail): (.attributed, detail)
    case .attributionReplaced(let detail): (.attributionReplaced, detail)
    case .reportScheduled(let detail): (.reportScheduled, detail)
    case .reportSent(let detail): (.reportSent, detail)
    case .reportDelivered(let detail): (.reportDelivered, detail)
    case .reportFailed(let detail): (.reportFailed, detail)
    case .reportRetryScheduled(let detail): (.reportRetryScheduled, detail)
    case .tokenRequested(let detail): (.tokenRequested, detail)
    case .tokenStored(let detail): (.tokenStored, detail)
    case .tokenFailed(let detail): (.tokenFailed, detail)
    case .dataCleared(let detail): (.dataCleared, detail)
    case .clockAdvanced(let detail): (.clockAdvanced, detail)
    case .clockSetBack(let detail): (.clockSetBack, detail)
    case .settingsChanged(let detail): (.settingsChanged, detail)
    case .logTrimmed(let detail): (.logTrimmed, detail)
    case .deviceChanged(let detail): (.deviceChanged, detail)
    case .adNetworkRegistered(let detail): (.adNetworkRegistered, detail)
    case .impressionStarted(let detail): (.impressionStarted, detail)
    case .impressionRecorded(let detail): (.impressionRecorded, detail)
    case .impressionTapped(let detail): (.impressionTapped, detail)
    case .impressionRejected(let detail): (.impressionRejected, detail)
    case .impressionRemoved(let detail): (.impressionRemoved, detail)
    case .signedPayloadRequested(let detail): (.signedPayloadRequested, detail)
    case .appInstalled(let detail): (.appInstalled, detail)
    case .impressionCompared(let detail): (.impressionCompared, detail)
    case .appLaunched(let detail): (.appLaunched, detail)
    case .conversionStarted(let detail): (.conversionStarted, detail)
    case .conversionValueAccepted(let detail): (.conversionValueAccepted, detail)
    case .conversionValueRejected(let detail): (.conversionValueRejected, detail)
    case .postbackScheduled(let detail): (.postbackScheduled, detail)
    case .postbackDropped(let detail): (.postbackDropped, detail)
    case .postbackSent(let detail): (.postbackSent, detail)
    case .postbackDelivered(let detail): (.postbackDelivered, detail)
    case .postbackFailed(let detail): (.postbackFailed, detail)
    case .postbackRetryScheduled(let detail): (.postbackRetryScheduled, detail)
    }
  }
}

/// A kind of event with the type of its details.
struct EventType: Sendable {
  let kind: EventKind
  let introduced: IntroducedRecord?
  let read: @Sendable (inout EventReader) throws -> BrowserEvent

  init<Detail: EventDetail>(_ kind: EventKind, _ event: @escaping @Sendable (Detail) -> BrowserEvent) {
    self.kind = kind
    introduced = Detail.introduced
    read = { event(try Detail(&$0)) }
  }

  static let byKind = Dictionary(uniqueKeysWithValues: BrowserEvent.types.map { ($0.kind, $0) })
}

extension BrowserEvent {
  package var kind: EventKind { typed.kind }

  /// The reasons for the event; empty for kinds without reasons.
  package var reasons: [Reason] { typed.detail.reasons }

  /// The decision that the event records; nil for events without one.
  package var decision: RecordedDecision? { typed.detail.decision }

  /// Compact UTF-8 JSON: an object with its members in a fixed order. Equal events have equal bytes.
  package var json: [UInt8] {
    var writer = EventWriter()
    typed.detail.encode(into: &writer)
    return writer.finish()
  }

  /// Reads an event strictly: a missing or unknown member, or one of another type, is an error.
  package init(_ kind: EventKind, from decoder: any Decoder) throws {
    var members = try EventReader(decoder)
    guard let type = EventType.byKind[kind] else { throw members.unexpected("kind") }
    self = try type.read(&members)
    try members.finish()
  }

  /// Returns the subjects of the event; empty for events of the browser as a whole.
  ///
  /// - Parameter sequence: The number of the event. A click, a triggering event, or an install without another number has it,
  ///   too.
  package func subjects(at sequence: Int64) -> [EventSubject] { typed.detail.subjects(at: sequence) }

  /// Returns the distinct names by which an index finds the event.
  ///
  /// They do not include an introduced record with the event's number, which is found by number. Most events have such a
  /// record.
  package func indexedSubjects(at sequence: Int64) -> [String] {
    let detail = typed.detail
    let subjects = detail.subjects(at: sequence)
    let own = type(of: detail).introduced != nil && subjects.first?.number == sequence ? subjects.first?.name : nil
    var names: [String] = []
    for subject in subjects {
      let name = subject.name
      // A site or an app may have the name of the record.
      if name != own, !names.contains(name) { names.append(name) }
    }
    return names
  }
}
