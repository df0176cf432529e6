import BrowserSupport
import Foundation
import HTTPSupport
import HTTPTypes
import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork
import PCMStore
import Testing

/// A POST that is repeated with its key has one effect and one answer.
@Suite struct IdempotencyTests {
  static let path = "/v1/browsers/test"
  static let link = """
    {"pageURL":"https://news.example/","attributionSourceID":"4","attributionDestination":"https://shop.example"}
    """
  static let load = #"{"firstPartyURL":"https://shop.example/","url":"https://news.example/pixel"}"#

  static let twoDays = #"{"by":"PT48H"}"#

  /// A POST under the browser `test`.
  struct Call: Sendable, CustomStringConvertible {
    let resource: String
    let body: String
    let status: Int
    var description: String { resource }
  }

  static let calls = [
    Call(resource: "event-attributions", body: API.eventAttribution, status: 201),
    Call(resource: "link-clicks", body: link, status: 201),
    Call(resource: "triggering-events", body: API.trigger, status: 201),
    Call(resource: "triggering-events", body: API.trigger.replacing("/12/03", with: "/99"), status: 201),
    Call(resource: "triggering-events", body: noncedTrigger, status: 201),
    Call(resource: "loads", body: load, status: 200),
    Call(resource: "clock/advance", body: twoDays, status: 200),
  ]

  static let noncedTrigger = API.trigger.replacing("/12/03", with: "/12/03?attributionDestinationNonce=ABCDEFabcdef0123456789")

  /// Redirects the pixel to the trigger path, and signs tokens.
  static func transport() throws -> ScriptedTransport {
    let signer = try TokenSigner()
    return ScriptedTransport { request, _ in
      request.url == "https://news.example/pixel"
        ? Exchange(httpStatus: 302, location: "\(TriggerURL.pathPrefix)12/03") : signer.answer(request)
    }
  }

  @Test("a repetition returns the first answer, byte for byte, and changes nothing", arguments: calls)
  func repetition(_ call: Call) async throws {
    let transport = try Self.transport()
    try await API.test(transport: transport) { api in
      try await api.call(.post, "\(Self.path)/link-clicks", Self.link)
      let first = try await api.post(call, key: "key 1")
      #expect(first.status == call.status, "\(first.text)")
      #expect(!first.isReplayed)
      let (log, requests) = (try await api.log(), await transport.requests.count)
      for _ in 1...2 {
        let again = try await api.post(call, key: "key 1")
        #expect((again.status, again.bytes) == (first.status, first.bytes))
        #expect(again.headers[.contentType] == first.headers[.contentType])
        #expect(again.isReplayed)
      }
      #expect(try await api.log() == log)
      #expect(await transport.requests.count == requests)
      #expect(!(try await api.post(call, key: "key 2").isReplayed))
      #expect(try await api.log() != log)
    }
  }

  @Test("a repeated fork is one copy, as it was, and its key belongs to the service")
  func fork() async throws {
    try await API.test { api in
      let fork = Call(resource: "forks", body: "{}", status: 201)
      try await api.post(Self.calls[1], key: "click")
      let first = try await api.post(fork, key: "k")
      #expect(first.status == 201, "\(first.text)")
      let count = try await api.call(.get, "/v1/browsers").member("items", as: [Any].self).count
      try await api.call(.post, "\(Self.path)/clock/advance", Self.twoDays)
      let again = try await api.post(fork, key: "k")
      #expect((again.status, again.bytes, again.headers[.location]) == (201, first.bytes, first.headers[.location]))
      #expect(again.isReplayed)
      #expect(try await api.call(.get, "/v1/browsers").member("items", as: [Any].self).count == count)
      #expect(try await api.create(key: "k").member("code") == "idempotency-key-reused")
      #expect(try await api.post(fork, key: "l").member("name", as: String.self) != first.member("name"))
    }
  }

  @Test("a repetition draws no random numbers")
  func draws() async throws {
    let plans = NIOLockedValueBox<[String]>([])
    for count in [1, 3] {
      try await API.test(transport: try Self.transport()) { api in
        for (number, call) in [Self.calls[1], Self.calls[4], Self.calls[1], Self.calls[2]].enumerated() {
          for _ in 1...count { try await api.post(call, key: "\(number)") }
        }
        // A blind signature is random, as in a browser.
        let reports = try await api.call(.get, "\(Self.path)/reports").member("items", as: [[String: Any]].self)
        plans.withLockedValue { plans in plans.append("\(reports.map { $0["dueAt"] as? String ?? "none" })") }
      }
    }
    let both = plans.withLockedValue { $0 }
    #expect(both[0] == both[1])
    #expect(both[0].contains("2026-11-2"))
  }

  @Test("another body or another path with the same key is a conflict, which changes nothing")
  func reused() async throws {
    try await API.test { api in
      let first = try await api.post(Self.calls[1], key: "k")
      let log = try await api.log()
      let other = Call(resource: "link-clicks", body: Self.link.replacing("\"4\"", with: "\"5\""), status: 201)
      for call in [other, Self.calls[0]] {
        let answer = try await api.post(call, key: "k")
        #expect(answer.status == 409)
        #expect(try answer.member("code") == "idempotency-key-reused")
        #expect(try answer.member("retryable") == false)
        #expect(!answer.isReplayed)
      }
      #expect(try await api.log() == log)
      #expect(try await api.post(Self.calls[1], key: "k").bytes == first.bytes)
      try await api.call(.put, "/v1/browsers/other")
      let elsewhere = try await api.call(
        .post, "/v1/browsers/other/link-clicks", bytes: Array(Self.link.utf8), type: "application/json", headers: .key("k"))
      #expect(elsewhere.status == 201, "a key belongs to its browser")
    }
  }

  @Test("a key has 1 to 255 printable ASCII characters", arguments: ["", "ä", String(repeating: "k", count: 256), "\u{7f}"])
  func invalidKey(_ key: String) async throws {
    try await API.test { api in
      let log = try await api.log()
      let scenario = try await api.call(
        .post, "/v1/scenarios", bytes: Array(API.scenario.utf8), type: "application/yaml", headers: .key(key))
      for answer in [try await api.post(Self.calls[1], key: key), try await api.create(key: key), scenario] {
        #expect(answer.status == 400, "\(answer.text)")
        #expect(try answer.member("code") == "idempotency-key-invalid")
        #expect(try answer.member("detail", as: String.self).hasPrefix("Idempotency-Key: "))
      }
      #expect(try await api.log() == log)
      #expect(try await api.post(Self.calls[1], key: String(repeating: "~", count: 255)).status == 201)
    }
  }

  @Test("two keys are not one")
  func twoKeys() async throws {
    try await API.test { api in
      var headers = HTTPFields.key("a")
      if let name = headers.first?.name { headers.append(HTTPField(name: name, value: "b")) }
      let answer = try await api.call(
        .post, "\(Self.path)/link-clicks", bytes: Array(Self.link.utf8), type: "application/json", headers: headers)
      #expect(try answer.member("code") == "idempotency-key-invalid")
    }
  }

  @Test("a request that is refused leaves its key free")
  func refusal() async throws {
    try await API.test { api in
      let unknown = Call(
        resource: "event-attributions", body: API.eventAttribution.replacing("example.news", with: "example.none"), status: 422)
      for call in [unknown, Call(resource: "event-attributions", body: "{", status: 400), Self.calls[0]] {
        let answer = try await api.post(call, key: "k")
        #expect(answer.status == call.status, "\(answer.text)")
        #expect(!answer.isReplayed)
      }
    }
  }

  @Test("a key is free again after 24 hours of the machine's time")
  func expiry() async throws {
    let elapsed = NIOLockedValueBox(Interval.seconds(0))
    let wallClock: @Sendable () -> Instant = { Scene.start + elapsed.withLockedValue { $0 } }
    try await API.test(wallClock: wallClock) { api in
      let first = try await api.post(Self.calls[1], key: "k")
      let browser = try await api.create(key: "k")
      elapsed.withLockedValue { $0 = Interval(milliseconds: 24 * 3_600_000 - 1) }
      #expect(try await api.post(Self.calls[1], key: "k").bytes == first.bytes)
      #expect(try await api.create(key: "k").headers[.location] == browser.headers[.location])
      elapsed.withLockedValue { $0 = .hours(24) }
      for answer in [try await api.post(Self.calls[0], key: "k"), try await api.create(key: "k", #"{"seed":"1"}"#)] {
        #expect(answer.status == 201, "\(answer.text)")
        #expect(!answer.isReplayed)
      }
    }
  }

  @Test("the oldest keys are free again when a browser keeps more than 10,000")
  func bound() async throws {
    let elapsed = NIOLockedValueBox(Interval.seconds(0))
    let wallClock: @Sendable () -> Instant = { Scene.start + elapsed.withLockedValue { $0 } }
    let store = MemoryStore()
    try await API.test(store: store, wallClock: wallClock) { api in
      let keys = ["first", "second"]
      for (number, key) in keys.enumerated() {
        elapsed.withLockedValue { $0 = .seconds(Int64(number)) }
        try await api.post(Self.calls[1], key: key)
      }
      let browser = try #require(try await store.browsers().first { $0.name == "test" })
      try await store.write(browser.id) { writer in
        let limits = IdempotencyLimits(maximumCount: .max, maximumBytes: .max, expiry: .earliest)
        for number in 3...10_000 {
          let filler = IdempotencyRecord(key: "\(number)", digest: "", receivedAt: Scene.start + .seconds(2), answer: nil)
          try writer.saveRequest(filler, trimmingTo: limits)
        }
      }
      elapsed.withLockedValue { $0 = .seconds(3) }
      try await api.post(Self.calls[1], key: "10001st")
      #expect(try await api.post(Self.calls[1], key: "second").isReplayed)
      #expect(!(try await api.post(Self.calls[1], key: "first").isReplayed))
    }
  }

  @Test(
    "a browser is created once, in either storage, also when it is deleted in the meantime",
    arguments: ["durable", "ephemeral"])
  func creation(_ storage: String) async throws {
    try await API.test { api in
      let body = #"{"storage":"\#(storage)"}"#
      let first = try await api.create(key: "k", body)
      #expect(first.status == 201)
      let names = try await api.call(.get, "/v1/browsers").text
      let again = try await api.create(key: "k", body)
      #expect((again.status, again.bytes) == (201, first.bytes))
      #expect(again.headers[.location] == first.headers[.location])
      #expect(again.isReplayed)
      #expect(try await api.call(.get, "/v1/browsers").text == names)
      #expect(try await api.create(key: "k", #"{"seed":"1"}"#).member("code") == "idempotency-key-reused")
      try await api.call(.delete, try #require(first.headers[.location]))
      #expect(try await api.create(key: "k", body).bytes == first.bytes)
      #expect(try await api.create(key: "l", body).headers[.location] != first.headers[.location])
    }
  }

  @Test("a move that stops at a limit answers where it stopped, its repetition returns that answer, and \"to\" continues it")
  func unfinishedMove() async throws {
    let elapsed = NIOLockedValueBox(Interval.seconds(0))
    let wallClock: @Sendable () -> Instant = { Scene.start + elapsed.withLockedValue { $0 } }
    let transport = ScriptedTransport { _, _ in
      elapsed.withLockedValue { $0 = $0 + .seconds(31) }
      return Exchange(httpStatus: 200)
    }
    try await API.test(transport: transport, wallClock: wallClock) { api in
      try await api.call(.post, "\(Self.path)/link-clicks", Self.link)
      try await api.call(.post, "\(Self.path)/triggering-events", API.trigger)
      let move = Call(resource: "clock/advance", body: #"{"by":"PT72H"}"#, status: 200)
      let first = try await api.post(move, key: "k")
      #expect(try first.member("finished") == false, "\(first.text)")
      #expect(try first.member("target") == "2026-11-23T10:00:00.000Z")
      let log = try await api.log()
      let again = try await api.post(move, key: "k")
      #expect(again.isReplayed && again.bytes == first.bytes)
      #expect(try await api.log() == log)
      let rest = Call(resource: "clock/advance", body: #"{"to":"2026-11-23T10:00:00.000Z"}"#, status: 200)
      #expect(try await api.post(rest, key: "l").member("finished") == false)
      let last = try await api.post(rest, key: "m")
      #expect(try last.member("finished") == true)
      #expect(try last.member("now") == "2026-11-23T10:00:00.000Z")
      #expect(await transport.requests.count == 2)
    }
  }

  @Test("a move that was interrupted names the time that it reached, and \"to\" is safe to repeat")
  func interruptedMove() async throws {
    let store = HeldStore()
    let transport = ScriptedTransport { _, number in
      if number == 1 { store.holdNextWrite() }
      return Exchange(httpStatus: 200)
    }
    try await API.test(store: store, transport: transport) { api in
      try await api.call(.post, "\(Self.path)/link-clicks", Self.link)
      try await api.call(.post, "\(Self.path)/triggering-events", API.trigger)
      let move = Call(resource: "clock/advance", body: #"{"by":"PT72H"}"#, status: 200)
      async let first = api.post(move, key: "k")
      await store.untilHeld()
      store.refuse()
      #expect(try await first.status == 503)
      let clock = try await api.call(.get, Self.path).member("clock", as: [String: String].self)
      let now = try #require(clock["now"])
      let second = try await api.post(move, key: "k")
      #expect(second.status == 409)
      #expect(try second.member("code") == "request-interrupted")
      #expect(
        try second.member("detail", as: String.self).contains("the clock shows \(now), and an advance with \"to\" is safe"))
      let rest = #"{"to":"2026-11-23T10:00:00.000Z"}"#
      for _ in 1...2 {
        #expect(try await api.call(.post, "\(Self.path)/clock/advance", rest).member("finished") == true)
      }
      #expect(await transport.requests.count == 2, "each report was sent once")
    }
  }

  @Test("clearing the data keeps the keys, and deleting the browser frees them")
  func removal() async throws {
    try await API.test { api in
      let first = try await api.post(Self.calls[1], key: "k")
      try await api.call(.delete, "\(Self.path)/data")
      #expect(try await api.post(Self.calls[1], key: "k").bytes == first.bytes)
      try await api.call(.delete, Self.path)
      try await api.call(.put, Self.path)
      #expect(!(try await api.post(Self.calls[1], key: "k").isReplayed))
    }
  }
}

extension API.Answer {
  var isReplayed: Bool { HTTPField.Name("Idempotent-Replayed").flatMap { headers[$0] } == "true" }
}

extension API {
  @discardableResult
  func post(_ call: IdempotencyTests.Call, key: String) async throws -> Answer {
    try await self.call(
      .post, "\(IdempotencyTests.path)/\(call.resource)", bytes: Array(call.body.utf8), type: "application/json",
      headers: .key(key))
  }

  func create(key: String, _ body: String = "") async throws -> Answer {
    try await call(.post, "/v1/browsers", bytes: Array(body.utf8), type: "application/json", headers: .key(key))
  }

  /// The events of the browser `test`.
  func log() async throws -> String { try await call(.get, "\(IdempotencyTests.path)/events?limit=1000").text }
}
