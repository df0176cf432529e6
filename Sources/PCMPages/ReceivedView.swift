/// The newest requests of a report endpoint with their verdicts, newest first.
package struct ReceivedView: Hashable, Sendable {
  package enum Tone: String, Hashable, Sendable {
    case good, bad, doubtful, quiet
  }

  package struct Entry: Hashable, Sendable {
    let number: Int64
    let at: Int64
    let kind: String
    let verdict: String
    let tone: Tone
    let target: String
    let facts: [Fact]
    let head: String
    let body: String
    let decoded: DecodedSignature?

    /// - Parameters:
    ///   - at: Milliseconds since 1970.
    ///   - target: The host and path.
    ///   - facts: What the verdict says in detail.
    ///   - head: The request line and the headers, a line each.
    ///   - decoded: The signature in the body; nil for a body without one.
    package init(
      number: Int64, at: Int64, kind: String, verdict: String, tone: Tone, target: String, facts: [Fact], head: String,
      body: String, decoded: DecodedSignature?
    ) {
      self.number = number
      self.at = at
      self.kind = kind
      self.verdict = verdict
      self.tone = tone
      self.target = target
      self.facts = facts
      self.head = head
      self.body = body
      self.decoded = decoded
    }
  }

  package struct Fact: Hashable, Sendable {
    let name: String
    let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  let entries: [Entry]
  let hasMore: Bool
  let isFiltered: Bool

  /// - Parameters:
  ///   - hasMore: Whether earlier requests are not shown.
  ///   - isFiltered: Whether only requests of one kind are shown.
  package init(_ entries: [Entry], hasMore: Bool, isFiltered: Bool) {
    self.entries = entries
    self.hasMore = hasMore
    self.isFiltered = isFiltered
  }

  package var markup: Markup {
    guard !entries.isEmpty else {
      if isFiltered { return FilterView.noMatch("No requests of this kind.", of: "received") }
      return "<p class=\"empty\">No requests yet. Direct a browser here with serve --connect-to.</p>"
    }
    let rest: Markup = hasMore ? "<p class=\"soft\">GET /admin/requests lists earlier requests.</p>" : .none
    return "<ul class=\"entries\">\n\(entries.map(\.markup))\n</ul>\(rest)"
  }
}

extension ReceivedView.Entry {
  fileprivate var markup: Markup {
    let facts = facts.map { fact -> Markup in "<li>\(fact.name) <b>\(fact.value)</b></li>" }
    return """
      <li><details data-key="request-\(number)"><summary><time>\(PageTime(milliseconds: at).text)</time>\
      <span><span class="badge \(tone.rawValue)">\(kind): \(verdict)</span></span><span>\(target)</span></summary>
      <div>\(facts.isEmpty ? .none : "<ul class=\"facts\">\(facts)</ul>")<pre>\(head)</pre>\
      \(body.isEmpty ? .none : "<pre>\(body)</pre>")\(decoded?.markup ?? .none)</div></details></li>
      """
  }
}

/// The faults that a report endpoint will inject, in the order in which they apply.
package struct FaultsView: Hashable, Sendable {
  package struct Rule: Hashable, Sendable {
    let title: String
    let facts: [String]

    /// - Parameter facts: When the fault applies, and its values.
    package init(title: String, facts: [String]) {
      self.title = title
      self.facts = facts
    }
  }

  let rules: [Rule]

  package init(_ rules: [Rule]) {
    self.rules = rules
  }

  package var markup: Markup {
    guard !rules.isEmpty else { return "<p class=\"empty\">No faults. Every response is regular.</p>" }
    let items = rules.enumerated().map { index, rule -> Markup in
      """
      <li class="row middle"><span><span class="badge doubtful">\(rule.title)</span> \(rule.facts.joined(separator: ", "))</span>\
      <button type="button" class="danger" data-fault="\(index)" data-key="fault-\(index)" \
      aria-label="Remove \(rule.title)">Remove</button></li>
      """
    }
    return "<ul class=\"entries\">\n\(items)\n</ul>"
  }
}
