import PCMCore
import PCMStore
import PCMStorePostgres
import PostgresSupport
import Testing

@testable import PCMApp
@testable import PCMScenario

/// The scenario files of the repository, as on a service with several instances.
@Suite(.postgresCluster) struct PostgresCorpusTests {
  /// The number of files that are played at the same time, each part with one schema.
  private static let parts = 4

  @Test("Each scenario passes on PostgreSQL, with the same log as in memory, byte for byte", arguments: 0..<parts)
  func part(_ part: Int) async throws {
    let store = try await PostgresStore(PostgresAddress(PostgresCluster.address()), schema: PostgresCluster.newSchema())
    for (number, file) in try Corpus.files().enumerated() where number % Self.parts == part {
      let scenario = try Corpus.scenario(Corpus.bytes(of: file))
      let expected = try await ScenarioStages(sites: Corpus.sites).play(scenario, seed: nil) { service, _ in
        try await Self.log(service)
      }
      let run = try await ScenarioStages(sites: Corpus.sites, durable: store).play(scenario, seed: nil) { service, _ in
        #expect(try await store.browser(named: PlayedBrowser.name) != nil, "\(file) does not use the store")
        let log = try await Self.log(service)
        // The next scenario has a browser with the same name.
        _ = try await service.stage.call(ScenarioStage.Call("DELETE", PlayedBrowser.path))
        return log
      }
      #expect(run.result.failure == nil, "\(file): \(run.result.json.text)")
      #expect(run.view == expected.view, "\(file)")
    }
    try await store.close()
  }

  private static func log(_ service: ScenarioService) async throws -> [String] {
    try await PlayedBrowser(stage: service.stage, start: .earliest).events(after: 0).map(\.text)
  }
}
