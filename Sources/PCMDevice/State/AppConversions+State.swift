package import PCMCore
internal import PCMCrypto

extension AppConversions {
  /// The stored form.
  package var state: JSON {
    .state([
      "conversions": .array(conversions.map(\.state)), "lastInstallAt": .number(past.installAt?.milliseconds),
      "lastReengagementAt": .number(past.reengagementAt?.milliseconds),
    ])
  }

  package init(state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    self.init(
      conversions: try reader.items("conversions") { (item) throws(UnreadableState) in try Conversion(state: item) },
      past: PastConversions(
        installAt: try reader.optionalInstant("lastInstallAt"),
        reengagementAt: try reader.optionalInstant("lastReengagementAt")))
  }
}

extension Conversion {
  fileprivate var state: JSON {
    var (timer, windows): (JSON, JSON) = (.null, .null)
    switch course {
    case .timer(let course): timer = course.state
    case .windows(let course): windows = course.state
    }
    return .state([
      "id": .number(id), "type": .string(type.rawValue), "winner": winner.state, "runnersUp": .array(runnersUp.map(\.state)),
      "marketplace": .string(marketplace), "country": .string(country), "convertedAt": .number(convertedAt.milliseconds),
      "tag": .string(tag), "timing": .string(timing.rawValue),
      "windowStart": .string(windowStart.rawValue), "firstLaunchAt": .number(firstLaunchAt?.milliseconds),
      "timer": timer, "windows": windows, "development": development?.state ?? .null,
    ])
  }

  fileprivate init(state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    let course: Course
    if let timer = try reader.optional("timer", { $0 }) {
      course = .timer(try RollingTimer(state: timer))
    } else {
      course = .windows(try ConversionWindows(state: reader.required("windows") { $0 }))
    }
    self.init(
      id: try reader.number("id"), type: try reader.word("type"),
      winner: try KeptImpression(state: reader.required("winner") { $0 }),
      runnersUp: try reader.items("runnersUp") { (item) throws(UnreadableState) in try KeptImpression(state: item) },
      marketplace: try reader.text("marketplace"), country: try reader.optionalCountry("country"),
      convertedAt: try reader.instant("convertedAt"), tag: try reader.optionalText("tag"), timing: try reader.word("timing"),
      windowStart: try reader.word("windowStart"),
      firstLaunchAt: try reader.optionalInstant("firstLaunchAt"), course: course,
      development: try reader.optional("development") { try? DevelopmentPostback(state: $0) })
  }
}

extension DevelopmentPostback {
  fileprivate var state: JSON {
    .state([
      "url": .string(url), "site": .string(site.domain), "didWin": .bool(didWin), "crowds": .array(crowds.map(\.state)),
    ])
  }

  fileprivate init(state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    self.init(
      url: try reader.text("url"), site: Site(try reader.text("site")), didWin: try reader.flag("didWin"),
      crowds: try reader.items("crowds") { (item) throws(UnreadableState) in
        guard let crowd = CrowdTiers(state: item) else { throw UnreadableState(member: "crowds") }
        return crowd
      })
  }
}

extension CrowdTiers {
  /// The stored form.
  package var state: JSON {
    .array(
      [twoDigits, threeDigits, fourDigits, country].map { .number($0.rawValue) } + [.number(meetsThreshold ? 1 : 0)])
  }

  package init?(state: JSON) {
    guard case .array(let items) = state, items.count == 5 else { return nil }
    let numbers = items.compactMap(\.integer)
    let tiers = numbers.prefix(4).compactMap { CrowdTier(rawValue: $0) }
    guard numbers.count == 5, tiers.count == 4, (0...1).contains(numbers[4]) else { return nil }
    self.init(
      twoDigits: tiers[0], threeDigits: tiers[1], fourDigits: tiers[2], country: tiers[3], meetsThreshold: numbers[4] == 1)
  }
}

extension RollingTimer {
  fileprivate var state: JSON {
    .state([
      "length": .number(length.milliseconds), "requiresIncrease": .bool(requiresIncrease), "values": values.state,
      "endsAt": .number(endsAt?.milliseconds), "finished": .bool(isFinished),
    ])
  }

  fileprivate init(state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    self.init(
      length: try reader.interval("length"), requiresIncrease: try reader.flag("requiresIncrease"),
      values: try ReportedValues(state: reader.required("values") { $0 }),
      endsAt: try reader.optionalScheduledInstant("endsAt"),
      isFinished: try reader.flag("finished"))
  }
}

extension ConversionWindows {
  fileprivate var state: JSON {
    .state(["windows": .array(windows.map(\.state)), "startedAt": .number(startedAt?.milliseconds)])
  }

  fileprivate init(state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    let windows = try reader.items("windows") { (item) throws(UnreadableState) in try Window(state: item) }
    guard Self.counts.contains(windows.count) else { throw UnreadableState(member: "windows") }
    self.init(windows: windows, startedAt: try reader.optionalInstant("startedAt"))
  }
}

extension ConversionWindows.Window {
  fileprivate var state: JSON {
    .state([
      "end": .number(end.milliseconds), "values": values.state, "registered": .bool(isRegistered),
      "lockedAt": .number(lockedAt?.milliseconds), "finished": .bool(isFinished),
    ])
  }

  fileprivate init(state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    self.init(
      end: try reader.interval("end"), values: try ReportedValues(state: reader.required("values") { $0 }),
      isRegistered: try reader.flag("registered"), lockedAt: try reader.optionalInstant("lockedAt"),
      isFinished: try reader.flag("finished"))
  }
}

extension ReportedValues {
  fileprivate var state: JSON { .state(["fine": .number(fine), "coarse": .string(coarse?.rawValue)]) }

  fileprivate init(state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    self.init(
      fine: try reader.optionalInteger("fine", in: ConversionValue.fineValues),
      coarse: try reader.optional("coarse") { $0.string.flatMap(ConversionValue.Coarse.init) })
  }
}
