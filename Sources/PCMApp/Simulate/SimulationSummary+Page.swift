import PCMBrowser
import PCMCore
import PCMHTTP
import PCMPages
import PCMRules

extension SimulationSummary {
  /// The summary as a page in one file.
  ///
  /// - Parameter title: The name of the file of events.
  func html(title: String) -> String {
    let content: Markup = """
      <header>
      <p class="kind">Simulation of \(counts.apps.isEmpty ? "clicks and triggering events" : "clicks, triggering events, and ads for apps")</p>
      <h1>\(title) \(badges)</h1>
      <ul class="counts">\(totals.map { total -> Markup in "<li class=\"\(total.tone)\"><b>\(total.count)</b> \(total.name)</li>" })</ul>
      \(notes.map { note -> Markup in "<p class=\"soft\">Note: \(note)</p>" })
      </header>
      \(section("Clicks", .click))
      \(section("Triggering events", .trigger))
      \(lastClick)\(appSections)\(ambiguousNumbers.map(\.markup))
      <section>
      <h2>Delays and values</h2>
      \(SimulationCharts(delays: charted(drawnDelays), values: charted(values)).markup)
      </section>
      <footer>Created by pcm-browser simulate. Each reason has the requirement of its rule, which pcm-browser rules explains.</footer>
      """
    return ReportFrame(title: "Simulation: \(title)", content: content).html(styleHash: PageHash.sha256)
  }

  /// The reports in comparison with last-click attribution, and the installs in comparison with last-ad attribution.
  private var badges: Markup {
    let apps = counts.apps
    let clicks: Markup =
      "<span class=\"badge quiet\">\(Self.percentage(counts.reported, of: counts.lastClicks)) of last click</span>"
    let ads: Markup = "<span class=\"badge quiet\">\(Self.percentage(apps.installs, of: apps.lastAdInstalls)) of last ad</span>"
    return apps.isEmpty ? clicks : counts.clicks + counts.triggers == 0 ? ads : "\(clicks) \(ads)"
  }

  private var totals: [(count: Int, name: String, tone: String)] {
    [
      (users.count, "users", "quiet"), (counts.clicks, "clicks", "quiet"), (counts.triggers, "triggering events", "quiet"),
      (counts.sourceReports, "reports to sources", "good"), (counts.destinationReports, "reports to destinations", "good"),
    ] + (counts.apps.isEmpty ? [] : [(counts.apps.postbacks, "postbacks", "good")])
  }

  /// Few reports leave earlier or later than after 24 to 48 hours.
  private var drawnDelays: [(String, Int)] {
    delays.filter { $0.count > 0 || $0.hours.first?.isNumber == true }.map { ($0.hours, $0.count) }
  }

  private var values: [(String, Int)] { counts.triggerData.enumerated().map { ("\($0)", $1) } }

  private func charted(_ counts: [(String, Int)]) -> [(name: String, count: Int64)] { counts.map { ($0, Int64($1)) } }

  /// Returns a bar for the events with a report, and a bar for the losses of each reason.
  func section(_ title: String, _ subject: SimulatedLoss.Subject, _ word: String = "A report") -> Markup {
    let (total, losses) = (count(subject), losses(subject))
    guard total > 0 else { return .none }
    let rows = losses.map { loss, count in row(count, of: total, "bad", "<code>\(loss.reason)</code> \(loss.words)") }
    return """
      <section>
      <h2>\(title)</h2>
      \(ReportBar.markup([(reported(subject), "good")] + losses.map { ($0.count, "bad") }))
      <table>
      <thead><tr><th scope="col">Number</th><th scope="col">Result</th><th scope="col">Share of \(total)</th></tr></thead>
      <tbody>\([row(reported(subject), of: total, "good", "\(word)")] + rows)</tbody>
      </table>
      </section>
      """
  }

  func row(_ count: Int, of total: Int, _ tone: String, _ words: Markup) -> Markup {
    """
    <tr><td><b>\(count)</b> (\(Self.percentage(count, of: total)))</td><td>\(words)</td>\
    <td class="origin">\(ReportBar.markup([(count, tone), (max(total - count, 0), "quiet")]))</td></tr>
    """
  }

  /// The reports next to last-click attribution, in total and by identifier.
  private var lastClick: Markup {
    guard counts.triggers > 0 else { return .none }
    let rows = identifiers.sorted { ($1.counts.clicks, $0.sourceID ?? .max) < ($0.counts.clicks, $1.sourceID ?? .max) }
      .map { sourceID, counts -> Markup in
        """
        <tr><td>\(sourceID.map(String.init) ?? "none")\(counts.isShared ? "*" : "")</td><td>\(counts.clicks)</td>\
        <td>\(counts.lastClicks)</td><td>\(counts.reported)</td>\
        <td class="origin">\(ReportBar.markup([(counts.reported, "good"), (max(counts.lastClicks - counts.reported, 0), "quiet")]))</td></tr>
        """
      }
    return """
      <section>
      <h2>Next to last click</h2>
      <p class="soft">Last-click attribution gives each triggering event to the newest earlier click of its user from the same source to
      the same destination, after any time, and with any identifier and priority.</p>
      <table>
      <thead><tr><th scope="col">Number</th><th scope="col">Result</th><th scope="col">Share of \(counts.triggers)</th></tr></thead>
      <tbody>\(row(counts.lastClicks, of: counts.triggers, "doubtful", "Triggering events with a last click"))
      \(row(counts.reported, of: counts.triggers, "good", "Triggering events with a report"))</tbody>
      </table>
      <details><summary>By identifier</summary>
      <p class="soft">* Clicks of several sources or destinations have this identifier. Their reports differ in the sites.</p>
      <table>
      <thead><tr><th scope="col">source_id</th><th scope="col">Clicks</th><th scope="col">Last click</th>\
      <th scope="col">Reported</th><th scope="col">Reported of last click</th></tr></thead>
      <tbody>\(rows)</tbody>
      </table>
      </details>
      </section>
      """
  }
}

extension SimulationCounts.Loss {
  /// The requirement of the rule, or the text of the reason.
  var words: String {
    let name = rule.isEmpty ? reason : rule
    return RuleCatalog.topics(named: name).lazy.flatMap(\.rules).first { $0.name == name }?.title.text ?? ""
  }
}
