/// The result of checking a report endpoint as a self-contained page, which can be mailed, archived, and printed.
package struct CheckReportPage: Hashable, Sendable {
  private let head: Head
  private let fixes: [Fix]
  private let rules: [Rule]

  package struct Head: Hashable, Sendable {
    fileprivate let host: String
    fileprivate let endpoint: String
    fileprivate let facts: [String]
    fileprivate let grade: Grade
    fileprivate let counts: [Count]
    fileprivate let note: String

    /// - Parameters:
    ///   - facts: Short facts, such as the time.
    ///   - counts: The number of rules for each verdict. Zeros are omitted.
    ///   - note: What a pass does not show; empty for nothing.
    package init(host: String, endpoint: String, facts: [String], grade: Grade, counts: [Count], note: String = "") {
      self.host = host
      self.endpoint = endpoint
      self.facts = facts
      self.grade = grade
      self.counts = counts
      self.note = note
    }
  }

  package struct Grade: Hashable, Sendable {
    fileprivate let title: String
    fileprivate let tone: Tone

    package init(_ title: String, _ tone: Tone) {
      self.title = title
      self.tone = tone
    }
  }

  package struct Count: Hashable, Sendable {
    fileprivate let number: Int
    fileprivate let title: String
    fileprivate let tone: Tone

    package init(_ number: Int, _ title: String, _ tone: Tone) {
      self.number = number
      self.title = title
      self.tone = tone
    }
  }

  /// The tone of a verdict, which the page also states in words.
  package enum Tone: String, Hashable, Sendable {
    case good
    case bad
    case doubtful
    case quiet
  }

  /// A failed rule and its remedy.
  package struct Fix: Hashable, Sendable {
    fileprivate let rule: Rule
    fileprivate let advice: String
    fileprivate let hidden: [String]

    /// - Parameter hidden: The rules that could not be evaluated because of this one.
    package init(_ rule: Rule, advice: String, hidden: [String]) {
      self.rule = rule
      self.advice = advice
      self.hidden = hidden
    }
  }

  package struct Rule: Hashable, Sendable {
    fileprivate let id: String
    fileprivate let title: String
    fileprivate let verdict: String
    fileprivate let tone: Tone
    fileprivate let origin: String
    fileprivate let seen: String
    fileprivate let exchanges: [Exchange]

    /// - Parameter seen: The observation; empty when the verdict is sufficient.
    package init(
      id: String, title: String, verdict: String, tone: Tone, origin: String, seen: String, exchanges: [Exchange]
    ) {
      self.id = id
      self.title = title
      self.verdict = verdict
      self.tone = tone
      self.origin = origin
      self.seen = seen
      self.exchanges = exchanges
    }
  }

  package struct Exchange: Hashable, Sendable {
    fileprivate let request: String
    fileprivate let requestHeaders: [String]
    fileprivate let requestBody: String
    fileprivate let answer: String
    fileprivate let answerHeaders: [String]
    fileprivate let answerBody: String

    package init(
      request: String, requestHeaders: [String] = [], requestBody: String, answer: String, answerHeaders: [String] = [],
      answerBody: String
    ) {
      self.request = request
      self.requestHeaders = requestHeaders
      self.requestBody = requestBody
      self.answer = answer
      self.answerHeaders = answerHeaders
      self.answerBody = answerBody
    }
  }

  package init(head: Head, fixes: [Fix], rules: [Rule]) {
    self.head = head
    self.fixes = fixes
    self.rules = rules
  }

  /// - Parameter styleHash: Returns the SHA-256 of a text in base64.
  package func html(styleHash: (String) -> String) -> String {
    ReportFrame(title: "\(head.grade.title): \(head.host)", content: Markup(stringLiteral: content)).html(styleHash: styleHash)
  }

  private var content: String {
    let fixed = Set(fixes.map(\.rule.id))
    return """
      \(head.html)
      \(fixes.isEmpty ? "" : "<section>\n<h2>What to fix first</h2>\n\(fixes.map(\.html).joined(separator: "\n"))\n</section>")
      <section>
      <h2>All rules</h2>
      <table>
      <thead><tr><th scope="col">Verdict</th><th scope="col">Rule</th><th scope="col">Origin</th></tr></thead>
      <tbody>
      \(rules.map { $0.row(isAbove: fixed.contains($0.id)) }.joined(separator: "\n"))
      </tbody>
      </table>
      </section>
      <footer>Created by pcm-browser check. Tokens, signatures, and nonces are redacted, and bodies are truncated.</footer>
      """
  }
}

extension CheckReportPage.Head {
  fileprivate var html: String {
    let counts = counts.filter { $0.number > 0 }
    return """
      <header>
      <p class="kind">Report endpoint check</p>
      <h1>\(host.markupText) <span class="badge \(grade.tone.rawValue)">\(grade.title.markupText)</span></h1>
      <p><code>\(endpoint.markupText)</code></p>
      <p class="soft">\(facts.map(\.markupText).joined(separator: " · "))</p>
      \(note.isEmpty ? "" : "<p class=\"soft\">Note: \(note.markupText)</p>")
      \(ReportBar(segments: counts.map { ($0.number, $0.tone.rawValue) }).markup.text)
      <ul class="counts">\(counts.map(\.item).joined())</ul>
      </header>
      """
  }
}

extension CheckReportPage.Count {
  fileprivate var item: String { "<li class=\"\(tone.rawValue)\"><b>\(number)</b> \(title.markupText)</li>" }
}

extension CheckReportPage.Fix {
  fileprivate var html: String {
    """
    <article class="\(rule.tone.rawValue)" id="fix-\(rule.id.markupAttribute)">
    <h3><code>\(rule.id.markupText)</code> \(rule.badge)</h3>
    <dl>
    <dt>Rule</dt><dd>\(rule.title.markupText). <span class="origin">(\(rule.origin.markupText))</span></dd>
    <dt>Seen</dt><dd>\(rule.seen.markupText).</dd>
    <dt>Fix</dt><dd class="advice">\(advice.markupText)</dd>
    \(hides)
    </dl>
    \(rule.exchanges.prefix(2).map(\.html).joined())
    \(CheckReportPage.Exchange.folded(rule.exchanges.dropFirst(2), noun: "more exchange"))
    </article>
    """
  }
}

extension CheckReportPage.Fix {
  /// A few names are listed directly. More are folded.
  private var hides: String {
    guard !hidden.isEmpty else { return "" }
    let names = hidden.map { "<code>\($0.markupText)</code>" }.joined(separator: ", ")
    let folded = "<details><summary>\(hidden.count) rules that were not reached</summary>\(names)</details>"
    return "<dt>Hides</dt><dd>\(hidden.count > 5 ? folded : names)</dd>"
  }
}

extension CheckReportPage.Rule {
  fileprivate var badge: String { "<span class=\"badge \(tone.rawValue)\">\(verdict.markupText)</span>" }

  /// - Parameter isAbove: Whether the rule's exchanges are among the fixes. If so, the row links there.
  fileprivate func row(isAbove: Bool) -> String {
    let name = "<code>\(id.markupText)</code>"
    let seen = seen.isEmpty ? "" : "<p class=\"seen\">\(seen.markupText)</p>"
    return "<tr><td>\(badge)</td><td>"
      + (isAbove ? "<a href=\"#fix-\(id.markupAttribute)\">\(name)</a>" : name) + "<p>\(title.markupText)</p>\(seen)"
      + (isAbove ? "" : CheckReportPage.Exchange.folded(exchanges[...], noun: "exchange"))
      + "</td><td class=\"origin\">\(origin.markupText)</td></tr>"
  }
}

extension CheckReportPage.Exchange {
  fileprivate var html: String {
    """
    <div class="exchange">
    <div><p><span>sent</span> <code>\(request.markupText)</code></p>\(Self.block(requestHeaders, requestBody))</div>
    <div><p><span>response</span> <code>\(answer.markupText)</code></p>\(Self.block(answerHeaders, answerBody))</div>
    </div>
    """
  }

  /// Folded exchanges.
  fileprivate static func folded(_ exchanges: ArraySlice<Self>, noun: String) -> String {
    guard !exchanges.isEmpty else { return "" }
    return "<details><summary>\(exchanges.count) \(noun)\(exchanges.count == 1 ? "" : "s")</summary>\n"
      + exchanges.map(\.html).joined(separator: "\n") + "\n</details>"
  }

  /// The headers and the body, with a blank line between them.
  private static func block(_ headers: [String], _ body: String) -> String {
    let text = [headers.joined(separator: "\n"), body].filter { !$0.isEmpty }.joined(separator: "\n\n")
    return text.isEmpty ? "" : "<pre>\(text.markupText)</pre>"
  }
}
