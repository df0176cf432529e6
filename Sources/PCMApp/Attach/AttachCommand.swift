import ArgumentParser
import Foundation
import Logging
import PCMCore
import PCMDevTools
import ServiceLifecycle
import UnixSignals

struct AttachCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "attach",
    abstract: "Observe the pages of a running Chromium, and pass its clicks and triggering events to a browser of the service.",
    discussion: """
      Examples:
        chromium --remote-debugging-port=9222 --user-data-dir=/tmp/profile
        pcm-browser attach http://127.0.0.1:9222 --browser checkout
        pcm-browser attach --launch --browser checkout
        pcm-browser attach --launch --browser checkout --open https://news.example/

      The service runs already; its page shows what was measured. Each click and each
      triggering event is also printed here, with its outcome. The command ends when
      the browser does, or with Ctrl-C.

      Use it beside the browser when the service cannot reach the browser, as in
      another container. Otherwise, POST …/attachments does the same. Do not use both:
      everything would be counted twice.

      Exit status: 0 the browser or the user ended it; 1 the browser broke the
      protocol, or exceeded a limit; 2 the browser or the service cannot be reached.
      """)

  @Argument(help: "The address of the browser's DevTools, such as http://127.0.0.1:9222.")
  var devtools: String?

  @Option(help: "The browser of the service; created when absent.")
  var browser = "default"

  @Option(help: "The address of the service. PCM_BROWSER_URL has the same effect. (default: http://127.0.0.1:8726)")
  var service: String?

  @Option(help: ArgumentHelp("The browserContextId to observe; all when absent.", valueName: "id"))
  var context: String?

  @Option(
    help: ArgumentHelp(
      "How long a request to the trigger path waits at most for its decision, such as PT2S.", valueName: "duration"))
  var hold = AttachmentInput.standardHold.text

  @Option(help: ArgumentHelp("A host other than loopback that the browser may be on. May be repeated.", valueName: "host"))
  var devtoolsHost: [String] = []

  @Flag(help: "Start an installed Chromium or Chrome with a new profile. PCM_CHROMIUM names another program.")
  var launch = false

  @Flag(help: "With --launch: without a window.")
  var headless = false

  @Option(help: ArgumentHelp("With --launch: a page to open. May be repeated.", valueName: "url"))
  var open: [String] = []

  func validate() throws {
    guard launch || devtools != nil else {
      throw ValidationError(
        "name the browser's DevTools, such as http://127.0.0.1:9222, or use --launch to start a browser")
    }
    guard !launch || devtools == nil else { throw ValidationError("--launch starts a browser; leave out its address") }
    guard launch || (!headless && open.isEmpty) else { throw ValidationError("--headless and --open belong to --launch") }
    if let error = BrowserName(browser).error { throw ArgumentError("--browser", browser, expected: "\(error.detail)") }
    _ = try longestHold()
  }

  private func longestHold() throws -> Interval {
    guard let interval = Interval(text: hold), interval <= AttachmentInput.maximumHold else {
      throw ArgumentError(
        "--hold", hold, expected: "an ISO 8601 duration of at most \(AttachmentInput.maximumHold.text), such as PT2S")
    }
    return interval
  }

  func run() async throws {
    let logger = LogFormat.text.logger(level: .warning)
    let attaching = ServiceGroupConfiguration.ServiceConfiguration(
      service: Attaching(command: self), successTerminationBehavior: .gracefullyShutdownGroup)
    let configuration = ServiceGroupConfiguration(
      services: [attaching], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await ServiceGroup(configuration: configuration).run()
  }

  fileprivate func attach() async throws {
    guard let devtools else { return try await launchAndAttach() }
    try await attach(to: devtools)
  }

  private func launchAndAttach() async throws {
    guard let executable = try Chromium.find() else {
      throw StartError(
        description: "no Chromium or Chrome is installed; install one, such as with apt-get install chromium, or name it with "
          + "PCM_CHROMIUM")
    }
    let folder = try CommandFolder.create(for: "attach")
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await Chromium.withRunning(executable, arguments: open, isHeadless: headless, folder: folder) { devtools in
      try await attach(to: devtools)
    }
  }

  private func attach(to devtools: String) async throws {
    let base = service ?? Environment.serviceURL ?? "http://127.0.0.1:8726"
    let address = try DevToolsAddress(devtools, field: "the address", allowedHosts: Set(devtoolsHost.map { $0.lowercased() }))
    try await ServiceClient.with(
      base, remedy: "start it with pcm-browser serve, or correct --service or PCM_BROWSER_URL"
    ) { client in
      let isOnRealClock = try await prepareBrowser(client)
      let settings = BrowserAttachment.Settings(
        address: address, browser: browser, context: context, hold: .milliseconds(try longestHold().milliseconds),
        isOnRealClock: isOnRealClock)
      let page = client.url("/browsers/\(PercentEncoding.component.encode(browser))")
      let attachment = BrowserAttachment(settings, environment: .system) { method, path, body in
        try await client.call(method, path, body)
      } notify: { notice in
        try? StandardOutput.write(notice.line(page: page) + "\n")
      }
      let reason = await attachment.run()
      guard await attachment.wasAttached || reason.code == .stopped else { throw reason }
      guard ![.malformed, .tooLarge].contains(reason.code) else {
        StandardError.write("pcm-browser: \(reason.description)\n")
        throw ExitCode(1)
      }
      try StandardOutput.write("\(reason.description)\n")
    }
  }

  /// Creates the browser, or finds it. Returns whether it has the real clock.
  private func prepareBrowser(_ client: ServiceClient) async throws -> Bool {
    let path = "/v1/browsers/\(PercentEncoding.component.encode(browser))"
    var answer = try await client.call("GET", path)
    if answer.status == 404 { answer = try await client.call("PUT", path, Array("{}".utf8)) }
    let json = JSON(parsing: answer.body, keepingNumbers: true)
    guard (200..<300).contains(answer.status), let mode = json?["clock"]?["mode"]?.string else {
      throw StartError(
        description: "the service \(client.base) did not provide the browser \(browser): "
          + (json?["detail"]?.string ?? "status \(answer.status)"))
    }
    return mode == "real"
  }
}

/// Runs the command until the browser goes away or a signal arrives.
private struct Attaching: Service {
  let command: AttachCommand

  func run() async throws {
    try await cancelWhenGracefulShutdown { try await command.attach() }
  }
}

extension BrowserAttachment.Notice {
  /// A line for people.
  ///
  /// - Parameter page: The URL of the browser's page.
  fileprivate func line(page: String) -> String {
    switch self {
    case .attached(let product): "\(product) is observed; \(page) shows what is measured"
    case .called(let outcome): outcome.line
    case .dropped(let drop): "dropped            \(drop.url.asShown(upTo: 200)): \(drop.code.text)"
    }
  }
}

extension BrowserAttachment.Outcome {
  fileprivate var line: String {
    let kind = self.kind == .click ? "click              " : "triggering event   "
    return "\(kind)\(url.asShown(upTo: 200)): \(result)"
  }

  private var result: String {
    guard let response else { return "the service did not respond" }
    guard let outcome = response["outcome"]?.string else { return response["detail"]?.string ?? "status \(status)" }
    let reasons = (response["reasons"] ?? []).items.compactMap { $0["detail"]?.string }
    return ([outcome] + (reasons.isEmpty ? [] : [reasons.joined(separator: "; ")])).joined(separator: ", ")
  }
}
