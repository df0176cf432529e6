import PCMBrowser
import PCMCore
import PCMEndpoint

/// The result of a simulation, as text, JSON, or a page.
struct SimulationSummary {
  var counts = SimulationCounts()
  /// Hashes of the users so far.
  var users: Set<UInt64> = []
  /// The number of records that could not be read.
  var skipped = 0
  /// Whether postbacks are signed.
  var signsPostbacks = false
  /// The encodings whose values are counted.
  var encodings: [CellEncoding] = []

  /// The number of reasons in the text.
  private static let shownCount = 6

  func count(_ subject: SimulatedLoss.Subject) -> Int {
    switch subject {
    case .click: counts.clicks
    case .trigger: counts.triggers
    case .window: reported(.window) + lost(.window)
    case .impression, .impressionEnd, .impressionTap, .install, .launch, .conversionValue: counts.apps.actions[subject] ?? 0
    }
  }

  /// The number of events with a report or postback. The end of a view and a launch count when they have an effect.
  func reported(_ subject: SimulatedLoss.Subject) -> Int {
    switch subject {
    case .click, .trigger: counts.reported
    case .impression: counts.apps.impressions
    case .impressionTap: counts.apps.taps
    case .install: counts.apps.installs
    case .conversionValue: counts.apps.values
    case .window: counts.apps.winners.reduce(0, +) + counts.apps.runnersUp
    case .impressionEnd, .launch: count(subject) - lost(subject)
    }
  }

  private func lost(_ subject: SimulatedLoss.Subject) -> Int { losses(subject).reduce(0) { $0 + $1.count } }

  /// The losses of a kind of event, the most frequent first.
  func losses(_ subject: SimulatedLoss.Subject) -> [(loss: SimulationCounts.Loss, count: Int)] {
    counts.losses.filter { $0.key.subject == subject }
      .sorted { ($1.value, $0.key.reason, $0.key.rule) < ($0.value, $1.key.reason, $1.key.rule) }
      .map { (loss: $0.key, count: $0.value) }
  }

  /// The identifiers of clicks, and nil for clicks without a valid one.
  var identifiers: [(sourceID: Int?, counts: SimulationCounts.Identifier)] {
    counts.identifiers.enumerated().filter { $1.clicks > 0 }.map { ($0 == LastClicks.invalid ? nil : $0, $1) }
  }

  /// The number of clicks without an identifier from 0 to 255.
  var invalidCount: Int { counts.identifiers[LastClicks.invalid].clicks }

  static func share(_ count: Int, of total: Int) -> Double { total == 0 ? 0 : Double(count) / Double(total) }

  static func percentage(_ count: Int, of total: Int) -> String {
    LoadMeasurements.decimal(share(count, of: total) * 100, 1) + "%"
  }

  /// The counts of reports by the full hours after their triggering events. `24` counts delays from 24 to 25 hours.
  var delays: [(hours: String, count: Int)] {
    counts.delays.enumerated().map { index, count in
      (index == 0 ? "<24" : index == counts.delays.count - 1 ? "≥48" : "\(index + 23)", count)
    }
  }

  /// Sentences about records and identifiers that the counts do not show.
  var notes: [String] {
    [
      counts.events == 0 ? "There are no events." : nil,
      skipped > 0 ? "\(counted(skipped, "line")) could not be read and \(skipped == 1 ? "was" : "were") skipped." : nil,
      counts.ignored > 0
        ? "\(counted(counts.ignored, "line")) \(counts.ignored == 1 ? "has" : "have") a kind that the profile ignores." : nil,
      invalidCount > 0
        ? "\(counted(invalidCount, "click")) \(invalidCount == 1 ? "has" : "have") no identifier from 0 to 255, so that no report names "
          + (invalidCount == 1 ? "it." : "them.") : nil,
      signsPostbacks && counts.apps.postbacks == 0
        ? "--sign has no effect: there are no postbacks, and reports of clicks have no signature." : nil,
    ].compactMap { $0 }
  }
}

extension SimulationSummary {
  var text: String {
    let lost = counts.losses.values.reduce(0, +)
    let first = [
      counted(users.count, "user"), counted(counts.events, "event"), counted(counts.reports, "report"),
      counts.apps.isEmpty ? nil : counted(counts.apps.postbacks, "postback"), "\(lost) loss\(lost == 1 ? "" : "es")",
    ].compactMap { $0 }
    let limitless =
      "\(counted(counts.lastClicks, "trigger")) by last click; \(Self.percentage(counts.reported, of: counts.lastClicks)) as many are reported"
    let lines =
      rows(.click, "clicks") + rows(.trigger, "triggers")
      + (counts.triggers == 0 ? [] : VerdictText.field("no limits", limitless))
      + appLines + ambiguousNumbers.flatMap(\.text) + notes.flatMap { VerdictText.field("note", $0) }
    return ([first.joined(separator: ", ")] + lines.map { "  " + $0 }).joined(separator: "\n")
  }

  func rows(_ subject: SimulatedLoss.Subject, _ name: String, _ word: String = "reported") -> [String] {
    let (total, losses) = (count(subject), losses(subject))
    guard total > 0 else { return [] }
    let shown = losses.prefix(Self.shownCount).map { "\($0.count) \($0.loss.reason) (\(Self.percentage($0.count, of: total)))" }
    let rest = losses.count > Self.shownCount ? ["and \(losses.count - Self.shownCount) more reasons"] : []
    let kept = "\(total), \(reported(subject)) \(word) (\(Self.percentage(reported(subject), of: total)))"
    return VerdictText.field(name, kept)
      + (losses.isEmpty ? [] : VerdictText.field("lost", (shown + rest).joined(separator: ", ")))
  }

  var json: JSON {
    .object(members + (counts.apps.isEmpty ? [] : [.init("apps", appJSON)]))
  }

  private var members: [JSON.Member] {
    let object: JSON = [
      "users": .number(Int64(users.count)), "events": .number(Int64(counts.events)), "skipped": .number(Int64(skipped)),
      "ignored": .number(Int64(counts.ignored)),
      "clicks": json(.click), "triggers": json(.trigger), "reports": .number(Int64(counts.reports)),
      "recipients": [
        "source": .number(Int64(counts.sourceReports)), "destination": .number(Int64(counts.destinationReports)),
      ],
      "lastClick": [
        "triggers": .number(Int64(counts.lastClicks)), "reportedShare": Self.json(counts.reported, of: counts.lastClicks),
      ],
      "invalidSourceIDs": .number(Int64(invalidCount)),
      "sourceIDs": .array(
        identifiers.map { sourceID, counts in
          [
            "sourceID": sourceID.map { .number(Int64($0)) } ?? .null, "clicks": .number(Int64(counts.clicks)),
            "reported": .number(Int64(counts.reported)), "lastClick": .number(Int64(counts.lastClicks)),
            "shared": .bool(counts.isShared),
          ]
        }),
      "encodings": .array(ambiguousNumbers.map(\.json)),
      "triggerData": .object(
        counts.triggerData.enumerated().filter { $1 > 0 }.map { .init("\($0)", .number(Int64($1))) }),
      "delayHours": .object(delays.filter { $0.count > 0 }.map { .init($0.hours, .number(Int64($0.count))) }),
    ]
    return object.members
  }

  func json(_ subject: SimulatedLoss.Subject) -> JSON {
    let total = count(subject)
    let losses = losses(subject).map { loss, count -> JSON in
      [
        "rule": .string(loss.rule), "reason": .string(loss.reason), "count": .number(Int64(count)),
        "share": Self.json(count, of: total),
      ]
    }
    return [
      "count": .number(Int64(total)), "reported": .number(Int64(reported(subject))),
      "reportedShare": Self.json(reported(subject), of: total), "losses": .array(losses),
    ]
  }

  static func json(_ count: Int, of total: Int) -> JSON {
    .verbatim(LoadMeasurements.decimal(share(count, of: total), 4))
  }
}
