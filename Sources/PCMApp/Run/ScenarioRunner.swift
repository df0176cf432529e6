import PCMCore
import PCMPages
import PCMScenario

/// Plays scenario files, several at a time.
struct ScenarioRunner: Sendable {
  let stages: ScenarioStages
  /// A seed that replaces the scenarios' seeds.
  let seed: String?
  /// The number of files that are played at a time.
  let width: Int
  /// Other arguments of the command line that change the result.
  let options: [String]
  /// Whether the timelines are drawn.
  let isDrawing: Bool

  /// Plays files and reports each as soon as all earlier files are complete, so that the order is always the same.
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
    var timeline: TimelineView?
    let outcome: Result<ScenarioResult, UnreadableScenario>
    do {
      let scenario = try ScenarioFile(path).scenario
      let played = try await stages.play(scenario, seed: seed) { isDrawing ? await $0.timeline() : nil }
      timeline = played.view
      outcome = .success(played.result)
    } catch let unreadable as UnreadableScenario {
      outcome = .failure(unreadable)
    }
    return PlayedFile(
      path: path, milliseconds: uptime().milliseconds, result: outcome, options: options, timeline: timeline)
  }
}

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
