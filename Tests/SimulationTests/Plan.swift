import PCMCore

/// Everything that a run depends on.
struct Plan: Hashable, Sendable {
  enum Storage: String, Hashable, Sendable {
    case memory
    case sqlite
    /// The server of the suite.
    case postgres
  }

  var seed: UInt64
  var storage: Storage
  var policy: DeliveryPolicy
  var startsPrivate: Bool
  var startsInDebugMode: Bool
  var operations: [Operation]

  /// The same on the store in memory, where the store is not the question.
  var inMemory: Plan {
    var plan = self
    plan.storage = .memory
    return plan
  }

  /// The end of every run: no faults, a fair network, measurement on, and enough time for every report. A report that
  /// is still owed after that was forgotten.
  static let coda: [Operation] = [.network(.fair), .measurement(true), .advance(.days(5))]

  /// The operations that were run, one per line.
  func text(upTo count: Int? = nil) -> String {
    let head =
      "seed \(seed), \(storage.rawValue), \(policy.rawValue)\(startsPrivate ? ", private" : "")\(startsInDebugMode ? ", debug" : "")"
    let steps = (operations + Self.coda).prefix(count ?? operations.count).enumerated().map { index, operation in
      "  \(index + 1). \(operation)\(index >= operations.count ? " (the end of every run)" : "")"
    }
    return ([head] + steps).joined(separator: "\n")
  }

  var replayLine: String { "PCM_SIMULATION_SEED=\(seed) scripts/test --filter SimulationTests" }
}

/// The few sites and apps of every run, so that they often meet.
enum Cast {
  static let sites = ["news.example", "video.example", "shop.example", "travel.example"]
  static let apps = ["com.example.news": "news.example", "com.example.video": "video.example"]
  static let appNames = apps.keys.sorted()
  /// The app of a link and an opened URL without one.
  static let safari = "com.apple.mobilesafari"
}
