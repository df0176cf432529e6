import PCMCore
import PCMStore

/// The history of a record of the device, such as an ad or an install: its events with their decisions.
struct DeviceStory {
  private let kind: RecordName.Kind
  private let number: Int64
  private let log: LogReading
  private let moment: ExplainedMoment

  init(_ kind: RecordName.Kind, _ number: Int64, log: LogReading, moment: ExplainedMoment) {
    (self.kind, self.number, self.log, self.moment) = (kind, number, log, moment)
  }

  /// Returns nil when the record never existed.
  func explanation() throws -> Explanation? {
    let subject = Explanation.Subject.record(kind, number)
    let newest = try log.newest(after: number - 1, about: subject.id)
    guard !newest.events.isEmpty else { return try log.remainder(of: kind, number) }
    let events = try leading(newest) + newest.events
    let decided = (events + (try reports(after: events) + attributions(of: events))).filter {
      DeviceStep.of($0) != nil || $0.event is ClickStored || $0.event is ClickDiscarded
    }
    // The winner and the ads next to it, then the newest other decisions, then the remaining ads.
    let chosen = decided.sorted { $0.rank < $1.rank }.prefix(ReadingBounds.steps)
    let shown = chosen.sorted { $0.sequence < $1.sequence }
    let steps = try shown.compactMap { logged in try step(logged).map { (kind: logged.kind, step: $0) } }
    let omittedCount = decided.count - shown.count
    let notice = omittedCount > 0 ? "\(omittedCount) further decisions are not in this explanation." : nil
    let sentences =
      [try log.notice(of: number)] + [moment.notYet(until: try waitsUntil)] + summary(events)
      + [try overwriting(events), try clearing(events), notice]
    return Explanation(
      subject, summary: sentences.compactMap { $0 }.joined(separator: " "),
      steps: steps.map(\.step), failure: Self.decisiveFailure(steps), events: newest.events.map(\.log),
      omittedBefore: newest.omittedBefore, omittedStepCount: omittedCount)
  }

  /// Returns the events that the newest events about an install or a conversion may lack: its first event, and the comparisons of
  /// the winner and of the runners-up.
  private func leading(_ newest: NewestEvents) throws -> [LoggedEvent] {
    guard newest.omittedBefore != nil, let first = try log.event(number) else { return [] }
    let compared: [LoggedEvent]
    switch (kind, first.event) {
    case (.install, let install as AppInstalled): compared = try install.conversion.map(comparisons) ?? []
    case (.conversion, let started as ConversionStarted): compared = try comparisons(started.conversion)
    default: return []
    }
    let read = Set(newest.events.map(\.sequence))
    return ([first] + compared).filter { !read.contains($0.sequence) }.sorted { $0.sequence < $1.sequence }
  }

  /// Returns the comparisons of the ads that a conversion belongs to. Its own event precedes them.
  private func comparisons(_ conversion: Int64) throws -> [LoggedEvent] {
    guard let started = try log.event(conversion)?.event as? ConversionStarted else { return [] }
    return try ([started.impression] + started.runnersUp).compactMap { ad in
      let found = try log.first(of: [.impressionCompared], about: RecordName.impression(ad), after: conversion)
      guard let compared = found?.event as? ImpressionCompared, compared.conversion == conversion else { return nil }
      return found
    }
  }

  /// Returns the calls of the app that reported a value after an install that no ad led to. They concern no conversion, so only
  /// the app's name finds them.
  private func reports(after events: [LoggedEvent]) throws -> [LoggedEvent] {
    guard kind == .install, let install = events.first?.event as? AppInstalled, install.conversion == nil else {
      return []
    }
    let app = install.bundleIdentifier
    return try log.newest(10, of: .conversionValueRejected, about: app, after: number) { logged in
      (logged.event as? ConversionValueReported)?.bundleIdentifier == app
    }.events
  }

  /// Returns the decisions about the clicks and ads that an app's calls about a card led to. Each has the number of its record.
  private func attributions(of events: [LoggedEvent]) throws -> [LoggedEvent] {
    let records = events.compactMap { ($0.event as? CardDecided)?.attribution?.record }
    return try Set(records.compactMap(RecordName.number(in:))).sorted().compactMap { try log.event($0) }
  }

  /// The first failure. An omission of a postback is one only without any other failure, and a runner-up without a value never is.
  private static func decisiveFailure(_ steps: [(kind: EventKind, step: Explanation.Step)]) -> Explanation.Failure? {
    steps.lazy.filter { $0.kind != .postbackScheduled }.compactMap(\.step.failure).first
      ?? steps.lazy.filter { $0.kind == .postbackScheduled }.compactMap(\.step.failure).first {
        $0.verdict.reason?.code != "runner-up"
      }
  }

  /// When the record next changes; nil when it does not.
  private var waitsUntil: Instant? {
    get throws { kind == .postback ? try log.reader.row(Postback.self, number)?.message.nextAttemptAt : nil }
  }

  private func step(_ logged: LoggedEvent) throws -> Explanation.Step? {
    if let click = try Explanation.Step(click: logged, log: log) { return click }
    guard let (kind, id, outcome) = DeviceStep.of(logged) else { return nil }
    var rules = try log.verdicts(of: logged)
    if let postback = logged.event as? PostbackScheduled {
      rules = postback.omissions.map { omission in
        Explanation.Verdict(
          rule: omission.reason.code, kind: .failed, inputs: ["field": .string(omission.field.rawValue)],
          reason: omission.reason, change: omission.change)
      }
    }
    if rules.isEmpty, let reason = logged.reason {
      rules = [
        Explanation.Verdict(rule: reason.code, kind: .failed, inputs: nil, reason: reason, change: logged.event.change)
      ]
    }
    return Explanation.Step(kind: kind, id: id, at: logged.at, outcome: outcome, rules: rules, sourceSite: nil)
  }

  /// Says that the record was cleared afterward; nil if it was not.
  private func clearing(_ events: [LoggedEvent]) throws -> String? {
    guard try isCleared(events) else { return nil }
    let isDevelopment = kind == .postback ? try log.reader.row(Postback.self, number)?.isDevelopment == true : false
    return isDevelopment ? "The development postbacks were cleared afterward." : "The device's data was cleared afterward."
  }

  /// Whether the record was removed with all data of the device, which one event says for all records.
  private func isCleared(_ events: [LoggedEvent]) throws -> Bool {
    switch kind {
    case .postback: return try log.reader.row(Postback.self, number)?.state == .cleared
    case .impression:
      switch events.last?.kind {
      case .impressionStarted: return try log.reader.appImpression(number) == nil
      case .impressionRecorded: return try log.reader.keptImpression(number) == nil
      default: return false
      }
    default:
      guard let app = events.lazy.compactMap(\.event.installedApp).first else { return false }
      return try log.reader.installedApp(app) == nil
    }
  }

  /// One sentence for each event of interest to a person: the first event, and the latest.
  private func summary(_ events: [LoggedEvent]) -> [String] {
    let sentences = sentences(events)
    let left = sentences.count - 1 - Self.latestSentences
    guard left > 0 else { return sentences }
    return [sentences[0], "\(left) further events are not in this summary."] + sentences.suffix(Self.latestSentences)
  }

  private static let latestSentences = 6

  /// Returns a sentence for each event. A call that reports a value names the call whose value it replaces.
  private func sentences(_ events: [LoggedEvent]) -> [String] {
    var latest: [[Int64?]: String] = [:]
    return events.compactMap { logged in
      guard logged.kind == .conversionValueAccepted, let event = logged.event as? ConversionValueReported else {
        return logged.sentence
      }
      let call = event.call(at: logged.at)
      let earlier = latest.updateValue(call, forKey: [event.conversion, event.sequenceIndex])
      let note = event.reasons.first.map { ": \($0.detail)" } ?? ""
      return "A call set window \((event.sequenceIndex ?? 0) + 1) to \(call)" + (earlier.map { ", in place of \($0)" } ?? "")
        + "\(note)."
    }
  }

  /// Names each call that set the values of the window of a postback, if there were several.
  private func overwriting(_ events: [LoggedEvent]) throws -> String? {
    guard kind == .postback, let postback = events.lazy.compactMap({ $0.event as? PostbackScheduled }).first else { return nil }
    let conversion = postback.conversion
    let calls = try log.newest(
      10, of: .conversionValueAccepted, about: RecordName.conversion(conversion), after: conversion
    ) { logged in
      let event = logged.event as? ConversionValueReported
      return event?.conversion == conversion && event?.sequenceIndex == postback.sequenceIndex
    }.events.compactMap { logged in (logged.event as? ConversionValueReported)?.call(at: logged.at) }
    guard calls.count > 1 else { return nil }
    return "Several calls set the values of window \(postback.sequenceIndex + 1), and the last one counts: "
      + calls.joined(separator: ", then ") + "."
  }
}

/// The decisions of the device as steps of an explanation.
private enum DeviceStep {
  /// Returns nil for an event that decides nothing.
  static func of(_ logged: LoggedEvent) -> (Explanation.Step.Kind, String, String)? {
    switch logged.event {
    case let event as ImpressionTapped:
      (.impression, RecordName.impression(event.ad.impression), event.conversion == nil ? "opened" : "reengaged")
    case let event as ImpressionDecided:
      (.impression, RecordName.impression(event.impression), String(event.kind.rawValue.dropFirst("impression-".count)))
    case let event as ImpressionRemoved: (.impression, RecordName.impression(event.impression), "removed")
    case let event as SignedPayloadRequested: (.impression, RecordName.impression(event.impression), "requested")
    case let event as ImpressionCompared: (.install, RecordName.impression(event.impression), event.outcome)
    case let event as ConversionStarted: (.install, RecordName.conversion(event.conversion), "attributed")
    case let event as ConversionValueReported:
      (
        .conversionValue, event.conversion.map(RecordName.conversion) ?? event.bundleIdentifier,
        event.kind == .conversionValueAccepted ? "accepted" : "rejected"
      )
    case let event as PostbackScheduled where !event.omissions.isEmpty:
      (.postback, RecordName.postback(event.postback), "scheduled")
    case let event as PostbackDropped: (.postback, RecordName.conversion(event.conversion), "dropped")
    case let event as PostbackFinished: (.postback, RecordName.postback(event.record), outcome(event.kind))
    case let event as CardReceived: (.card, RecordName.card(event.card), event.isShown ? "shown" : "dropped")
    case let event as CardDecided: (.card, RecordName.card(event.card), event.kind == .cardCounted ? "counted" : "rejected")
    case let event as TrackingRequested:
      (.trackingRequest, RecordName.trackingRequest(logged.sequence), event.outcome)
    case let event as TrackingDecided:
      (.trackingRequest, event.request.map(RecordName.trackingRequest) ?? "", event.kind.rawValue.lastWord)
    case let event as SDKRequestRecorded: (.sdkRequest, RecordName.sdkRequest(event.request), "recorded")
    case let event as SDKRequestFinished: (.sdkRequest, RecordName.sdkRequest(event.request), event.kind.rawValue.lastWord)
    default: nil
    }
  }

  private static func outcome(_ kind: EventKind) -> String {
    switch kind {
    case .postbackDelivered: "delivered"
    case .postbackFailed: "failed"
    default: "scheduled"
    }
  }
}

extension TrackingRequested {
  /// The outcome in the API's response.
  fileprivate var outcome: String {
    if isPrompted { return "prompted" }
    return status == nil ? "terminated" : status == TrackingStatus.notDetermined.rawValue ? "rejected" : "answered"
  }
}

extension String {
  /// The last word of an event's kind: `answered` of `tracking-answered`.
  fileprivate var lastWord: String { split(separator: "-").last.map(String.init) ?? self }
}

extension BrowserEvent {
  /// The bundle identifier of the app that an install or a conversion is about; nil for other events.
  fileprivate var installedApp: String? {
    switch self {
    case let event as AppInstalled: event.bundleIdentifier
    case let event as ConversionStarted: event.bundleIdentifier
    default: nil
    }
  }

  /// The change that an event of the device suggests without a decision; nil for other events.
  fileprivate var change: String? { if let event = self as? PostbackDropped { event.change } else { nil } }
}

extension LoggedEvent {
  /// The place among the decisions. An explanation contains the first decisions.
  fileprivate var rank: (Int, Int64) {
    guard let ad = event as? ImpressionCompared else { return (1, -sequence) }
    guard let place = ad.place else { return (3, -sequence) }
    return (place <= Self.nearestPlaces ? 0 : 2, place)
  }

  /// The winner and the candidates for runners-up.
  private static let nearestPlaces: Int64 = 6

  /// A sentence for the summary of an explanation; nil for an event that another event includes.
  fileprivate var sentence: String? {
    let why = reason?.detail ?? "the log contains no reason"
    switch event {
    case let event as ImpressionDecided where kind == .impressionStarted:
      return "\(RecordName.impression(event.impression)) was displayed from \(at.text)."
    case let event as ImpressionDecided where kind == .impressionRecorded:
      return
        "\(RecordName.impression(event.impression)) was recorded as a \(event.interaction?.rawValue ?? "view") at \(at.text)."
    case let event as ImpressionTapped:
      let tap = "A tap on \(RecordName.impression(event.ad.impression)) opened \(event.openedApp) at \(at.text)"
      return event.conversion.map { "\(tap): \(RecordName.conversion($0))." } ?? "\(tap). It is no re-engagement: \(why)."
    case let event as ImpressionDecided: return "\(RecordName.impression(event.impression)) was rejected: \(why)."
    case is ImpressionRemoved: return "The device no longer keeps it: \(why)."
    case is TrackingRequested, is TrackingDecided, is SDKRequestRecorded, is SDKRequestFinished: return trackingSentence(why)
    case let event as SignedPayloadRequested: return "Its signed values were requested at \(event.url)."
    case let event as AppInstalled:
      guard let conversion = event.conversion else {
        return "\(event.bundleIdentifier) was installed, and no ad led to it: \(why)."
      }
      return "\(event.bundleIdentifier) was installed: \(RecordName.conversion(conversion))."
    case let event as ImpressionCompared:
      let name = RecordName.impression(event.impression)
      guard event.reasons.isEmpty else { return "\(name) had no effect on the install: \(why)." }
      let place = event.place ?? 1
      return (place == 1 ? "\(name) won" : "\(name) ranked \(place)") + (event.standing.map { ": \($0)." } ?? ".")
    case let event as ConversionStarted:
      return "\(RecordName.impression(event.impression)) led to it, a \(event.type) of \(event.bundleIdentifier)."
    case is ConversionValueReported: return "A reported value had no effect at \(at.text): \(why)."
    case let event as PostbackScheduled:
      let sentence = "\(RecordName.postback(event.postback)) to \(event.url) was scheduled for \(event.dueAt.text)."
      return ([sentence] + event.omissions.compactMap(\.sentence)).joined(separator: " ")
    case let event as PostbackDropped: return "Window \(event.sequenceIndex + 1) has no postback: \(why)."
    case let event as PostbackFinished where kind == .postbackDelivered:
      return "\(RecordName.postback(event.record)) was delivered at \(at.text)."
    case let event as PostbackFinished where kind == .postbackFailed:
      return "\(RecordName.postback(event.record)) failed: \(why)."
    case let event as PostbackFinished:
      let next = event.retryAt?.text ?? at.text
      return
        "Attempt \(event.attempt) of \(RecordName.postback(event.record)) failed, and it is sent again at \(next): \(why)."
    case let event as CardReceived:
      let verb = (event.isShown ? "shows it" : "drops it") + (event.reasons.isEmpty ? "" : ": \(why)")
      return "\(event.bundleIdentifier) received \(RecordName.card(event.card)) at \(at.text), and \(verb)."
    case is CardRemoved: return "A newer feed lacks it since \(at.text)."
    case let event as CardDecided: return event.sentence(at: at)
    default: return nil
    }
  }
}

extension ConversionValueReported {
  /// The values of the window after the call, the framework, and the time.
  fileprivate func call(at instant: Instant) -> String {
    let values = [fineValue.map { "fine value \($0)" }, coarseValue.map { "coarse value \($0)" }].compactMap { $0 }
    return "\(values.isEmpty ? "no value" : values.joined(separator: " and ")) with \(framework.title) at \(instant.text)"
  }
}

extension CardDecided {
  /// The app's log, and the outcome of the attribution.
  fileprivate func sentence(at instant: Instant) -> String {
    let name = action.rawValue.replacing("-", with: " ")
    guard reasons.isEmpty else { return "The \(name) at \(instant.text) was not counted: \(reasons[0].detail)." }
    let counted = "The \(name) at \(instant.text) was counted"
    guard let attribution else { return "\(counted)." }
    let why = attribution.reasons.first.map { ": \($0.detail)" } ?? ""
    return "\(counted), and \(attribution.record ?? "its ad") is \(attribution.outcome)\(why)."
  }
}

extension LoggedEvent {
  /// The outcome of a request to track, or of a request of a measurement SDK; nil for another event.
  fileprivate func trackingSentence(_ why: String) -> String? {
    switch event {
    case let event as TrackingRequested where event.isPrompted:
      return "\(event.bundleIdentifier) asked to track at \(at.text), and the prompt was displayed."
    case let event as TrackingRequested:
      return "\(event.bundleIdentifier) asked to track at \(at.text), without a prompt: \(why)."
    case let event as TrackingDecided:
      let status = event.status.flatMap(TrackingStatus.init)?.name ?? ""
      return switch kind {
      case .trackingAnswered: "The user answered the prompt at \(at.text): the status is \(status)."
      case .trackingChanged: "The user changed the settings at \(at.text): the status is \(status)."
      default: "A choice had no effect at \(at.text): \(why)."
      }
    case let event as SDKRequestRecorded:
      let omission = event.reasons.isEmpty ? "" : ": \(why)"
      return "\(RecordName.sdkRequest(event.request)) to \(event.url) was recorded at \(at.text)\(omission)."
    case let event as SDKRequestFinished where kind == .sdkRequestDelivered:
      return "\(RecordName.sdkRequest(event.request)) was delivered at \(at.text)."
    case let event as SDKRequestFinished:
      let next = event.nextURL.map { " It is sent to \($0) next." } ?? ""
      return "\(RecordName.sdkRequest(event.request)) failed: \(why).\(next)"
    default: return nil
    }
  }
}

extension PostbackOmission {
  /// Why the postback has no value, or no copy; nil for reasons that a summary omits.
  fileprivate var sentence: String? {
    switch field {
    case .conversionValue: "It has no conversion value: \(reason.detail)."
    case .developerCopy: "It has no copy for the developer: \(reason.detail)."
    case .source, .countryCode, .marketplaceIdentifier: nil
    }
  }
}
