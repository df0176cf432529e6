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
      <span>\(values(body)) \(request.text(of: "host"))\(path)</span></summary>
      <div>\(problems(request))\(facts.isEmpty ? .none : "<ul class=\"facts\">\(facts)</ul>")<pre>\(head)</pre>\
      \(body.isEmpty ? .none : "<pre>\(shown)</pre>")\(Markup.decodedSignature(in: shown))</div></details></li>
      """
  }

  /// The members of a report or a postback by which a reader recognizes it, in their order on a row.
  private static let shownMembers = [
    "source_id", "trigger_data", "source-identifier", "campaign-id", "conversion-value", "coarse-conversion-value",
    "postback-sequence-index", "did-win", "version",
  ]
  private static let mostOfValue = 40

  /// Returns the values on the row, also of the payload of a signature.
  private static func values(_ body: [UInt8]) -> [Markup] {
    guard let object = JSON(parsing: body) else { return [] }
    let parts = object["jws-string"]?.string?.split(separator: ".") ?? []
    let payload = parts.dropFirst().first.flatMap { Base64URL.decode(String($0)) }.flatMap { JSON(parsing: $0) }
    return shownMembers.compactMap { name in
      (object[name] ?? payload?[name]).map { "\(name) <b>\(String(($0.string ?? $0.text).prefix(mostOfValue)))</b>" }
    }
  }

  /// Returns the faults, each with its change.
  private static func problems(_ request: JSON) -> Markup {
    let tokens = Recipient.allCases.compactMap { request["tokens"]?[$0.rawValue] }
    let items = ([request] + tokens).compactMap { item -> Markup? in
      guard let code = item["code"]?.string, let detail = item["detail"]?.string else { return nil }
      return "<div class=\"change fault\"><p><code>\(code)</code> \(detail)</p>\(change(changes[code]))</div>"
    }
    let postback = request["postback"] ?? .null
    let faults = (postback["faults"]?.items ?? []).map { fault -> Markup in
      "<p><code>\(fault.text(of: "pointer"))</code> \(fault.text(of: "detail"))</p>"
    }
    // The detail of a rejected postback repeats its faults.
    guard items.isEmpty, !faults.isEmpty else { return "\(items)" }
    return "<div class=\"change fault\">\(faults)\(change(postback["fix"]?.string ?? unknownSigner))</div>"
  }

  private static func change(_ text: String?) -> Markup { text.map { "<p><b>Change:</b> \($0)</p>" } ?? .none }

  private static let unknownSigner =
    "Send the values as the device signed them. pcm-browser verify shows the text that the signature covers."

  /// The change for each code of a request and of a token.
  package static let changes = [
    "not-a-json-object": "Send one JSON object in UTF-8, without repeated members.",
    "member-missing": "Add the member.", "member-wrong": "Correct the value of the member.",
    "token-pair-incomplete": "Send both members of the pair, or neither.",
    "wrong-members": "Send exactly the members of the request, as the detail lists them.",
    "nonce-invalid": "Send 16 bytes in base64url.",
    "nonce-unknown": "Use the nonce of a link or a redirect of this endpoint. A restart forgets nonces.",
    "nonce-used": "Request a new nonce for each signature.",
    "blinded-token-invalid": "Encode the blinded token in base64url.",
    "blinded-token-wrong-size": "Blind the token with the key that the endpoint publishes: both have the same size.",
    "blinded-token-not-below-modulus": "Blind the token with the key that the endpoint publishes now.",
    "key-unusable": "Start the endpoint with both parts of one key.",
    "trigger-invalid": "Use trigger data from 0 to 15, and a priority from 0 to 63.",
    "not-a-postback": "Send a postback of SKAdNetwork or AdAttributionKit.",
    "postback-invalid": "Correct the values of the postback, and sign it again.",
    "wrong-framework": "Send the postback to the path of its framework.",
    "token-not-base64url": "Encode the token in base64url.", "token-wrong-size": "Send the token with the size in the detail.",
    "signature-not-base64url": "Encode the signature in base64url.",
    "signature-does-not-verify": "Sign the token with the key that the site publishes, and send it unchanged.",
  ]

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
      tokens + [
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
    default: verdict
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
