import PCMCore
import PCMEndpoint

/// The results of a check for a terminal.
struct CheckReportText {
  private let report: CheckReport
  private let style: TerminalStyle

  /// The number of exchanges shown for a failed rule; the other outputs contain all.
  private static let shownEvidence = 2
  private static let shownBodyLines = 6
  /// The number of hidden rules that are named; the table contains all.
  private static let namedHidden = 5
  private static let nameColumn = 44

  init(_ report: CheckReport, isColored: Bool) {
    self.report = report
    style = TerminalStyle(isColored: isColored)
  }

  /// Lines of at most 100 columns, the grade last.
  var text: String {
    (head + table + fixes + [grade]).joined(separator: "\n") + "\n"
  }

  private var head: [String] {
    TerminalText.lines(report.endpoint, indent: 0).map(style.bold) + [
      "\(report.part), \(report.startedAt.text), \(report.requestCount)"
    ] + (report.limitation.map { TerminalText.lines("note: \($0)", indent: 0) } ?? []) + [""]
  }

  /// One line per rule, in the order of the catalog. Adjacent rules that were not reached for the same reason share a line.
  private var table: [String] {
    var rows: ArraySlice = report.findings[...]
    var lines: [String] = []
    while let first = rows.first {
      let isSkipped = [.notApplicable, .notReached].contains(first.standing)
      let group = isSkipped ? rows.prefix { $0.verdict == first.verdict } : rows.prefix(1)
      lines += group.count == 1 ? row(first) : row(of: group.map(\.rule.id), first)
      rows = rows.dropFirst(group.count)
    }
    let grounds = report.findings.flatMap(\.dependsOn).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    return lines + (grounds.isEmpty ? [] : TerminalText.lines("* depends on \(grounds.joined(separator: ", "))", indent: 10))
  }

  /// A rule that passed is shown by its name. The observation of any other follows its name on the same line if it fits,
  /// otherwise below.
  private func row(_ finding: CheckReport.Finding) -> [String] {
    let mark = finding.dependsOn.isEmpty ? "" : style.dim(" *")
    let head = self.mark(finding) + finding.rule.id + mark
    guard finding.verdict != .passed else { return [head] }
    let length = finding.rule.id.count + (finding.dependsOn.isEmpty ? 0 : 2)
    let gap = max(0, Self.nameColumn - length) + 2
    let availableWidth = TerminalText.width - 10 - length - gap
    guard finding.seen.count > availableWidth || finding.seen.contains(where: \.isNewline) else {
      return [head + String(repeating: " ", count: gap) + finding.seen.visible]
    }
    return [head] + TerminalText.lines(finding.seen, indent: 12)
  }

  private func row(of rules: [String], _ finding: CheckReport.Finding) -> [String] {
    let head = TerminalText.lines("\(finding.seen):", indent: 10)
    return [mark(finding) + (head.first ?? "").dropFirst(10)] + head.dropFirst()
      + TerminalText.lines(rules.joined(separator: ", "), indent: 12).map(style.dim)
  }

  private func mark(_ finding: CheckReport.Finding) -> String {
    let mark =
      switch finding.standing {
      case .passed: style.green("ok    ")
      case .error: style.red("FAIL  ")
      case .warning: style.yellow("warn  ")
      case .notApplicable: style.dim("n/a   ")
      case .notReached: style.dim("-     ")
      }
    return "  \(mark)  "
  }

  private var fixes: [String] {
    let failures = report.failures
    guard !failures.isEmpty else { return [""] }
    return ["", style.bold("What to fix first"), ""]
      + failures.enumerated().flatMap { index, failure in fix(failure, number: index + 1) + [""] }
  }

  private func fix(_ failure: CheckReport.Finding, number: Int) -> [String] {
    let rule = failure.rule
    let head = "\(number). \(rule.id) (\(rule.severity.rawValue); \(rule.origin.kind.title))"
    return [rule.severity == .error ? style.red(head) : style.yellow(head)]
      + field("rule", rule.title + ".") + field("seen", failure.seen + ".") + field("fix", failure.fix)
      + (failure.dependsOn.isEmpty ? [] : field("after", failure.dependsOn.joined(separator: ", ")))
      + exchanges(failure.evidence.prefix(Self.shownEvidence))
      + more(failure.evidence.count - Self.shownEvidence)
      + hides(report.rulesHidden(by: failure))
  }

  private func hides(_ rules: [CheckRule]) -> [String] {
    guard !rules.isEmpty else { return [] }
    guard rules.count > Self.namedHidden else { return field("hides", rules.map(\.id).joined(separator: ", ")) }
    return field("hides", "\(rules.count) rules that were not reached")
  }

  /// Returns the lines of the exchanges. Request headers are omitted when they equal the headers of the previous request.
  private func exchanges(_ evidence: ArraySlice<CheckReport.Evidence>) -> [String] {
    var shown: [String] = []
    return evidence.flatMap { evidence in
      let headers = evidence.requestHeaders.filter { !$0.hasPrefix("content-length:") }
      defer { shown = headers }
      let sent = headers == shown ? [] : lines(evidence.requestHeaders)
      return [
        field("sent", evidence.request), sent, body(evidence.requestBody), field("answer", evidence.answer),
        lines(evidence.answerHeaders), body(evidence.answerBody),
      ].flatMap { $0 }
    }
  }

  private func lines(_ headers: [String]) -> [String] {
    headers.flatMap { TerminalText.lines($0, indent: 13, limit: 2) }.map(style.dim)
  }

  private func body(_ text: String) -> [String] {
    text.isEmpty ? [] : TerminalText.lines(text, indent: 13, limit: Self.shownBodyLines).map(style.dim)
  }

  private func more(_ count: Int) -> [String] {
    guard count > 0 else { return [] }
    return field("", "and \(counted(count, "exchange")) more, which --html and --json show")
  }

  private func field(_ name: String, _ text: String) -> [String] {
    let lines = TerminalText.lines(text, indent: 11)
    return ["   \(name.padding(to: 8))" + (lines.first ?? "").dropFirst(11)] + lines.dropFirst()
  }

  private var grade: String {
    switch report.grade {
    case .pass: style.green(report.summary)
    case .passWithWarnings: style.yellow(report.summary)
    case .fail, .noResult: style.red(report.summary)
    }
  }
}
