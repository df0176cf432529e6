import ArgumentParser
import Foundation
import PCMCore
import PCMCurl
import PCMManifest
import PCMScenario
import PCMURL

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Play scenario files: steps with clicks, triggering events, and the expected results.",
    discussion: """
      Examples:
        pcm-browser run Fixtures/scenarios
        pcm-browser run checkout.yaml --junit results.xml
        pcm-browser run Fixtures/scenarios --html results.html
        pcm-browser run checkout.yaml --seed 7
        pcm-browser run --watch scenarios
        pcm-browser run - < checkout.yaml
        pcm-browser run --schema > scenario.schema.json
        pcm-browser run --live \\
          --connect-to ::127.0.0.1:8443 --ca-file ca.pem checkout.yaml

      A folder includes all *.yaml, *.yml, and *.json files in and below it, sorted
      by name. Each file has its own browser and clock, and sites that respond as
      the file describes. Without --live, no request leaves the machine. A failure
      shows the actual values as YAML to paste into the step's expect, the reason,
      and the command that reproduces it.

      - stands for standard input. --watch plays all files again whenever one of them,
      or a manifest that they name, changes, until Ctrl-C.

      --html writes a page in one file: failures first, and a timeline of each
      scenario. --trace writes the page of the browser of each failed scenario, in
      one file that works without a service.

      Exit status: 0 all passed; 1 a scenario failed; 2 a file could not be read, or
      none was found.
      """)

  @Argument(help: "Scenario files, folders with scenario files, or - for standard input.")
  var files: [String] = []

  @Option(help: ArgumentHelp("Write the results as JUnit XML, too.", valueName: "file"))
  var junit: String?

  @Option(help: ArgumentHelp("Write the results as an HTML page in one file, too.", valueName: "file"))
  var html: String?

  @Option(help: ArgumentHelp("Write a trace of each failed scenario to this folder.", valueName: "folder"))
  var trace: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Option(help: "A seed of 1 to 128 characters that replaces the scenarios' seeds.")
  var seed: String?

  @Flag(help: "Send the requests to the real sites.")
  var live = false

  @Flag(help: "Play the files again whenever one of them changes.")
  var watch = false

  @OptionGroup
  var colors: ColorOptions

  @Flag(help: "Print the JSON Schema of scenario files and exit.")
  var schema = false

  @OptionGroup(title: "Network options, with --live")
  var network: NetworkOptions

  func validate() throws {
    if schema, !files.isEmpty { throw ValidationError("--schema cannot be combined with files; omit one") }
    if !schema, files.isEmpty { throw ValidationError("expected scenario files or folders with scenario files") }
    if watch, files.contains("-") { throw ValidationError("--watch cannot watch standard input; name files") }
    if let seed, !(1...128).contains(seed.unicodeScalars.count) {
      throw ValidationError("--seed must have 1 to 128 characters")
    }
    if let junit, junit == html {
      throw ValidationError("--junit and --html name the same file; choose another one for either")
    }
    if !live, network.isUsed { throw ValidationError("the network options require --live") }
  }

  func run() async throws {
    guard !schema else { return try StandardOutput.write(ScenarioFormat.schema.text + "\n") }
    guard watch else {
      let status = try await play()
      if status != 0 { throw ExitCode(status) }
      return
    }
    while true {
      let stamps = FileStamps(of: files)
      do {
        _ = try await play()
      } catch let error as StartError {
        // A file may be missing while an editor replaces it.
        StandardError.write("pcm-browser: \(error)\n")
      }
      let changed = try await stamps.change { try await SystemTime.sleep(for: Interval(milliseconds: 300)) }
      StandardError.write("pcm-browser: playing again, because \(changed) changed\n")
    }
  }

  /// Plays the files once and returns the exit status.
  private func play() async throws -> Int32 {
    let style = colors.style
    let found = try ScenarioFiles.find(files)
    let report = try junit.map { path in try StartError.naming("--junit") { try OutputFile(path: path) } }
    let page = try html.map { path in try StartError.naming("--html") { try OutputFile(path: path) } }
    let traces = try trace.map { path throws(StartError) in try TraceFolder(path: path) }
    defer { traces?.removeIfEmpty() }
    let progress = Progress(of: found.count)
    // The files are written even if the output cannot be.
    var unwritten: (any Error)?
    let summary = try await withStages { stages in
      let runner = ScenarioRunner(
        stages: stages, seed: seed, width: ProcessInfo.processInfo.activeProcessorCount,
        options: live ? ["--live"] + network.arguments : [], isDrawing: page != nil, traces: traces)
      return RunSummary(
        files: try await runner.play(found) { file in
          progress.erase()
          do {
            if !json, unwritten == nil { try StandardOutput.write(file.text(in: style)) }
          } catch {
            unwritten = error
          }
          progress.step()
        })
    }
    progress.erase()
    try report?.publish(summary.junit)
    try page?.publish(summary.html)
    if let unwritten { throw unwritten }
    try StandardOutput.write((json ? summary.json.text : summary.text(in: style)) + "\n")
    return summary.status
  }

  private func withStages(_ play: (ScenarioStages) async throws -> RunSummary) async throws -> RunSummary {
    let sites = SiteParser(publicSuffixList: .builtIn())
    guard live else { return try await play(ScenarioStages(sites: sites)) }
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

/// The progress of a run, shown only on a terminal.
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
