import PCMBrowser
import PCMCore
import PCMCrypto

/// The counts of the ads for apps in a part of a simulation. The counts of parts add up in any order.
struct AppCounts: Hashable, Sendable {
  /// The actions by their kind.
  private(set) var actions: [SimulatedLoss.Subject: Int] = [:]
  /// The displayed ads that a postback names.
  private(set) var impressions = 0
  /// The taps on ads that a postback names. In AdAttributionKit, the display of an ad and the tap on it count separately.
  private(set) var taps = 0
  /// The installs and the re-engagements with a winning postback.
  private(set) var installs = 0
  private(set) var reengagements = 0
  /// The calls whose value a postback has.
  private(set) var values = 0
  /// The installs of an app after an ad for it, at any time, by a view or a tap: last-ad attribution without limits.
  private(set) var lastAdInstalls = 0
  /// The postbacks to the ad networks that won, by conversion window: the first, the second, and the third.
  private(set) var winners = [0, 0, 0]
  private(set) var runnersUp = 0
  /// The copies for developers.
  private(set) var copies = 0
  /// The winning postbacks to ad networks by their fine value.
  private(set) var fine = [Int](repeating: 0, count: 64)
  /// The same by their coarse value: low, medium, and high.
  private(set) var coarse = [0, 0, 0]
  private(set) var withoutValue = 0

  var isEmpty: Bool { actions.isEmpty }
  var postbacks: Int { winners.reduce(0, +) + runnersUp + copies }
  var fineCount: Int { fine.reduce(0, +) }
  var coarseCount: Int { coarse.reduce(0, +) }

  mutating func count(_ subject: SimulatedLoss.Subject) { actions[subject, default: 0] += 1 }

  mutating func countLastAd() { lastAdInstalls += 1 }

  /// Counts the postbacks of a user.
  ///
  /// - Parameter taps: The lines of the user's taps. Another line with a conversion is an install.
  mutating func count(_ postbacks: [SimulatedPostback], taps tapLines: Set<Int64>) {
    var (ads, conversions, updates): (Set<Int64>, Set<Int64>, Set<Int64>) = ([], [], [])
    for postback in postbacks {
      guard postback.recipient == .adNetwork else {
        copies += 1
        continue
      }
      ads.insert(postback.impression)
      guard postback.didWin else {
        runnersUp += 1
        continue
      }
      winners[min(postback.sequenceIndex, winners.count - 1)] += 1
      conversions.insert(postback.conversion)
      if countValue(of: postback), let update = postback.update { updates.insert(update) }
    }
    impressions += ads.subtracting(tapLines).count
    taps += ads.intersection(tapLines).count
    reengagements += conversions.intersection(tapLines).count
    installs += conversions.subtracting(tapLines).count
    values += updates.count
  }

  /// Counts the value of a postback. Returns whether there is one.
  private mutating func countValue(of postback: SimulatedPostback) -> Bool {
    switch postback.value {
    case .fine(let value)?: fine[Int(value)] += 1
    case .coarse(.low)?: coarse[0] += 1
    case .coarse(.medium)?: coarse[1] += 1
    case .coarse(.high)?: coarse[2] += 1
    case nil:
      withoutValue += 1
      return false
    }
    return true
  }

  mutating func add(_ other: AppCounts) {
    guard !other.isEmpty else { return }
    actions.merge(other.actions, uniquingKeysWith: +)
    for path in Self.numbers { self[keyPath: path] += other[keyPath: path] }
    for path in Self.lists {
      for (index, count) in other[keyPath: path].enumerated() { self[keyPath: path][index] += count }
    }
  }

  private static var numbers: [WritableKeyPath<AppCounts, Int>] {
    [\.impressions, \.taps, \.installs, \.reengagements, \.values, \.lastAdInstalls, \.runnersUp, \.copies, \.withoutValue]
  }

  private static var lists: [WritableKeyPath<AppCounts, [Int]>] { [\.winners, \.fine, \.coarse] }
}

/// The apps that a user saw an ad for. That is last-ad attribution without limits: no days, no networks, no signatures.
struct LastAds {
  private var items: Set<Int64> = []
  /// The lines of the user's taps.
  private(set) var taps: Set<Int64> = []

  /// Counts an action of the user's device.
  mutating func count(_ action: SimulatedTouch.Device, line: Int64, in counts: inout AppCounts) {
    counts.count(action.subject)
    switch action {
    case .impression(let item?): items.insert(item)
    case .install(let item?): if items.contains(item) { counts.countLastAd() }
    case .other(.impressionTap): taps.insert(line)
    case .impression(nil), .install(nil), .other: break
    }
  }

  mutating func removeAll() {
    items.removeAll()
    taps.removeAll()
  }
}
