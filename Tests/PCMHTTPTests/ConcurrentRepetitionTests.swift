import BrowserSupport
import Foundation
import HTTPSupport
import HTTPTypes
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMHTTP
import PCMNetwork
import PCMStore
import Testing

/// Repetitions that arrive during the first request, after a lost connection, and after an interruption.
@Suite struct ConcurrentRepetitionTests {
  private static let path = IdempotencyTests.path
  private static let nonced = IdempotencyTests.calls[4]

  @Test("of sixteen requests with one key, one takes effect and all have its answer", arguments: IdempotencyTests.calls)
  func atOnce(_ call: IdempotencyTests.Call) async throws {
    try await API.test(transport: try IdempotencyTests.transport()) { api in
      let answers = try await withThrowingTaskGroup(of: API.Answer.self) { group in
        for _ in 1...16 { group.addTask { try await api.post(call, key: "k") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(answers.map(\.bytes)).count == 1)
      #expect(answers.filter { !$0.isReplayed }.count == 1)
      #expect(answers.allSatisfy { $0.status == call.status })
    }
  }

  @Test("of sixteen creations with one key, one creates a browser")
  func creations() async throws {
    try await API.test { api in
      let answers = try await withThrowingTaskGroup(of: API.Answer.self) { group in
        for _ in 1...16 { group.addTask { try await api.create(key: "k") } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(answers.map(\.bytes)).count == 1)
      let page = try await api.call(.get, "/v1/browsers")
      #expect(try page.member("items", as: [Any].self).count == 3, "default, test, and the new one")
    }
  }

  @Test("a repetition waits for the first request and returns its answer")
  func waiting() async throws {
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    let (gate, signer) = (Gate(), try TokenSigner())
    let transport = ScriptedTransport { outgoing, _ in
      request.yield()
      await gate.wait()
      return signer.answer(outgoing)
    }
    try await API.test(transport: transport) { api in
      async let first = api.post(Self.nonced, key: "k")
      for await _ in requests { break }
      async let second = api.post(Self.nonced, key: "k")
      // Another key does not wait.
      #expect(try await api.post(IdempotencyTests.calls[2], key: "l").status == 201)
      gate.open()
      let answers = try await [first, second]
      #expect(answers[0].bytes == answers[1].bytes)
      #expect(answers.map(\.isReplayed) == [false, true])
    }
  }

  @Test("a request that began and has no answer is not performed again")
  func interruption() async throws {
    let store = HeldStore()
    let transport = ScriptedTransport { _, number in
      // The write after the exchange contains the outcome.
      if number == 1 { store.holdNextWrite() }
      return Exchange(httpStatus: 404)
    }
    try await API.test(store: store, transport: transport) { api in
      async let first = api.post(Self.nonced, key: "k")
      await store.untilHeld()
      store.refuse()
      #expect(try await first.status == 503)
      let log = try await api.log()
      for _ in 1...2 {
        let again = try await api.post(Self.nonced, key: "k")
        #expect(again.status == 409)
        #expect(try again.member("code") == "request-interrupted")
        #expect(try again.member("detail", as: String.self).contains(Scene.start.text))
      }
      #expect(try await api.post(IdempotencyTests.calls[2], key: "k").member("code") == "idempotency-key-reused")
      #expect(try await api.log() == log)
      #expect(try await api.post(Self.nonced, key: "l").status == 201)
    }
  }

  @Test("a transaction that fails leaves neither an effect nor a key")
  func failedTransaction() async throws {
    let store = HeldStore()
    try await API.test(store: store) { api in
      let log = try await api.log()
      store.holdNextWrite()
      async let first = api.post(IdempotencyTests.calls[1], key: "k")
      await store.untilHeld()
      store.refuse()
      #expect(try await first.status == 503)
      #expect(try await api.log() == log)
      let again = try await api.post(IdempotencyTests.calls[1], key: "k")
      #expect(again.status == 201)
      #expect(!again.isReplayed)
    }
  }

  @Test("a request whose connection is lost before its answer has one effect", arguments: [IdempotencyTests.calls[1], nonced])
  func lostConnection(_ call: IdempotencyTests.Call) async throws {
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    let (gate, signer) = (Gate(), try TokenSigner())
    let transport = ScriptedTransport { outgoing, _ in
      request.yield()
      await gate.wait()
      return signer.answer(outgoing)
    }
    // A click with a nonce waits for its token after its commit.
    let body = call.body.replacing(
      "\"attributionDestination\"", with: #""attributionSourceNonce":"ABCDEFabcdef0123456789","attributionDestination""#)
    let resource = "\(Self.path)/\(call.resource)"
    try await LiveServer.run(.patient, transport: transport) { server in
      let clock = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"},"seed":"seed"}"#
      #expect(try await server.exchange(Self.request("PUT", Self.path, clock)).hasPrefix("HTTP/1.1 201 "))
      try await server.connect(endsInReset: true) { line in
        try await line.send(Self.request("POST", resource, body, key: "k"))
        for await _ in requests { break }
      }
      gate.open()
      let answers = [
        try await server.exchange(Self.request("POST", resource, body, key: "k")),
        try await server.exchange(Self.request("POST", resource, body, key: "k")),
      ]
      for answer in answers {
        #expect(answer.hasPrefix("HTTP/1.1 \(call.status) "), "\(answer)")
        #expect(answer.contains("\r\nIdempotent-Replayed: true\r\n"), "\(answer)")
      }
      #expect(Self.body(of: answers[0]) == Self.body(of: answers[1]))
      let log = try await server.exchange(Self.request("GET", "\(Self.path)/events", ""))
      let kind = call.resource == "link-clicks" ? "click-stored" : "trigger-accepted"
      #expect(log.components(separatedBy: #""kind":"\#(kind)""#).count == 2, "\(log)")
    }
  }

  private static func body(of answer: String) -> Substring? {
    answer.range(of: "\r\n\r\n").map { answer[$0.upperBound...] }
  }

  private static func request(_ method: String, _ path: String, _ body: String, key: String? = nil) -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
      + (key.map { "Idempotency-Key: \($0)\r\n" } ?? "")
      + (body.isEmpty ? "\r\n" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }
}
