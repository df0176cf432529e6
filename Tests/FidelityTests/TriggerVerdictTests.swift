import PCMBrowser
import Testing

/// Each captured load, made here: the same verdict on each redirect to the trigger path, and the same attributions.
@Suite struct TriggerVerdictTests {
  /// The sites that had stored a click for the page's site, each with its place in this list as the source ID.
  private static let sources = [
    "127.0.0.1", "[::1]", "alice.github.io", "bob.github.io", "city.kawasaki.jp", "github.io", "localhost", "news.co.uk",
    "other.example", "second.example", "shop.example", "shop.xn--55qx5d.cn", "social.example", "third.example",
    "x.y.kawasaki.jp", "xn--bcher-kva.example",
  ]

  @Test("A load is judged as WebKit judged it", arguments: try Verdicts.load().triggers)
  func load(_ expected: TriggerVerdict) async throws {
    let stage = try await Stage()
    for (id, source) in Self.sources.enumerated() {
      _ = try await stage.click(page: "https://\(source)", sourceID: String(id), destination: expected.chain.page)
    }
    let outcome = try await stage.load(expected.chain)
    let verdicts = outcome.triggeringEvents.map(\.verdict)
    let attributed = try await stage.stored().attributions
    let isSame = verdicts == expected.verdicts && attributed == Set(expected.attributed)
    #expect(isSame != Ledger.captures.contains(expected.id), "\(verdicts) \(attributed) instead of \(expected)")
  }
}
