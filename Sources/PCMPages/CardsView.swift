package import PCMCore

/// The content cards of a device as its apps see them, with buttons for a user's actions.
package enum CardsView {
  /// - Parameters:
  ///   - cards: The cards as the API returns them, each with its app, in the order of the feeds.
  ///   - device: The name of the device.
  ///   - hasMore: Whether further cards are not shown.
  package static func markup(_ cards: [(app: String, card: JSON)], of device: String, hasMore: Bool) -> Markup {
    guard !cards.isEmpty else {
      return "<p class=\"empty\">No content cards yet. The form “Content cards” sends a feed to an app.</p>"
    }
    let rest: Markup = hasMore ? "<p class=\"soft\">GET apps/{bundleIdentifier}/cards lists further cards.</p>" : .none
    return "<ul class=\"entries\">\n\(cards.map { entry($0.card, in: $0.app, device) })\n</ul>\(rest)"
  }

  private static func entry(_ card: JSON, in app: String, _ device: String) -> Markup {
    let (id, idString, metadata) = (card.text(of: "id"), card["idString"]?.string, card["metadata"]?.parsed ?? .null)
    let texts =
      ["title", "cardDescription", "image"].compactMap { metadata[$0]?.string } + (metadata["extras"].map { [$0.text] } ?? [])
    let reasons = card["reasons"]?.items.map { "\($0.text(of: "code")): \($0.text(of: "detail"))" } ?? []
    let counts = card["analytics"]?.members.filter { $0.value != 0 }.map { "\($0.name) \($0.value.text)" } ?? []
    let facts = [app, idString, card["classType"]?.string, card["ad"]?.string.map { "ad \($0)" }].compactMap { $0 } + counts
    let isShown = card["outcome"]?.string == "shown"
    let shown: Markup = isShown ? "<span class=\"badge good\">Shown</span>" : "<span class=\"badge bad\">Dropped</span>"
    return """
      <li class="row" data-key="\(id)"><div>\(shown) \((texts + reasons).map { $0.asShown(upTo: 300) }.joined(separator: " · "))
      <p class="soft">\(facts.map { $0.asShown(upTo: 300) }.joined(separator: " · ")) · <a href="#why=\(id)">Why \(id)?</a></p></div>
      \(idString.map { buttons("\(app)/\($0)", device) } ?? [])</li>
      """
  }

  private static func buttons(_ subject: String, _ device: String) -> [Markup] {
    let calls = [
      ("Display", CardImpressionInput.path(in: device, on: subject)), ("Click", CardClickInput.path(in: device, on: subject)),
      ("Dismiss", CardDismissalInput.path(in: device, on: subject)),
    ]
    return calls.map { title, path in "<button data-card=\"\(path)\">\(title)</button>" }
  }
}
