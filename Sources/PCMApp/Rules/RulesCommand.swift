import ArgumentParser
import PCMCore
import PCMEndpoint
import PCMRules

struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract:
      "List the rules: what each requires and reads, the reasons of its violations, what to change, and where it comes from.",
    discussion: """
      An explanation names the rule that failed, and its reason. The name of a rule
      shows the rule, and the code of a reason shows the reason with its rule. Other
      words list the rules, checks, and outcomes that contain all of them.

      Examples:
        pcm-browser rules
        pcm-browser rules tap-is-verified
        pcm-browser rules lower-or-equal-priority
        pcm-browser rules redirect
        pcm-browser rules --json
        pcm-browser rules --outcomes

      --outcomes lists what Safari and iOS do with each response of an endpoint, what
      pcm-browser records, and which rule of check finds the cause.

      Exit status: 0; 2 nothing has the name or contains the words.
      """)

  @Argument(help: "The name of a rule, the code of a reason, or words.")
  var words: [String] = []

  @Flag(help: "Print JSON, as GET /v1/rules returns it. Outcomes that contain the words are a member, too.")
  var json = false

  @Flag(help: "List what Safari and iOS do with each response of an endpoint.")
  var outcomes = false

  @OptionGroup
  var colors: ColorOptions

  func validate() throws {
    guard !outcomes || words.isEmpty else { throw ValidationError("use either words or --outcomes") }
  }

  func run() throws {
    let text = RulesText(isColored: colors.style.isColored)
    guard !outcomes else {
      return try StandardOutput.write(
        json ? EndpointOutcomes.json(of: EndpointOutcomes.topics).text + "\n" : text.outcomes(EndpointOutcomes.topics))
    }
    let name = words.joined(separator: " ")
    let named = RuleCatalog.topics(named: words.isEmpty ? nil : name)
    let topics = named.isEmpty ? RuleCatalog.topics(containing: words) : named
    let found = named.isEmpty ? EndpointOutcomes.topics(containing: words) : []
    if topics.isEmpty, found.isEmpty { throw StartError(description: Self.unknown(name)) }
    guard !json else {
      let outcomes: [JSON.Member] = found.isEmpty ? [] : [.init("outcomes", EndpointOutcomes.json(of: found))]
      return try StandardOutput.write(JSON.object(RuleCatalog.json(of: topics).members + outcomes).text + "\n")
    }
    let isDetailed = !named.isEmpty && !words.isEmpty
    let parts = [isDetailed ? text.details(topics, of: name) : text.list(topics), text.outcomes(found)]
    try StandardOutput.write(parts.filter { !$0.isEmpty }.joined(separator: "\n"))
  }

  /// Returns the error about an unknown name, with the nearest known one.
  static func unknown(_ name: String) -> String {
    let known = RuleCatalog.topics.flatMap { $0.rules.flatMap { [$0.name] + $0.title.reasons.compactMap(\.code) } }
    return "no rule and no reason has the name \"\(name.visible)\"; "
      + (NearestName.nearest(to: name, among: known).map { "did you mean \($0)?" } ?? "pcm-browser rules lists all")
  }
}

/// Rules for a terminal.
struct RulesText {
  private let style: TerminalStyle

  init(isColored: Bool) { style = TerminalStyle(isColored: isColored) }

  /// Each rule with its requirement and the codes of its reasons.
  func list(_ topics: [RuleCatalog.Topic]) -> String {
    lines(topics) { rule in
      let codes = rule.title.reasons.compactMap(\.code).filter { $0 != rule.name }
      return ["  \(rule.name)"] + TerminalText.lines(rule.title.text, indent: 4)
        + TerminalText.lines(codes.joined(separator: ", "), indent: 4).filter { !codes.isEmpty && !$0.isEmpty }.map(style.dim)
    }
  }

  /// Rules with everything. For the code of a reason, without the other reasons.
  func details(_ topics: [RuleCatalog.Topic], of name: String) -> String {
    lines(topics) { rule in
      let reasons = rule.title.reasons.filter { rule.name == name || $0.code == name }
      return ["  \(rule.name)"] + field("requires", rule.title.text)
        + (rule.inputs.isEmpty ? [] : field("reads", rule.inputs.joined(separator: ", ")))
        + reasons.flatMap { reason in
          (reason.code.map { field("reason", $0) } ?? []) + field("change", reason.change)
        } + (rule.title.origin.map { field("origin", $0.text) } ?? [])
    }
  }

  /// The outcomes of an endpoint's responses.
  func outcomes(_ topics: [EndpointOutcomes.Topic]) -> String {
    topics.map { topic in
      ([style.bold(topic.title)] + topic.outcomes.flatMap(lines)).joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  private func lines(_ outcome: EndpointOutcome) -> [String] {
    let fields = [
      ("safari", outcome.behavior), ("recorded", outcome.record), ("check", outcome.rule ?? "no finding"),
      ("source", outcome.origin.text),
    ]
    return ["", "  \(outcome.situation)"] + fields.flatMap { name, value in field(name, value) }
  }

  /// Topics with the same rules are shown together.
  private func lines(_ topics: [RuleCatalog.Topic], _ lines: (RuleHeading) -> [String]) -> String {
    var parts: [(titles: [String], lines: [String])] = []
    for topic in topics {
      let (title, text) = (style.bold(topic.title), topic.rules.flatMap { [""] + lines($0) })
      if let place = parts.firstIndex(where: { $0.lines == text }) {
        parts[place].titles.append(title)
      } else {
        parts.append(([title], text))
      }
    }
    return parts.map { ($0.titles + $0.lines).joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  private func field(_ name: String, _ text: String) -> [String] {
    let lines = TerminalText.lines(text, indent: 14)
    return ["    \(name.padding(to: 10))" + (lines.first ?? "").dropFirst(14)] + lines.dropFirst()
  }
}
