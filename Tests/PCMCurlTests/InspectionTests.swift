import PCMCore
import PCMCurl
import PCMNetwork
import TLSSupport
import Testing

@Suite("Inspections", .timeLimit(.minutes(5)))
struct InspectionTests {
  @Test("A handshake returns the chain and sends no request", arguments: RecordingServer.Version.allCases)
  func handshake(_ version: RecordingServer.Version) async throws {
    try await Stage.run(version) { stage in
      let exchange = await stage.inspect(ConnectionTerms(endsWithHandshake: true))
      #expect(exchange.failure == nil)
      #expect(exchange.httpStatus == nil)
      #expect(exchange.remoteAddress == "127.0.0.1")
      #expect((exchange.timings?.tls ?? 0) > 0)
      #expect(exchange.verification == 0)
      #expect(exchange.certificates.count == 1)
      #expect(exchange.certificates.allSatisfy { $0.hasPrefix("-----BEGIN CERTIFICATE-----\n") })
      #expect(await stage.server.requests.isEmpty)
    }
  }

  @Test("A rejected chain has OpenSSL's error number, and is returned without verification")
  func refusedChain() async throws {
    let stranger = try TestAuthority(name: "Stranger")
    try await Stage.run { stage in
      let refused = await stage.inspect(ConnectionTerms(endsWithHandshake: true)) { $0.caFile = stranger.certificateFile }
      #expect(refused.exchange.failure?.code == .certificateRefused)
      #expect(refused.verification == 20)
      #expect(refused.certificates == [])
      let inspected = await stage.inspect(ConnectionTerms(endsWithHandshake: true)) { $0.insecure = true }
      #expect(inspected.exchange.failure == nil)
      #expect(inspected.certificates.count == 1)
      #expect(await stage.server.requests.isEmpty)
    }
  }

  @Test("An expired certificate and one for another name have different errors")
  func refusedCertificates() async throws {
    let start = Instant(milliseconds: 1_577_836_800_000)
    let authority = try TestAuthority()
    let server = try await RecordingServer.start(
      try authority.issue(names: ["report.example"], validity: start..<start + .days(1)))
    try await Stage.run(names: ["other.example"]) { stage in
      let expired = await stage.inspect(ConnectionTerms()) {
        $0.caFile = authority.certificateFile
        $0.connectTo = ["::127.0.0.1:\(server.port)"]
      }
      #expect(expired.exchange.failure?.code == .certificateRefused)
      #expect(expired.verification == 10)
      let misnamed = await stage.inspect(ConnectionTerms())
      #expect(misnamed.exchange.failure?.code == .certificateRefused)
      #expect(misnamed.verification == 62)
    }
    await server.stop()
  }

  @Test(
    "Only the specified TLS versions are offered",
    arguments: [
      (RecordingServer.Security.any, ConnectionTerms.TLSVersion.browser, true), (.any, .from13, true), (.any, .before12, true),
      (.only12, .browser, true), (.only12, .from13, false), (.only12, .before12, false),
      (.before12, .browser, false), (.before12, .from13, false), (.before12, .before12, true),
    ])
  func offers(_ security: RecordingServer.Security, _ versions: ConnectionTerms.TLSVersion, _ isSpoken: Bool) async throws {
    let authority = try TestAuthority()
    let server = try await RecordingServer.start(try authority.issue(names: ["report.example"]), security: security)
    try await Stage.run { stage in
      let inspection = await stage.inspect(ConnectionTerms(tls: versions, endsWithHandshake: true)) {
        $0.caFile = authority.certificateFile
        $0.connectTo = ["::127.0.0.1:\(server.port)"]
      }
      #expect(inspection.exchange.failure?.code == (isSpoken ? nil : .tlsFailed), "\(inspection)")
    }
    await server.stop()
  }

  @Test("Specified headers are sent, and a cookie of the response is reported and not stored")
  func headers() async throws {
    let reply = Reply(headers: [.init("Set-Cookie", "id=1")])
    try await Stage.run(reply: reply) { stage in
      let headers = [OutgoingRequest.Header("Cookie", "a=b"), .init("Referer", "https://page.example/")]
      #expect(await stage.inspect(ConnectionTerms(), headers: headers).setsCookies == true)
      #expect(await stage.inspect(ConnectionTerms()).setsCookies == true)
      let requests = await stage.server.requests
      #expect(requests.map { $0["Cookie"] } == [["a=b"], []])
      #expect(requests.map { $0["Referer"] } == [["https://page.example/"], []])
    }
  }

  @Test("The headers of the response are reported in their order, without cookies")
  func responseHeaders() async throws {
    let reply = Reply(headers: [.init("Set-Cookie", "id=1"), .init("CF-Mitigated", "challenge"), .init("Retry-After", "9")])
    for version in [RecordingServer.Version.http1, .http2] {
      try await Stage.run(version, reply: reply) { stage in
        let headers = await stage.inspect(ConnectionTerms()).headers
        let names = headers.map { $0.name.lowercased() }
        #expect(names.filter { ["cf-mitigated", "retry-after"].contains($0) } == ["cf-mitigated", "retry-after"])
        #expect(!names.contains("set-cookie"))
        #expect(headers.first { $0.name.lowercased() == "retry-after" }?.value == "9")
      }
    }
  }

  @Test("An inspection can offer only HTTP/1.1, which a server with only HTTP/2 rejects")
  func onlyHTTP1() async throws {
    try await Stage.run(.http1) { stage in
      #expect(await stage.inspect(ConnectionTerms(offersHTTP2: false)).exchange.httpVersion == "1.1")
    }
    try await Stage.run(.http2) { stage in
      #expect(await stage.inspect(ConnectionTerms()).exchange.httpVersion == "2")
      #expect(await stage.inspect(ConnectionTerms(offersHTTP2: false)).exchange.failure != nil)
    }
  }

  @Test("A report after an inspection offers no old TLS version")
  func nothingStays() async throws {
    let authority = try TestAuthority()
    let server = try await RecordingServer.start(try authority.issue(names: ["report.example"]), security: .before12)
    try await Stage.run { stage in
      let toOld: (inout NetworkRoute) -> Void = {
        $0.caFile = authority.certificateFile
        $0.connectTo = ["::127.0.0.1:\(server.port)"]
      }
      #expect(await stage.inspect(ConnectionTerms(tls: .before12), toOld).exchange.httpStatus == 200)
      #expect(await stage.send(toOld).failure?.code == .tlsFailed)
      let report = await stage.send()
      #expect(report.httpStatus == 200)
    }
    await server.stop()
  }
}

extension Stage {
  func inspect(
    _ terms: ConnectionTerms, headers: [OutgoingRequest.Header] = [], _ change: (inout NetworkRoute) -> Void = { _ in }
  ) async -> ProbeExchange {
    let report = report()
    let request = OutgoingRequest(
      method: report.method, url: report.url, headers: report.headers + headers, body: report.body)
    return await transport.send(ProbeRequest(request, terms), route: route(change))
  }
}
