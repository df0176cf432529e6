import Foundation
import ServiceSupport
import Testing

/// The command line as its users meet it: exit statuses and output.
@Suite struct CommandTests {
  private static let manifests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/manifests").path

  @Test(
    arguments: [
      ("news-reader", 0, 0), ("binary", 0, 0), ("subdomain-and-path", 0, 1), ("no-endpoint", 1, 1), ("http-endpoint", 1, 1),
      ("not-a-plist", 2, 2),
    ] as [(String, Int32, Int32)])
  func aManifestIsExplained(_ fixture: String, _ status: Int32, strict: Int32) async throws {
    let file = "\(Self.manifests)/\(fixture)/Info.plist"
    let plain = try await ServiceProcess.run(["manifest", file])
    #expect(plain.status == status)
    let json = try await ServiceProcess.run(["manifest", "--json", file])
    #expect(json.status == status)
    #expect(try await ServiceProcess.run(["manifest", "--strict", file]).status == strict)
    guard status != 2 else { return }
    #expect(plain.output.contains("report endpoint"))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(object["adAttribution"] is [String: Any])
  }

  @Test func theDemoServesItsPagesUntilASignal() async throws {
    let demo = try await ServiceProcess(
      running: ["demo", "--pages", "--serve"], greeting: "The service runs on http://127.0.0.1:")
    #expect(try await demo.call("GET", "/healthz").status == 200)
    demo.terminate()
    #expect(await demo.status() == 0)
  }

  @Test func theDemoTellsTheWholeStory() async throws {
    let demo = try await ServiceProcess.run(["demo", "--manifest", "\(Self.manifests)/news-reader/Info.plist"])
    #expect(demo.status == 0)
    for part in [
      "tap-not-verified", "outcome:  stored", "outcome:  attributed", "POST https://shop.example/",
      "POST https://news.example/",
    ] {
      #expect(demo.output.contains(part), "\(part) in \(demo.output)")
    }
    let lines = demo.output.split(separator: "\n").map { $0.drop { $0 == " " } }
    let reports = lines.filter { $0.hasPrefix(Stage.body.dropLast() + ",") }
    #expect(reports.count == 2, "\(demo.output)")
    #expect(Set(reports).count == 1, "\(demo.output)")
    // Both reports show the tokens that were signed at the click and at the purchase, by a key of each side's own.
    let signed = "token-stored  signed with key "
    let keys = lines.filter { $0.hasPrefix(signed) }.map { $0.dropFirst(signed.count) }
    #expect(Set(keys).count == 2, "\(demo.output)")
    for (side, key) in zip(["source", "destination"], keys) {
      #expect(lines.count { $0 == "\(side) token: verified with key \(key)" } == 2, "\(side) in \(demo.output)")
    }
    #expect(demo.output.components(separatedBy: "verified with key").count == 5, "\(demo.output)")
  }
}
