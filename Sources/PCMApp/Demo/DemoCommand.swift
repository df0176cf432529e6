import ArgumentParser
import Foundation
import PCMCore
import PCMManifest
import PCMPages
import PCMURL

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Run an example on this machine: app, shop, tokens, a report endpoint over TLS, and two days in a second.",
    discussion: """
      Examples:
        pcm-browser demo
        pcm-browser demo --manifest MyApp.app/Info.plist
        pcm-browser demo --device
        pcm-browser demo --pages
        pcm-browser demo --pages --serve --port 8443

      The demo runs on loopback and in a temporary folder, which it removes at the
      end.

      With --pages, it serves an article on https://news.example and a shop on
      https://shop.example. If Chromium or Chrome is installed, or PCM_CHROMIUM names
      one, the demo clicks through the pages in it, without a window, and shows what
      Safari would measure. Otherwise, and with --serve, the sites and a service run
      until Ctrl-C, and the demo prints what to type. These switches of Chromium lead
      to the sites:

        --host-resolver-rules='MAP *.example 127.0.0.1:PORT'
        --ignore-certificate-errors-spki-list=DIGEST    as printed
      """)

  @Option(help: "The Info.plist to register; its report endpoint must be on news.example. Built in when absent.")
  var manifest: String?

  @Flag(help: "Show an ad that leads to an app instead: from its signature to a verified postback.")
  var device = false

  @Flag(help: "Show an ad on a web page instead: click it in Chromium, and buy in the shop that it leads to.")
  var pages = false

  @Flag(help: "With --pages: let people click, until Ctrl-C.")
  var serve = false

  @Option(help: "With --pages: the port of the sites; 0 lets the kernel choose.")
  var port = 0

  func validate() throws {
    try ServiceOptions.check(port: port)
    guard !pages || (!device && manifest == nil) else {
      throw ValidationError("--pages has no apps; leave out --device and --manifest")
    }
    guard pages || (!serve && port == 0) else { throw ValidationError("--serve and --port belong to --pages") }
    guard device, manifest != nil else { return }
    throw ValidationError("--device has its own apps; leave out --manifest")
  }

  func run() async throws {
    try OpenFiles.requireEnough()
    let subject = try subject()
    let folder = try CommandFolder.create(for: "demo")
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await DemoStage(folder: folder, subject: subject).perform()
  }

  private func subject() throws -> DemoStage.Subject {
    guard pages else { return device ? .device : .app(manifest: try manifestText()) }
    let chromium = serve ? nil : try Chromium.find()
    if !serve, chromium == nil {
      try StandardOutput.write("No Chromium or Chrome was found. Install one, or name it with PCM_CHROMIUM.\n\n")
    }
    return .pages(chromium: chromium, port: port)
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
