import PCMBrowser
import PCMCore
import PCMDevice
import PCMStore
import Testing

/// The calls about ads for apps that a browser of the service answered, and their ends in its log.
struct AppAdRecords {
  /// The line of each ad, install, and conversion, by its number.
  private(set) var lines: [Int64: Int64] = [:]
  private var taps: Set<Int64> = []
  private var losses: [SimulatedLoss] = []
  /// The calls whose value was rejected: the number of the first event, and the line.
  private var rejectedValues: [(sequence: Int64, line: Int64)] = []
  private var values = ValueRecords()
  private var winners = WinnerRecords()
  private var latestAd = RecordName.impression(0)

  mutating func play(_ call: UserPlan.Call, line: Int64, in browser: Browser) async throws {
    let (subject, before) = (Self.subject(of: call), losses.count)
    do {
      try await perform(call, line: line, in: browser)
    } catch let error as BrowserError {
      let reason: String =
        switch error {
        case .invalidInput(let errors): errors[0].code
        case .conflict: "conflict"
        case .limitReached: "limit-reached"
        default: "not-found"
        }
      #expect(losses.count == before)
      losses.append(SimulatedLoss(subject: subject, line: line, rule: "", reason: reason))
    }
  }

  private mutating func perform(_ call: UserPlan.Call, line: Int64, in browser: Browser) async throws {
    switch call {
    case .ad(let input):
      let body = try await browser.signedAd(input)
      let outcome = try await browser.perform(try ImpressionInput(json: Array(body.text.utf8)))
      (latestAd, lines[outcome.impression]) = (RecordName.impression(outcome.impression), line)
    case .adEnd:
      let outcome = try await browser.perform(ImpressionEndInput(), on: latestAd)
      guard outcome.kind == .rejected, outcome.reasons.first?.code == "view-not-started" else { return }
      losses.append(
        SimulatedLoss(subject: .impressionEnd, line: line, rule: "view-has-started", reason: "view-not-started"))
    case .adTap(let input):
      let outcome = try await browser.perform(input, on: latestAd)
      lines[outcome.impression] = line
      taps.insert(outcome.impression)
      if let conversion = outcome.conversion { lines[conversion] = line }
    case .install(let input):
      let outcome = try await browser.perform(input)
      lines[outcome.sequence] = line
      if let conversion = outcome.conversion { lines[conversion] = line }
    case .launch(let input): _ = try await browser.perform(input)
    case .value(let input):
      let outcome = try await browser.perform(input)
      if outcome.kind == .rejected { rejectedValues.append((outcome.sequence, line)) }
      values.calls.append((outcome.sequence, line))
    case .link, .tap, .trigger, .clear, .settings: break
    }
  }

  private static func subject(of call: UserPlan.Call) -> SimulatedLoss.Subject {
    switch call {
    case .ad: .impression
    case .adEnd: .impressionEnd
    case .adTap: .impressionTap
    case .install: .install
    case .launch: .launch
    default: .conversionValue
    }
  }

  private mutating func lose(_ number: Int64, _ rule: String, _ reason: String) {
    losses.append(
      SimulatedLoss(
        subject: taps.contains(number) ? .impressionTap : .impression, line: lines[number] ?? 0, rule: rule, reason: reason))
  }

  private mutating func loseWindow(of number: Int64, _ rule: String, _ reason: String) {
    losses.append(SimulatedLoss(subject: .window, line: lines[number] ?? 0, rule: rule, reason: reason))
  }

  /// Notes the records that the end of the data removes without an event for each.
  mutating func noteClear(of browser: Browser) async throws {
    let (rule, reason) = ("report-still-counts", "cleared")
    let ads = try await browser.impressions()
    for ad in ads.kept + ads.open { lose(ad.id, rule, reason) }
    for app in try await browser.installedApps(after: "", limit: 1_000) {
      for conversion in app.conversions.pending { loseWindow(of: conversion.id, rule, reason) }
    }
    for postback in try await browser.postbackPage(in: [.scheduled], limit: 100_000, bytes: .max).items {
      loseWindow(of: postback.conversion, rule, reason)
    }
  }

  /// Notes the ads that wait at the end.
  mutating func noteRest(of browser: Browser) async throws {
    let ads = try await browser.impressions()
    for ad in ads.kept { lose(ad.id, "", "recorded") }
    for ad in ads.open { lose(ad.id, "", "displayed") }
  }

  /// Returns all losses, ordered by line.
  func losses(in events: [LogEvent]) throws -> [SimulatedLoss] {
    var copy = self
    for logged in events {
      let event = try logged.read()
      copy.read(event, logged.sequence)
      copy.values.read(event, logged.sequence)
      copy.winners.read(event)
    }
    for (ad, codes) in copy.winners.losses { copy.lose(ad, codes.rule, codes.reason) }
    return (copy.losses + copy.values.losses).sorted { $0.order < $1.order }
  }

  private mutating func read(_ event: any BrowserEvent, _ sequence: Int64) {
    let (rule, reason) = (event.decision?.failed ?? "", event.reasons.first?.code ?? "")
    switch event {
    case let event as ImpressionDecided:
      if event.kind == .impressionRejected, reason != "view-not-started" { lose(event.impression, rule, reason) }
    case let event as ImpressionRemoved: if reason != "impression-used" { lose(event.impression, reason, reason) }
    case let event as ImpressionCompared: if event.outcome == "lost" { lose(event.impression, rule, reason) }
    case let event as ImpressionTapped: if event.conversion == nil { lose(event.ad.impression, rule, reason) }
    case let event as AppInstalled:
      guard event.conversion == nil else { return }
      losses.append(SimulatedLoss(subject: .install, line: lines[sequence] ?? 0, rule: reason, reason: reason))
    case let event as PostbackDropped: loseWindow(of: event.impression ?? event.conversion, reason, reason)
    case is ConversionValueReported:
      guard let next = rejectedValues.first, event.kind == .conversionValueRejected, sequence >= next.sequence else { return }
      rejectedValues.removeFirst()
      losses.append(SimulatedLoss(subject: .conversionValue, line: next.line, rule: rule, reason: reason))
    default: break
    }
  }
}

/// The calls whose value counted, and what became of them in the log.
private struct ValueRecords {
  private struct Window: Hashable {
    let conversion: Int64
    let index: Int64
  }

  /// The number of each call's first event, and its line.
  var calls: [(sequence: Int64, line: Int64)] = []
  private var winners: [Int64: Int64] = [:]
  /// The line of the last value of each window.
  private var last: [Window: Int64] = [:]
  /// The line of the value in each postback that was not sent.
  private var scheduled: [Int64: Int64] = [:]
  private var reported: Set<Int64> = []
  private var ends: [SimulatedLoss] = []

  /// The losses of the calls whose value no postback has. A value that counts for two conversions is lost with the later one.
  var losses: [SimulatedLoss] {
    var found: [Int64: SimulatedLoss] = [:]
    for end in ends where !reported.contains(end.line) { found[end.line] = end }
    return Array(found.values)
  }

  private mutating func lose(_ line: Int64?, _ rule: String?, _ reason: String?) {
    guard let line else { return }
    ends.append(SimulatedLoss(subject: .conversionValue, line: line, rule: rule ?? "", reason: reason ?? ""))
  }

  mutating func read(_ event: any BrowserEvent, _ sequence: Int64) {
    let reason = event.reasons.first?.code
    switch event {
    case let event as ConversionStarted: winners[event.conversion] = event.impression
    case let event as ConversionValueReported:
      guard event.kind == .conversionValueAccepted, let conversion = event.conversion, let index = event.sequenceIndex else {
        return
      }
      let line = calls.last { $0.sequence <= sequence }?.line ?? 0
      lose(last.updateValue(line, forKey: Window(conversion: conversion, index: index)), "value-replaced", "value-replaced")
    case let event as PostbackScheduled:
      guard event.recipient == .adNetwork, event.impression == winners[event.conversion],
        let line = last.removeValue(forKey: Window(conversion: event.conversion, index: event.sequenceIndex))
      else { return }
      if let omission = event.omissions.first(where: { $0.field == .conversionValue }) {
        lose(line, omission.reason.code, omission.reason.code)
      } else {
        scheduled[event.postback] = line
      }
    case let event as PostbackSent:
      if let line = scheduled.removeValue(forKey: event.postback) { reported.insert(line) }
    case let event as PostbackDropped:
      guard event.impression == nil || event.impression == winners[event.conversion] else { return }
      lose(last.removeValue(forKey: Window(conversion: event.conversion, index: event.sequenceIndex)), reason, reason)
    case let event as DataCleared:
      guard event.site == nil else { return }
      for line in Array(last.values) + Array(scheduled.values) { lose(line, "report-still-counts", "cleared") }
      (last, scheduled) = ([:], [:])
    default: break
    }
  }
}

/// The ads that won an install or were runners-up, and what became of them in the log.
private struct WinnerRecords {
  private var ads: [Int64: [Int64]] = [:]
  private var scheduled: [Int64: Int64] = [:]
  private var sent: Set<Int64> = []
  private var ends: [Int64: (rule: String, reason: String)] = [:]

  /// The first reasons of the ads without a postback.
  var losses: [(Int64, (rule: String, reason: String))] { ends.filter { !sent.contains($0.key) }.map { ($0.key, $0.value) } }

  private mutating func lose(_ conversion: Int64, _ codes: (rule: String, reason: String)) {
    for ad in ads[conversion] ?? [] where ends[ad] == nil { ends[ad] = codes }
  }

  mutating func read(_ event: any BrowserEvent) {
    switch event {
    case let event as ConversionStarted: ads[event.conversion] = [event.impression] + event.runnersUp
    case let event as PostbackScheduled: scheduled[event.postback] = event.impression
    case let event as PostbackSent: if let ad = scheduled[event.postback] { sent.insert(ad) }
    case let event as PostbackDropped:
      let code = event.reasons.first?.code ?? ""
      if event.sequenceIndex == 0 { lose(event.conversion, (code, code)) }
    case let event as DataCleared:
      // Ads of the conversions that ended have a postback or a reason, unless their postback waits.
      if event.site == nil { for conversion in ads.keys { lose(conversion, ("report-still-counts", "cleared")) } }
    default: break
    }
  }
}

extension SimulatedLoss {
  /// The order of lists that are compared.
  var order: (Int64, String, String, String) { (line, subject.rawValue, rule, reason) }
}

/// A postback that left.
struct SentPostback: Hashable {
  let at: Instant
  let recipient: Postback.Recipient
  let network: String
  let app: String
  let url: String
  let body: String
  let impression: Int64
  let conversion: Int64

  init(_ postback: Postback, at: Instant, lines: [Int64: Int64]) {
    (self.at, recipient, network) = (at, postback.recipient, postback.adNetworkIdentifier)
    (app, url, body) = (postback.bundleIdentifier, postback.url, postback.body)
    (impression, conversion) = (lines[postback.impression] ?? 0, lines[postback.conversion] ?? 0)
  }

  init(_ postback: SimulatedPostback) {
    (at, recipient, network) = (postback.at, postback.recipient, postback.adNetworkIdentifier)
    (app, url, body) = (postback.bundleIdentifier, postback.url, postback.body.text)
    (impression, conversion) = (postback.impression, postback.conversion)
  }
}
