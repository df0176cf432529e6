import PCMCore
import PCMNetwork

/// An error that the body of a response with a 2xx status states.
enum StatedError {
  /// Returns the beginning of the body when it states an error; nil otherwise.
  static func statement(of exchange: ProbeExchange) -> String? {
    let text = String(decoding: exchange.body.prefix(4_096), as: UTF8.self)
    if let page = PageText(exchange) {
      // The title of a page that a server returns for an error, or the first words of an error of PHP.
      let isError = isPhrase(page.title.isEmpty ? page.paragraph : page.title) || isFatal(page.lines)
      return isError ? Redaction.redacted(page.lines) : nil
    }
    let isError =
      JSONResponse.object(of: exchange).map { states($0) }
      ?? (isPhrase(text) || isFatal(text) || isWord(text) || states(.object(StatedMembers.members(of: text))))
    guard isError else { return nil }
    let line = Redaction.redacted(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    return line.count > 160 ? String(line.prefix(160)) + "…" : line
  }

  /// The members that contain the result of a request, around which other members are.
  private static let envelopes: Set = [
    "meta", "metadata", "header", "head", "response", "responsestatus", "result", "status", "envelope", "baseresp", "rsp",
    "resp",
  ]

  /// - Parameter depth: The number of objects around the value.
  private static func states(_ json: JSON, depth: Int = 0) -> Bool {
    switch json {
    case .object(let members):
      let members = members.map { (name: $0.name.lowercased().filter { $0.isLetter || $0.isNumber }, value: $0.value) }
      let isSuccess = members.contains { statesSuccess($0.name, $0.value) }
      return members.contains { name, value in
        isError(name, value) || !isSuccess && isMessage(name, value)
          || depth < 2 && envelopes.contains(name) && !value.members.isEmpty && states(value, depth: depth + 1)
      }
    case .array(let items): return depth == 0 && items.contains { !$0.members.isEmpty && states($0, depth: 1) }
    case .string(let text): return isWord(text) || isPhrase(text)
    case .bool(let isTrue): return !isTrue
    case .number(let number): return number < 0
    case .null, .verbatim: return false
    }
  }

  /// - Parameter name: The name of the member in lower case, without separators.
  private static func isError(_ name: String, _ value: JSON) -> Bool {
    switch name {
    case "error", "errors", "err", "exception", "exceptions", "fault", "failure", "failed", "fail", "haserror", "haserrors",
      "iserror":
      !isEmpty(value)
    case "success", "ok", "succeeded", "succ", "successful", "issuccess", "issuccessful", "isok", "accepted": isFalse(value)
    case "valid", "isvalid", "received", "processed": value == .bool(false) || value.string?.lowercased() == "false"
    case "errorcode", "errcode", "errno", "errorno", "errornumber":
      !isEmpty(value) && !isSuccessCode(value) && !isGood(value.string)
    case "code", "status", "statuscode", "httpstatus", "httpcode", "httpstatuscode", "responsecode", "respcode", "resultcode",
      "returncode", "retcode", "ret", "rc", "stat":
      number(value).map(isErrorCode) ?? (isFalse(value) || isWord(value.string))
    case "result", "state", "outcome":
      value == .bool(false) || number(value).map { $0 < 0 } ?? isWord(value.string)
    case "type", "level", "severity": ["error", "exception", "fatal", "critical"].contains(value.string?.lowercased())
    default: false
    }
  }

  /// Whether a member is a text for people that states an error.
  private static func isMessage(_ name: String, _ value: JSON) -> Bool {
    switch name {
    case "errormessage", "errmsg", "errormsg", "errordescription", "errordetail", "errordetails", "errortype",
      "exceptionmessage",
      "stacktrace", "traceback":
      return !isEmpty(value) && !isGood(value.string)
    case "message", "msg", "detail", "title", "reason", "description", "info", "statusmessage", "statustext", "resultmessage",
      "resultmsg", "retmsg", "returnmsg":
      return value.string.map { isPhrase($0) || isFatal($0) } ?? false
    default: return false
    }
  }

  private static func statesSuccess(_ name: String, _ value: JSON) -> Bool {
    switch name {
    case "success", "ok", "succeeded", "accepted", "received": value == .bool(true)
    case "code", "status", "statuscode", "errorcode", "errcode", "resultcode", "retcode", "ret", "result":
      isSuccessCode(value) || isGood(value.string)
    default: false
    }
  }

  private static func isFalse(_ value: JSON) -> Bool {
    value == .bool(false) || value == .number(0) || ["false", "no", "0", "fail"].contains(value.string?.lowercased())
  }

  private static func isEmpty(_ value: JSON) -> Bool {
    switch value {
    case .null, .bool(false), .number(0), .string(""), .array([]), .object([]): true
    case .verbatim(let text): text == "0"
    case .string(let text):
      text.allSatisfy { $0 == "0" }
        || ["false", "no", "none", "null", "nil", "ok", "success", "no error", "noerror", "no_error"].contains(
          text.lowercased())
    default: false
    }
  }

  private static func number(_ value: JSON) -> Int? {
    switch value {
    case .number(let number): Int(exactly: number)
    case .string(let text), .verbatim(let text): Int(text)
    default: nil
    }
  }

  private static func isSuccessCode(_ value: JSON) -> Bool {
    number(value).map { $0 == 0 || (200..<300).contains($0) } ?? false
  }

  /// Whether a number is negative, a status of an error, or begins with such a status, as 40001 does.
  private static func isErrorCode(_ number: Int) -> Bool {
    number < 0 || Int(String(number).prefix(3)).map { (400..<600).contains($0) } ?? false
  }

  private static let goodWords: Set = [
    "ok", "okay", "success", "successful", "successfully", "succeed", "succeeded", "accepted", "received", "done", "created",
    "processed",
  ]
  private static let badWords: Set = [
    "error", "errors", "err", "fail", "fails", "failed", "failure", "fault", "fatal", "invalid", "unauthorized",
    "unauthenticated",
    "forbidden", "denied", "rejected", "refused", "missing", "exception", "expired", "unavailable", "timeout", "blocked",
    "disallowed",
    "unsupported", "malformed", "bad", "ko", "nok", "ng", "nack", "exceeded", "aborted", "incorrect", "wrong", "illegal", "not",
    "notfound",
  ]

  /// Whether a short text, such as a code, has a word for failure and none for success: `AUTH_FAILED`, `NotFound`.
  private static func isWord(_ text: String?) -> Bool {
    guard let text, text.utf8.count <= 80 else { return false }
    let words = words(of: text)
    guard words.count <= 5, !words.starts(with: ["no"]) else { return false }
    let isNegated = words.first == "not" && words.count > 1 && words[1] != "modified"
    return isNegated || words.contains(where: badWords.contains) && !words.contains(where: goodWords.contains)
  }

  /// Whether a text has a word for success, or denies an error.
  private static func isGood(_ text: String?) -> Bool {
    guard let text else { return false }
    let words = words(of: text)
    return words.contains(where: goodWords.contains) || words.starts(with: ["no", "error"])
  }

  /// Returns the words of a text or a code in lower case: `errInvalidToken` has `err`, `invalid`, and `token`.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var previous: Character = " "
    for character in text {
      if character.isLetter {
        if !previous.isLetter || previous.isLowercase && character.isUppercase { words.append("") }
        words[words.count - 1].append(contentsOf: character.lowercased())
      }
      previous = character
    }
    return words
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
    "error", "not found", "404", "403", "401", "forbidden", "unauthorized", "access denied", "no route", "cannot ", "denied",
    "missing authentication", "method not allowed", "internal server error", "invalid", "bad request", "permission denied",
    "page not found", "no such", "unable to", "could not", "failed", "failure", "service unavailable", "bad gateway",
    "gateway time", "unknown path", "unknown route", "unknown error", "route not", "not allowed", "not authorized",
    "not authenticated", "authentication required", "authentication failed", "no healthy upstream", "upstream connect",
    "default backend", "something went wrong", "an error", "server error", "500 internal", "502 bad", "503 service", "400 bad",
    "405 method",
  ]

  /// Whether a text contains the end of a program, as interpreters and frameworks print it.
  private static func isFatal(_ text: String) -> Bool {
    let text = text.lowercased()
    return fatalParts.contains(where: text.contains)
  }

  private static let fatalParts = [
    "fatal error", "parse error: ", "uncaught ", "unhandled exception", "unhandled rejection", "unhandledpromiserejection",
    "traceback (most recent call last)", "stack trace:", "stacktrace:", "exception in thread", "panic: ", "segmentation fault",
    "sqlstate[", "nullpointerexception", "nullreferenceexception", "typeerror: ", "referenceerror: ", "syntaxerror: ",
    "rangeerror: ", "runtimeerror: ", "valueerror: ", "keyerror: ", "attributeerror: ", "importerror: ", "nomethoderror",
    "modulenotfounderror", "internal server error", "exception: ",
  ]
}

/// The members of a text that is not JSON: of XML, of a form, of lines, or of JSON inside other text.
private enum StatedMembers {
  static func members(of text: String) -> [JSON.Member] {
    guard !text.drop(while: \.isWhitespace).hasPrefix("<") else {
      let leaves = text.matches(of: /<(?:[\w.\-]+:)?([\w\-]+)(?:\s[^<>]*)?>([^<>]*)<\//).map { ($0.output.1, $0.output.2) }
      let attributes = text.matches(of: /\s([\w\-]+)\s*=\s*["']([^"']*)["']/).map { ($0.output.1, $0.output.2) }
      return members(leaves + attributes)
    }
    let pairs = text.matches(of: /(?:^|[&,;{(\s"'?])([A-Za-z_\-]{2,24})["']?\s*[=:]\s*["']?([^&,;"'{}()\r\n]*)/)
    return members(pairs.map { ($0.output.1, $0.output.2) })
  }

  private static func members(_ pairs: [(Substring, Substring)]) -> [JSON.Member] {
    pairs.map { name, value in
      JSON.Member(String(name), .string(value.split(whereSeparator: \.isWhitespace).joined(separator: " ")))
    }
  }
}
