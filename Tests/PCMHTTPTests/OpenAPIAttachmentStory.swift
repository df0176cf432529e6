import DevToolsSupport
import HTTPTypes
import NIOConcurrencyHelpers
import PCMCore
import PCMDevTools
import Testing

@testable import PCMHTTP

extension Attachments {
  /// Attachments whose time passes with each look at the clock.
  static var test: Attachments {
    let looks = NIOLockedValueBox(0)
    return Attachments(
      world: BrowserAttachment.World(
        uptime: {
          .nanoseconds(
            looks.withLockedValue { looks in
              looks += 1
              return looks
            })
        }, now: { Instant(milliseconds: 0) },
        pause: { time in
          // What is held waits for its decision.
          guard time != BrowserAttachment.quietTime else { return await Task.yield() }
          for await _ in AsyncStream<Void>.makeStream().stream {}
          throw CancellationError()
        }, draw: { [UInt8](repeating: 5, count: $0) }))
  }
}

extension Story {
  static let attachment = "\(test)/attachments/attachment-1"

  /// A browser with one pixel and one click that a listener of the page prevents.
  ///
  /// - Parameter isLost: Whether it goes away when its page is asked a third time: the attachment asks twice at its start.
  private static func browser(isLost: Bool = false) async throws -> FakeBrowser {
    var script = FakeBrowser.Script()
    let questions = NIOLockedValueBox(0)
    let event = { @Sendable (method: String, params: JSON) -> FakeBrowser.Output in
      .text(["method": .string(method), "params": params, "sessionId": "S"])
    }
    let page: JSON = ["sessionId": "S", "targetInfo": ["targetId": "P", "type": "page", "url": "https://news.example/"]]
    let pixel: JSON = [
      "requestId": "F1", "frameId": "P", "resourceType": "Image", "redirectedRequestId": "F0",
      "request": ["url": .string("https://news.example\(TriggerURL.pathPrefix)12"), "headers": [:]],
    ]
    script.onCommand = { id, command in
      let answer = FakeBrowser.Output.text(["id": .number(id), "result": [:]])
      switch command["method"]?.string {
      case "Target.setAutoAttach" where command["sessionId"] == nil:
        return [.text(["method": "Target.attachedToTarget", "params": page]), answer]
      case "Runtime.addBinding":
        let link = #""href":"https://shop.example/","destination":"https://shop.example""#
        let payload = #"{"number":1,"first":true,"final":true,\#(link),"prevented":true}"#
        let call: JSON = ["name": command["params"]?["name"] ?? "", "payload": .string(payload), "executionContextId": 1]
        return [answer, event("Runtime.bindingCalled", call), .text(["method": "Fetch.requestPaused", "params": pixel])]
      case "Page.getFrameTree" where isLost:
        let count = questions.withLockedValue { count in
          count += 1
          return count
        }
        return count < 3 ? [answer] : [.disconnect]
      default: return [answer]
      }
    }
    return try await FakeBrowser(script)
  }

  func exerciseAttachments() async throws {
    for code in DroppedClick.allCases {
      let note = #"{"kind":"page-click-dropped","code":"\#(code.rawValue)","href":"https://shop.example/file"}"#
      try await call(.post, "/page-events", note, status: 201)
    }
    for address in ["ftp://127.0.0.1", "http://192.0.2.1:9222"] {
      let refused = try await call(.post, "/attachments", #"{"devtools":"\#(address)"}"#, status: 422)
      #expect(try refused.member("detail", as: String.self).contains("devtools"))
    }
    let silent = try await FakeBrowser(
      {
        var script = FakeBrowser.Script()
        script.version = { _ in (404, nil, "") }
        return script
      }())
    try await call(.post, "/attachments", #"{"devtools":"\#(silent.address.url)"}"#, status: 502)
    let browser = try await Self.browser()
    let body = #"{"devtools":"\#(browser.address.url)","hold":"PT1S"}"#
    let first = try await call(.post, "/attachments", body, status: 201)
    let name: String = try first.member("id")
    let path = "/attachments/\(name)"
    let again = try await call(
      .post, "/attachments", body.replacing(#","hold":"PT1S""#, with: #","context":"C""#), status: 409)
    #expect(try again.member("detail", as: String.self).contains(name))
    try await call(.get, "/attachments")
    try await call(.get, path)
    let settlement = try await call(.post, "\(path)/settle", #"{"within":"PT20S"}"#)
    #expect(try settlement.member("settled", as: Bool.self))
    #expect(try settlement.member("outcomes", as: [[String: Any]].self).first?["kind"] as? String == "triggering-event")
    #expect(try settlement.member("dropped", as: [[String: Any]].self).first?["code"] as? String == "default-prevented")
    let events = try await call(.get, "/events?kind=page-attached&kind=page-click-dropped&about=shop.example")
    #expect(try events.member("items", as: [[String: Any]].self).count == 1)
    try await call(.delete, path, status: 204)
    try await call(.get, path, status: 404)
    try await exerciseALostAttachment()
  }

  private func exerciseALostAttachment() async throws {
    let browser = try await Self.browser(isLost: true)
    let body = #"{"devtools":"\#(browser.address.url)"}"#
    let attached = try await call(.post, "/attachments", body, status: 201)
    let path = "/attachments/\(try attached.member("id", as: String.self))"
    let settlement = try await call(.post, "\(path)/settle")
    #expect(try settlement.member("state") == "ended")
    try await call(.get, "/events?kind=attachment-lost&wait=PT5S")
    try await call(.get, path)
    try await call(.delete, path, status: 204)
    let other = try await FakeBrowser()
    let second = try await call(.post, "/attachments", #"{"devtools":"\#(other.address.url)","context":"C"}"#, status: 201)
    try await call(.get, "/attachments/\(try second.member("id", as: String.self))")
  }
}
