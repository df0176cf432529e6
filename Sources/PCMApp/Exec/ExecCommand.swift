import ArgumentParser
import Foundation
import PCMCore

struct ExecCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract: "Run a command with a new service, which ends with the command.",
    usage: "pcm-browser exec [--receiver] [<options>] -- <command> [<argument> ...]",
    discussion: """
      Examples:
        pcm-browser exec -- pytest -q
        pcm-browser exec --receiver -- swift test
        pcm-browser exec --log service.log -- npm test
        pcm-browser exec -- sh -c 'curl -sS "$PCM_BROWSER_URL/v1"'

      The service is ready when the command starts, on a port that the kernel chooses,
      with its browsers in memory. The command has these variables:

        PCM_BROWSER_URL         the service, such as http://127.0.0.1:40123
        PCM_BROWSER_API_TOKEN   the token, if the service has one
        PCM_RECEIVER_URL        with --receiver: the report endpoint
        PCM_CA_FILE             with --receiver: the certificates to trust for it

      With --receiver, the service sends every request to the report endpoint of
      pcm-browser receive, over TLS and whatever the host. Entries of --connect-to
      have precedence. What arrived is at $PCM_RECEIVER_URL/admin/reports.

      With HTTP_PROXY, HTTPS_PROXY, or ALL_PROXY, loopback is added to the command's
      NO_PROXY and no_proxy.

      The command has the standard streams and the terminal. Signals pass through, and
      the service ends after the command, so a command that handles SIGTERM has the
      time that it needs. If pcm-browser is killed, the command receives SIGTERM.

      The log of the service is a file in the folder for temporary files. When the
      command fails, the last line of standard error names it; otherwise, it is
      removed. With --trace, a failed command leaves a trace of each browser that
      it did not delete: its page, in one file that works without a service.

      Exit status: the command's; 128 + n when signal n ended it; 127 when the
      command was not found, 126 when it cannot be run; 2 when the service cannot
      start.
      """)

  @Flag(help: "Run a report endpoint, too, to which the service sends everything.")
  var receiver = false

  @Option(help: ArgumentHelp("Append the log to this file, and keep it.", valueName: "file"))
  var log: String?

  @Option(help: ArgumentHelp("Write traces to this folder when the command fails.", valueName: "folder"))
  var trace: String?

  @Option(help: "The port to listen on; 0 lets the kernel choose.")
  var port = 0

  @Option(
    help: ArgumentHelp("The folder of the durable browsers; created when absent. (default: in memory)", valueName: "folder"))
  var data: String?

  @OptionGroup
  var options: ServiceOptions

  @Argument(parsing: .postTerminator, help: "The command, after --, with its arguments.")
  var command: [String] = []

  func validate() throws {
    try ServiceOptions.check(port: port)
    try ServiceOptions.check(data: data)
    guard !command.isEmpty else { throw ValidationError("the command is missing") }
  }

  /// Returns the addition to an error of the command line; nil when the command is after `--`.
  static func advice(for arguments: [String]) -> String? {
    guard arguments.first == "exec", !arguments.dropLast().contains("--") else { return nil }
    return "Write the command after --, as in: pcm-browser exec -- pytest -q"
  }

  func run() async throws {
    let process = CommandProcess(words: command)
    try OpenFiles.requireEnough()
    let traces = try trace.map { path throws(StartError) in try TraceFolder(path: path) }
    let folder = try CommandFolder.create(for: "exec")
    var isKept = false
    defer {
      if !isKept { try? FileManager.default.removeItem(atPath: folder) }
      traces?.removeIfEmpty()
    }
    let logFile = log ?? folder + "/service.log"
    let status = try await status(of: process, folder: folder, logFile: logFile, traces: traces)
    guard status != 0 else { return }
    isKept = log == nil
    try? FileManager.default.removeItem(atPath: folder + "/ca.pem")
    StandardError.write(
      "pcm-browser: \(command[0].visible) ended with status \(status). The log of the service is \(logFile)\n")
    throw ExitCode(status)
  }

  /// Runs the command with the service and returns its status.
  private func status(
    of process: CommandProcess, folder: String, logFile: String, traces: TraceFolder?
  ) async throws -> Int32 {
    let lines = try StartError.naming("--log") { try LineFile(path: logFile) }
    let logger = options.logger { text in try? lines.append(Array(text.utf8)) }
    var settings = try options.settings(port: port, data: data)
    // The command calls the wildcard address by loopback.
    if ["0.0.0.0", "::"].contains(settings.host) { settings.allowedHosts += ServiceSettings.loopback }
    let stage = ExecStage(
      settings: settings, receiverFolder: receiver ? folder : nil, logger: logger, log: { try? lines.append($0) })
    do {
      return try await stage.run { variables in
        let status = try await process.run(variables)
        if status != 0, let traces { await Self.write(traces, of: variables) }
        return status
      }
    } catch let error as CommandError {
      StandardError.write("pcm-browser: \(error)\n")
      throw ExitCode(error.status)
    }
  }

  /// The maximum number of traces.
  private static let mostTraces = 100

  /// Writes a trace of each browser that has events. Errors are printed to standard error.
  ///
  /// - Parameter variables: The variables that name the service.
  private static func write(_ traces: TraceFolder, of variables: [String: String?]) async {
    func variable(_ name: String) -> String? { variables[name] ?? nil }
    do {
      try await ServiceClient.with(
        variable("PCM_BROWSER_URL") ?? "", remedy: "no trace was written", token: variable("PCM_BROWSER_API_TOKEN")
      ) { service in
        let list = JSON(parsing: try await service.call("GET", "/v1/browsers?limit=\(mostTraces)").body)?["items"]?.items ?? []
        let browsers = list.compactMap { $0["name"]?.string }
        for (browser, name) in zip(browsers, TraceFolder.names(for: browsers)) {
          let path = BrowserName(browser).path
          let events = JSON(parsing: try await service.call("GET", path + "/events?limit=1").body)
          guard events?["items"]?.items.isEmpty == false else { continue }
          let trace = try await service.call("GET", path + "/trace")
          guard trace.status == 200 else { continue }
          StandardError.write(
            "pcm-browser: The trace of \(browser.visible) is \(try traces.write(trace.body, as: name))\n")
        }
      }
    } catch {
      StandardError.write("pcm-browser: \(error)\n")
    }
  }
}
