import BrowserSupport
import PCMCore
import PCMNetwork
import PCMStore
import Testing

@testable import PCMBrowser

/// Loads that alternate over two instances of one browser: a load depends on the rows, and not on the instance.
@Suite struct SharedRowsTests {
  @Test("The responses of a list come in their order, and a site that one instance changes is changed for the other")
  func sites() async throws {
    let (one, other) = try await instances()
    try await one.browser.use(.simulated)
    let answers = ["/1", "/2", "/3", "/4"].map { location in
      var response = SiteBehavior.Response.good
      (response.status, response.location) = (302, "https://end.example\(location)")
      return response
    }
    _ = try await other.browser.put(SiteBehavior(loads: ["/pixel": answers]), at: Self.source)
    for (scene, location) in zip([one, other, one, other, one], ["/1", "/2", "/3", "/4", "/4"]) {
      #expect(try await load(in: scene).hops.first?.location == "https://end.example\(location)")
    }
    _ = try await one.browser.put(SiteBehavior(loads: ["/pixel": [.good]]), at: Self.source)
    #expect(try await load(in: other).hops.map(\.status) == [200])
  }

  // MARK: Stage

  private static let source = "news.example"

  private func load(in scene: Scene) async throws -> LoadOutcome {
    try await scene.browser.load(LoadInput(firstPartyURL: "https://shop.example/", url: "https://\(Self.source)/pixel"))
  }

  private func instances(_ transport: ScriptedTransport = ScriptedTransport()) async throws -> (Scene, Scene) {
    let (store, otherStore) = InstanceStore.pair()
    return (
      try await Scene(store: store, transport: transport), try await Scene(restarting: otherStore, transport: transport)
    )
  }
}
