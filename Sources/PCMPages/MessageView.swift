package import PCMCore

/// A report or a postback as it was sent.
package enum MessageView {
  /// - Parameters:
  ///   - message: The report or the postback as the API returns it.
  ///   - head: The method, the URL, and the headers of its request, a line each.
  package static func markup(_ message: JSON, head: String) -> Markup {
    let body = message["body"]?.text ?? ""
    let attempts = message["attempts"]?.items.map { attempt($0.parsed) } ?? []
    let sent: Markup = attempts.isEmpty ? "<p class=\"soft\">Not sent yet.</p>" : "\(attempts)"
    return """
      <h3>The request\(attempts.isEmpty ? ", as it will be sent" : ", as sent")</h3>
      <pre>\(head)

      \(body)</pre>
      \(Markup.decodedSignature(in: body))<h3>\(attempts.count > 1 ? "The responses" : "The response")</h3>\(sent)
      """
  }

  /// Returns how an attempt ended, such as `200 in 8 ms`.
  static func outcome(of attempt: JSON) -> String {
    let time = (attempt["timings"]?.parsed.microseconds("total")).map { " in \($0 / 1_000) ms" } ?? ""
    return attempt["error"]?["code"]?.string ?? attempt["httpStatus"]?.integer.map { "\($0)\(time)" } ?? "no response"
  }

  static func tone(_ state: String) -> String {
    switch state {
    case "delivered": "good"
    case "failed": "bad"
    case "scheduled", "sending": "plan"
    default: "quiet"
    }
  }

  private static func attempt(_ attempt: JSON) -> Markup {
    let error = attempt["error"]?["detail"]?.string
    let outcome = error ?? attempt["httpStatus"]?.integer.map { "Status \($0)" } ?? "No response"
    let target: Markup = attempt["forwardedTo"]?.string.map { "<span class=\"soft\">to \($0) without TLS</span> " } ?? ""
    return """
      <div class="attempt"><p><span class="badge \(error == nil ? "good" : "bad")">\(outcome)</span> \(target)\
      <time class="soft">\(attempt.text(of: "at"))</time></p>\(waterfall(attempt["timings"] ?? .null))\(response(attempt))</div>
      """
  }

  /// The recorded response: its status line, its media type, and the beginning of its body.
  private static func response(_ attempt: JSON) -> Markup {
    guard let response = attempt["response"], let status = attempt["httpStatus"]?.integer else { return "" }
    let version = attempt["httpVersion"]?.string.map { "HTTP/\($0) " } ?? ""
    let type = response["contentType"]?.string.map { "\ncontent-type: \($0)" } ?? ""
    let body = response.text(of: "body")
    let rest = response["truncated"] == .bool(true) ? "…" : ""
    return "<pre>\("\(version)\(status)\(type)" + (body.isEmpty ? "" : "\n\n\(body)\(rest)"))</pre>"
  }

  /// The phases of the exchange as bars of one line, and in words.
  private static func waterfall(_ timings: JSON) -> Markup {
    let names = [("dns", "DNS"), ("connect", "Connect"), ("tls", "TLS"), ("firstByte", "First byte"), ("total", "Body")]
    let phases = names.compactMap { name, title in timings.microseconds(name).map { (title: title, end: $0) } }
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

extension JSON {
  /// Returns a duration such as `PT0.001234S` in microseconds.
  func microseconds(_ name: String) -> Int64? {
    let parts = text(of: name).dropFirst(2).dropLast().split(separator: ".")
    guard parts.count == 2, let seconds = Int64(parts[0]), let rest = Int64(parts[1]) else { return nil }
    return seconds * 1_000_000 + rest
  }
}
