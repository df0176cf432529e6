import BrowserSupport
import PCMBrowser
import PCMCore
import Testing

/// The bundle identifier of the app in which a page runs.
@Suite struct BundleIdentifierTests {
  @Test(
    "a bundle identifier has the characters that a manifest allows, so that every store compares it alike",
    arguments: [
      "", "caf\u{E9}", "cafe\u{301}", "com.example.\u{212A}", "a b", " a", "a/b", "a\u{0}", "a\n",
      String(repeating: "a", count: 256),
    ])
  func refused(_ app: String) async throws {
    let scene = try await Scene()
    let error = BrowserError.invalidInput([
      InputError(
        ["bundleIdentifier"],
        "a bundle identifier has 1 to 255 ASCII letters, digits, hyphens, periods, and underscores, such as com.example.news")
    ])
    await #expect(throws: error) { try await scene.click(3, app: app) }
    await #expect(throws: error) { try await scene.trigger("12", app: app) }
    await #expect(throws: error) {
      try await scene.browser.load(
        LoadInput(firstPartyURL: "https://shop.example/", url: "https://news.example/", bundleIdentifier: app))
    }
  }

  @Test(arguments: ["a", "com.example.news-2_B", String(repeating: "a", count: 255)])
  func accepted(_ app: String) async throws {
    let scene = try await Scene()
    #expect(try await scene.click(3, app: app).kind == .stored)
    #expect(try await scene.trigger("12", app: app).kind == .attributed)
  }

  @Test("A registered app is found by its exact identifier only, and not by a canonically equivalent text")
  func exactName() async throws {
    let (app, other) = ("com.example.K", "com.example.\u{212A}")
    #expect(app == other)
    let scene = try await Scene()
    _ = try await scene.browser.register(
      Scene.manifest(of: app, endpoint: "https://news.example", sites: scene.environment.sites))
    func tap(_ app: String) async throws -> ClickRecord {
      try await scene.browser.perform(
        EventAttributionInput(bundleIdentifier: app, sourceIdentifier: 3, destinationURL: "https://shop.example/"))
    }
    await #expect(throws: BrowserError.self) { try await tap(other) }
    await #expect(throws: BrowserError.self) { try await scene.browser.remove(app: other) }
    _ = try await tap(app)
  }

  @Test("A segment of a relative path is no bundle identifier", arguments: [".", ".."])
  func pathSegments(_ text: String) {
    #expect(!BundleIdentifier.hasAllowedCharacters(text))
  }
}
