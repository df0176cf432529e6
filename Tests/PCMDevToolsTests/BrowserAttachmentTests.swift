import DevToolsSupport
import NIOConcurrencyHelpers
import PCMCore
import Testing

@testable import PCMDevTools

/// Waits until the task is canceled.
private func untilCanceled() async throws {
  let (never, continuation) = AsyncStream.makeStream(of: Void.self)
  for await _ in never {}
  continuation.finish()
  throw CancellationError()
}

@Suite struct BrowserAttachmentTests {
  private static let trigger = ObservedPages.trigger

  /// The events of a page with one pixel, which follow the command that attaches to targets.
  private static var pageWithPixel: [FakeBrowser.Output] {
    let event = { (method: String, params: JSON) -> FakeBrowser.Output in
      .text(["method": .string(method), "params": params, "sessionId": "S"])
    }
    let load: JSON = [
      "requestId": "1", "request": ["url": "https://news.example/pixel"], "type": "Image", "frameId": "P", "loaderId": "L",
    ]
    let redirect: JSON = [
      "requestId": "1", "request": ["url": .string(trigger)], "type": "Image", "frameId": "P", "loaderId": "L",
      "redirectResponse": ["url": "https://news.example/pixel"],
    ]
    let paused: JSON = [
      "requestId": "F1", "request": ["url": .string(trigger), "headers": [:]], "frameId": "P", "resourceType": "Image",
      "networkId": "1", "redirectedRequestId": "F0",
    ]
    return [
      .text([
        "method": "Target.attachedToTarget",
        "params": ["sessionId": "S", "targetInfo": ["targetId": "P", "type": "page", "url": "https://shop.example/thanks"]],
      ]),
      event("Network.requestWillBeSent", load), event("Network.requestWillBeSent", redirect),
      .text(["method": "Fetch.requestPaused", "params": paused]),
      event("Network.responseReceived", ["requestId": "1"]),
    ]
  }

  private static func script(_ outputs: @escaping @Sendable (JSON) -> [FakeBrowser.Output]) -> FakeBrowser.Script {
    var script = FakeBrowser.Script()
    script.onCommand = { id, command in [.text(["id": .number(id), "result": [:]])] + outputs(command) }
    return script
  }

  private static let immediately: @Sendable (Duration) async throws -> Void = { _ in }

  private static func isFirst(_ command: JSON) -> Bool {
    command["method"] == "Target.setAutoAttach" && command["sessionId"] == nil
  }

  /// - Parameter pause: By default, time does not pass for held requests, and the quiet time is over at once.
  private func attach(
    to browser: FakeBrowser,
    pause: @escaping @Sendable (Duration) async throws -> Void = { time in
      guard time != BrowserAttachment.quietTime else { return await Task.yield() }
      try await untilCanceled()
    },
    service: @escaping BrowserAttachment.ServiceCall
  ) -> (attachment: BrowserAttachment, notices: AsyncStream<BrowserAttachment.Notice>) {
    let (notices, continuation) = AsyncStream.makeStream(of: BrowserAttachment.Notice.self)
    let environment = BrowserAttachment.Environment(
      uptime: { .zero }, now: { Instant(milliseconds: 0) }, pause: pause, draw: { [UInt8](repeating: 5, count: $0) })
    let settings = BrowserAttachment.Settings(address: browser.address, browser: "checkout")
    return (BrowserAttachment(settings, environment: environment, service: service) { continuation.yield($0) }, notices)
  }

  private func continued(_ browser: FakeBrowser) async -> JSON? {
    await browser.commands.first { $0["method"] == "Fetch.continueRequest" }?["params"]
  }

  @Test("A redirect is reported, its request continues after the decision, and the page is settled")
  func story() async throws {
    let browser = try await FakeBrowser(Self.script { Self.isFirst($0) ? Self.pageWithPixel : [] })
    let calls = NIOLockedValueBox<[String]>([])
    let (attachment, notices) = attach(to: browser) { method, path, body in
      calls.withLockedValue { $0.append("\(method) \(path) \(String(decoding: body, as: UTF8.self))") }
      return (201, Array(#"{"outcome":"ignored"}"#.utf8))
    }
    let running = Task { await attachment.run() }
    let called = await notices.first { if case .called = $0 { true } else { false } }
    guard case .called(let outcome) = called else {
      Issue.record("\(String(describing: called))")
      return
    }
    #expect(outcome.kind == .trigger && outcome.status == 201 && outcome.url == Self.trigger)
    #expect(outcome.response == ["outcome": "ignored"])
    #expect(await continued(browser) == ["requestId": "F1"])
    #expect(
      calls.withLockedValue { $0 } == [
        "POST /v1/browsers/checkout/page-events {\"kind\":\"page-attached\",\"text\":\"Chrome/1.0 at "
          + "\(browser.address.url) is observed\"}",
        "POST /v1/browsers/checkout/triggering-events {\"firstPartyURL\":\"https://shop.example/thanks\",\"redirect\":"
          + "{\"from\":\"https://news.example/pixel\",\"to\":\"\(Self.trigger)\"},"
          + "\"observed\":{\"load\":\"image\",\"inferred\":false}}",
      ])
    let settlement = await attachment.settle(within: .seconds(10))
    #expect(settlement.isSettled)
    #expect(settlement.notices.count == 1)
    #expect(await attachment.settle(within: .seconds(10)).notices.isEmpty)
    #expect(await attachment.state == .attached(product: "Chrome/1.0"))
    #expect(await attachment.counts == BrowserAttachment.Counts(triggeringEvents: 1))
    running.cancel()
    #expect(await running.value.code == .stopped)
  }

  @Test("A request that waits for the event about its load is pending once")
  func pendingOnce() async throws {
    var script = FakeBrowser.Script()
    script.onCommand = { id, command in
      let events = Self.isFirst(command) ? [Self.pageWithPixel[0], Self.pageWithPixel[3]] : []
      return events + [.text(["id": .number(id), "result": [:]])]
    }
    let browser = try await FakeBrowser(script)
    let (attachment, _) = attach(to: browser) { _, _, _ in (201, []) }
    let running = Task { await attachment.run() }
    _ = try await attachment.started()
    #expect(await attachment.pending == PageObserver.Pending(heldRequests: 1))
    running.cancel()
    _ = await running.value
  }

  @Test("A request continues when the call fails")
  func failingService() async throws {
    let browser = try await FakeBrowser(Self.script { Self.isFirst($0) ? Self.pageWithPixel : [] })
    let (attachment, _) = attach(to: browser) { _, _, _ in throw DevToolsError(.unreachable, "no service") }
    let running = Task { await attachment.run() }
    #expect(await continued(browser) == ["requestId": "F1"])
    #expect(await attachment.settle(within: .seconds(10)).isSettled)
    // The pixel, and the note that the browser is observed.
    #expect(await attachment.counts.failedCalls == 2)
    running.cancel()
    _ = await running.value
  }

  @Test("A request continues when the service does not respond in time")
  func slowService() async throws {
    let browser = try await FakeBrowser(Self.script { Self.isFirst($0) ? Self.pageWithPixel : [] })
    let (attachment, _) = attach(to: browser, pause: Self.immediately) { _, _, _ in
      try await untilCanceled()
      return (201, [])
    }
    let running = Task { await attachment.run() }
    #expect(await continued(browser) == ["requestId": "F1"])
    running.cancel()
    _ = await running.value
  }

  @Test("A click that waits for its landing is dropped when the attachment ends, and the service learns it")
  func waitingClick() async throws {
    var script = FakeBrowser.Script()
    script.onCommand = { id, command in
      var events = Self.isFirst(command) ? [Self.pageWithPixel[0]] : []
      if command["method"] == "Runtime.addBinding" {
        let payload = #"{"number":1,"first":true,"final":true,"href":"https://news.example/","sourceID":"7"}"#
        let call: JSON = ["name": command["params"]?["name"] ?? "", "payload": .string(payload), "executionContextId": 1]
        events.append(.text(["method": "Runtime.bindingCalled", "params": call, "sessionId": "S"]))
      }
      return events + [.text(["id": .number(id), "result": [:]])]
    }
    let browser = try await FakeBrowser(script)
    let bodies = NIOLockedValueBox<[JSON?]>([])
    let (attachment, _) = attach(to: browser) { _, _, body in
      bodies.withLockedValue { $0.append(JSON(parsing: body)) }
      return (201, [])
    }
    let running = Task { await attachment.run() }
    _ = try await attachment.started()
    #expect(await attachment.pending.clicks == 1)
    running.cancel()
    _ = await running.value
    #expect(bodies.withLockedValue { $0.compactMap { $0?["code"] } } == ["attachment-ended"])
    #expect(await attachment.counts.dropped == 1)
  }

  @Test("An attachment ends with a reason when the browser goes away or lies")
  func end() async throws {
    for isGone in [true, false] {
      let browser = try await FakeBrowser(Self.script { _ in isGone ? [.disconnect] : [.raw("lie")] })
      let notes = NIOLockedValueBox<[String]>([])
      let (attachment, _) = attach(to: browser) { _, _, body in
        let kind = JSON(parsing: body)?["kind"]?.string
        notes.withLockedValue { $0.append(kind ?? "") }
        return (201, [])
      }
      let reason = await attachment.run()
      #expect(notes.withLockedValue { $0 } == ["page-attached", "attachment-lost"])
      #expect(reason.code == (isGone ? .closed : .malformed))
      #expect(await attachment.state == .ended(reason))
      #expect(await attachment.settle(within: .seconds(10)).isSettled == false)
    }
  }
}
