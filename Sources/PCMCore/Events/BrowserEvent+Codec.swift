/// The codec of the log: a JSON object for each event, with its members in a fixed order.
extension BrowserEvent {
  /// Compact UTF-8 JSON. Equal events have equal bytes.
  package var json: [UInt8] {
    var writer = EventWriter()
    encode(into: &writer)
    return writer.finish()
  }

  private func encode(into writer: inout EventWriter) {
    switch self {
    case .appRegistered(let event): event.encode(into: &writer)
    case .clickStored(let event), .ephemeralClickStored(let event): event.encode(into: &writer)
    case .clickDiscarded(let event): event.encode(into: &writer)
    case .clickReplaced(let event): event.encode(into: &writer)
    case .clickExpired(let event): event.encode(into: &writer)
    case .clickConsumedByLowerPriority(let event): event.encode(into: &writer)
    case .triggerIgnored(let event), .triggerRejected(let event): event.encode(into: &writer)
    case .triggerAccepted(let event): event.encode(into: &writer)
    case .triggerUnmatched(let event): event.encode(into: &writer)
    case .attributed(let event): event.encode(into: &writer)
    case .attributionReplaced(let event): event.encode(into: &writer)
    case .reportScheduled(let event): event.encode(into: &writer)
    case .reportSent(let event): event.encode(into: &writer)
    case .reportDelivered(let event), .reportFailed(let event), .reportRetryScheduled(let event): event.encode(into: &writer)
    case .tokenRequested(let event): event.encode(into: &writer)
    case .tokenStored(let event): event.encode(into: &writer)
    case .tokenFailed(let event): event.encode(into: &writer)
    case .dataCleared(let event): event.encode(into: &writer)
    case .clockAdvanced(let event): event.encode(into: &writer)
    case .clockSetBack(let event): event.encode(into: &writer)
    case .settingsChanged(let settings): settings.encode(into: &writer)
    case .logTrimmed(let event): event.encode(into: &writer)
    case .deviceChanged(let event): event.encode(into: &writer)
    case .adNetworkRegistered(let event): event.encode(into: &writer)
    case .impressionStarted(let event), .impressionRecorded(let event), .impressionRejected(let event):
      event.encode(into: &writer)
    case .impressionTapped(let event): event.encode(into: &writer)
    case .impressionRemoved(let event): event.encode(into: &writer)
    case .signedPayloadRequested(let event): event.encode(into: &writer)
    case .appInstalled(let event): event.encode(into: &writer)
    case .impressionCompared(let event): event.encode(into: &writer)
    case .appLaunched(let event): event.encode(into: &writer)
    case .conversionStarted(let event): event.encode(into: &writer)
    case .conversionValueAccepted(let event), .conversionValueRejected(let event): event.encode(into: &writer)
    case .postbackScheduled(let event): event.encode(into: &writer)
    case .postbackDropped(let event): event.encode(into: &writer)
    case .postbackSent(let event): event.encode(into: &writer)
    case .postbackDelivered(let event), .postbackFailed(let event), .postbackRetryScheduled(let event):
      event.encode(into: &writer)
    }
  }

  /// Reads an event strictly: a missing or unknown member, or one of another type, is an error.
  package init(_ kind: EventKind, from decoder: any Decoder) throws {
    var members = try EventReader(decoder)
    self = try Self.read(kind, &members)
    try members.finish()
  }

  private static func read(_ kind: EventKind, _ members: inout EventReader) throws -> BrowserEvent {
    switch kind {
    case .appRegistered: .appRegistered(try AppRegistered(&members))
    case .clickStored: .clickStored(try ClickStored(&members))
    case .ephemeralClickStored: .ephemeralClickStored(try ClickStored(&members))
    case .clickDiscarded: .clickDiscarded(try ClickDiscarded(&members))
    case .clickReplaced: .clickReplaced(try ClickReplaced(&members))
    case .clickExpired: .clickExpired(try ClickExpired(&members))
    case .clickConsumedByLowerPriority: .clickConsumedByLowerPriority(try ClickConsumed(&members))
    case .triggerIgnored: .triggerIgnored(try TriggerRejected(&members))
    case .triggerRejected: .triggerRejected(try TriggerRejected(&members))
    case .triggerAccepted: .triggerAccepted(try RequestedTrigger(&members))
    case .triggerUnmatched: .triggerUnmatched(try TriggerUnmatched(&members))
    case .attributed: .attributed(try Attributed(&members))
    case .attributionReplaced: .attributionReplaced(try AttributionReplaced(&members))
    case .reportScheduled: .reportScheduled(try ReportScheduled(&members))
    case .reportSent: .reportSent(try ReportSent(&members))
    case .reportDelivered: .reportDelivered(try ReportFinished(&members))
    case .reportFailed: .reportFailed(try ReportFinished(&members))
    case .reportRetryScheduled: .reportRetryScheduled(try ReportFinished(&members))
    case .tokenRequested: .tokenRequested(try TokenRequested(&members))
    case .tokenStored: .tokenStored(try TokenStored(&members))
    case .tokenFailed: .tokenFailed(try TokenFailed(&members))
    case .dataCleared: .dataCleared(try DataCleared(&members))
    case .clockAdvanced: .clockAdvanced(try ClockAdvanced(&members))
    case .clockSetBack: .clockSetBack(try ClockSetBack(&members))
    case .settingsChanged: .settingsChanged(try BrowserSettings(&members))
    case .logTrimmed: .logTrimmed(try LogTrimmed(&members))
    case .deviceChanged: .deviceChanged(try DeviceChanged(&members))
    case .adNetworkRegistered: .adNetworkRegistered(try AdNetworkRegistered(&members))
    case .impressionStarted: .impressionStarted(try ImpressionDecided(&members))
    case .impressionRecorded: .impressionRecorded(try ImpressionDecided(&members))
    case .impressionTapped: .impressionTapped(try ImpressionTapped(&members))
    case .impressionRejected: .impressionRejected(try ImpressionDecided(&members))
    case .impressionRemoved: .impressionRemoved(try ImpressionRemoved(&members))
    case .signedPayloadRequested: .signedPayloadRequested(try SignedPayloadRequested(&members))
    case .appInstalled: .appInstalled(try AppInstalled(&members))
    case .impressionCompared: .impressionCompared(try ImpressionCompared(&members))
    case .appLaunched: .appLaunched(try AppLaunched(&members))
    case .conversionStarted: .conversionStarted(try ConversionStarted(&members))
    case .conversionValueAccepted: .conversionValueAccepted(try ConversionValueReported(&members))
    case .conversionValueRejected: .conversionValueRejected(try ConversionValueReported(&members))
    case .postbackScheduled: .postbackScheduled(try PostbackScheduled(&members))
    case .postbackDropped: .postbackDropped(try PostbackDropped(&members))
    case .postbackSent: .postbackSent(try PostbackSent(&members))
    case .postbackDelivered: .postbackDelivered(try PostbackFinished(&members))
    case .postbackFailed: .postbackFailed(try PostbackFinished(&members))
    case .postbackRetryScheduled: .postbackRetryScheduled(try PostbackFinished(&members))
    }
  }
}
