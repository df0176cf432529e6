import Foundation
import NIOConcurrencyHelpers
import ServiceSupport
import TLSSupport
import Testing

/// Loads by the executable over the network: redirects, cookies, and where nothing is loaded from.
@Suite struct LoadTests {
  private struct LoadView: Decodable {
    let hops: [Hop]
    let triggeringEvents: [Event]
    let error: Failure?

    struct Hop: Decodable {
      let url: String
      let status: Int?
      let location: String?
      let error: Failure?
    }

    struct Event: Decodable {
      let outcome: String
    }

    struct Failure: Decodable {
      let code: String
      let detail: String
    }
  }

  private static let path = "/.well-known/private-click-measurement/trigger-attribution/12/03"

  /// On a page of http, where plain HTTP is no mixed content.
  private func load(_ url: String, by service: ServiceProcess) async throws -> LoadView {
    let body = #"{"firstPartyURL":"http://shop.example/thanks","url":"\#(url)"}"#
    let answer = try await service.call("POST", "\(Stage.browser)/loads", body)
    #expect(answer.status == 200, "\(answer.text)")
    return try answer.decoded()
  }

  @Test(
    "case 87: a pixel behind a tracker on http is attributed; reports carry no cookie, and cookies of their answers are not kept"
  )
  func pixel() async throws {
    let (authority, folder) = (try TestAuthority(), try TemporaryFolder())
    let tracker = try await RecordingServer.start(
      nil, answer: { _ in .redirect(to: "https://news.example/pixel", status: 301) })
    let server = try await RecordingServer.start(
      try Stage.identity(authority),
      answer: { request in
        let cookie = RecordedRequest.Header("Set-Cookie", "id=\(request.method); Path=/; Secure")
        return request.target == "/pixel"
          ? Reply(302, headers: [cookie, .init("Location", Self.path)]) : Reply(404, headers: [cookie])
      })
    let service = try await ServiceProcess(
      data: folder.path, "--connect-to", "tracker.example:80:127.0.0.1:\(tracker.port)", "--connect-to",
      ":443:127.0.0.1:\(server.port)", "--ca-file", authority.certificateFile)
    try await Stage.prepare(service, seed: "loads")
    _ = try await service.call("POST", "\(Stage.browser)/event-attributions", Stage.click)
    let outcome = try await load("http://tracker.example/p", by: service)
    #expect(outcome.error == nil, "\(outcome)")
    #expect(outcome.hops.map(\.status) == [301, 302, 404])
    #expect(outcome.hops.map(\.location) == ["https://news.example/pixel", Self.path, nil])
    #expect(outcome.hops.last?.url == "https://news.example\(Self.path)")
    #expect(outcome.triggeringEvents.map(\.outcome) == ["attributed"])
    _ = try await service.call("POST", "\(Stage.browser)/clock/advance", #"{"untilIdle":true}"#)
    _ = try await load("https://news.example/pixel", by: service)
    #expect(await tracker.requests.map { $0["Host"] } == [["tracker.example"]])
    let requests = await server.requests
    #expect(requests.map(\.method) == ["GET", "GET", "POST", "POST", "GET", "GET"])
    #expect(requests.map { $0["Cookie"] } == [[], ["id=GET"], [], [], ["id=GET"], ["id=GET"]])
    #expect(Set(requests.map(\.connection)).count == 6, "no load shares a connection with a report")
    service.kill()
    await service.status()
    await server.stop()
    await tracker.stop()
  }

  /// Ways to write this machine and the metadata service of a cloud, with a place for a port.
  private static let privateHosts = [
    "127.0.0.1", "2130706433", "0177.0.0.1", "0x7f.1", "127.1", "0", "127.0.0.1.", "%31%32%37.0.0.1", "１２７。０。０。１",
    "[::ffff:127.0.0.1]", "[::1]", "localhost", "a.localhost", "169.254.169.254", "2852039166", "[::ffff:a9fe:a9fe]",
  ]

  @Test("a load does not reach a server on a private address, neither at once nor by a redirect, however it is written")
  func privateAddresses() async throws {
    let (authority, folder) = (try TestAuthority(), try TemporaryFolder())
    let hidden = try await RecordingServer.start(nil)
    let targets = Self.privateHosts.map { "http://\($0):\(hidden.port)/" }
    let server = try await RecordingServer.start(
      try Stage.identity(authority),
      answer: { request in .redirect(to: targets[Int(request.target.dropFirst()) ?? 0]) })
    let service = try await ServiceProcess(
      data: folder.path, "--connect-to", "news.example:443:127.0.0.1:\(server.port)", "--ca-file", authority.certificateFile)
    try await Stage.prepare(service, seed: "guard")
    for (number, target) in targets.enumerated() {
      let direct = try await load(target, by: service)
      #expect(direct.hops.count == 1)
      #expect(direct.error?.code == "address-refused", "\(target): \(direct)")
      let led = try await load("https://news.example/\(number)", by: service)
      #expect(led.hops.map(\.status) == [302, nil])
      #expect(led.hops.first?.location == target)
      #expect(led.error?.code == "address-refused", "\(target): \(led)")
      #expect(led.hops.last?.error?.detail == led.error?.detail)
    }
    #expect(await hidden.requests.isEmpty)
    #expect(await server.requests.count == targets.count)
    service.kill()
    await service.status()
    // With the permission, the same server responds.
    let open = try await ServiceProcess(data: folder.path, "--allow-private-networks")
    #expect(try await load(targets[0], by: open).hops.map(\.status) == [200])
    #expect(await hidden.requests.count == 1)
    open.kill()
    await open.status()
    await server.stop()
    await hidden.stop()
  }

  @Test(
    "loads of a silent site delay no report of another browser, and end when their callers leave", .timeLimit(.minutes(10)))
  func silentSite() async throws {
    let (authority, folder) = (try TestAuthority(), try TemporaryFolder())
    let server = try await RecordingServer.start(try Stage.identity(authority))
    let silent = try #require(QuietPort(.silent))
    let service = try await ServiceProcess(
      data: folder.path, "--connect-to", "silent.example:80:127.0.0.1:\(silent.number)", "--connect-to",
      ":443:127.0.0.1:\(server.port)", "--ca-file", authority.certificateFile)
    try await Stage.prepare(service, seed: "silent")
    _ = try await service.call("POST", "\(Stage.browser)/event-attributions", Stage.click)
    _ = try await service.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger)
    #expect(try await service.call("PUT", "/v1/browsers/loading").status == 201)
    // 128 loads run, and the others wait.
    let (count, answered) = (300, NIOLockedValueBox(0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      let body = #"{"firstPartyURL":"http://shop.example/thanks","url":"http://silent.example/"}"#
      let request =
        "POST /v1/browsers/loading/loads HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
      for _ in 0..<count {
        group.addTask {
          _ = try? await service.exchange(raw: request)
          guard !Task.isCancelled else { return }
          answered.withLockedValue { $0 += 1 }
        }
      }
      var connections = 0
      while connections < count {
        let metrics = try await service.call("GET", "/metrics").text
        connections = metrics.firstMatch(of: /\npcm_http_connections (\d+)/).flatMap { Int($0.1) } ?? 0
      }
      #expect(try await service.call("POST", "\(Stage.browser)/clock/advance", #"{"by":"P2D"}"#).status == 200)
      #expect(await server.requests.map(\.method) == ["POST", "POST"])
      #expect(answered.withLockedValue { $0 } == 0, "all loads were still under way")
      group.cancelAll()
      try await group.waitForAll()
    }
    // Long before the loads would time out, the same browser can load again.
    let load = #"{"firstPartyURL":"https://shop.example/thanks","url":"https://news.example/"}"#
    var answer = ""
    for _ in 0..<1_000 where !answer.contains(#""status":200"#) {
      answer = try await service.call("POST", "/v1/browsers/loading/loads", load).text
    }
    #expect(answer.contains(#""status":200"#), "\(answer)")
    service.kill()
    await service.status()
    await server.stop()
  }
}
