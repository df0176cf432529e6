import Foundation
import ServiceSupport
import TLSSupport
import Testing

/// The main job from end to end: the executable, its store on disk, real TLS.
@Suite struct DeliveryTests {
  @Test("case 92: the bytes on the wire, head and body, to both recipients")
  func bytesOnTheWire() async throws {
    let (authority, folder) = (try TestAuthority(), try TemporaryFolder())
    let server = try await RecordingServer.start(
      try Stage.identity(authority),
      answer: { _ in
        Reply(200, headers: [RecordedRequest.Header("Set-Cookie", "id=1; Secure")], body: Array(#"{"ok":true}"#.utf8))
      })
    let service = try await Stage.service(data: folder.path, server: server, authority: authority)
    try await Stage.prepare(service, seed: "wire")
    #expect(try await service.call("POST", "\(Stage.browser)/event-attributions", Stage.click).status == 201)
    #expect(try await service.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger).status == 201)
    #expect(try await service.call("POST", "\(Stage.browser)/clock/advance", #"{"by":"P2D"}"#).status == 200)
    let requests = await server.requests
    #expect(requests.count == 2)
    for request in requests {
      let host = try #require(request["Host"].first)
      #expect(
        String(decoding: request.head, as: UTF8.self) == """
          POST /.well-known/private-click-measurement/report-attribution/ HTTP/1.1\r
          Host: \(host)\r
          Accept: */*\r
          Content-Type: application/json\r
          Cache-Control: max-age=0\r
          User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)\r
          Content-Length: 143\r
          \r

          """)
      #expect(request.body == Array(Stage.body.utf8))
      #expect(!request.offersResumption)
    }
    #expect(Set(requests.map { $0["Host"] }) == [["news.example"], ["shop.example"]])
    #expect(Set(requests.map(\.connection)).count == 2, "two reports share no connection")
    let reports = try await service.call("GET", "\(Stage.browser)/reports").decoded(as: PageView<ReportView>.self).items
    for report in reports {
      let attempt = try #require(report.attempts.first)
      #expect(report.state == "delivered")
      #expect(attempt.httpStatus == 200)
      #expect(attempt.httpVersion == "1.1")
      #expect(attempt.remoteAddress == "127.0.0.1")
      #expect(attempt.timings.map { Set($0.keys) } == ["dns", "connect", "tls", "firstByte", "total"])
    }
    service.terminate()
    #expect(await service.status() == 0)
    await server.stop()
  }

  @Test("SIGTERM: requests in flight are finished, then the store is closed, and the status is 0")
  func gracefulShutdown() async throws {
    let (authority, folder) = (try TestAuthority(), try TemporaryFolder())
    let (arrived, arrival) = AsyncStream.makeStream(of: Void.self)
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let server = try await RecordingServer.start(
      try Stage.identity(authority),
      answer: { _ in
        arrival.yield()
        for await _ in released { break }
        return Reply()
      })
    let service = try await Stage.service(data: folder.path, server: server, authority: authority)
    try await Stage.prepare(service, seed: "term")
    _ = try await service.call("POST", "\(Stage.browser)/event-attributions", Stage.click)
    _ = try await service.call("POST", "\(Stage.browser)/triggering-events", Stage.trigger)
    async let advanced = service.call("POST", "\(Stage.browser)/clock/advance", #"{"toNextEvent":true}"#)
    for await _ in arrived { break }
    service.terminate()
    release.yield()
    #expect(try await advanced.text.contains("report-delivered"))
    #expect(await service.status() == 0)
    let again = try await Stage.service(data: folder.path, server: server, authority: authority)
    let reports = try await again.call("GET", "\(Stage.browser)/reports").decoded(as: PageView<ReportView>.self).items
    #expect(Set(reports.map(\.state)) == ["delivered", "scheduled"])
    again.kill()
    await again.status()
    release.finish()
    await server.stop()
  }
}
