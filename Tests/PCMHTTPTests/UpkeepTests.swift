import BrowserSupport
import HTTPSupport
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOConcurrencyHelpers
import NIOCore
import PCMCore
import PCMNetwork
import Testing

@testable import PCMBrowser
@testable import PCMHTTP

/// Labels and idle timeouts of browsers.
@Suite struct UpkeepTests {
  private static let body = #"{"labels":{"job":"7","test":"a b=ü"},"idleTimeout":"PT1H"}"#

  @Test func labelsAndTheIdleTimeoutAreSetAndChanged() async throws {
    try await API.test { api in
      let path = "/v1/browsers/a"
      let created = try await api.call(.put, path, Self.body)
      #expect(created.status == 201)
      #expect(created.text.contains(#""labels":{"job":"7","test":"a b=ü"},"idleTimeout":"PT1H","createdAt""#))
      let changed = try await api.call(.patch, path, #"{"labels":{"job":"8"}}"#)
      #expect(changed.text.contains(#""labels":{"job":"8"},"idleTimeout":"PT1H","createdAt""#))
      let unlimited = try await api.call(.patch, path, #"{"idleTimeout":"PT0S","settings":{"debugMode":true}}"#)
      #expect(unlimited.text.contains(#""debugMode":true"#) && unlimited.text.contains(#""labels":{"job":"8"},"createdAt""#))
      #expect(try await api.call(.get, path).text == unlimited.text)
      let kinds = try await api.call(.get, "\(path)/events").member("items", as: [[String: Any]].self)
      #expect(kinds.compactMap { $0["kind"] as? String } == ["settings-changed"])
      for same in [Self.body, #"{"labels":{"job":"8"}}"#, #"{"idleTimeout":"PT0S"}"#, "{}"] {
        #expect(try await api.call(.put, path, same).text == unlimited.text, "\(same)")
      }
      for (other, member) in [(#"{"labels":{}}"#, "labels"), (#"{"idleTimeout":"PT2H"}"#, "idleTimeout")] {
        let conflict = try await api.call(.put, path, other)
        #expect(conflict.status == 409)
        #expect(try conflict.member("detail", as: String.self).hasPrefix("\(member): "))
      }
      #expect(try await api.call(.put, "/v1/browsers/b").text.contains(#""labels":{},"createdAt""#))
      #expect(try await api.call(.patch, "/v1/browsers/default", #"{"idleTimeout":"PT1H"}"#).status == 409)
    }
  }

  @Test(arguments: [
    ("label=job=7", ["a", "b"]), ("label=job=7&label=kind=x%3Dy", ["b"]), ("label=job=7&label=job=8", []), ("label=job=", []),
    ("label=kind=x=y", ["b", "c"]), ("label=note=a+b%2B", ["c"]), ("", ["a", "b", "c", "default", "test"]),
  ])
  func browsersAreFoundByTheirLabels(_ query: String, _ expected: [String]) async throws {
    try await API.test { api in
      try await api.call(.put, "/v1/browsers/a", #"{"labels":{"job":"7"}}"#)
      try await api.call(.put, "/v1/browsers/b", #"{"labels":{"job":"7","kind":"x=y"}}"#)
      try await api.call(.put, "/v1/browsers/c", #"{"labels":{"kind":"x=y","note":"a b+"}}"#)
      for limit in [1, 2, 100] {
        let names = try await api.items("/v1/browsers?limit=\(limit)&\(query)").compactMap { $0["name"] as? String }
        #expect(names == expected)
      }
    }
  }

  @Test func anIdleBrowserIsNotFoundAfterwards() async throws {
    let now = NIOLockedValueBox(Scene.start)
    let api = try await API.metered(
      sleep: { instant in
        let isSecond = now.withLockedValue { now in
          defer { now = instant }
          return now > Scene.start
        }
        if isSecond { throw CancellationError() }
      }, wallClock: { now.withLockedValue { $0 } })
    let browsers = api.browsers
    try await Application(router: api.router()).test(.router) { client in
      let api = API(client: client)
      #expect(try await api.call(.put, "/v1/browsers/left", Self.body).status == 201)
      await browsers.removeIdleBrowsers(every: .hours(2)) { _, error in Issue.record(error) }
      let answer = try await api.call(.get, "/v1/browsers/left")
      #expect(answer.status == 404)
      #expect(
        try answer.member("detail")
          == "there is no browser \"left\": it was removed after its idleTimeout; PUT /v1/browsers/left creates it")
    }
  }

  @Test func anOpenStreamIsAUse() async throws {
    let api = try await API.metered(sleep: Scene.endlessSleep)
    let (browser, _) = try await api.browsers.put("read", BrowserSpecification(idleTimeout: .minutes(1)))
    let (responder, later) = (api.router().buildResponder(), Scene.start + .days(1))
    func respond(_ fields: HTTPFields) async throws -> Response {
      let head = HTTPRequest(
        method: .get, scheme: "http", authority: "localhost", path: "/v1/browsers/read/events", headerFields: fields)
      let context = APIContext(logger: Logger(label: "test"))
      return try await responder.respond(
        to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: context)
    }
    var response: Response? = try await respond([:])
    #expect(response?.status == .ok && browser.isIdle(at: later), "a call that has ended is not a use")
    response = try await respond([.accept: "text/event-stream"])
    #expect(response?.status == .ok && !browser.isIdle(at: later))
    response = nil
    #expect(browser.isIdle(at: later))
  }

  @Test func aRunningAdvanceIsAUse() async throws {
    let found = NIOLockedValueBox<Browser?>(nil)
    let transport = ScriptedTransport { _, _ in
      #expect(found.withLockedValue { $0 }?.isIdle(at: Scene.start + .days(400)) == false)
      return Exchange(httpStatus: 200)
    }
    let api = try await API.metered(transport: transport)
    try await Application(router: api.router()).test(.router) { client in
      let calls = API(client: client)
      let clock = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"},"seed":"seed","idleTimeout":"PT1M"}"#
      #expect(try await calls.call(.put, "/v1/browsers/test", clock).status == 201)
      let browser = try await api.browsers.browser("test")
      found.withLockedValue { $0 = browser }
      #expect(try await calls.put(manifest: "news-reader").status == 200)
      _ = try await calls.tap()
      _ = try await calls.trigger()
      try await calls.advance("P3D")
      #expect(await transport.requests.count == 2)
    }
  }
}
