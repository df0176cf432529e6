import PCMCore
import PCMNetwork

/// An error in the body of a response with a 2xx status.
enum StatedError {
  /// Returns the beginning of the body, or the gRPC status, if it states an error; nil otherwise.
  static func statement(of exchange: ProbeExchange) -> String? {
    if let status = exchange.header("grpc-status"), status != "0" { return "grpc-status: \(Redaction.shown(status))" }
    let text = String(decoding: exchange.body.prefix(4_096), as: UTF8.self)
    if let page = PageText(exchange) {
      let isError = Wording(page.title.isEmpty ? page.paragraph : page.title).statesError || Wording(page.lines).isFatal
      return isError ? Redaction.redacted(page.lines) : nil
    }
    let isError =
      JSONResponse.object(of: exchange).map { states($0) }
      ?? (Wording(text).statesError || states(.object(StatedMembers.members(of: text))))
    return isError ? Redaction.line(text, limit: 160) : nil
  }

  /// - Parameter depth: The number of enclosing objects.
  private static func states(_ json: JSON, depth: Int = 0) -> Bool {
    switch json {
    case .object(let members):
      let members = members.map { (name: $0.name.lowercased().filter { $0.isLetter || $0.isNumber }, value: $0.value) }
      let verdicts = members.compactMap { name, value in meanings[name].flatMap { verdict($0, value) } }
      return verdicts.contains(.error) || verdicts.contains(.text) && !verdicts.contains(.success)
        || depth < 2
          && members.contains { envelopes.contains($0) && !$1.members.isEmpty && states($1, depth: depth + 1) }
    case .array(let items): return depth == 0 && items.contains { !$0.members.isEmpty && states($0, depth: 1) }
    case .string(let text): return Wording(text).statesError
    case .bool(let isTrue): return !isTrue
    case .number, .verbatim: return number(json).map { $0 <= 0 } ?? false
    case .null: return false
    }
  }

  /// The members that contain the result of a request, next to other members.
  private static let envelopes: Set = [
    "meta", "metadata", "header", "head", "response", "responsestatus", "result", "status", "envelope", "baseresp", "rsp",
    "resp",
  ]

  private enum Meaning {
    /// An error, or whether there is an error.
    case failure
    case success
    /// A Boolean. A number in its place is a count.
    case flag
    case errorCode
    case code
    case outcome
    case severity
    case errorText
    /// A text for people.
    case text
  }

  private enum Verdict {
    case error
    /// A text about an error. A member about success outweighs it.
    case text
    case success
  }

  /// The meanings of members by their names in lower case, without separators.
  private static let meanings: [String: Meaning] = Dictionary(
    [
      .failure:
        "error errors err exception exceptions fault faultcode faultstring failure failed fail haserror haserrors iserror",
      .success: "success ok succeeded succ successful issuccess issuccessful isok accepted",
      .flag: "valid isvalid received processed", .errorCode: "errorcode errcode errno errorno errornumber",
      .code:
        "code status statuscode httpstatus httpcode httpstatuscode responsecode respcode resultcode returncode retcode ret rc stat",
      .outcome: "result state outcome", .severity: "type level severity",
      .errorText:
        "errormessage errmsg errormsg errordescription errordetail errordetails errortype exceptionmessage stacktrace traceback",
      .text:
        "message msg detail title reason description info statusmessage statustext resultmessage resultmsg retmsg returnmsg",
    ].flatMap { (meaning: Meaning, names: String) in names.split(separator: " ").map { (String($0), meaning) } },
    uniquingKeysWith: { first, _ in first })

  private static func verdict(_ meaning: Meaning, _ value: JSON) -> Verdict? {
    let (text, number) = (value.string, number(value))
    switch meaning {
    case .failure: return isNothing(value) ? nil : .error
    case .success: return isFalse(value) ? .error : value == .bool(true) ? .success : nil
    case .flag: return number == nil && isFalse(value) ? .error : value == .bool(true) ? .success : nil
    case .errorCode where isNothing(value): return number == 0 || text.map { Wording($0).isGood } == true ? .success : nil
    case .errorCode: return number.map { (200..<300).contains($0) } == true ? .success : .error
    case .outcome where number.map { $0 > 0 } == true: return nil
    case .code, .outcome:
      if let number { return isErrorCode(number) ? .error : number == 0 || (200..<300).contains(number) ? .success : nil }
      if isFalse(value) { return .error }
      return text.flatMap { Wording($0).statesError ? .error : Wording($0).isGood ? .success : nil }
    case .severity: return ["error", "exception", "fatal", "critical"].contains(text?.lowercased()) ? .error : nil
    case .errorText: return isNothing(value) ? nil : .text
    case .text: return text.map { Wording($0).statesError } == true ? .text : nil
    }
  }

  private static func isFalse(_ value: JSON) -> Bool {
    value == .bool(false) || number(value) == 0 || ["false", "f", "no", "n", "fail"].contains(value.string?.lowercased())
  }

  private static func isNothing(_ value: JSON) -> Bool {
    switch value {
    case .null, .bool(false), .array([]): true
    case .object(let members): members.allSatisfy { isNothing($0.value) }
    case .string(let text): text.allSatisfy { $0 == "0" } || isFalse(value) && text != "fail" || Wording(text).isGood
    default: number(value) == 0
    }
  }

  private static func number(_ value: JSON) -> Int? {
    switch value {
    case .number(let number): Int(exactly: number)
    case .string(let text), .verbatim(let text): Int(text)
    default: nil
    }
  }

  /// Returns whether a number is negative, an error status, or an error status with two additional digits, such as 40001.
  private static func isErrorCode(_ number: Int) -> Bool {
    number < 0 || (400..<600).contains(number) || (40_000..<60_000).contains(number)
  }
}

/// The words and numbers of a text or code, in lower case: `errInvalidToken` has `err`, `invalid`, and `token`.
private struct Wording {
  private let text: String
  private let clauses: [[String]]

  init(_ text: String) {
    self.text = text
    clauses = text.filter { !"'’".contains($0) }.split { ",;.!&|\n".contains($0) }
      .map { $0.codeWords.map { $0.lowercased() } }.filter { !$0.isEmpty }
  }

  /// Whether the text begins with an error phrase, is short and contains an error phrase, is an error code, or shows a crash.
  var statesError: Bool {
    let code = /\s*(?:-\d+|0|false|no?|(?:err|[ef]|[abc](?=\d{4}))[\-_ ]?0*[1-9]\d*)[.!]?\s*/
    if isFatal || text.wholeMatch(of: code.ignoresCase()) != nil { return true }
    let first = Array((clauses.first ?? []).drop { Self.fillers.contains($0) })
    if Self.openings.contains(where: { first.starts(with: $0) && !Self.isDenied(first, 0, $0) }) { return true }
    let all = clauses.joined()
    return all.count { $0.first?.isLetter == true } <= 5 && !all.contains(where: Self.goodWords.contains)
      && has(Self.openings + Self.others)
  }

  /// Whether a short text has a word for success, or denies an error.
  var isGood: Bool {
    let all = Array(clauses.joined())
    guard all.count <= 3 else { return false }
    return all.starts(with: ["no", "error"]) || all == ["none"] || all == ["null"] || all == ["nil"]
      || all.contains(where: Self.goodWords.contains) && !all.contains("not")
  }

  /// Whether the text shows a crash, in the format of interpreters and frameworks.
  var isFatal: Bool { has(Self.endings) || text.contains(/[A-Za-z](?:Exception|Error)(?::|\s*\(|\s+at )/) }

  private func has(_ phrases: [[String]]) -> Bool {
    clauses.contains { clause in
      phrases.contains { phrase in
        clause.indices.contains { clause[$0...].starts(with: phrase) && !Self.isDenied(clause, $0, phrase) }
      }
    }
  }

  /// Returns whether a clause denies or counts an error, such as `no errors` and `error count: 0`.
  private static func isDenied(_ clause: [String], _ start: Int, _ phrase: [String]) -> Bool {
    let rest = clause[(start + phrase.count)...]
    if start > 0, ["no", "0", "without", "zero"].contains(clause[start - 1]) { return true }
    if phrase == ["not"], rest.first == "modified" { return true }
    let number = rest.first { $0.first?.isNumber == true } ?? "1"
    return number.allSatisfy { $0 == "0" } || ["none", "null", "nil"].contains(rest.last)
  }

  private static let goodWords: Set = [
    "ok", "okay", "success", "successful", "successfully", "succeed", "succeeded", "accepted", "received", "done", "created",
    "processed",
  ]

  /// Words before a statement.
  private static let fillers: Set = ["an", "a", "the", "http", "status", "sorry", "oops", "php"]

  /// Error phrases at the beginning of a text of any length.
  private static let openings = phrases(
    """
    error, errors, not found, 404, 403, 401, forbidden, unauthorized, access denied, no route, cannot, denied, missing authentication,
    method not allowed, invalid, bad request, permission denied, page not found, no such, unable to, could not, failed, failure, fail,
    service unavailable, bad gateway, gateway time, unknown path, unknown route, unknown error, route not, not, authentication required,
    authentication failed, no healthy upstream, upstream connect, default backend, server error, 500 internal, 502 bad, 503 service,
    400 bad, 405 method, err, panic
    """)

  /// Error phrases anywhere in a short text, such as a code.
  private static let others = phrases(
    """
    fails, fault, fatal, unauthenticated, rejected, refused, missing, exception, expired, unavailable, timeout, timedout, blocked,
    disallowed, unsupported, malformed, bad, ko, nok, ng, nack, exceeded, aborted, incorrect, wrong, illegal, notfound, unsuccessful
    """)

  /// Error phrases anywhere in a text.
  private static let endings = phrases(
    """
    fatal error, parse error, uncaught, unhandled exception, unhandled rejection, unhandled promise rejection,
    traceback most recent call last, stack trace, stacktrace, exception in thread, runtime error, segmentation fault, sqlstate,
    internal server error, php on line, undefined array key, undefined index, undefined variable, something went wrong,
    could not be found, was not found, an error occurred
    """)

  private static func phrases(_ list: String) -> [[String]] {
    list.split { ",\n".contains($0) }.map { $0.split(separator: " ").map(String.init) }.filter { !$0.isEmpty }
  }
}

/// The members of a text that is not JSON: of XML, of an HTML form, of lines, or of JSON within other text.
private enum StatedMembers {
  static func members(of text: String) -> [JSON.Member] {
    let isXML = text.drop(while: \.isWhitespace).hasPrefix("<")
    // Leaves, attributes, and elements with child elements; and pairs.
    let patterns =
      isXML
      ? [
        /<(?:[\w.\-]+:)?([\w\-]+)(?:\s[^<>]*)?>([^<>]*)<\//, /\s([\w\-]+)\s*=\s*["']([^"']*)["']/,
        /<(?:[\w.\-]+:)?([\w\-]+)(?:\s[^<>]*[^<>\/])?>\s*(?=(<)[^\/])/,
      ] : [/(?:^|[&,;{(\s"'?])([A-Za-z_\-]{2,24})["']?\s*[=:]\s*["']?([^&,;"'{}()\r\n]*)/]
    return patterns.flatMap { text.matches(of: $0) }.map { match in
      let value = match.output.2.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return JSON.Member(String(match.output.1), .string(value))
    }
  }
}
