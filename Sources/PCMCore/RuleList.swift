/// The rules of a decision in their order: what an explanation of the decision lists.
///
/// The log refers to a list by its identifier and a store keeps the list itself once, so that an old decision is explained
/// by the rules that made it, whatever the rules are called today.
package struct RuleList: Hashable, Sendable {
  package let headings: [RuleHeading]
  /// Derived from the content: the same rules have the same identifier in every version of the service.
  package let id: String
  /// One line for each rule: its name, then the names of the values that it looks at, with spaces between them.
  package let text: String

  package init(_ headings: [RuleHeading]) {
    self.headings = headings
    text = headings.map { ([$0.name] + $0.sees).joined(separator: " ") }.joined(separator: "\n")
    id = Self.id(of: text)
  }

  /// A list as it was stored.
  package init(text: String) {
    self.init(
      text.split(separator: "\n").map { line in
        let words = line.split(separator: " ").map(String.init)
        return RuleHeading(name: words.first ?? "", sees: Array(words.dropFirst()))
      })
  }

  static func + (left: RuleList, right: RuleList) -> RuleList { RuleList(left.headings + right.headings) }

  /// FNV-1a, of which 48 bits are kept: twelve characters fit into a string that needs no allocation.
  private static func id(of text: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(hash >> 16, radix: 16)
    return String(repeating: "0", count: 12 - digits.count) + digits
  }

  /// A list as a decision names it. References are equal when their identifiers are.
  package struct Reference: Hashable, Sendable {
    package let id: String
    /// The rules; nil when the decision was read from the log, which keeps the identifier only.
    package let list: RuleList?

    init(_ list: RuleList) { (id, self.list) = (list.id, list) }
    init(id: String) { (self.id, list) = (id, nil) }

    package static func == (left: Self, right: Self) -> Bool { left.id == right.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
  }
}
