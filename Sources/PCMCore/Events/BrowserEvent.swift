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
  package var kind: EventKind {
    switch self {
    case .appRegistered: .appRegistered
    case .clickStored: .clickStored
    case .ephemeralClickStored: .ephemeralClickStored
    case .clickDiscarded: .clickDiscarded
    case .clickReplaced: .clickReplaced
    case .clickExpired: .clickExpired
    case .clickConsumedByLowerPriority: .clickConsumedByLowerPriority
    case .triggerIgnored: .triggerIgnored
    case .triggerRejected: .triggerRejected
    case .triggerAccepted: .triggerAccepted
    case .triggerUnmatched: .triggerUnmatched
    case .attributed: .attributed
    case .attributionReplaced: .attributionReplaced
    case .reportScheduled: .reportScheduled
    case .reportSent: .reportSent
    case .reportDelivered: .reportDelivered
    case .reportFailed: .reportFailed
    case .reportRetryScheduled: .reportRetryScheduled
    case .tokenRequested: .tokenRequested
    case .tokenStored: .tokenStored
    case .tokenFailed: .tokenFailed
    case .dataCleared: .dataCleared
    case .clockAdvanced: .clockAdvanced
    case .clockSetBack: .clockSetBack
    case .settingsChanged: .settingsChanged
    case .logTrimmed: .logTrimmed
    case .deviceChanged: .deviceChanged
    case .adNetworkRegistered: .adNetworkRegistered
    case .impressionStarted: .impressionStarted
    case .impressionRecorded: .impressionRecorded
    case .impressionTapped: .impressionTapped
    case .impressionRejected: .impressionRejected
    case .impressionRemoved: .impressionRemoved
    case .signedPayloadRequested: .signedPayloadRequested
    case .appInstalled: .appInstalled
    case .impressionCompared: .impressionCompared
    case .appLaunched: .appLaunched
    case .conversionStarted: .conversionStarted
    case .conversionValueAccepted: .conversionValueAccepted
    case .conversionValueRejected: .conversionValueRejected
    case .postbackScheduled: .postbackScheduled
    case .postbackDropped: .postbackDropped
    case .postbackSent: .postbackSent
    case .postbackDelivered: .postbackDelivered
    case .postbackFailed: .postbackFailed
    case .postbackRetryScheduled: .postbackRetryScheduled
    }
  }

  /// The reasons for the event; empty for kinds without reasons.
  package var reasons: [Reason] {
    switch self {
    case .clickStored(let event), .ephemeralClickStored(let event): event.reasons
    case .clickDiscarded(let event): event.reasons
    case .clickConsumedByLowerPriority(let event): event.reasons
    case .triggerIgnored(let event), .triggerRejected(let event): event.reasons
    case .triggerUnmatched(let event): event.reasons
    case .attributed(let event): event.reasons
    case .reportDelivered(let event), .reportFailed(let event), .reportRetryScheduled(let event): event.reasons
    case .tokenFailed(let event): event.reasons
    case .impressionStarted(let event), .impressionRecorded(let event), .impressionRejected(let event): event.reasons
    case .impressionTapped(let event): event.ad.reasons
    case .impressionRemoved(let event): event.reasons
    case .appInstalled(let event): event.reasons
    case .impressionCompared(let event): event.reasons
    case .conversionValueAccepted(let event), .conversionValueRejected(let event): event.reasons
    case .postbackDropped(let event): event.reasons
    case .postbackDelivered(let event), .postbackFailed(let event), .postbackRetryScheduled(let event): event.reasons
    default: []
    }
  }

  /// The decision that the event records; nil for events without one.
  package var decision: RecordedDecision? {
    switch self {
    case .clickStored(let event), .ephemeralClickStored(let event): event.decision
    case .clickDiscarded(let event): event.decision
    case .triggerIgnored(let event), .triggerRejected(let event): event.decision
    case .triggerUnmatched(let event): event.decision
    case .attributed(let event): event.decision
    case .reportSent(let event): event.decision
    case .reportDelivered(let event), .reportFailed(let event), .reportRetryScheduled(let event): event.decision
    case .tokenRequested(.reportKeys(_, _, _, let decision)): decision
    case .impressionStarted(let event), .impressionRecorded(let event), .impressionRejected(let event): event.decision
    case .impressionTapped(let event): event.ad.decision
    case .signedPayloadRequested(let event): event.decision
    case .impressionCompared(let event): event.decision
    case .conversionStarted(let event): event.decision
    case .conversionValueAccepted(let event), .conversionValueRejected(let event): event.decision
    case .postbackDelivered(let event), .postbackFailed(let event), .postbackRetryScheduled(let event): event.decision
    default: nil
    }
  }
}
