import PCMCore

extension Explanation {
  /// The explanation for people: the summary, and each step with its rules, where a failed rule has its input and remedy. The
  /// later events follow, except for a destination, whose steps contain them.
  package var text: String {
    var lines = [summary]
    if let omittedBefore {
      let query = eventSubjects.map { "about=\($0)" }.joined(separator: "&")
      lines.append(
        "Events about \(eventSubjects.joined(separator: " and ")) before number \(omittedBefore) are omitted; "
          + "GET events?\(query) returns them.")
    }
    for step in steps {
      lines.append("\(step.id) at \(step.at.text): \(step.outcome)")
      if let later = step.later { lines.append("  later: \(later)") }
      if let observed = step.observed { lines.append("  seen: \(observed.words)") }
      lines += step.lines.map { "  \($0)" }
    }
    if case .destination = subject { return lines.joined(separator: "\n") }
    if !events.isEmpty { lines.append("afterwards:") }
    lines += events.map { event in
      let detail = (JSON(parsing: Array(event.detailWithoutDecision.text.utf8)) ?? .null).members
      return "  \(event.sequence)  \(event.at.text)  \(event.kind.rawValue)  \(JSON.words(detail))"
    }
    return lines.joined(separator: "\n")
  }
}

extension Explanation.Step {
  /// The lines of the step. Consecutive rules that passed, or were not reached, share a line.
  fileprivate var lines: [String] {
    var (lines, rest) = ([String](), rules[...])
    while let kind = rest.first?.kind {
      let run = rest.prefix { $0.kind == kind }
      switch kind {
      case .passed: lines.append("\(run.count) \(run.count == 1 ? "rule" : "rules") passed")
      case .notReached: lines.append("not reached: \(run.map(\.rule).joined(separator: ", "))")
      case .failed: lines += run.flatMap(\.failure)
      }
      rest = rest.dropFirst(run.count)
    }
    return lines
  }
}

extension Explanation.Verdict {
  fileprivate var failure: [String] {
    let why = reason.map { ": \($0.code), \($0.detail)" } ?? ""
    let saw = JSON.words(inputs?.members ?? [])
    let details = [saw.isEmpty ? nil : "  saw: \(saw)", change.map { "  change: \($0)" }]
    return ["FAILED: \(rule)\(why)"] + details.compactMap { $0 }
  }
}

extension JSON {
  /// `userGesture false, url https://shop.example/`
  fileprivate static func words(_ members: [Member]) -> String {
    members.map { "\($0.name) \($0.value.words)" }.joined(separator: ", ")
  }

  private var words: String {
    switch self {
    case .string(let text): text
    case .array(let items): "[" + items.map(\.words).joined(separator: ", ") + "]"
    case .object(let members): "{" + Self.words(members) + "}"
    default: text
    }
  }
}
