import DevToolsSupport
import PCMCore
import PCMDevTools
import ServiceSupport
import Testing

/// The command that observes a browser, with a browser that is played.
@Suite struct AttachTests {
  @Test("A browser that goes away ends the command, and the service's log has the reason", arguments: ["", "user:secret@"])
  func browserGoesAway(_ userInformation: String) async throws {
    let folder = try TemporaryFolder()
    let service = try await ServiceProcess(data: folder.path)
    defer { service.kill() }
    var script = FakeBrowser.Script()
    script.onCommand = { id, command in
      let answer = FakeBrowser.Output.text(["id": .number(id), "result": [:]])
      // The last command at the start.
      return command["method"] == "Target.setAutoAttach" ? [answer, .close] : [answer]
    }
    let browser = try await FakeBrowser(script)
    let ended = try await ServiceProcess.run(
      [
        "attach", browser.address.url, "--browser", "my shop", "--service",
        "http://\(userInformation)127.0.0.1:\(service.port)/",
      ])
    #expect(ended.status == 0)
    let lines = ended.output.split(separator: "\n")
    #expect(lines.first?.hasPrefix("Chrome/1.0 is observed; http://127.0.0.1:\(service.port)/browsers/my%20shop shows") == true)
    #expect(lines.last == "the browser closed the connection")
    let events = try await service.call("GET", "/v1/browsers/my%20shop/events")
    let kinds = JSON(parsing: events.bytes)?["items"]?.items.compactMap { $0["kind"]?.string }
    #expect(kinds == ["page-attached", "attachment-lost"])
  }

  @Test("A browser that breaks the protocol is an error of the command")
  func brokenProtocol() async throws {
    let folder = try TemporaryFolder()
    let service = try await ServiceProcess(data: folder.path)
    defer { service.kill() }
    var script = FakeBrowser.Script()
    script.onOpen = { [.raw("not JSON")] }
    let browser = try await FakeBrowser(script)
    let ended = try await ServiceProcess.run([
      "attach", browser.address.url, "--browser", "shop", "--service", "http://127.0.0.1:\(service.port)",
    ])
    #expect(ended.status == 1)
    #expect(ended.message == "pcm-browser: the browser sent 8 bytes that are not JSON\n")
  }
}
