/// The state of a browser at a glance.
package struct BrowserSummary: Hashable, Sendable {
  let name: String
  let path: String
  let isManual: Bool
  let storage: String
  let labels: [Label]
  let now: Int64
  let counts: [Count]
  let lastEvent: String
  let logEnd: Int64

  /// A number of records with its title, a plain noun.
  package struct Count: Hashable, Sendable {
    let title: String
    let number: Int
    let isPartial: Bool

    /// - Parameter isPartial: Whether there are more than were counted.
    package init(_ title: String, _ number: Int, isPartial: Bool = false) {
      self.title = title
      self.number = number
      self.isPartial = isPartial
    }
  }

  /// A label, and the path of the list of browsers that have it.
  package struct Label: Hashable, Sendable {
    let text: String
    let path: String

    package init(_ text: String, path: String) {
      self.text = text
      self.path = path
    }
  }

  /// - Parameters:
  ///   - path: The path of the browser's page, percent-encoded.
  ///   - now: The time of the browser's clock, in milliseconds since 1970.
  ///   - lastEvent: The kind of the last event, or that there is none.
  ///   - logEnd: The number of the last event.
  package init(
    name: String, path: String, isManual: Bool, storage: String, labels: [Label], now: Int64, counts: [Count],
    lastEvent: String, logEnd: Int64
  ) {
    self.name = name
    self.path = path
    self.isManual = isManual
    self.storage = storage
    self.labels = labels
    self.now = now
    self.counts = counts
    self.lastEvent = lastEvent
    self.logEnd = logEnd
  }

  var badges: Markup {
    """
    <span class="badge info">\(isManual ? "Manual clock" : "Real clock")</span> \
    <span class="badge quiet">\(storage.prefix(1).uppercased() + storage.dropFirst())</span> \
    <time class="soft">\(PageTime(milliseconds: now).text) UTC</time>
    """
  }

  var tags: Markup {
    let links = labels.map { label -> Markup in
      "<a class=\"badge quiet\" href=\"\(label.path)\" data-key=\"\(name)-\(label.text)\">\(label.text)</a>"
    }
    return links.isEmpty ? .none : "\n<p class=\"labels\">\(links)</p>"
  }

  var facts: Markup {
    let items = counts.map { count -> Markup in
      "<li>\(count.title) <b>\(count.number)\(count.isPartial ? "+" : "")</b></li>"
    }
    return "<ul class=\"facts\">\(items)</ul>"
  }

  /// The summary on the browser's own page. The page follows the log from `data-end` on.
  package var markup: Markup {
    "<div data-end=\"\(logEnd)\"\(isManual ? " data-manual" : "")><p>\(badges)</p>\(tags)\(facts)<p class=\"soft\">Last event: \(lastEvent)</p></div>"
  }
}
