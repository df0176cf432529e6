package import PCMCore

/// The newest requests of a report endpoint with their verdicts, newest first.
package enum ReceivedView {
  /// The most bytes of a body on the page.
  private static let mostOfBody = 4_096

  /// - Parameters:
  ///   - requests: The requests as the endpoint lists them, with their bodies as received, newest first.
  ///   - hasMore: Whether earlier requests are not shown.
  ///   - isFiltered: Whether only requests of one kind are shown.
  package static func markup(_ requests: some Sequence<(JSON, body: [UInt8])>, hasMore: Bool, isFiltered: Bool) -> Markup {
    let entries = requests.map(entry)
    guard !entries.isEmpty else {
      if isFiltered { return .noMatch("No requests of this kind.", of: "received") }
      return "<p class=\"empty\">No requests yet. Direct a browser here with serve --connect-to.</p>"
    }
    let rest: Markup = hasMore ? "<p class=\"soft\">GET /admin/requests lists earlier requests.</p>" : .none
    return "<ul class=\"entries\">\n\(entries)\n</ul>\(rest)"
  }

  private static func entry(_ request: JSON, body: [UInt8]) -> Markup {
    let (verdict, path) = (request.text(of: "verdict"), request.text(of: "path"))
    let facts = facts(request).map { fact -> Markup in "<li>\(fact.name) <b>\(fact.value)</b></li>" }
    let headers = request["headers"]?.items.map { "\($0.text(of: "name")): \($0.text(of: "value"))" } ?? []
    let head = (["\(request.text(of: "method")) \(path)"] + headers).joined(separator: "\n")
    let rest = body.count - mostOfBody
    let text = String(decoding: body.prefix(mostOfBody), as: UTF8.self)
    let shown = rest > 0 ? "\(text)\n… \(rest) more bytes in GET /admin/requests" : text
    return """
      <li><details data-key="request-\(request["number"]?.integer ?? 0)"><summary>\
      <time>\(request.text(of: "at").shownTime)</time>\
      <span><span class="badge \(tone(verdict))">\(request.text(of: "kind")): \(verdict == "refused" ? "rejected" : verdict)</span></span>\
      <span>\(request.text(of: "host"))\(path)</span></summary>
      <div>\(facts.isEmpty ? .none : "<ul class=\"facts\">\(facts)</ul>")<pre>\(head)</pre>\
      \(body.isEmpty ? .none : "<pre>\(shown)</pre>")\(Markup.decodedSignature(in: shown))</div></details></li>
      """
  }

  private static func tone(_ verdict: String) -> String {
    switch verdict {
    case "accepted": "good"
    case "duplicate", "unverifiable": "doubtful"
    case "forged", "refused": "bad"
    default: "quiet"
    }
  }

  /// Returns the details of the verdict.
  private static func facts(_ request: JSON) -> [(name: String, value: String)] {
    let tokens = [("Source token", "source"), ("Destination token", "destination")].map { title, recipient in
      (title, request["tokens"]?[recipient].flatMap(token))
    }
    let postback = request["postback"] ?? .null
    let facts =
      [("Reason", request["code"]?.string.map { "\($0): \(request.text(of: "detail"))" })] + tokens + [
        ("Signature", postback["verdict"]?.string), ("Key", postback["key"]?.string),
        ("Environment", postback["environment"]?.string),
        ("Duplicate of request", postback["duplicateOf"]?.integer.map { "\($0)" }), ("Fault", request["fault"]?.string),
      ]
    return facts.compactMap { name, value in value.map { (name, $0) } }
  }

  private static func token(_ token: JSON) -> String? {
    let verdict = token.text(of: "verdict")
    return switch verdict {
    case "": nil
    case "verified": "verified with key \(token.text(of: "keyId"))"
    case "duplicate": "duplicate, key \(token.text(of: "keyId"))"
    case "unverified": "unverified: the signing site's key is unknown"
    default: "\(verdict): \(token.text(of: "code")), \(token.text(of: "detail"))"
    }
  }
}

/// The faults that a report endpoint will inject, in the order in which they apply.
package enum FaultsView {
  /// - Parameter faults: The faults as the endpoint lists them.
  package static func markup(_ faults: [JSON]) -> Markup {
    guard !faults.isEmpty else { return "<p class=\"empty\">No faults. Every response is regular.</p>" }
    let items = faults.enumerated().map { index, fault -> Markup in
      let title = fault.text(of: "fault")
      return """
        <li class="row middle"><span><span class="badge doubtful">\(title)</span> \(facts(fault).joined(separator: ", "))</span>\
        <button type="button" class="danger" data-fault="\(index)" data-key="fault-\(index)" \
        aria-label="Remove \(title)">Remove</button></li>
        """
    }
    return "<ul class=\"entries\">\n\(items)\n</ul>"
  }

  /// Returns when the fault applies, and its values.
  private static func facts(_ fault: JSON) -> [String] {
    var facts = [fault["on"]?.string.map { "on \($0)" } ?? "on all requests"]
    if let host = fault["host"]?.string { facts.append("at \(host)") }
    if let status = fault["status"]?.integer {
      facts.append("status \(status)" + (fault["location"]?.string.map { " to \($0)" } ?? ""))
    }
    if let pause = fault["milliseconds"]?.integer { facts.append("\(pause) ms") }
    if let probability = fault["probability"]?.text, probability != "1.0" { facts.append("probability \(probability)") }
    facts.append(fault["times"]?.integer.map { $0 == 0 ? "used up" : "\($0) more time\($0 == 1 ? "" : "s")" } ?? "always")
    return facts
  }
}
