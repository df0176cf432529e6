package import PCMCore

/// A message from the browser.
package enum DevToolsMessage: Hashable, Sendable {
  case event(DevToolsEvent)
  /// The result of a command, or nil if the browser refused the command.
  case answer(id: Int64, result: JSON?)
}

/// An event of the browser.
package struct DevToolsEvent: Hashable, Sendable {
  package let method: String
  package let params: JSON
  /// The session of the target; nil for the browser's session.
  package let session: String?

  package init(_ method: String, _ params: JSON, session: String? = nil) {
    self.method = method
    self.params = params
    self.session = session
  }
}

/// A command to the browser.
package struct DevToolsCommand: Hashable, Sendable {
  package let method: String
  package let params: JSON
  package let session: String?

  package init(_ method: String, _ params: JSON = [:], session: String? = nil) {
    self.method = method
    self.params = params
    self.session = session
  }

  func bytes(id: Int64) -> [UInt8] {
    let target = session.map { [JSON.Member("sessionId", .string($0))] } ?? []
    return JSON.object([.init("id", .number(id)), .init("method", .string(method)), .init("params", params)] + target).bytes
  }
}

/// The commands of a connection and their pending answers.
struct CommandTable {
  /// The browser answers commands within milliseconds, and a tab needs about ten.
  static let limit = 16_384

  private var last: Int64 = 0
  private var unanswered: [Int64: String] = [:]
  /// Commands to closed targets, which may remain without an answer.
  private var abandoned: Set<Int64> = []

  /// Returns the number of a new command.
  mutating func insert(session: String?) throws(DevToolsError) -> Int64 {
    guard unanswered.count < Self.limit else {
      throw DevToolsError(.tooLarge, "the browser left \(Self.limit) commands without an answer; restart it")
    }
    last += 1
    unanswered[last] = session ?? ""
    return last
  }

  /// Reads a message. Returns nil for messages without relevance: the answer of a closed target, and an event with invalid
  /// Unicode.
  mutating func message(_ bytes: [UInt8]) throws(DevToolsError) -> DevToolsMessage? {
    guard let json = JSON(parsing: bytes, keepingNumbers: true, keepingDuplicates: true) else {
      // A page can log an unpaired surrogate, or a deeply nested value.
      if bytes.starts(with: Array(#"{"method":"#.utf8)), JSON.isValid(bytes) { return nil }
      throw DevToolsError(.malformed, "the browser sent \(bytes.count) bytes that are not JSON")
    }
    if let method = json["method"]?.string {
      let params = json["params"] ?? [:]
      if method == "Target.detachedFromTarget", let session = params["sessionId"]?.string { abandon(session) }
      return .event(DevToolsEvent(method, params, session: json["sessionId"]?.string))
    }
    guard let id = json["id"]?.integer else {
      throw DevToolsError(.malformed, "the browser sent a message that is neither an event nor an answer")
    }
    if abandoned.remove(id) != nil { return nil }
    guard unanswered.removeValue(forKey: id) != nil else {
      throw DevToolsError(.malformed, "the browser answered command \(id), which was not sent or has an answer")
    }
    return .answer(id: id, result: json["error"] == nil ? json["result"] ?? [:] : nil)
  }

  private mutating func abandon(_ session: String) {
    let ids = unanswered.filter { $0.value == session }.map(\.key)
    for id in ids { unanswered[id] = nil }
    if abandoned.count + ids.count > Self.limit { abandoned = [] }
    abandoned.formUnion(ids)
  }
}
