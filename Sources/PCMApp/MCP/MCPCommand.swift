import ArgumentParser
import Foundation
import Logging
import PCMBrowser
import PCMCore
import PCMHTTP
import PCMNetwork
import PCMSimulatedSites
import PCMStore
import PCMURL

struct MCPCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mcp",
    abstract: "Serve a coding agent: the Model Context Protocol on standard input and output.",
    discussion: """
      The configuration of an agent:
        { "mcpServers": {
            "pcm-browser": { "command": "pcm-browser", "args": ["mcp"] } } }

      The tools are the steps of a test, and explain why a report was sent or not. By
      default, the service runs in this process: its data is in memory, simulated
      sites respond to every request, and nothing leaves the machine. With --url, the
      tools use a running service, and PCM_BROWSER_API_TOKEN is its token.

      Exit status: 0 the input ended; 2 the service cannot be reached.
      """)

  @Option(help: "The address of a running service. PCM_BROWSER_URL has the same effect.")
  var url: String?

  func run() async throws {
    // A write to a closed pipe is an error in place of a signal.
    signal(SIGPIPE, SIG_IGN)
    guard let base = url ?? Environment.serviceURL else { return try await serveAlone() }
    try await ServiceClient.with(
      base, accept: "text/plain", remedy: "start it with pcm-browser serve, or correct --url or PCM_BROWSER_URL"
    ) { client in
      try await serve("The service is \(client.base).") { try await client.call($0, $1, $2) }
    }
  }

  /// Serves with a service in this process.
  private func serveAlone() async throws {
    let sites = SiteParser(publicSuffixList: .builtIn())
    let environment = BrowserEnvironment(
      transport: SimulatedSites(registrableDomain: { sites.site(ofHost: $0).site.domain }), route: NetworkRoute(), sites: sites,
      wallClock: { SystemTime.now }, sleep: { try await SystemTime.sleep(until: $0) })
    let service = BrowserService(
      environment: environment, durable: MemoryStore(), ephemeral: MemoryStore(), newSeed: SystemChance.seed)
    try await service.browsers.load()
    let logger = LogFormat.text.logger(level: .warning)
    // The clocks of browsers on the real clock.
    async let _: Void = service.realTime.run(service.browsers) {
      logger.error("error in a due browser", metadata: Logger.Metadata(error: $1))
    }
    let api = InProcessAPI(service.api, logger: logger)
    try await serve("Its data is in memory, and simulated sites respond to every request.") { method, path, body in
      let response = try await api.call(method, path, body: body, accept: "text/plain")
      return (response.status, response.body)
    }
  }

  /// Answers messages in their order until the input ends or the output is closed.
  private func serve(_ place: String, _ call: @escaping ServiceCall) async throws {
    let document = try await call("GET", "/openapi.json", [])
    guard document.status == 200, let json = JSON(parsing: document.body, keepingNumbers: true) else {
      throw StartError(description: "the service returned no openapi.json: \(MCPResult(document).text)")
    }
    var session = MCPSession(tools: MCPTool.tools(json), instructions: "\(MCPSession.guide) \(place)")
    var bytes: [UInt8]
    repeat {
      bytes = await Self.input()
      for action in session.receive(bytes.isEmpty ? [UInt8(ascii: "\n")] : bytes) {
        let message: JSON
        switch action {
        case .send(let answer): message = answer
        case .call(let tool, let arguments, let id):
          let result: MCPResult
          do {
            result = try await tool.perform(arguments, call)
          } catch {
            result = MCPResult(text: StartError(error).description, isError: true)
          }
          message = MCPSession.reply(to: id, result.naming(session.tools).members)
        }
        guard writeAll(message.bytes + [UInt8(ascii: "\n")], to: STDOUT_FILENO) else { return }
      }
    } while !bytes.isEmpty
  }

  /// Reads a part of standard input, which is empty at its end. The wait occupies no thread of Swift's tasks.
  private static func input() async -> [UInt8] {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        continuation.resume(returning: Array(bytes.prefix(max(0, count))))
      }
    }
  }
}
