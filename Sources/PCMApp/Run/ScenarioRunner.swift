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
  /// The folder for a trace of each failed scenario.
  let traces: TraceFolder?

  /// Plays files and reports each as soon as all earlier files are complete, so that the order is always the same.
  func play(_ files: [String], onDone: (PlayedFile) throws -> Void) async throws -> [PlayedFile] {
    try await withThrowingTaskGroup(of: (Int, PlayedFile).self) { group in
      let names = TraceFolder.names(for: files)
      var played: [Int: PlayedFile] = [:]
      var reported: [PlayedFile] = []
      for (index, file) in files.enumerated() {
        if index >= width, let (done, result) = try await group.next() { played[done] = result }
        group.addTask { (index, try await play(file, traceName: names[index])) }
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
  private func play(_ path: String, traceName: String) async throws -> PlayedFile {
    let uptime = SystemTime.uptime()
    var (timeline, trace): (TimelineView?, String?)
    let outcome: Result<ScenarioResult, UnreadableScenario>
    do {
      let scenario = try ScenarioFile(path).scenario
      let played = try await stages.play(scenario, seed: seed) { service, result in
        let document = result.passed || traces == nil ? nil : await service.trace()
        return (isDrawing ? await service.timeline() : nil, document)
      }
      timeline = played.view.0
      trace = try played.view.1.flatMap { try traces?.write($0, as: traceName) }
      outcome = .success(played.result)
    } catch let unreadable as UnreadableScenario {
      outcome = .failure(unreadable)
    }
    return PlayedFile(
      path: path, milliseconds: uptime().milliseconds, result: outcome, options: options, timeline: timeline, trace: trace)
  }
}

extension Duration {
  var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
