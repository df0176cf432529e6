import NIOConcurrencyHelpers
import Testing

@testable import PCMApp

/// The files that a scenario file reads.
@Suite struct ScenarioFileTests {
  private static let files = [
    "shop/checkout.yaml": """
    scenario: two apps
    steps:
      - app: { manifest: news.plist }
      - app: { manifest: games.plist }

    """,
    "shop/news.plist": plist(of: "com.example.news"),
    "shop/games.plist": plist(of: "com.example.games"),
  ]

  @Test("a scenario and each of its manifests are read once")
  func eachFileIsReadOnce() throws {
    let reads = NIOLockedValueBox<[String]>([])
    _ = try ScenarioFile("shop/checkout.yaml") { path, _ throws(StartError) in
      reads.withLockedValue { $0.append(path) }
      guard let text = Self.files[path] else { throw StartError(description: "no file \(path)") }
      return Array(text.utf8)
    }
    #expect(reads.withLockedValue { $0 } == ["shop/checkout.yaml", "shop/news.plist", "shop/games.plist"])
  }

  private static func plist(of app: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>\(app)</string></dict></plist>
    """
  }
}
