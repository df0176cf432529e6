import ArgumentParser
import Foundation
import PCMCore
import PCMInput
import PCMPages

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Run an example on this machine: app, shop, tokens, a report endpoint over TLS, and two days in a second.",
    discussion: """
      Examples:
        pcm-browser demo
        pcm-browser demo --manifest MyApp.app/Info.plist
        pcm-browser demo --device

      The demo runs on loopback and in a temporary folder, which it removes at the
      end.
      """)

  @Option(help: "The Info.plist to register; its report endpoint must be on news.example. Built in when absent.")
  var manifest: String?

  @Flag(help: "Show an ad that leads to an app instead: from its signature to a verified postback.")
  var device = false

  func validate() throws {
    guard device, manifest != nil else { return }
    throw ValidationError("--device has its own apps; leave out --manifest")
  }

  func run() async throws {
    try OpenFiles.requireEnough()
    let plist = try manifestText()
    let folder = try CommandFolder.create(for: "demo")
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await DemoStage(folder: folder, manifest: device ? nil : plist).perform()
  }

  private func manifestText() throws -> String {
    guard let manifest else { return ExampleAds.manifest }
    let sites = SiteParser(publicSuffixList: .builtIn())
    let app = try ManifestFile.review(manifest, sites: sites)
    guard app.endpoint?.site.domain == "news.example", app.endpointError == nil else {
      throw StartError(
        description: "\(manifest): the demo needs a report endpoint on news.example"
          + (app.endpointError.map { ". \($0.detail)" } ?? ", not \(app.endpoint?.site.domain ?? "none")"))
    }
    guard app.bundleIdentifier != nil else {
      let invalid = app.findings.first { $0.code == .bundleIdentifierInvalid }
      throw StartError(description: "\(manifest): \(invalid?.detail ?? ManifestError.missingBundleIdentifier.detail)")
    }
    let text = try StartError.naming("--manifest") { try TextFile.read(manifest, upTo: ManifestReader.sizeLimit) }
    guard !text.hasPrefix("bplist") else {
      throw StartError(description: "\(manifest): the demo takes the XML form; convert it with plutil -convert xml1")
    }
    return text
  }
}
