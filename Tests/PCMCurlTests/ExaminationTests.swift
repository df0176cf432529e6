import PCMCore
import PCMCurl
import PCMDelivery
import TLSSupport
import Testing

@Suite("What an examiner's requests can do and see", .timeLimit(.minutes(5)))
struct ExaminationTests {
  @Test("A handshake shows the chain and sends nothing", arguments: RecordingServer.Version.allCases)
  func handshake(_ version: RecordingServer.Version) async throws {
    try await Stage.run(version) { stage in
      let exchange = await stage.examine(ExaminationTerms(endsWithHandshake: true))
      #expect(exchange.failure == nil)
      #expect(exchange.httpStatus == nil)
      #expect(exchange.remoteAddress == "127.0.0.1")
      #expect((exchange.timings?.tls ?? 0) > 0)
      let facts = try #require(exchange.examined)
      #expect(facts.verification == 0)
      #expect(facts.certificates.count == 1)
      #expect(facts.certificates.allSatisfy { $0.hasPrefix("-----BEGIN CERTIFICATE-----\n") })
      #expect(await stage.server.requests.isEmpty)
    }
  }

  @Test("A refused chain has the library's number, and is seen when nothing is verified")
  func refusedChain() async throws {
    let stranger = try TestAuthority(name: "Stranger")
    try await Stage.run { stage in
      let refused = await stage.examine(ExaminationTerms(endsWithHandshake: true)) { $0.caFile = stranger.certificateFile }
      #expect(refused.failure?.code == .certificateRefused)
      #expect(refused.examined?.verification == 20)
      #expect(refused.examined?.certificates == [])
      let inspected = await stage.examine(ExaminationTerms(endsWithHandshake: true)) { $0.insecure = true }
      #expect(inspected.failure == nil)
      #expect(inspected.examined?.certificates.count == 1)
      #expect(await stage.server.requests.isEmpty)
    }
  }

  @Test("A certificate past its time and one for another name are told apart")
  func refusedCertificates() async throws {
    let start = Instant(milliseconds: 1_577_836_800_000)
    let authority = try TestAuthority()
    let server = try await RecordingServer.start(
      try authority.issue(names: ["report.example"], validity: start..<start + .days(1)))
    try await Stage.run(names: ["other.example"]) { stage in
      let expired = await stage.examine(ExaminationTerms()) {
        $0.caFile = authority.certificateFile
        $0.connectTo = ["::127.0.0.1:\(server.port)"]
      }
      #expect(expired.failure?.code == .certificateRefused)
      #expect(expired.examined?.verification == 10)
      let misnamed = await stage.examine(ExaminationTerms())
      #expect(misnamed.failure?.code == .certificateRefused)
      #expect(misnamed.examined?.verification == 1)
    }
    await server.stop()
  }

  @Test(
    "A version of TLS is offered alone",
    arguments: [
      (RecordingServer.Security.any, ExaminationTerms.TLSVersion.browser, true), (.any, .from13, true), (.any, .before12, true),
      (.only12, .browser, true), (.only12, .from13, false), (.only12, .before12, false),
      (.before12, .browser, false), (.before12, .from13, false), (.before12, .before12, true),
    ])
  func versions(_ security: RecordingServer.Security, _ version: ExaminationTerms.TLSVersion, _ isSpoken: Bool) async throws {
    let authority = try TestAuthority()
    let server = try await RecordingServer.start(try authority.issue(names: ["report.example"]), security: security)
    try await Stage.run { stage in
      let exchange = await stage.examine(ExaminationTerms(tls: version, endsWithHandshake: true)) {
        $0.caFile = authority.certificateFile
        $0.connectTo = ["::127.0.0.1:\(server.port)"]
      }
      #expect(exchange.failure?.code == (isSpoken ? nil : .tlsFailed), "\(exchange)")
    }
    await server.stop()
  }

  @Test("Headers of its own go out, a cookie that comes back is seen and not kept")
  func headers() async throws {
    let reply = Reply(headers: [.init("Set-Cookie", "id=1")])
    try await Stage.run(reply: reply) { stage in
      let headers = [OutgoingRequest.Header("Cookie", "a=b"), .init("Referer", "https://page.example/")]
      #expect(await stage.examine(ExaminationTerms(), headers: headers).examined?.setsCookies == true)
      #expect(await stage.examine(ExaminationTerms()).examined?.setsCookies == true)
      let requests = await stage.server.requests
      #expect(requests.map { $0["Cookie"] } == [["a=b"], []])
      #expect(requests.map { $0["Referer"] } == [["https://page.example/"], []])
    }
  }

  @Test("HTTP/1.1 alone is offered to who speaks both, and is not understood by who speaks only HTTP/2")
  func onlyHTTP1() async throws {
    try await Stage.run(.http1) { stage in
      #expect(await stage.examine(ExaminationTerms(httpVersion: .only1)).httpVersion == "1.1")
    }
    try await Stage.run(.http2) { stage in
      #expect(await stage.examine(ExaminationTerms()).httpVersion == "2")
      #expect(await stage.examine(ExaminationTerms(httpVersion: .only1)).failure != nil)
    }
  }

  @Test("A report after an examination is a browser's: it speaks no old TLS, and nothing more is seen of it")
  func nothingStays() async throws {
    let authority = try TestAuthority()
    let server = try await RecordingServer.start(try authority.issue(names: ["report.example"]), security: .before12)
    try await Stage.run { stage in
      let toOld: (inout NetworkRoute) -> Void = {
        $0.caFile = authority.certificateFile
        $0.connectTo = ["::127.0.0.1:\(server.port)"]
      }
      #expect(await stage.examine(ExaminationTerms(tls: .before12), toOld).httpStatus == 200)
      #expect(await stage.send(toOld).failure?.code == .tlsFailed)
      let report = await stage.send()
      #expect(report.httpStatus == 200)
      #expect(report.examined == nil)
    }
    await server.stop()
  }
}

extension Stage {
  func examine(
    _ terms: ExaminationTerms, headers: [OutgoingRequest.Header] = [], _ change: (inout NetworkRoute) -> Void = { _ in }
  ) async -> Exchange {
    let report = report()
    let request = OutgoingRequest(
      kind: .examination(terms), method: report.method, url: report.url, headers: report.headers + headers, body: report.body)
    return await transport.send(request, route: route(change))
  }
}
