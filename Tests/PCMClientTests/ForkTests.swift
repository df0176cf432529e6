import Foundation
import PCMClient
import Testing

/// Copies of browsers, through the client.
@Suite struct ForkTests {
  @Test("a copy continues like its original", arguments: [Storage.ephemeral, .durable])
  func forks(_ storage: Storage) async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("original", storage: storage, network: .simulated, on: service)
      try await browser.convert()
      try await browser.advance(by: .hours(30))
      let fork = try await browser.fork("copy")
      #expect(try await fork.state().storage == storage)
      #expect(try await fork.events() == browser.events())
      for each in [browser, fork] {
        try await each.open(Stage.click, from: each.app("com.example.news"))
        try await each.trigger(.pixel(of: "news.example", data: 3, on: "https://shop.example/"))
        try await each.advanceUntilIdle()
      }
      #expect(try await fork.events() == browser.events())
      #expect(try await fork.events().count > 10)
      try await browser.clearData()
      #expect(try await fork.events() != browser.events())
      let other = try await browser.fork()
      #expect(other.name != "copy")
    }
  }
  @Test("a browser returns its history as a scenario, and one on the real clock says why it cannot")
  func history() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("original", network: .simulated, on: service)
      try await browser.convert()
      try await browser.advance(by: .hours(30))
      let file = try await browser.scenario()
      #expect(file.contains("\nscenario: \"recording of original\"\n") && file.contains(#"{"advance": {"#), "\(file)")
      let real = try await service.browser("default")
      let error = try await #require(throws: ServiceError.self) { _ = try await real.scenario() }
      #expect(error.status == 409 && error.code == "scenario-clock-real")
    }
  }
}
