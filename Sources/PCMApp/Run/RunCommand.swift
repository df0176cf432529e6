import ArgumentParser
import PCMCore
import PCMCurl
import PCMScenario
import PCMSites
import PCMStore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Play scenario files: what a browser is to make of clicks and triggering events, step by step.",
    discussion: """
      Examples:
        pcm-browser run Fixtures/scenarios
        pcm-browser run checkout.yaml --junit results.xml
        pcm-browser run checkout.yaml --seed 7
        pcm-browser run checkout.yaml --update
        pcm-browser run --schema > scenario.schema.json
        pcm-browser run --live \\
          --connect-to ::127.0.0.1:8443 --ca-file ca.pem checkout.yaml

      A folder stands for all *.yaml, *.yml and *.json files in and below it, in the
      order of their names. Each file has a browser of its own, on a clock of its
      own, and sites that answer as the file says; nothing leaves the machine unless
      --live lets it. A file that failed shows why, and the command that has the same
      result again.

      --update writes what is in the place of what was expected and keeps everything
      else in the file, comments included. Windows of time stay as they are. Look at
      the difference before you keep it.

      Exit status: 0 all passed, 1 something failed, 2 a file could not be read, or
      none was found.
      """)

  @Argument(help: "Scenario files, and folders with such files.")
  var files: [String] = []

  @Option(help: ArgumentHelp("Write the results as JUnit XML, too.", valueName: "file"))
  var junit: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Option(help: "The seed of the draws, 1 to 128 characters, instead of the scenarios' own.")
  var seed: String?

  @Flag(help: "Let the requests out to the real sites.")
  var live = false

  @Flag(help: "Write what is in the place of what was expected.")
  var update = false

  @Flag(help: "Print the JSON Schema of scenario files and do nothing else.")
  var schema = false

  @OptionGroup(title: "Network options, with --live")
  var network: NetworkOptions

  func validate() throws {
    if schema, !files.isEmpty { throw ValidationError("--schema stands alone") }
    if !schema, files.isEmpty { throw ValidationError("name scenario files or folders with such files") }
    if let seed, !(1...128).contains(seed.count) { throw ValidationError("--seed has 1 to 128 characters") }
    if !live, network.isUsed { throw ValidationError("the network options go with --live") }
  }

  func run() async throws {
    guard !schema else { return StandardOutput.write(ScenarioFormat.schema.text + "\n") }
    let found = try ScenarioFiles.find(files)
    let report = try junit.map { try OutputFile(path: $0) }
    let progress = Progress(of: found.count)
    let summary = try await withStages { stages in
      let runner = ScenarioRunner(
        stages: stages, seed: seed, isUpdating: update, width: ProcessInfo.processInfo.activeProcessorCount,
        options: live ? ["--live"] + network.arguments : [])
      return RunSummary(
        files: try await runner.play(found) { file in
          progress.erase()
          if !json { StandardOutput.write(file.text) }
          progress.step()
        })
    }
    progress.erase()
    StandardOutput.write(json ? summary.json.text + "\n" : summary.text)
    try report?.write(summary.junit)
    if summary.status != 0 { throw ExitCode(summary.status) }
  }

  private func withStages(_ play: (ScenarioStages) async throws -> RunSummary) async throws -> RunSummary {
    let sites = SiteParser(publicSuffixList: .builtIn())
    guard live else {
      do {
        return try await play(ScenarioStages(sites: sites))
      } catch let error as StoreError {
        throw StartError(description: error.explanation)
      }
    }
    let transport = try CurlTransport()
    do {
      let summary = try await play(ScenarioStages(sites: sites, network: .live(transport, network.route)))
      await transport.close()
      return summary
    } catch {
      await transport.close()
      throw error
    }
  }
}

/// How far a long run has come, for somebody at a terminal only.
private final class Progress {
  private let total: Int
  private let isShown = StandardError.isTerminal
  private var done = 0

  init(of total: Int) {
    self.total = total
    show()
  }

  func step() {
    done += 1
    show()
  }

  func erase() {
    if isShown { StandardError.write("\r\u{1B}[K") }
  }

  private func show() {
    if isShown, done < total { StandardError.write("playing \(done + 1) of \(total)") }
  }
}
