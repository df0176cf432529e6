import PCMBrowser
import PCMCore
import PCMPages

/// The part about ads for apps, which only a file with such events has.
extension SimulationSummary {
  /// The events with a report, and how a text, JSON, and a page name them.
  private static let reportedSubjects: [(subject: SimulatedLoss.Subject, name: String, member: String, title: String)] = [
    (.impression, "ads", "impressions", "Ads"), (.impressionTap, "taps", "impressionTaps", "Taps"),
    (.install, "installs", "installs", "Installs"),
    (.conversionValue, "values", "conversionValues", "Conversion values"),
    (.window, "windows", "windows", "Conversion windows"),
  ]

  /// The events that count only when they have no effect.
  private static let otherSubjects: [(subject: SimulatedLoss.Subject, name: String, member: String, title: String)] = [
    (.impressionEnd, "ends", "impressionEnds", "Ends of views"), (.launch, "launches", "launches", "Launches"),
  ]

  /// The lines of the text.
  var appLines: [String] {
    let apps = counts.apps
    guard !apps.isEmpty else { return [] }
    let others = Self.otherSubjects.filter { !losses($0.subject).isEmpty }.flatMap { rows($0.subject, $0.name, "effective") }
    let windows = apps.winners.map(String.init).joined(separator: ", ")
    let postbacks =
      "\(windows) by window, \(apps.runnersUp) to runners-up, \(apps.copies) to developers"
      + (apps.reengagements == 0 ? "" : "; \(counted(apps.reengagements, "re-engagement"))")
    let values = "\(apps.fineCount) fine, \(apps.coarseCount) coarse, \(apps.withoutValue) without"
    let limitless =
      "\(counted(apps.lastAdInstalls, "install")) by last ad; \(Self.percentage(apps.installs, of: apps.lastAdInstalls)) as many are "
      + "reported"
    return Self.reportedSubjects.flatMap { rows($0.subject, $0.name) } + others + VerdictText.field("postbacks", postbacks)
      + VerdictText.field("coded", values) + (count(.install) == 0 ? [] : VerdictText.field("no limits", limitless))
  }

  /// The member `apps` of the JSON.
  var appJSON: JSON {
    let apps = counts.apps
    let subjects = (Self.reportedSubjects + Self.otherSubjects).map { JSON.Member($0.member, json($0.subject)) }
    let fine = apps.fine.enumerated().filter { $1 > 0 }.map { JSON.Member("\($0)", .number(Int64($1))) }
    let coarse = zip(ConversionValueInput.coarseValues, apps.coarse).map { JSON.Member($0, .number(Int64($1))) }
    let others: JSON = [
      "postbacks": [
        "count": .number(Int64(apps.postbacks)), "winners": .array(apps.winners.map { .number(Int64($0)) }),
        "runnersUp": .number(Int64(apps.runnersUp)), "developers": .number(Int64(apps.copies)),
        "reengagements": .number(Int64(apps.reengagements)),
      ],
      "values": [
        "fine": .object(fine), "coarse": .object(coarse), "without": .number(Int64(apps.withoutValue)),
      ],
      "lastAd": [
        "installs": .number(Int64(apps.lastAdInstalls)), "reportedShare": Self.json(apps.installs, of: apps.lastAdInstalls),
      ],
    ]
    return .object(subjects + others.members)
  }

  /// The sections of the page.
  var appSections: Markup {
    guard !counts.apps.isEmpty else { return .none }
    let others = Self.otherSubjects.filter { !losses($0.subject).isEmpty }
    return """
      \(Self.reportedSubjects.map { section($0.title, $0.subject, "A postback") })
      \(others.map { section($0.title, $0.subject, "An effect") })
      \(lastAd)
      \(postbacks)
      """
  }

  private var lastAd: Markup {
    let total = count(.install)
    guard total > 0 else { return .none }
    return """
      <section>
      <h2>Next to the last ad</h2>
      <p class="soft">Last-ad attribution gives each install to the newest earlier ad for the app on the same device, after any time, from
      any network, and after a view of any length.</p>
      <table>
      <thead><tr><th scope="col">Number</th><th scope="col">Result</th><th scope="col">Share of \(total)</th></tr></thead>
      <tbody>\(row(counts.apps.lastAdInstalls, of: total, "doubtful", "Installs with a last ad"))
      \(row(counts.apps.installs, of: total, "good", "Installs with a postback"))</tbody>
      </table>
      </section>
      """
  }

  private var postbacks: Markup {
    let apps = counts.apps
    let total = apps.winners.reduce(0, +)
    guard total > 0 else { return .none }
    let windows = apps.winners.enumerated().map { row($1, of: total, "good", "Postback \($0 + 1)") }
    let values: [(String, Int)] =
      [("Fine value", apps.fineCount)] + zip(["low", "medium", "high"], apps.coarse).map { ("Coarse value \($0)", $1) }
    return """
      <section>
      <h2>Postbacks of winning ads</h2>
      <p class="soft">The ad networks of runners-up received \(apps.runnersUp) postbacks, and developers \(apps.copies) copies.</p>
      <table>
      <thead><tr><th scope="col">Number</th><th scope="col">Postback</th><th scope="col">Share of \(total)</th></tr></thead>
      <tbody>\(windows + values.map { row($1, of: total, "doubtful", "\($0)") })
      \(row(apps.withoutValue, of: total, "bad", "No value"))</tbody>
      </table>
      </section>
      """
  }
}
