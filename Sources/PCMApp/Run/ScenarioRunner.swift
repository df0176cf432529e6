import PCMCore
import PCMPages
import PCMScenario

/// Plays scenario files, several at a time.
struct ScenarioRunner: Sendable {
  let stages: ScenarioStages
  /// A seed that replaces the scenarios' seeds.
  let seed: String?
  /// Whether failed expectations are updated.
  let isUpdating: Bool
  /// The number of files that are played at a time.
  let width: Int
  /// Other arguments of the command line that change the result.
  let options: [String]
  /// Whether the timelines are drawn.
  let isDrawing: Bool

  /// Plays files and reports each as soon as those before it are complete, so that the order is always the same.
  func play(_ files: [String], onDone: (PlayedFile) throws -> Void) async throws -> [PlayedFile] {
    try await withThrowingTaskGroup(of: (Int, PlayedFile).self) { group in
      var played: [Int: PlayedFile] = [:]
      var reported: [PlayedFile] = []
      for (index, file) in files.enumerated() {
        if index >= width, let (done, result) = try await group.next() { played[done] = result }
        group.addTask { (index, try await play(file)) }
        try report()
      }
      while let (done, result) = try await group.next() {
        played[done] = result
        try report()
      }
      return reported

      func report() throws {
        while let next = played[reported.count] {
          reported.append(next)
          try onDone(next)
        }
      }
    }
  }

  @concurrent
  private func play(_ path: String) async throws -> PlayedFile {
    let uptime = SystemTime.uptime()
    var (updates, rounds) = (0, 0)
    var timeline: TimelineView?
    let outcome: Result<ScenarioResult, UnreadableScenario>
    do {
      var file = try ScenarioFile(path)
      var result = try await play(file.scenario, &timeline)
      // A scenario ends at the first failed step, so each round updates one step.
      while isUpdating, let changes = result.updates, rounds < Self.maximumRounds {
        rounds += 1
        file = try file.updated(changes)
        updates += changes.count
        result = try await play(file.scenario, &timeline)
      }
      outcome = .success(result)
    } catch let unreadable as UnreadableScenario {
      outcome = .failure(unreadable)
    }
    return PlayedFile(
      path: path, milliseconds: uptime().milliseconds, updates: isUpdating ? updates : nil, result: outcome,
      options: options, timeline: timeline)
  }

  private func play(_ scenario: Scenario, _ timeline: inout TimelineView?) async throws -> ScenarioResult {
    let played = try await stages.play(scenario, seed: seed) { isDrawing ? await $0.timeline() : nil }
    timeline = played.view
    return played.result
  }

  /// The maximum number of rounds. A step passes after its update, unless its result varies, as on a real network.
  private static let maximumRounds = 1_000
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension ScenarioResult {
  /// The updates for the failed step; nil when there are none.
  fileprivate var updates: [ScenarioUpdate.Change]? {
    let changes = failure?.mismatches.compactMap { mismatch in
      mismatch.replacement.map { ScenarioUpdate.Change(mismatch.pointer, $0) }
    }
    return changes?.isEmpty == false ? changes : nil
  }
}
