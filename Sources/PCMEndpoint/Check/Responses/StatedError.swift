import PCMCore
import PCMNetwork

/// An error that the body of a response with a 2xx status states.
enum StatedError {
  /// Returns the beginning of the body when it states an error; nil otherwise.
  static func statement(of exchange: ProbeExchange) -> String? {
    if let page = PageText(exchange) {
      // The title of a page that a server returns for an error, or the first words of an error of PHP.
      return isPhrase(page.title.isEmpty ? page.paragraph : page.title) ? Redaction.redacted(page.lines) : nil
    }
    let text = String(decoding: exchange.body.prefix(4_096), as: UTF8.self)
    let isError = JSONResponse.object(of: exchange).map(states) ?? isPhrase(text)
    guard isError else { return nil }
    let line = Redaction.redacted(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    return line.count > 160 ? String(line.prefix(160)) + "…" : line
  }

  private static func states(_ json: JSON) -> Bool {
    json.members.contains { member in isError(member.name.lowercased().filter { $0 != "_" && $0 != "-" }, member.value) }
  }

  /// - Parameter name: The name of the member in lower case, without separators.
  private static func isError(_ name: String, _ value: JSON) -> Bool {
    switch name {
    case "error", "errors", "err", "exception", "fault", "errormessage": !isEmpty(value)
    case "success", "ok", "succeeded", "accepted": isFalse(value)
    case "errorcode": !isEmpty(value) && value.string?.lowercased() != "ok"
    case "code", "status", "statuscode", "httpstatus", "httpcode":
      number(value).map { (400..<600).contains($0) } ?? (isFalse(value) || isWord(value.string))
    case "result", "state": value == .bool(false) || isWord(value.string)
    case "message", "msg", "detail", "title", "reason": value.string.map(isPhrase) ?? false
    default: false
    }
  }

  private static func isFalse(_ value: JSON) -> Bool {
    value == .bool(false) || value == .number(0) || value.string?.lowercased() == "false"
  }

  private static func isEmpty(_ value: JSON) -> Bool {
    switch value {
    case .null, .bool(false), .number(0), .string(""), .array([]), .object([]): true
    case .verbatim(let text): text == "0"
    case .string(let text):
      ["0", "none", "null", "ok", "success", "no error", "noerror"].contains(text.lowercased())
    default: false
    }
  }

  private static func number(_ value: JSON) -> Int? {
    switch value {
    case .number(let number): Int(number)
    case .string(let text), .verbatim(let text): Int(text)
    default: nil
    }
  }

  private static func isWord(_ text: String?) -> Bool {
    let words = [
      "error", "fail", "failed", "failure", "unauthorized", "forbidden", "denied", "rejected", "invalid", "notfound",
    ]
    return text.map { text in words.contains(text.lowercased().filter(\.isLetter)) } ?? false
  }

  /// Whether a short text begins as those with which servers answer without a route or without permission.
  private static func isPhrase(_ text: String) -> Bool {
    let start = text.drop(while: \.isWhitespace).prefix(64).lowercased()
    return phrases.contains { start.hasPrefix($0) } || start.hasPrefix("<") && isFault(text.lowercased())
  }

  /// Whether XML is a SOAP fault, or an error of a storage service.
  private static func isFault(_ text: String) -> Bool {
    text.contains("<faultcode>") || text.contains(":fault>") || text.contains("<error>") && text.contains("<code>")
  }

  private static let phrases = [
    "error", "not found", "404", "403", "401", "forbidden", "unauthorized", "access denied", "no route", "cannot post",
    "denied",
    "missing authentication", "method not allowed", "internal server error", "invalid", "bad request", "permission denied",
    "page not found", "no such", "fatal error", "parse error", "uncaught",
  ]
}
