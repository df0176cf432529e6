import PCMCore

extension Plan {
  /// Draws a plan. Clicks come first more often than not, and most triggers belong to a click that was made.
  init(seed: UInt64) {
    var generator = PlanGenerator(seed: seed)
    self = generator.plan(seed: seed)
  }
}

private struct PlanGenerator {
  private var numbers: SplitMix64
  private var clicks: [ClickStep] = []
  private var policy = DeliveryPolicy.webkit
  private var weather = Weather.fair

  init(seed: UInt64) {
    numbers = SplitMix64(seed: seed)
  }

  mutating func plan(seed: UInt64) -> Plan {
    policy = numbers.chance(1, in: 3) ? .reliable : .webkit
    let startsPrivate = numbers.chance(1, in: 8)
    let startsInDebugMode = numbers.chance(1, in: 8)
    let count = 15 + numbers.below(45)
    return Plan(
      seed: seed, storage: seed % 20 == 0 ? .sqlite : .memory, policy: policy, startsPrivate: startsPrivate,
      startsInDebugMode: startsInDebugMode, operations: (0..<count).map { _ in operation() })
  }

  private mutating func operation() -> Operation {
    if clicks.isEmpty { return click() }
    switch numbers.below(100) {
    case 0..<26: return click()
    case 26..<54: return .pixel(pixel())
    case 54..<72: return move()
    case 72..<84: return setting()
    case 84..<87: return numbers.chance(1, in: 4) ? .clear(nil) : .clear(numbers.pick(Cast.sites))
    case 87..<90: return .restart
    case 90..<93:
      weather = numbers.chance(1, in: 2) ? .fair : numbers.pick(Weather.allCases)
      return .network(weather)
    case 93..<95: return .whileSending(interruption())
    case 95..<97: return .storeFault(StoreFault(kind: numbers.pick(StoreFault.Kind.allCases), after: numbers.below(4)))
    default: return .crash(crashPoint())
    }
  }

  /// Numbers start again after 256 clicks; no sequence is that long.
  private mutating func click() -> Operation {
    let app = numbers.pick(Cast.appNames)
    let id = UInt8(clicks.count)
    var step = ClickStep(way: .link, id: id, source: "", destination: destination(), app: nil)
    switch numbers.below(10) {
    case 0..<6:
      step.source = numbers.chance(1, in: 6) ? numbers.pick(Cast.sites) : numbers.pick(Array(Cast.sites.prefix(2)))
      step.app = numbers.chance(1, in: 6) ? app : nil
    case 6..<8: (step.way, step.source, step.app) = (.openURL, Cast.apps[app] ?? "", app)
    default: (step.way, step.source, step.app) = (.embedded, Cast.apps[app] ?? "", app)
    }
    // An app may lead to its own endpoint's site (section 2.4); both reports are then alike and go to one place, so that
    // an outsider cannot distinguish them. Such a link is refused, visibly.
    if step.way != .link { step.destination = numbers.pick(Cast.sites.filter { $0 != step.source }) }
    // Often the same click once more, for its key to be replaced.
    if let last = clicks.last, numbers.chance(1, in: 4) {
      step = last
      step.id = id
    }
    clicks.append(step)
    return .click(step)
  }

  private mutating func destination() -> String {
    numbers.chance(1, in: 6) ? numbers.pick(Cast.sites) : numbers.pick(Array(Cast.sites.suffix(2)))
  }

  private mutating func pixel() -> PixelStep {
    let click = numbers.chance(2, in: 3) ? clicks[clicks.count - 1 - numbers.below(min(3, clicks.count))] : numbers.pick(clicks)
    var step = PixelStep(
      hop: click.source, target: click.source, attributionSource: nil, page: click.destination, data: numbers.below(16),
      priority: numbers.chance(1, in: 3) ? 0 : numbers.below(4), app: click.way == .openURL ? nil : click.app)
    if numbers.chance(1, in: 3) {
      (step.hop, step.target, step.attributionSource) = (click.destination, click.destination, click.source)
    }
    switch numbers.below(24) {
    case 0: step.page = numbers.pick(Cast.sites)
    case 1: step.app = numbers.chance(1, in: 2) ? nil : numbers.pick(Cast.appNames)
    case 2: step.hop = numbers.pick(Cast.sites)
    case 3: step.attributionSource = step.attributionSource == nil ? click.source : nil
    case 4: step.data = 99
    default: break
    }
    return step
  }

  private mutating func interruption() -> Operation {
    switch numbers.below(4) {
    case 0: .clear(nil)
    case 1: .privateBrowsing(false)
    default: .clear(numbers.pick(Cast.sites))
    }
  }

  /// Under `reliable` a dead network is worth a few attempts, not hundreds.
  private mutating func move() -> Operation {
    let isRetrying = policy == .reliable && weather != .fair
    return switch numbers.below(isRetrying ? 10 : 20) {
    case 0..<3: .advance(.seconds(Int64(1 + numbers.below(60))))
    case 3..<5: .advance(.minutes(Int64(1 + numbers.below(60))))
    case 5..<10: .advance(Interval(milliseconds: Int64(numbers.below(24 * 3_600_000))))
    case 10..<14: .advance(.hours(Int64(24 + numbers.below(72))))
    // On the very edge of a click's life, a millisecond before and after it.
    case 14..<16: .advance(Interval(milliseconds: Interval.days(7).milliseconds - 1 + Int64(numbers.below(3))))
    case 16..<19: .toNextEvent
    default: .untilIdle
    }
  }

  private mutating func setting() -> Operation {
    switch numbers.below(10) {
    case 0..<3: .measurement(numbers.chance(3, in: 5))
    case 3..<7: .privateBrowsing(numbers.chance(1, in: 2))
    default: .debugMode(numbers.chance(1, in: 2))
    }
  }

  private mutating func crashPoint() -> CrashPoint {
    switch numbers.below(4) {
    case 0: .beforeCommit(after: numbers.below(4))
    case 1: .afterCommit(after: numbers.below(4))
    case 2: .beforeBytes
    default: .afterBytes
    }
  }
}
