import PCMBrowser
import PCMCore
import PCMPages

extension RulesPage {
  /// The rules of this version.
  static let all = RulesPage(
    RuleCatalog.sections.map { section in
      Section(
        title: section.title,
        rules: section.rules.map {
          Rule(name: $0.name, text: $0.title.text, origin: $0.title.section?.text ?? "", inputs: $0.inputs)
        })
    })
}
