import Foundation
import ServiceSupport
import Testing

/// The files of commands without options for them: none is in the working folder, and each is named.
@Suite(.timeLimit(.minutes(10))) struct StateFolderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func theServiceKeepsItsBrowsersInTheStateFolder() async throws {
    let log = folder.path + "/log"
    let service = try await ServiceProcess(
      running: ["serve", "--port", "0"], greeting: "pcm-browser is listening on http://127.0.0.1:",
      environment: ["XDG_STATE_HOME": folder.path + "/state"], log: log)
    service.terminate()
    #expect(await service.status() == 0)
    let data = folder.path + "/state/pcm-browser"
    #expect(FileManager.default.fileExists(atPath: data + "/pcm-browser.sqlite"))
    let text = try String(contentsOfFile: log, encoding: .utf8)
    #expect(text.contains("the durable browsers are in \(data)\n"), "\(text)")
  }

  @Test func theEndpointKeepsItsAuthorityInTheStateFolder() async throws {
    let authority = folder.path + "/.local/state/pcm-browser/receiver-ca.pem"
    let receiver = try await ServiceProcess(
      running: ["receive", "--port", "0", "--json"], greeting: #"{"kind":"listening","url":"https://127.0.0.1:"#,
      environment: ["XDG_STATE_HOME": "", "HOME": folder.path])
    receiver.terminate()
    #expect(await receiver.status() == 0)
    #expect(try String(contentsOfFile: authority, encoding: .utf8).hasPrefix("-----BEGIN CERTIFICATE-----"))
  }

  @Test func aWrittenFileIsNamed() async throws {
    let scenario = folder.path + "/empty.yaml"
    try "scenario: Empty\nsteps: []\n".write(toFile: scenario, atomically: false, encoding: .utf8)
    let (junit, html) = (folder.path + "/results.xml", folder.path + "/results.html")
    let run = try await ServiceProcess.run(["run", scenario, "--junit", junit, "--html", html])
    #expect(run.message == "pcm-browser: wrote \(junit)\npcm-browser: wrote \(html)\n", "\(run)")
  }
}
