import PCMBrowser
import PCMCore

/// The body of `PUT /v1/browsers/{browser}`.
struct BrowserBody: Decodable {
  /// When it names the browser, it must name the one of the path.
  let name: String?
  let specification: BrowserSpecification

  init(from decoder: any Decoder) throws {
    var members = try MemberReader(decoder)
    name = members.optional("name", .text)
    let storage = members.choice("storage", of: StorageKind.self)
    let seed = members.optional("seed", .text)
    if let seed, !(1...128).contains(seed.count) { members.note(InputProblem(["seed"], "a seed has 1 to 128 characters")) }
    let clock = members.optional("clock", .object("an object with mode and now") as MemberKind<ClockBody>)
    let settings = members.optional("settings", .object("an object") as MemberKind<SettingsBody>)
    try members.finish()
    specification = BrowserSpecification(
      storage: storage, seed: seed, clockMode: clock?.mode, now: clock?.now, settings: settings?.change ?? SettingsChange())
  }

  private struct ClockBody: Decodable {
    let mode: ClockMode
    let now: Instant?

    init(from decoder: any Decoder) throws {
      var members = try MemberReader(decoder)
      let mode = members.choice("mode", of: ClockMode.self)
      let text = members.optional("now", .object("an RFC 3339 instant") as MemberKind<String>)
      now = members.instant(text, "now")
      if text != nil, mode != .manual {
        members.note(InputProblem(["now"], "only a manual clock can be set; the real one shows the machine's time"))
      }
      try members.finish()
      self.mode = mode ?? .real
    }
  }

  private struct SettingsBody: Decodable {
    let change: SettingsChange

    init(from decoder: any Decoder) throws {
      var members = try MemberReader(decoder)
      let retention = members.optional(
        "logRetention", .object("an object with maximumCount and maximumAge") as MemberKind<LogRetentionBody>)
      change = SettingsChange(
        measurementEnabled: members.optional("measurementEnabled", .flag),
        privateBrowsing: members.optional("privateBrowsing", .flag), debugMode: members.optional("debugMode", .flag),
        deliveryPolicy: members.choice("deliveryPolicy", of: DeliveryPolicy.self),
        reportURL: members.choice("reportURL", of: ReportURLChoice.self), logMaximumCount: retention?.maximumCount,
        logMaximumAge: retention?.maximumAge)
      try members.finish()
    }
  }
}

/// The member `logRetention` of the settings; what is absent stays as it is.
private struct LogRetentionBody: Decodable {
  let maximumCount: Int64?
  let maximumAge: Interval?

  init(from decoder: any Decoder) throws {
    var members = try MemberReader(decoder)
    let (counts, ages) = (LogRetention.counts, LogRetention.ages)
    let numbers = "an integer from \(counts.lowerBound) to \(counts.upperBound)"
    maximumCount = members.optional("maximumCount", .object(numbers) as MemberKind<Int64>)
    if let maximumCount, !counts.contains(maximumCount) {
      members.note(InputProblem(["maximumCount"], "maximumCount is \(numbers)"))
    }
    let text = members.optional("maximumAge", .object("an ISO 8601 duration such as P400D") as MemberKind<String>)
    maximumAge = members.interval(text, "maximumAge")
    if let maximumAge, !ages.contains(maximumAge) {
      members.note(InputProblem(["maximumAge"], "maximumAge is a duration from P1D to P36500D"))
    }
    try members.finish()
  }
}

/// The body of `POST …/clock/advance`: exactly one of four members.
struct AdvanceBody: Decodable {
  let move: ClockMove

  init(from decoder: any Decoder) throws {
    var members = try MemberReader(decoder)
    let by = members.optional("by", .object("an ISO 8601 duration such as PT48H or P7D") as MemberKind<String>)
    let to = members.optional("to", .object("an RFC 3339 instant such as 2026-11-20T10:00:00Z") as MemberKind<String>)
    let toNextEvent = members.optional("toNextEvent", .flag)
    let untilIdle = members.optional("untilIdle", .flag)
    let interval = members.interval(by, "by")
    let instant = members.instant(to, "to")
    for (name, flag) in [("toNextEvent", toNextEvent), ("untilIdle", untilIdle)] where flag == false {
      members.note(InputProblem([name], "\(name) can only be true; leave it out otherwise"))
    }
    try members.finish()
    let moves: [ClockMove?] = [
      interval.map { .by($0) }, instant.map { .to($0) }, toNextEvent.map { _ in .toNextEvent },
      untilIdle.map { _ in .untilIdle },
    ]
    let given = moves.compactMap { $0 }
    guard given.count == 1, let move = given.first else {
      throw BrowserError.invalidInput([InputProblem([], "give exactly one of by, to, toNextEvent and untilIdle")])
    }
    self.move = move
  }
}

extension MemberReader {
  mutating func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String, of type: Value.Type) -> Value? {
    let choices = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    guard let text = optional(name, .object(choices) as MemberKind<String>) else { return nil }
    let value = Value(rawValue: text)
    if value == nil { note(InputProblem([name], "\(name) is \(choices)")) }
    return value
  }

  mutating func instant(_ text: String?, _ name: String) -> Instant? {
    guard let text else { return nil }
    let instant = Instant(text: text)
    if instant == nil {
      note(
        InputProblem([name], "\"\(text)\" is not an RFC 3339 instant between 1970 and 9999, such as 2026-11-20T10:00:00.000Z"))
    }
    return instant
  }

  mutating func interval(_ text: String?, _ name: String) -> Interval? {
    guard let text else { return nil }
    let interval = Interval(text: text)
    if interval == nil {
      note(
        InputProblem(
          [name], "\"\(text)\" is not an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as PT48H"))
    }
    return interval
  }
}
