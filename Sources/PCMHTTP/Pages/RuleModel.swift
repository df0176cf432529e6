import PCMBrowser
import PCMPages

extension RulesPage {
  /// The rules of this version.
  static let all = RulesPage(
    RuleCatalog.sections.map { section in
      Section(
        title: section.title,
        rules: section.rules.map { Rule(name: $0.name, text: $0.text, origin: $0.origin, inputs: $0.inputs) })
    })
}
