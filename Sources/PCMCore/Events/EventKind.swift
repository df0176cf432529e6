/// The kinds of log events. The names are part of the API's contract.
package enum EventKind: String, Hashable, Sendable, CaseIterable {
  case appRegistered = "app-registered"
  case clickStored = "click-stored"
  case ephemeralClickStored = "click-held"
  case clickDiscarded = "click-discarded"
  case clickReplaced = "click-replaced"
  case clickExpired = "click-expired"
  case triggerIgnored = "trigger-ignored"
  case triggerRejected = "trigger-rejected"
  case triggerAccepted = "trigger-accepted"
  case triggerUnmatched = "trigger-unmatched"
  case attributed = "attributed"
  case attributionReplaced = "attribution-replaced"
  case clickConsumedByLowerPriority = "click-consumed-by-lower-priority"
  case reportScheduled = "report-scheduled"
  case reportSent = "report-sent"
  case reportDelivered = "report-delivered"
  case reportFailed = "report-failed"
  case reportRetryScheduled = "report-retry-scheduled"
  case tokenRequested = "token-requested"
  case tokenStored = "token-stored"
  case tokenFailed = "token-failed"
  case dataCleared = "data-cleared"
  case clockAdvanced = "clock-advanced"
  case clockSetBack = "clock-set-back"
  case settingsChanged = "settings-changed"
  case logTrimmed = "log-trimmed"
  case deviceChanged = "device-changed"
  case adNetworkRegistered = "ad-network-registered"
  case impressionStarted = "impression-started"
  case impressionRecorded = "impression-recorded"
  case impressionTapped = "impression-tapped"
  case impressionRejected = "impression-rejected"
  case impressionRemoved = "impression-removed"
  case signedPayloadRequested = "signed-payload-requested"
  case appInstalled = "app-installed"
  case impressionCompared = "impression-compared"
  case appLaunched = "app-launched"
  case conversionStarted = "conversion-started"
  case conversionValueAccepted = "conversion-value-accepted"
  case conversionValueRejected = "conversion-value-rejected"
  case postbackScheduled = "postback-scheduled"
  case postbackDropped = "postback-dropped"
  case postbackSent = "postback-sent"
  case postbackDelivered = "postback-delivered"
  case postbackFailed = "postback-failed"
  case postbackRetryScheduled = "postback-retry-scheduled"
}

/// One entry of a browser's event log.
package struct LogEvent: Hashable, Sendable {
  package let sequence: Int64
  /// The time on the browser's clock.
  package let at: Instant
  package let kind: EventKind
  package let detail: JSON

  package init(sequence: Int64, at: Instant, kind: EventKind, detail: JSON) {
    self.sequence = sequence
    self.at = at
    self.kind = kind
    self.detail = detail
  }

  /// The detail without its decision, as the API returns it.
  ///
  /// The decision is the last member of a detail, so the text before it is scanned and the rest is dropped. A search for the
  /// name would also find it in a value, such as a URL that contains it.
  package var detailWithoutDecision: JSON {
    let bytes = detail.bytes
    guard let end = try? Self.endBeforeDecision(bytes) else { return detail }
    return .verbatim(String(decoding: bytes[..<end], as: UTF8.self) + "}")
  }

  /// Returns the end of the member before the decision; nil for a detail without a decision.
  private static func endBeforeDecision(_ detail: [UInt8]) throws(MalformedJSON) -> Int? {
    var scanner = JSONScanner(detail)
    guard scanner.skip("{") else { return nil }
    var (isFirst, end) = (true, scanner.position)
    while try scanner.advance(until: "}", isFirst: &isFirst) {
      if try scanner.name().bytes.elementsEqual(EventWriter.decisionName.utf8) { return end }
      try scanner.skipValue()
      end = scanner.position
    }
    return nil
  }

  /// Creates an entry as it is stored, with the detail as text.
  package init(sequence: Int64, at: Instant, _ event: BrowserEvent) {
    self.init(
      sequence: sequence, at: at, kind: event.kind, detail: .verbatim(String(decoding: event.json, as: UTF8.self)))
  }
}
