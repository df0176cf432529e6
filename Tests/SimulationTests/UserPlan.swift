import PCMCore

/// The events of a generated user: clicks of links and apps, triggering events, clears, private sessions, and other settings.
struct UserPlan {
  /// An event as the API has it.
  enum Call {
    case link(LinkClickInput)
    case tap(EventAttributionInput)
    case trigger(TriggeringEventInput)
    case clear(Site?)
    case settings(SettingsChange)
    case ad(SignedAdInput)
    case adEnd
    case adTap(ImpressionTapInput)
    case install(InstallInput)
    case launch(LaunchInput)
    case value(ConversionValueInput)
  }

  let seed: UInt64
  var events: [(at: Instant, call: Call)] = []
  /// The device of a user with ads for apps.
  var device = DeviceChange()

  static let sources = ["news.example", "www.social.example", "search.example"]
  static let destinations = ["shop.example", "m.shop.example", "travel.example", "www.news.example"]
  /// The endpoint of each app is a source.
  static func app(of source: String) -> String { "com.example.\(source)" }

  init(seed: UInt64) {
    self.seed = seed
    var random = SplitMix64(seed: seed)
    var now = Instant(milliseconds: 1_795_168_800_000 + Int64(random.below(86_400_000)))
    var isOff = false
    for _ in 0..<(1 + random.below(40)) {
      var call = Self.call(&random)
      if case .trigger? = events.last?.call, random.chance(1, in: 6) {
        call = .settings(SettingsChange(measurementEnabled: false))
      } else if isOff, random.chance(1, in: 2) {
        // Reports that became overdue leave one after another.
        call = .settings(SettingsChange(measurementEnabled: true))
      }
      if case .settings(let change) = call, let isOn = change.measurementEnabled { isOff = !isOn }
      events.append((now, call))
      now = now + Self.pause(&random)
    }
  }

  /// Pauses of seconds to weeks: reports leave between two events, and clicks expire.
  static func pause(_ random: inout SplitMix64) -> Interval {
    switch random.below(10) {
    case 0: Interval(milliseconds: 0)
    case 1...4: Interval(milliseconds: Int64(random.below(3_600_000)))
    case 5...6: Interval(milliseconds: Int64(random.below(86_400_000)))
    case 7...8: .days(1) + Interval(milliseconds: Int64(random.below(86_400_000)))
    default: .days(Int64(6 + random.below(3)))
    }
  }

  static func call(_ random: inout SplitMix64) -> Call {
    // Most clicks and events meet.
    let isUsual = random.chance(2, in: 3)
    let (source, destination) = isUsual ? (sources[0], destinations[0]) : (random.pick(sources), random.pick(destinations))
    switch random.below(22) {
    case 20:
      return .settings(SettingsChange(measurementEnabled: random.chance(1, in: 3), debugMode: random.chance(1, in: 3)))
    case 21: return .settings(SettingsChange(privateBrowsing: random.chance(2, in: 3)))
    case 0: return .clear(random.chance(1, in: 2) ? nil : Site(random.pick(["news.example", "shop.example"])))
    case 1...5: return .link(link(from: source, to: destination, &random))
    case 6...9:
      return .tap(
        EventAttributionInput(
          bundleIdentifier: app(of: source), sourceIdentifier: random.below(256), destinationURL: "https://\(destination)/ad",
          tapVerified: !random.chance(1, in: 20), presentation: random.chance(1, in: 6) ? "safariViewController" : "openURL",
          landingURL: random.chance(1, in: 20) ? "https://\(random.pick(destinations))/" : nil))
    default:
      var trigger = TriggeringEventInput(
        firstPartyURL: "https://\(destination)/thanks", pixelOf: source,
        triggerData: random.below(random.chance(1, in: 10) ? 100 : 16),
        priority: random.chance(1, in: 4) ? nil : random.below(random.chance(1, in: 10) ? 100 : 64))
      if random.chance(1, in: 16) { trigger.bundleIdentifier = app(of: random.pick(sources)) }
      if random.chance(1, in: 16) {
        trigger = TriggeringEventInput(
          firstPartyURL: "https://\(destination)/thanks", redirectFrom: random.pick([nil, "https://\(destination)/r"]),
          redirectTo: "https://\(destination)\(TriggerURL.pathPrefix)03/+5?attributionSource=https://\(source)")
      }
      return .trigger(trigger)
    }
  }

  private static func link(from source: String, to destination: String, _ random: inout SplitMix64) -> LinkClickInput {
    LinkClickInput(
      pageURL: "https://\(source)/feed",
      attributionSourceID: random.chance(1, in: 8) ? random.pick(["256", "x"]) : random.pick(["7", "255", " 12"]),
      attributionDestination: random.chance(1, in: 20) ? nil : "https://\(destination)",
      landed: !random.chance(1, in: 20), bundleIdentifier: random.chance(1, in: 12) ? app(of: source) : nil)
  }
}
