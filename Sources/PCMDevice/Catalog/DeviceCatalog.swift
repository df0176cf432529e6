/// The rules of the device and its reasons, as the API and the explanations list them.
package enum DeviceCatalog {
  /// In the order of the decisions. A rule that several decisions have is listed once.
  package static let rules = partyRules + impressionRules + webAdRules + installRules + conversionRules

  /// The codes of ``Reason``. A code that several decisions have is listed once.
  package static let reasons = impressionReasons + tableReasons + installReasons + conversionReasons
}

/// A rule, or the code of a reason, with its explanation.
package struct CatalogEntry: Hashable, Sendable {
  /// In kebab case. Stable.
  package let id: String
  /// A rule's requirement, or what a reason means, without a period.
  package let title: String
  /// What the rule protects, or what the reason follows from.
  package let text: String
  package let section: ReferenceSection

  init(_ id: String, _ title: String, _ text: String, _ section: ReferenceSection) {
    self.id = id
    self.title = title
    self.text = text
    self.section = section
  }
}

/// A section of the references on which the rules rest.
package enum ReferenceSection: Hashable, Sendable {
  case skAdNetwork(String)
  case adAttributionKit(String)

  /// Such as `SKAdNetwork, section 2.2`.
  package var text: String {
    switch self {
    case .skAdNetwork(let number): "SKAdNetwork, section \(number)"
    case .adAttributionKit(let number): "AdAttributionKit, section \(number)"
    }
  }
}
