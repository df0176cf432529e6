import PCMCore
import PCMEndpoint
import PCMHTTP
import PCMPages

extension CheckReport {
  /// The results as a page in one file, which can be mailed, archived, and printed.
  var html: String {
    ReportFrame(title: "\(gradeTitle): \(host)", content: content).html(styleHash: PageHash.sha256)
  }

  private var host: String { String(endpoint.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" }) }

  private var content: Markup {
    let failures = failures
    let fixed = Set(failures.map(\.rule.id))
    return """
      \(head)
      \(failures.isEmpty ? .none : "<section>\n<h2>What to fix first</h2>\n\(failures.map { $0.article(rulesHidden(by: $0)) })\n</section>")
      <section>
      <h2>All rules</h2>
      <table>
      <thead><tr><th scope="col">Verdict</th><th scope="col">Rule</th><th scope="col">Origin</th></tr></thead>
      <tbody>
      \(findings.map { $0.row(isAbove: fixed.contains($0.rule.id)) })
      </tbody>
      </table>
      </section>
      <footer>Created by pcm-browser check. Tokens, signatures, and nonces are redacted, and bodies are truncated.</footer>
      """
  }

  private var head: Markup {
    let standings = Finding.Standing.allCases.filter { count($0) > 0 }
    let facts = [part, startedAt.text, requestCount] + (insecure ? ["certificates were not verified (--insecure)"] : [])
    let items = standings.map { standing -> Markup in
      let ending = standing.isFailure && count(standing) > 1 ? "s" : ""
      return "<li class=\"\(standing.tone)\"><b>\(count(standing))</b> \(standing.title)\(ending)</li>"
    }
    let note: Markup = limitation.map { "<p class=\"soft\">Note: \($0)</p>" } ?? .none
    return """
      <header>
      <p class="kind">Report endpoint check</p>
      <h1>\(host) <span class="badge \(insecure && grade == .pass ? "doubtful" : grade.tone)">\(gradeTitle)</span></h1>
      <p><code>\(endpoint)</code></p>
      <p class="soft">\(facts.joined(separator: " · "))</p>
      \(note)
      \(ReportBar.markup(standings.map { (count($0), $0.tone) }))
      <ul class="counts">\(items)</ul>
      </header>
      """
  }
}

extension CheckReport.Grade {
  fileprivate var tone: String {
    switch self {
    case .pass: "good"
    case .passWithWarnings: "doubtful"
    case .fail, .noResult: "bad"
    }
  }
}

extension CheckReport.Finding.Standing {
  fileprivate var isFailure: Bool { self == .error || self == .warning }

  fileprivate var tone: String {
    switch self {
    case .error: "bad"
    case .warning: "doubtful"
    case .passed: "good"
    case .notReached, .notApplicable: "quiet"
    }
  }
}

extension CheckReport.Finding {
  /// A failed rule, and the rules that were not reached because of it.
  fileprivate func article(_ hidden: [CheckRule]) -> Markup {
    """
    <article class="\(standing.tone)" id="fix-\(rule.id)">
    <h3><code>\(rule.id)</code> \(badge)</h3>
    <dl>
    <dt>Rule</dt><dd>\(rule.title). <span class="origin">(\(rule.origin.kind.title))</span></dd>
    <dt>Seen</dt><dd>\(seen.visible).</dd>
    <dt>Fix</dt><dd class="advice">\(fix)</dd>
    \(dependsOn.isEmpty ? .none : "<dt>Depends on</dt><dd>\(dependsOn.joined(separator: ", "))</dd>")
    \(Self.hides(hidden))
    </dl>
    \(evidence.prefix(2).map(\.markup))
    \(CheckReport.Evidence.folded(evidence.dropFirst(2), noun: "more exchange"))
    </article>
    """
  }

  /// A few names are listed directly. More are folded.
  private static func hides(_ hidden: [CheckRule]) -> Markup {
    guard !hidden.isEmpty else { return .none }
    let names = Markup(prose: hidden.map { "`\($0.id)`" }.joined(separator: ", "))
    let folded: Markup = "<details><summary>\(hidden.count) rules that were not reached</summary>\(names)</details>"
    return "<dt>Hides</dt><dd>\(hidden.count > 5 ? folded : names)</dd>"
  }

  private var badge: Markup { "<span class=\"badge \(standing.tone)\">\(standing.title)</span>" }

  /// - Parameter isAbove: Whether the rule's exchanges are among the fixes. If so, the row links there.
  fileprivate func row(isAbove: Bool) -> Markup {
    let name: Markup = "<code>\(rule.id)</code>"
    let observation: Markup = verdict == .passed ? .none : "<p class=\"seen\">\(seen.visible)</p>"
    return """
      <tr><td>\(badge)</td><td>\(isAbove ? "<a href=\"#fix-\(rule.id)\">\(name)</a>" : name)<p>\(rule.title)</p>\(observation)\
      \(dependsOn.isEmpty || isAbove ? .none : "<p class=\"soft\">depends on \(dependsOn.joined(separator: ", "))</p>")\
      \(isAbove ? .none : CheckReport.Evidence.folded(evidence[...], noun: "exchange"))</td>\
      <td class="origin">\(rule.origin.kind.title)</td></tr>
      """
  }
}

extension CheckReport.Evidence {
  fileprivate var markup: Markup {
    """
    <div class="exchange">
    <div><p><span>sent</span> <code>\(request.visible)</code></p>\(Self.block(requestHeaders, requestBody))</div>
    <div><p><span>response</span> <code>\(answer.visible)</code></p>\(Self.block(answerHeaders, answerBody))</div>
    </div>
    """
  }

  fileprivate static func folded(_ exchanges: ArraySlice<Self>, noun: String) -> Markup {
    guard !exchanges.isEmpty else { return .none }
    return "<details><summary>\(counted(exchanges.count, noun))</summary>\n\(exchanges.map(\.markup))\n</details>"
  }

  /// The headers and the body, with a blank line between them.
  private static func block(_ headers: [String], _ body: String) -> Markup {
    let text = [headers.joined(separator: "\n"), body].filter { !$0.isEmpty }.joined(separator: "\n\n")
    return text.isEmpty ? .none : "<pre>\(text.visible)</pre>"
  }
}
