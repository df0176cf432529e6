import DevToolsSupport
import NIOConcurrencyHelpers
import PCMCore
import Testing

@testable import PCMDevTools

@Suite struct AttachmentsTests {
  /// Time does not pass.
  private static let environment = BrowserAttachment.Environment(
    uptime: { .zero }, now: { Instant(milliseconds: 0) },
    pause: { _ in
      for await _ in AsyncStream<Void>.makeStream().stream {}
      throw CancellationError()
    }, draw: { [UInt8](repeating: 5, count: $0) })

  private let attachments = Attachments(environment: Self.environment, allowedHosts: ["chrome"])

  private func attach(
    to browser: FakeBrowser, host: String = "127.0.0.1", context: String? = nil, owner: String = "first",
    service: @escaping BrowserAttachment.ServiceCall = { _, _, _ in (201, []) }
  ) async throws -> Attachments.Entry {
    var input = AttachmentInput()
    input.devtools = browser.address.url.replacing("127.0.0.1", with: host)
    input.context = context
    return try await attachments.attach(input, to: "checkout", owner: owner, isOnRealClock: false, service: service)
  }

  private func code(_ attach: () async throws -> Attachments.Entry) async -> DevToolsError.Code? {
    do {
      _ = try await attach()
      return nil
    } catch {
      return (error as? DevToolsError)?.code
    }
  }

  @Test("A context is observed once, also under another name of its host")
  func conflicts() async throws {
    let browser = try await FakeBrowser()
    let first = try await attach(to: browser, context: "A")
    #expect(first.name == "attachment-1")
    #expect(await code { try await attach(to: browser, context: "A", owner: "second") } == .attachedAlready)
    #expect(await code { try await attach(to: browser, host: "localhost", context: "A") } == .attachedAlready)
    #expect(await code { try await attach(to: browser) } == .attachedAlready)
    _ = try await attach(to: browser, context: "B", owner: "second")
    #expect(attachments.entries(of: "first").map(\.name) == ["attachment-1"])
    #expect(await attachments.detach("attachment-1", of: "second") == false)
    #expect(await attachments.detach("attachment-1", of: "first"))
    _ = try await attach(to: browser, context: "A")
    await attachments.stop()
  }

  @Test("A browser that is not there is no attachment")
  func unreachable() async throws {
    var script = FakeBrowser.Script()
    script.accepts = false
    let browser = try await FakeBrowser(script)
    #expect(await code { try await attach(to: browser) } == .unreachable)
    #expect(await code { try await attach(to: browser, host: "192.0.2.1") } == .notLoopback)
    #expect(attachments.entries(of: "first").isEmpty)
  }

  @Test(
    "A caller who leaves, and the end of the service's browser, do not wait for a browser that is silent",
    arguments: [true, false])
  func silence(isCallerGone: Bool) async throws {
    var script = FakeBrowser.Script()
    script.version = { _ in nil }
    let browser = try await FakeBrowser(script)
    let attaching = Task { await code { try await attach(to: browser) } }
    while attachments.entries(of: "first").isEmpty { await Task.yield() }
    if isCallerGone { attaching.cancel() } else { await attachments.detachAll(of: "first") }
    #expect(await attaching.value == .stopped)
    #expect(attachments.entries(of: "first").isEmpty)
  }

  @Test("An attachment begins when the open pages have the listener")
  func start() async throws {
    let order = NIOLockedValueBox<[String]>([])
    var script = FakeBrowser.Script()
    script.onCommand = { id, command in
      let method = command["method"]?.string ?? ""
      order.withLockedValue { $0.append(method) }
      let answer = FakeBrowser.Output.text(["id": .number(id), "result": [:]])
      guard method == "Target.setAutoAttach", command["sessionId"] == nil else { return [answer] }
      let page: JSON = ["sessionId": "S", "targetInfo": ["targetId": "P", "type": "page", "url": "https://news.example/"]]
      return [.text(["method": "Target.attachedToTarget", "params": page]), answer]
    }
    let browser = try await FakeBrowser(script)
    _ = try await attach(to: browser)
    let methods = order.withLockedValue { $0 }
    #expect(methods.contains("Page.addScriptToEvaluateOnNewDocument"))
    #expect(methods.last == "Page.getFrameTree")
    await attachments.stop()
  }

  @Test("An attachment ends with the service's browser, and none begins after the service stopped")
  func end() async throws {
    let browser = try await FakeBrowser()
    let code = await code {
      let entry = try await attach(to: browser) { _, _, _ in (404, []) }
      while true {
        _ = try await entry.attachment.started()
        await Task.yield()
      }
    }
    #expect(code == .stopped)
    await attachments.detachAll(of: "first")
    #expect(attachments.entries(of: "first").isEmpty)
    await attachments.stop()
    #expect(await self.code { try await attach(to: browser) } == .stopped)
  }
}
