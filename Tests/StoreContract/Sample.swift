package import PCMCore
import PCMStore

/// Rows to store. Each field has a different value, so that a test notices two exchanged fields.
package enum Sample {
  static let noon = Instant(milliseconds: 1_795_262_400_000)
  static let social = Site("social.example")
  static let shop = Site("shop.example")

  /// The rules of the sample decisions.
  package static let rules = RuleList([
    RuleHeading(name: "first-rule", inputs: ["dueAt", "seen"]), RuleHeading(name: "a-rule", inputs: []),
  ])

  /// An event about one click.
  package static func event(_ click: Int64 = 1) -> any BrowserEvent {
    ClickExpired(click: click, expiredAt: noon)
  }

  /// One event of each kind.
  package static let events: [any BrowserEvent] = {
    let kept = KeptClick(id: 1, click: click(1).click)
    let attribution = Attribution(
      id: 4, click: kept, trigger: Trigger(data: 12, priority: 3), attributedAt: noon,
      source: .init(report: 5, dueAt: noon), destination: .init(report: 6, dueAt: noon))
    let reason = Reason("a-code", "a \"detail\"\nof two lines: ä 🎯")
    let decision = RecordedDecision(
      rules: rules, inputs: [.init("dueAt", .null), .init("seen", .bool(true))], failed: "a-rule", change: "wait")
    let requested = RequestedTrigger(trigger: attribution.trigger, source: social, destination: shop)
    let refused = TriggerRejected(
      .triggerRejected, firstParty: shop, requested: requested, reasons: [reason], decision: decision)
    func finished(_ kind: EventKind) -> ReportFinished {
      ReportFinished(
        kind, record: 5, recipient: .source, attempt: 1, httpStatus: nil, forwardedTo: "127.0.0.1:8000", retryAt: noon,
        reasons: [reason], decision: decision)
    }
    let exchange = TokenExchangeRecord(request: 9, recipient: .source, source: social, destination: shop, click: 1)
    return [
      AppRegistered(bundleIdentifier: "com.example.news", reportEndpoint: nil, findings: []),
      ClickStored(.clickStored, kept, origin: .ephemeralClick, decision: nil),
      ClickStored(
        .ephemeralClickStored, kept, origin: .linkClick, reasons: [reason],
        observed: Provenance(frame: "https://ads.example/", load: "navigation", inferred: true), decision: decision),
      ClickDiscarded(origin: .eventAttribution, destination: nil, reasons: [reason], decision: decision),
      ClickDiscarded(.clickHandedOver, origin: .linkClick, destination: shop, reasons: [reason], decision: decision),
      ClickReplaced(click: 1, successor: 2), event(),
      ClickConsumed(click: 1, attribution: 4, reasons: [reason]),
      TriggerRejected(.triggerIgnored, firstParty: shop, requested: nil, reasons: [reason], decision: decision),
      refused, requested,
      TriggerUnmatched(requested: requested, lostClick: 1, reasons: [reason], accepted: nil, decision: decision),
      Attributed(attribution, accepted: 3, observed: Provenance(load: "image"), decision: decision),
      Attributed(attribution, accepted: nil, reasons: [Reason("grammar-lenient", "…")], decision: decision),
      AttributionReplaced(requested: requested, attribution: 4, reports: [5, 6]),
      PageObserved(.pageAttached, text: "Chrome/156 at http://127.0.0.1:9222 is observed"),
      PageObserved(
        .pageClickDropped, text: "…", code: .download, href: "https://shop.example/file", page: "https://news.example/",
        destination: shop),
      PageObserved(.attachmentLost, text: "the browser is gone"),
      ReportScheduled(report: 5, attribution: 4, recipient: .destination, url: "https://shop.example/", dueAt: noon),
      ReportSent(report: 5, recipient: .source, url: "https://social.example/", attempt: 2, decision: nil),
      ReportFinished(
        .reportDelivered,
        record: 5, recipient: .source, attempt: 1, httpStatus: 200, retryAt: nil, reasons: [], decision: decision),
      finished(.reportFailed), finished(.reportRetryScheduled),
      TokenRequested.key(exchange, url: "https://social.example/"),
      TokenRequested.signature(exchange, url: "https://social.example/", keyID: "k"),
      TokenRequested.reportKeys(report: 5, recipient: .source, urls: ["https://social.example/"], decision: decision),
      TokenStored(exchange: exchange, keyID: "k"),
      TokenFailed(exchange: exchange, reasons: [reason], change: "serve the key"),
      DataCleared(
        site: nil, clicks: 1, attributions: 2, reports: 3, device: .init(impressions: 4, installedApps: 5, postbacks: 6)),
      ClockAdvanced(from: noon, to: noon + .hours(1)), ClockSetBack(machineTime: noon),
      BrowserSettings(),
      LogTrimmed(firstSequence: 1, lastSequence: 1_023),
    ] + deviceEvents
  }()

  static func key(
    _ source: String = "social.example", _ destination: String = "shop.example", _ bundle: String = BundleIdentifier.safari
  ) -> ClickKey {
    ClickKey(source: Site(source), destination: Site(destination), bundleIdentifier: bundle)
  }

  static func click(
    _ id: Int64, _ key: ClickKey = key(), at instant: Instant = noon, sourceID: UInt8 = 255, nonce: String? = nil
  ) -> KeptClick {
    // Every second click comes from an app, the others from links.
    let endpoint = id % 2 == 1 ? "https://ads.example/x?number=\(id)" : nil
    return KeptClick(
      id: id,
      click: Click(
        key: key, sourceID: sourceID, clickedAt: instant, nonce: nonce, reportEndpoint: endpoint,
        token: id % 3 == 0 ? nil : token("of click \(id)")))
  }

  static func token(_ name: String) -> SecretToken {
    SecretToken(token: "token \(name)", signature: "signature \(name)", keyID: "key \(name)")
  }

  /// - Parameters:
  ///   - source: when the source's half is due, in seconds behind noon; nil when it has gone out.
  ///   - destination: the same for the destination's half.
  static func attribution(
    _ id: Int64, _ key: ClickKey = key(), source: Int64? = 100, destination: Int64? = 200, nonce: String? = nil
  ) -> Attribution {
    func half(_ report: Int64, _ seconds: Int64?) -> Attribution.PendingHalf? {
      seconds.map { Attribution.PendingHalf(report: report, dueAt: noon + .seconds($0)) }
    }
    return Attribution(
      id: id, click: click(id * 10 + 1, key, at: noon - .hours(1), sourceID: 7, nonce: nonce),
      trigger: Trigger(data: 15, priority: 63),
      destinationToken: id % 2 == 0 ? nil : token("of attribution \(id)"), attributedAt: noon,
      source: half(id * 10 + 2, source),
      destination: half(id * 10 + 3, destination))
  }

  static func report(
    _ id: Int64, _ key: ClickKey = key(), state: Report.State = .scheduled, retryAt: Instant? = nil,
    attempts: [String] = [], attemptCount: Int? = nil
  ) -> Report {
    Report(
      id: id, attribution: 5, session: .privateBrowsing, key: key, recipient: .destination,
      url: "https://shop.example/.well-known/private-click-measurement/report-attribution/", body: #"{"source_id":7}"#,
      sourceKeyID: id % 2 == 0 ? nil : "key \(id)", destinationKeyID: id % 3 == 0 ? nil : "other key \(id)",
      dueAt: noon + .hours(30), state: state, retryAt: retryAt, attempts: attempts.map(KeptAttempt.init(text:)),
      attemptCount: attemptCount)
  }

  static func deviceRow(_ name: String, value: String = #"{"a":1}"#, changesAt: Instant? = nil) -> DeviceRow {
    DeviceRow(.impression, name, value: value, changesAt: changesAt)
  }

  static func postback(
    _ id: Int64, state: Postback.State = .scheduled, dueAt: Instant = noon + .hours(30), retryAt: Instant? = nil,
    attempts: [String] = [], attemptCount: Int? = nil
  ) -> Postback {
    Postback(
      id: id, conversion: id + 1, impression: id + 2, framework: .adattributionkit, sequenceIndex: 2, didWin: id % 2 == 0,
      recipient: .developer, adNetworkIdentifier: "example.adattributionkit", bundleIdentifier: "com.example.app",
      url: "https://ads.example/ä", body: #"{"ad-network-id":"\#(id)"}"#,
      message: OutgoingMessage(state: state, retryAt: retryAt, attempts: attemptCount ?? attempts.count, dueAt: dueAt),
      attempts: attempts.map(KeptAttempt.init(text:)))
  }
}

extension Store {
  func newBrowser(_ name: String = "one") async throws -> BrowserID {
    try await create(
      NewBrowser(name: name, seed: "seed of \(name)", clockMode: .manual, state: BrowserState(now: Sample.noon))
    ).id
  }
}
