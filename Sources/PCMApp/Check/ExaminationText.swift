import PCMCheck
import PCMCore

/// An examination for whoever reads it in a terminal.
struct ExaminationText {
  private let examination: Examination
  private let style: TerminalStyle

  /// How many exchanges of a failed rule are shown; the other outputs have all.
  private static let shownEvidence = 2
  private static let shownBodyLines = 6

  init(_ examination: Examination, isColoured: Bool) {
    self.examination = examination
    style = TerminalStyle(isColoured: isColoured)
  }

  /// Lines of at most 100 columns, the grade last.
  var text: String {
    (head + table + fixes + [grade]).joined(separator: "\n") + "\n"
  }

  private var head: [String] {
    TerminalText.lines(examination.endpoint, indent: 0).map(style.bold) + [
      "\(examination.role.rawValue) side, \(examination.startedAt.text), \(examination.requestCount)", "",
    ]
  }

  private var table: [String] {
    let column = min(44, examination.findings.map(\.rule.id.count).max() ?? 0)
    return examination.findings.flatMap { finding -> [String] in
      let word = finding.word.padding(to: 6)
      let mark = "  \(coloured(word, finding))  "
      let textColumn = 10 + column + 2
      let lines = TerminalText.lines(finding.seen, indent: textColumn)
      guard finding.rule.id.count <= column, let first = lines.first else { return [mark + finding.rule.id] + lines }
      return [mark + finding.rule.id.padding(to: column + 2) + first.dropFirst(textColumn)] + lines.dropFirst()
    }
  }

  private func coloured(_ word: String, _ finding: Examination.Finding) -> String {
    switch finding.verdict {
    case .passed: style.green(word)
    case .failed: finding.rule.severity == .error ? style.red(word) : style.yellow(word)
    case .notApplicable, .notReached: style.dim(word)
    }
  }

  private var fixes: [String] {
    let failures = examination.failures
    guard !failures.isEmpty else { return [""] }
    return ["", style.bold("What to fix first"), ""]
      + failures.enumerated().flatMap { index, failure in fix(failure, number: index + 1) + [""] }
  }

  private func fix(_ failure: Examination.Failure, number: Int) -> [String] {
    let rule = failure.finding.rule
    let head = "\(number). \(rule.id) (\(rule.severity.rawValue); \(rule.origin.title))"
    return [rule.severity == .error ? style.red(head) : style.yellow(head)]
      + field("rule", rule.title + ".") + field("seen", failure.seen + ".") + field("fix", rule.fix)
      + failure.finding.evidence.prefix(Self.shownEvidence).flatMap(exchange)
      + more(failure.finding.evidence.count - Self.shownEvidence)
      + (failure.hidden.isEmpty ? [] : field("hides", failure.hidden.map(\.id).joined(separator: ", ")))
  }

  private func exchange(_ evidence: Examination.Evidence) -> [String] {
    field("sent", evidence.request) + body(evidence.requestBody) + field("answer", evidence.answer)
      + body(evidence.answerBody)
  }

  private func body(_ text: String) -> [String] {
    text.isEmpty ? [] : TerminalText.lines(text, indent: 13, limit: Self.shownBodyLines).map(style.dim)
  }

  private func more(_ count: Int) -> [String] {
    guard count > 0 else { return [] }
    return field("", "and \(count) exchange\(count == 1 ? "" : "s") more, which --html and --json show")
  }

  private func field(_ name: String, _ text: String) -> [String] {
    let lines = TerminalText.lines(text, indent: 11)
    return ["   \(name.padding(to: 8))" + (lines.first ?? "").dropFirst(11)] + lines.dropFirst()
  }

  private var grade: String {
    switch examination.grade {
    case .pass: style.green(examination.summary)
    case .passWithWarnings: style.yellow(examination.summary)
    case .fail: style.red(examination.summary)
    }
  }
}

extension Examination.Finding {
  fileprivate var word: String {
    switch verdict {
    case .passed: "ok"
    case .failed: rule.severity == .error ? "FAIL" : "warn"
    case .notApplicable: "n/a"
    case .notReached: "-"
    }
  }
}
