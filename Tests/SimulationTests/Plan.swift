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

  /// What every run ends with: all faults gone, the network fair, measurement on, and enough time for every report. What
  /// is still owed after that was forgotten.
  static let coda: [Operation] = [.network(.fair), .measurement(true), .advance(.days(5))]

  /// One operation a line, as far as it was run.
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
  /// What a link and an opened URL belong to when no app is named.
  static let safari = "com.apple.mobilesafari"
}
