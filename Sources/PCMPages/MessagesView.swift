/// The reports and postbacks of a browser, newest first, as they were sent.
package struct MessagesView: Hashable, Sendable {
  private let messages: [Message]

  package struct Message: Hashable, Sendable {
    fileprivate let id: String
    fileprivate let recipient: String
    fileprivate let url: String
    fileprivate let due: Int64
    fileprivate let state: String
    fileprivate let head: String
    fileprivate let body: String
    fileprivate let decoded: DecodedSignature?
    fileprivate let attempts: [Attempt]

    /// - Parameters:
    ///   - recipient: The recipient, such as "Source".
    ///   - state: The state as the API names it.
    ///   - head: The method, the URL, and the headers, a line each.
    ///   - decoded: The signature in the body; nil for a body without one.
    package init(
      id: String, recipient: String, url: String, due: Int64, state: String, head: String, body: String,
      decoded: DecodedSignature?,
      attempts: [Attempt]
    ) {
      self.id = id
      self.recipient = recipient
      self.url = url
      self.due = due
      self.state = state
      self.head = head
      self.body = body
      self.decoded = decoded
      self.attempts = attempts
    }
  }

  package struct Attempt: Hashable, Sendable {
    fileprivate let at: String
    fileprivate let outcome: String
    fileprivate let isDelivered: Bool
    fileprivate let phases: [Phase]
    fileprivate let response: String

    /// - Parameters:
    ///   - at: The time as text.
    ///   - outcome: The status of the response, or the error.
    ///   - phases: The phases of the exchange in order.
    ///   - response: The response with its status, headers, and body; empty without one.
    package init(at: String, outcome: String, isDelivered: Bool, phases: [Phase], response: String) {
      self.at = at
      self.outcome = outcome
      self.isDelivered = isDelivered
      self.phases = phases
      self.response = response
    }
  }

  package struct Phase: Hashable, Sendable {
    fileprivate let title: String
    fileprivate let end: Int64

    /// - Parameter end: The end in microseconds since the start of the exchange.
    package init(_ title: String, end: Int64) {
      self.title = title
      self.end = end
    }
  }

  package init(_ messages: [Message]) {
    self.messages = messages
  }

  package var markup: Markup {
    guard !messages.isEmpty else {
      return "<p class=\"empty\">No reports yet. An attribution schedules two.</p>"
    }
    return "<ul class=\"entries\">\n\(messages.map(\.markup))\n</ul>"
  }
}

extension MessagesView.Message {
  private var tone: String {
    switch state {
    case "delivered": "good"
    case "failed": "bad"
    case "scheduled", "sending": "plan"
    default: "quiet"
    }
  }

  fileprivate var markup: Markup {
    let sent: Markup = attempts.isEmpty ? "<p class=\"soft\">Not sent yet.</p>" : "\(attempts.map(\.markup))"
    return """
      <li><details data-key="\(id)"><summary><time>\(PageTime(milliseconds: due).text)</time>\
      <span><span class="badge \(tone)">\(state.prefix(1).uppercased() + state.dropFirst())</span> \(recipient)</span>\
      <span><code>\(url)</code></span></summary>
      <div><a href="#why=\(id)">Why \(id)?</a>
      <pre>\(head)

      \(body)</pre>
      \(decoded?.markup ?? .none)\(sent)</div></details></li>
      """
  }
}

extension MessagesView.Attempt {
  fileprivate var markup: Markup {
    let answer: Markup = response.isEmpty ? "" : "<pre>\(response)</pre>"
    return """
      <div class="attempt"><p><span class="badge \(isDelivered ? "good" : "bad")">\(outcome)</span> \
      <time class="soft">\(at)</time></p>\(waterfall)\(answer)</div>
      """
  }

  /// The phases of the exchange as bars of one line, and in words.
  private var waterfall: Markup {
    guard let total = phases.last?.end, total > 0 else { return "" }
    var (start, bars, words) = (Int64(0), [Markup](), [String]())
    for (index, phase) in phases.enumerated() {
      let end = max(phase.end, start)
      let (x, width) = (start * 1_000 / total, (end - start) * 1_000 / total)
      bars.append("<rect class=\"p\(index % 4)\" x=\"\(x)\" y=\"0\" width=\"\(width)\" height=\"14\"/>")
      words.append("\(phase.title) \((end - start) / 1_000).\((end - start) % 1_000 / 100) ms")
      start = end
    }
    return """
      <svg class="waterfall" viewBox="0 0 1000 14" preserveAspectRatio="none" aria-hidden="true">\
      <rect class="track" width="1000" height="14"/>\(bars)</svg><p class="soft">\(words.joined(separator: " · "))</p>
      """
  }
}
