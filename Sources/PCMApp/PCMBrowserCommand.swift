package import ArgumentParser
import CBuild
import PCMCore

/// The command line.
package struct PCMBrowserCommand: AsyncParsableCommand {
  static let version = "0.2.0"

  /// The version, with the commit of a release build: `0.2.0 (1a2b3c4d)`.
  static let fullVersion = commit.isEmpty ? version : "\(version) (\(commit))"

  private static let commit = String(cString: pcm_build_commit())

  package static let configuration = CommandConfiguration(
    commandName: "pcm-browser",
    abstract: """
      The browser's part in Private Click Measurement, and the device's part in SKAdNetwork and AdAttributionKit, for tests, with \
      a clock that you control.
      """,
    discussion: """
      Examples:
        pcm-browser demo                        run a complete example
        pcm-browser demo --device               with an ad that leads to an app
        pcm-browser serve                       serve on http://127.0.0.1:8726
        pcm-browser serve --port 0 --data pcm   on a free port, in another folder
        pcm-browser exec -- pytest -q           run a command with a new service
        pcm-browser attach --launch             observe the pages of Chromium
        pcm-browser receive                     run a report endpoint
        pcm-browser check https://ads.example   check a report endpoint
        pcm-browser load-test https://ads.example  send it authentic traffic
        pcm-browser simulate a.csv --reports -  simulate your own clicks and orders
        pcm-browser run checkout.yaml           play scenario files
        pcm-browser manifest Info.plist         explain an app's manifest
        pcm-browser verify postback.json        verify a postback or an ad impression
        pcm-browser mcp                         serve a coding agent
        pcm-browser rules tap-is-verified       show a rule and its origin
        pcm-browser store copy FOLDER DATABASE  copy browsers to PostgreSQL, or back

      Exit status: 0 success, 1 negative result, 2 wrong usage or error at startup. exec has the status of its command.
      """,
    version: fullVersion,
    subcommands: [
      ServeCommand.self, ExecCommand.self, ReceiveCommand.self, CheckCommand.self, LoadTestCommand.self, SimulateCommand.self,
      RunCommand.self, DemoCommand.self, AttachCommand.self, ManifestCommand.self, VerifyCommand.self, MCPCommand.self,
      RulesCommand.self, StoreCommand.self,
    ])

  package init() {}

  /// Runs the command in the arguments, and ends the process with its status.
  package static func start() async {
    StandardDescriptors.reserve()
    do {
      try requireArguments(CommandLine.arguments)
      var command = try parsed()
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      // Help, the version, and the exit status of a command.
      guard exitCode(for: error) == .failure, !(error is ExitCode) else { exit(withError: error) }
      StandardError.write("pcm-browser: \(StartError(error))\n")
      exit(withError: ExitCode(2))
    }
  }

  /// Throws when the arguments are not known: Swift reads them from `/proc`. Every command would print the overview, as if it had
  /// succeeded.
  static func requireArguments(_ arguments: [String]) throws(StartError) {
    guard arguments.isEmpty else { return }
    throw StartError(description: "the arguments of the command cannot be read from /proc/self/cmdline; mount /proc")
  }

  /// Returns a question with the command most similar to a misspelled command: `Did you mean pcm-browser check?`; nil when none is.
  static func suggestion(for arguments: [String]) -> String? {
    var (path, known) = (["pcm-browser"], configuration.subcommands)
    for word in arguments {
      if let command = known.first(where: { $0.configuration.commandName == word }) {
        path.append(word)
        known = command.configuration.subcommands
      } else {
        let nearest = NearestName.nearest(to: word, among: known.compactMap { $0.configuration.commandName })
        return nearest.map { "Did you mean \((path + [$0]).joined(separator: " "))?" }
      }
    }
    return nil
  }

  private static func parsed() throws -> any ParsableCommand {
    let arguments = Array(CommandLine.arguments.dropFirst())
    // The help of a command that does not exist would be the overview.
    if arguments.first == "help", let advice = suggestion(for: Array(arguments.dropFirst())) {
      StandardError.write("pcm-browser: there is no such command. \(advice)\n")
      throw ExitCode(2)
    }
    do {
      return try parseAsRoot()
    } catch {
      guard exitCode(for: error) != .success else { throw error }
      let advice = ExecCommand.advice(for: arguments) ?? suggestion(for: arguments)
      StandardError.write(withoutPasswords(fullMessage(for: error)) + "\n" + (advice.map { $0 + "\n" } ?? ""))
      throw ExitCode(2)
    }
  }

  /// Returns a message without the passwords of addresses, such as of an argument that no command expects.
  static func withoutPasswords(_ message: String) -> String {
    message.replacing(#/(//[^\s:/@']*:)[^\s]*@/#) { "\($0.1)…@" }
  }
}
