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

  /// The number of reasons in the text.
  private static let shownCount = 6

  func count(_ subject: SimulatedLoss.Subject) -> Int { subject == .click ? counts.clicks : counts.triggers }

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
    ].compactMap { $0 }
  }
}

extension SimulationSummary {
  var text: String {
    let lost = counts.losses.values.reduce(0, +)
    let first = [
      counted(users.count, "user"), counted(counts.events, "event"), counted(counts.reports, "report"),
      "\(lost) loss\(lost == 1 ? "" : "es")",
    ]
    let limitless =
      "\(counted(counts.lastClicks, "trigger")) by last click; \(Self.percentage(counts.reported, of: counts.lastClicks)) as many are reported"
    let lines =
      rows(.click) + rows(.trigger) + (counts.triggers == 0 ? [] : VerdictText.field("no limits", limitless))
      + notes.flatMap { VerdictText.field("note", $0) }
    return ([first.joined(separator: ", ")] + lines.map { "  " + $0 }).joined(separator: "\n")
  }

  private func rows(_ subject: SimulatedLoss.Subject) -> [String] {
    let (total, losses) = (count(subject), losses(subject))
    guard total > 0 else { return [] }
    let shown = losses.prefix(Self.shownCount).map { "\($0.count) \($0.loss.reason) (\(Self.percentage($0.count, of: total)))" }
    let rest = losses.count > Self.shownCount ? ["and \(losses.count - Self.shownCount) more reasons"] : []
    let reported = "\(total), \(counts.reported) reported (\(Self.percentage(counts.reported, of: total)))"
    return VerdictText.field("\(subject.rawValue)s", reported)
      + (losses.isEmpty ? [] : VerdictText.field("lost", (shown + rest).joined(separator: ", ")))
  }

  var json: JSON {
    [
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
      "triggerData": .object(
        counts.triggerData.enumerated().filter { $1 > 0 }.map { .init("\($0)", .number(Int64($1))) }),
      "delayHours": .object(delays.filter { $0.count > 0 }.map { .init($0.hours, .number(Int64($0.count))) }),
    ]
  }

  private func json(_ subject: SimulatedLoss.Subject) -> JSON {
    let total = count(subject)
    let losses = losses(subject).map { loss, count -> JSON in
      [
        "rule": .string(loss.rule), "reason": .string(loss.reason), "count": .number(Int64(count)),
        "share": Self.json(count, of: total),
      ]
    }
    return [
      "count": .number(Int64(total)), "reported": .number(Int64(counts.reported)),
      "reportedShare": Self.json(counts.reported, of: total), "losses": .array(losses),
    ]
  }

  private static func json(_ count: Int, of total: Int) -> JSON {
    .verbatim(LoadMeasurements.decimal(share(count, of: total), 4))
  }
}
