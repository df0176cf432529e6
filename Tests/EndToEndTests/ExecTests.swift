import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL
import ServiceSupport
import Testing

/// A command with a new service: its environment, its end, and the remaining files.
@Suite(.timeLimit(.minutes(10))) struct ExecTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(
    _ words: String..., input: String = "", limit: String? = nil, redirection: String? = nil
  ) async throws -> (status: Int32, output: String, message: String) {
    try await ServiceProcess.run(
      ["exec"] + words, environment: ["TMPDIR": folder.path], limit: limit, redirection: redirection, input: input)
  }

  /// Starts a script whose first line of output names the service's address.
  private func start(_ options: [String], _ script: String) async throws -> ServiceProcess {
    try await ServiceProcess(
      running: ["exec"] + options + ["--", "sh", "-c", script], greeting: "at http://127.0.0.1:",
      environment: ["TMPDIR": folder.path])
  }

  private var leftFiles: [String] { get throws { try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() } }

  @Test func theServiceReachesTheReportEndpointUnderEveryName() async throws {
    let names = folder.path + "/names"
    let service = try await start(
      ["--receiver", "--log", folder.path + "/log"],
      "echo $PCM_RECEIVER_URL >'\(names)'; cat $PCM_CA_FILE >'\(names).pem'; echo at $PCM_BROWSER_URL; exec sleep 600")
    let outcome = await Result { try await report(from: service, receiverFile: names) }
    service.terminate()
    #expect(await service.status() == 128 + SIGTERM)
    let received = try outcome.get()
    for part in [#""accepted""#, "news.example", "shop.example"] { #expect(received.contains(part), "\(received)") }
    let log = try String(contentsOfFile: folder.path + "/log", encoding: .utf8)
    #expect(log.contains("report 1 at ") && log.contains("report 2 at "), "\(log)")
    #expect(try leftFiles == ["log", "names", "names.pem"])
  }

  /// Sends the reports of a click, and returns the requests at the endpoint.
  private func report(from service: ServiceProcess, receiverFile: String) async throws -> String {
    try await Stage.prepare(service, seed: "1")
    #expect(try await service.call("POST", "\(Stage.browser)/event-attributions", Stage.click).status == 201)
    #expect(try await service.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger).status == 201)
    #expect(try await service.call("POST", "\(Stage.browser)/clock/advance", #"{"by":"PT48H"}"#).status == 200)
    let reports = try await service.call("GET", "\(Stage.browser)/reports?state=delivered").decoded(
      as: PageView<ReportView>.self)
    #expect(Set(reports.items.map(\.recipient)) == ["source", "destination"])
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .file(receiverFile + ".pem")
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: HTTPClient.Configuration(tlsConfiguration: tls))
    let url = try String(contentsOfFile: receiverFile, encoding: .utf8).filter { $0 != "\n" }
    let received = await Result {
      let response = try await client.execute(HTTPClientRequest(url: url + "/admin/reports"), timeout: .minutes(1))
      return String(buffer: try await response.body.collect(upTo: 1 << 20))
    }
    try await client.shutdown()
    return try received.get()
  }

  @Test(
    arguments: [
      ("exit 0", 0), ("exit 7", 7), ("kill -KILL $$", 137), ("kill -PIPE $$", 141), ("kill -INT $$", 130),
    ] as [(String, Int32)])
  func theStatusIsThatOfTheCommand(_ script: String, _ status: Int32) async throws {
    let ended = try await run("--", "sh", "-c", script)
    #expect(ended.status == status)
    guard status != 0 else {
      #expect(ended.message.isEmpty, "\(ended.message)")
      return #expect(try leftFiles == [])
    }
    let log = try #require(
      ended.message.firstMatch(of: /pcm-browser: sh ended with status \d+\. The log of the service is (.*)\n/))
    #expect(
      try String(contentsOfFile: String(log.1), encoding: .utf8).contains("pcm-browser is listening on http://127.0.0.1:"))
    #expect(try leftFiles.count == 2)
  }

  @Test(
    arguments: [
      (["--", "/nonexistent/tool"], 127, "pcm-browser: command not found: /nonexistent/tool\n"),
      (
        ["--", "echo hi"], 127,
        "command not found: \"echo hi\". It is one word. Write its words apart, as in pcm-browser exec -- echo hi,"
      ),
      (["--", "/dev/null"], 126, "pcm-browser: cannot run /dev/null: it is not executable; use chmod +x\n"),
      (["--", "/tmp"], 126, "pcm-browser: cannot run /tmp: it is a folder\n"),
      ([], 2, "Write the command after --, as in: pcm-browser exec -- pytest -q"),
      (["--"], 2, "the command is missing"),
      (["pytest", "-q"], 2, "Write the command after --, as in: pcm-browser exec -- pytest -q"),
      (["--recevier", "--", "true"], 2, "Unknown option '--recevier'. Did you mean '--receiver'?"),
      (["--port", "70000", "--", "true"], 2, "--port must be from 0 to 65535, not 70000"),
    ] as [([String], Int32, String)])
  func aCommandThatCannotBeRunIsExplained(_ words: [String], _ status: Int32, _ sentence: String) async throws {
    let failed = try await FailedCommand(["exec"] + words, environment: ["TMPDIR": folder.path])
    #expect(failed.status == status)
    #expect(failed.message.contains(sentence), "\(failed.message)")
    #expect(!failed.isDump, "\(failed.message)")
    #expect(try leftFiles == [])
  }

  @Test func aPortThatIsInUseEndsBeforeTheCommand() async throws {
    let service = try await ServiceProcess(data: folder.path + "/data")
    defer { service.kill() }
    let failed = try await run("--port", "\(service.port)", "--", "echo", "hi")
    #expect(failed.status == 2 && failed.output.isEmpty)
    #expect(
      failed.message.hasSuffix(
        "pcm-browser: Port \(service.port) is in use. Choose another with --port, or 0 for any free port.\n"))
  }

  @Test func theCommandHasTheStreamsAndTheDescriptorsOfItsCaller() async throws {
    #expect(try await run("--", "cat", input: "hello").output == "hello")
    let plain = try await run("--receiver", "--", "ls", "/proc/self/fd", redirection: "7</dev/null")
    // The last one reads the folder.
    #expect(plain.output.split(separator: "\n") == ["0", "1", "2", "3", "7"])
  }

  @Test func theTokenReachesTheCommand() async throws {
    let script = "echo \"$PCM_BROWSER_API_TOKEN, ${PCM_RECEIVER_URL-none}, ${PCM_CA_FILE-none}\""
    #expect(try await run("--api-token", "secret", "--", "sh", "-c", script).output == "secret, none, none\n")
  }

  @Test func aFailedCommandLeavesATraceOfEachBrowserWithEvents() async throws {
    let call = #"curl -sS -X PUT -H "Authorization: Bearer $PCM_BROWSER_API_TOKEN" -H 'Content-Type: application/json'"#
    let script = """
      \(call) -d '{"clock":{"mode":"manual"}}' "$PCM_BROWSER_URL/v1/browsers/a%2Fb" >/dev/null
      \(call) -d '{"reportEndpoint":"https://news.example"}' "$PCM_BROWSER_URL/v1/browsers/a%2Fb/apps/com.example.news" >/dev/null
      exit "$1"
      """
    let options = ["--trace", folder.path + "/traces", "--api-token", "secret", "--", "sh", "-c", script, "sh"]
    func exec(_ status: String) async throws -> (status: Int32, output: String, message: String) {
      try await ServiceProcess.run(["exec"] + options + [status], environment: ["TMPDIR": folder.path])
    }
    #expect(try await exec("0").status == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/traces"))
    let failed = try await exec("3")
    #expect(failed.status == 3 && failed.message.contains("The trace of a/b is \(folder.path)/traces/a-b.html\n"), "\(failed)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/traces") == ["a-b.html"])
  }

  @Test func theCommandCallsLoopbackWithoutAProxy() async throws {
    let ended = try await ServiceProcess.run(
      ["exec", "--", "printenv", "NO_PROXY"],
      environment: ["TMPDIR": folder.path, "HTTP_PROXY": "http://127.0.0.1:1", "NO_PROXY": "a.example", "no_proxy": ""])
    #expect(ended.output == "a.example,127.0.0.1,localhost,::1,[::1]\n", "\(ended)")
  }

  @Test func aSignalPassesThroughAndTheCommandHasItsTime() async throws {
    let service = try await start([], "trap 'kill $!; exit 3' TERM; sleep 600 & echo at $PCM_BROWSER_URL; wait")
    #expect(try await service.call("GET", "/healthz").status == 200)
    service.terminate()
    #expect(await service.status() == 3)
  }

  @Test func aSignalThatTheCallerIgnoresStaysIgnored() async throws {
    let script = "kill -HUP $PPID; kill -HUP $$; echo alive"
    let ended = try await run("--", "sh", "-c", script, limit: "-n 1024; trap '' HUP")
    #expect(ended.output == "alive\n" && ended.status == 0, "\(ended)")
  }

  @Test func theCommandEndsWhenPcmBrowserIsKilled() async throws {
    let service = try await start([], "echo at $PCM_BROWSER_URL; exec sleep 600")
    service.kill()
    // The output ends with the command.
    #expect(await service.status() == SIGKILL)
  }

  @Test func aProcessThatTheCommandLeavesBehindDelaysNothing() async throws {
    let left = folder.path + "/left"
    let ended = try await run("--", "sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $! >'\(left)'; echo $PCM_BROWSER_URL")
    #expect(ended.status == 0)
    let number = try #require(Int32(try String(contentsOfFile: left, encoding: .utf8).filter(\.isNumber)))
    #expect(kill(number, SIGKILL) == 0)
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
