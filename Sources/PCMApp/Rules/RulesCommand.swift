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
      An explanation names the rule that failed, and its reason. The name of either shows the rule.

      Examples:
        pcm-browser rules
        pcm-browser rules tap-is-verified
        pcm-browser rules lower-or-equal-priority
        pcm-browser rules --json
        pcm-browser rules --outcomes

      --outcomes lists what Safari and iOS do with each response of an endpoint, what
      pcm-browser records, and which rule of check finds the cause.

      Exit status: 0; 2 the name is unknown.
      """)

  @Argument(help: "The name of a rule, or the code of a reason.")
  var name: String?

  @Flag(help: "Print JSON, as GET /v1/rules returns it.")
  var json = false

  @Flag(help: "List what Safari and iOS do with each response of an endpoint.")
  var outcomes = false

  @OptionGroup
  var colors: ColorOptions

  func validate() throws {
    guard !outcomes || name == nil else { throw ValidationError("use either the name of a rule or --outcomes") }
  }

  func run() throws {
    guard !outcomes else {
      return try StandardOutput.write(
        json ? EndpointOutcomes.json.text + "\n" : RulesText(isColored: colors.style.isColored).outcomes)
    }
    let topics = RuleCatalog.topics(named: name)
    if let name, topics.isEmpty { throw StartError(description: Self.unknown(name)) }
    let text = RulesText(isColored: colors.style.isColored)
    try StandardOutput.write(
      json ? RuleCatalog.json(of: topics).text + "\n" : name == nil ? text.list(topics) : text.details(topics))
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

  /// Rules with everything.
  func details(_ topics: [RuleCatalog.Topic]) -> String {
    lines(topics) { rule in
      ["  \(rule.name)"] + field("requires", rule.title.text)
        + (rule.inputs.isEmpty ? [] : field("reads", rule.inputs.joined(separator: ", ")))
        + rule.title.reasons.flatMap { reason in
          (reason.code.map { field("reason", $0) } ?? []) + field("change", reason.change)
        } + (rule.title.origin.map { field("origin", $0.text) } ?? [])
    }
  }

  /// The outcomes of an endpoint's responses.
  var outcomes: String {
    EndpointOutcomes.topics.map { topic in
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

  private func lines(_ topics: [RuleCatalog.Topic], _ lines: (RuleHeading) -> [String]) -> String {
    topics.map { topic in
      ([style.bold(topic.title)] + topic.rules.flatMap { [""] + lines($0) }).joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }

  private func field(_ name: String, _ text: String) -> [String] {
    let lines = TerminalText.lines(text, indent: 14)
    return ["    \(name.padding(to: 10))" + (lines.first ?? "").dropFirst(14)] + lines.dropFirst()
  }
}
