import ArgumentParser

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Tell the whole story on this machine: app, shop, tokens, report endpoint over TLS, two days in a second.",
    discussion: """
      Examples:
        pcm-browser demo
        pcm-browser demo --manifest MyApp.app/Info.plist

      Everything runs on loopback and in a temporary folder that is removed at the
      end.
      """)

  @Option(help: "The Info.plist to register; its report endpoint must be on news.example. Built in when absent.")
  var manifest: String?

  func run() async throws {
    let plist = try manifestText()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-browser-demo-\(SystemChance.seed())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await DemoStage(folder: folder, manifest: plist).perform()
  }

  private func manifestText() throws -> String {
    guard let manifest else { return Self.builtInManifest }
    guard let data = FileManager.default.contents(atPath: manifest) else {
      throw StartFailure(description: "cannot read \(manifest)")
    }
    return String(decoding: data, as: UTF8.self)
  }

  private static let builtInManifest = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
      <key>CFBundleIdentifier</key>
      <string>com.example.news</string>
      <key>NSAdvertisingAttributionReportEndpoint</key>
      <string>https://news.example</string>
    </dict>
    </plist>
    """
}
