import OpenSSLSupport
import PCMCore
import PCMCrypto
import ServiceSupport
import TLSSupport
import Testing

/// Section I of the conformance cases as bytes: the executable with libcurl and TLS, and a recording server.
@Suite(.timeLimit(.minutes(10))) struct TokenWireTests {
  private static let folder = "/.well-known/private-click-measurement/"

  /// Of the size that the cases name, made once for the run.
  private static let largeKey = Result { try TokenPrivateKey(generating: .bits4096) }

  /// Runs a test against a site; the server stands for every host.
  private func run(
    _ site: SigningSite, _ test: (_ browser: TokenStage, _ server: RecordingServer) async throws -> Void
  ) async throws {
    let (authority, files) = (try TestAuthority(), try TemporaryFolder())
    let server = try await RecordingServer.start(
      try authority.issue(names: ["news.example", "shop.example", "example.com"]), answer: { site.answer($0) })
    let browser = try await TokenStage(data: files.path, port: server.port, authority: authority.certificateFile)
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await test(browser, server)) } catch { outcome = .failure(error) }
    await browser.stop()
    await server.stop()
    try outcome.get()
  }

  /// A request's head, every byte of it.
  private static func head(_ line: String, host: String, bodyCount: Int?) -> String {
    let type = bodyCount == nil ? [] : ["Content-Type: application/json"]
    let agent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
    let lines =
      ["\(line) HTTP/1.1", "Host: \(host)", "Accept: */*"] + type + ["Cache-Control: max-age=0", "User-Agent: \(agent)"]
      + (bodyCount.map { ["Content-Length: \($0)"] } ?? [])
    return lines.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  /// The name of a side of the exchange, and its host.
  struct Side: Sendable, CustomTestStringConvertible {
    let name: String
    let host: String
    var testDescription: String { name }
  }

  @Test(
    "cases 100, 103 and 104: the four requests byte for byte, without cookies, and a signature that openssl verifies",
    arguments: [Side(name: "source", host: "news.example"), Side(name: "destination", host: "example.com")])
  func fourRequests(_ side: Side) async throws {
    let site = SigningSite(key: try Self.largeKey.get())
    try await run(site) { browser, server async throws in
      let isSource = side.name == "source"
      try await browser.click(42, nonce: isSource ? TokenStage.nonce : nil, to: "https://example.com/")
      let outcome = try await browser.trigger("12", nonce: isSource ? nil : TokenStage.nonce, on: "https://example.com/")
      #expect(outcome.outcome == "attributed")
      try await browser.advance()
      let requests = await server.requests
      try #require(requests.count == 6)
      let (key, sign, report) = ("get-token-public-key/", "sign-unlinkable-token/", "report-attribution/")
      let paths = [("GET", key), ("POST", sign), ("GET", key), ("POST", report), ("GET", key), ("POST", report)]
      for (request, (method, path)) in zip(requests, paths) {
        let host = path == report ? try #require(request["Host"].first) : side.host
        let expected = Self.head(
          "\(method) \(Self.folder)\(path)", host: host, bodyCount: method == "GET" ? nil : request.body.count)
        #expect(String(decoding: request.head, as: UTF8.self) == expected)
        #expect(!request.offersResumption && request["Cookie"].isEmpty && (method == "POST" || request.body.isEmpty))
      }
      #expect(Set([requests[3]["Host"], requests[5]["Host"]]) == [["news.example"], ["example.com"]])
      #expect(Set(requests.map(\.connection)).count == 6, "no two requests share a connection")
      try await expectShapes(requests.map { String(decoding: $0.body, as: UTF8.self) }, side, site)
    }
  }

  /// The bodies, member for member, and the members that must be absent.
  private func expectShapes(_ bodies: [String], _ side: Side, _ site: SigningSite) async throws {
    let blinded = try #require(try textMembers(bodies[1])["\(side.name)_unlinkable_token"])
    #expect(
      bodies[1]
        == #"{"source_engagement_type":"click","\#(side.name)_nonce":"\#(TokenStage.nonce)","\#(side.name)_unlinkable_token":"\#(blinded)","version":3}"#
    )
    let message = try #require(Base64URL.decode(blinded))
    #expect(message.count == 512)
    let reported = try textMembers(bodies[3])
    let token = try #require(reported["\(side.name)_secret_token"])
    let signature = try #require(reported["\(side.name)_secret_token_signature"])
    #expect(
      bodies[3]
        == #"{"source_engagement_type":"click","source_site":"news.example","source_id":42,"attributed_on_site":"example.com","trigger_data":12,"version":3,"\#(side.name)_secret_token":"\#(token)","\#(side.name)_secret_token_signature":"\#(signature)"}"#
    )
    #expect(bodies[5] == bodies[3])
    let blindSignature = Base64URL.encode(try site.key.sign(blindedMessage: message))
    #expect(![blinded, blindSignature, TokenStage.nonce].contains { bodies[3].contains($0) })
    let openssl = try OpenSSLCommand()
    try openssl.write(spki: #require(Base64URL.decode(site.key.publicKeyWire)), "public.pem")
    let bytes = try #require(Base64URL.decode(token))
    #expect(bytes.count == 32)
    #expect(try await openssl.verifies(#require(Base64URL.decode(signature)), over: bytes))
  }
}
