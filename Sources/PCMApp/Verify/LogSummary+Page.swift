import PCMHTTP
import PCMPages

extension LogSummary {
  /// The summary as a page in one file.
  ///
  /// - Parameter title: The name of the log.
  func html(title: String) -> String {
    let verdict = isFailure ? "Failed" : "Passed"
    let parts = JudgedItem.Outcome.allCases.compactMap { outcome in outcomes[outcome].map { (outcome: outcome, count: $0) } }
    let content: Markup = """
      <header>
      <p class="kind">Log of postbacks and reports</p>
      <h1>\(title) <span class="badge \(isFailure ? "bad" : "good")">\(verdict)</span></h1>
      \(ReportBar.markup(parts.map { ($0.count, $0.outcome.tone) }))
      <ul class="counts">\(parts.map { part -> Markup in
        "<li class=\"\(part.outcome.tone)\"><b>\(part.count)</b> \(part.outcome.rawValue)</li>"
      })</ul>
      </header>
      \(frequentKinds.isEmpty ? .none : "<section>\n<h2>Faults</h2>\n\(frequentKinds.prefix(Self.pageCount).map(\.article))\n</section>")
      \(Distribution.allCases.map(table))
      <footer>Created by pcm-browser verify.\(fullness.map { " \($0)" } ?? "") Only first copies are in the distributions.</footer>
      """
    return ReportFrame(title: "\(verdict): \(title)", content: content).html(styleHash: PageHash.sha256)
  }

  /// The number of values and of faults on a page.
  private static var pageCount: Int { 100 }

  /// A bar for each value.
  private func table(_ distribution: Distribution) -> Markup {
    let values = frequent(distribution)
    let total = values.reduce(0) { $0 + $1.count }
    guard total > 0 else { return .none }
    let rows = values.prefix(Self.pageCount).map { value, count -> Markup in
      """
      <tr><td>\(value)</td><td>\(count)</td><td>\(ReportBar.markup([(count, "good"), (total - count, "quiet")]))</td></tr>
      """
    }
    return """
      <section>
      <h2>\(distribution.rawValue.prefix(1).uppercased() + distribution.rawValue.dropFirst())</h2>
      <table>
      <thead><tr><th scope="col">Value</th><th scope="col">Count</th><th scope="col">Share of \(total)</th></tr></thead>
      <tbody>\(rows)</tbody>
      </table>
      </section>
      """
  }
}

extension LogSummary.Kind {
  fileprivate var article: Markup {
    """
    <article class="bad">
    <h3>\(counted(count, "item"))</h3>
    <dl>
    <dt>Fault</dt><dd>\(fault.visible)</dd>
    <dt>First</dt><dd><code>\(item.visible)</code></dd>
    \(fix.map { "<dt>Fix</dt><dd class=\"advice\">\($0.visible)</dd>" } ?? .none)
    </dl>
    </article>
    """
  }
}

extension JudgedItem.Outcome {
  fileprivate var tone: String {
    switch self {
    case .valid: "good"
    case .invalid, .contradiction: "bad"
    case .unverifiable, .duplicate: "doubtful"
    case .notSigned, .neither: "quiet"
    }
  }
}
