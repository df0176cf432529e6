import Foundation
import HTTPSupport
import PCMCore
import PCMRules
import Testing

/// `Rules.md`, which is recorded from the catalog.
@Suite struct RulesDocumentTests {
  private static let file = API.fixtures.deletingLastPathComponent()
    .appendingPathComponent("Sources/PCMApp/Documentation.docc/Rules.md")

  @Test("The page about the rules is recorded from the catalog")
  func page() throws {
    if ProcessInfo.processInfo.environment["PCM_RECORD"] == "1" { try Data(RulesDocument.text.utf8).write(to: Self.file) }
    let recorded = try String(contentsOf: Self.file, encoding: .utf8)
    #expect(
      recorded == RulesDocument.text,
      "if the change of the rules is intended, run PCM_RECORD=1 swift test --filter RulesDocumentTests")
  }

  @Test("Each rule and each reason is one heading")
  func headings() {
    let names = RuleCatalog.topics.flatMap { $0.rules.flatMap { [$0.name] + $0.title.reasons.compactMap(\.code) } }
    let headings = RulesDocument.text.matches(of: /\n####? (.+)/).map { String($0.1) }
    #expect(headings.sorted() == Set(names).sorted())
  }
}

/// The catalog as a page of the documentation.
private enum RulesDocument {
  private static let introduction = """
    # Rules

    What each rule requires and reads, the reasons of its violations, what to change, and where it comes from.

    This page is recorded from the catalog of the program, which `pcm-browser rules`, `GET /v1/rules`, and the page `/rules` of the
    service show, too. The rules of a decision are in their order, and the first one that fails decides. An explanation names it, its
    reason, and the change. Each rule and each reason is a heading, at the first decision that has it.

    """

  static let text: String = {
    var writer = Writer()
    return introduction
      + RuleCatalog.topics.map { topic in
        "\n## \(topic.title)\n" + topic.rules.map { writer.rule($0) }.joined()
      }.joined()
  }()

  /// Writes each name as a heading once.
  private struct Writer {
    private var texts: [String: String] = [:]
    private var codes: Set<String> = []

    mutating func rule(_ rule: RuleHeading) -> String {
      let (name, text) = (rule.name, rule.title.text)
      guard texts[name] != text else { return "\nSee [\(name)](#\(name)).\n" }
      let isFirst = texts.updateValue(text, forKey: name) == nil && codes.insert(name).inserted
      let inputs = rule.inputs.isEmpty ? "" : "Reads \(rule.inputs.map { "`\($0)`" }.joined(separator: ", ")). "
      let origin = rule.title.origin.map { "Origin: \($0.text)." } ?? ""
      return "\n\(isFirst ? "### \(name)" : "**\(name)**")\n\n\(escaped(text))\n\n\(inputs)\(escaped(origin))\n"
        + rule.title.reasons.map { reason(of: rule, $0) }.joined()
    }

    private mutating func reason(of rule: RuleHeading, _ reason: RuleReason) -> String {
      let change = escaped(reason.change.prefix(1).uppercased() + reason.change.dropFirst()) + "."
      guard let code = reason.code, code != rule.name else { return "\n\(change)\n" }
      guard codes.insert(code).inserted else { return "\n**[\(code)](#\(code))**: \(change)\n" }
      return "\n#### \(code)\n\n\(change)\n"
    }

    private func escaped(_ text: String) -> String {
      text.replacing("*", with: "\\*").replacing("<", with: "\\<").replacing("_", with: "\\_")
    }
  }
}
