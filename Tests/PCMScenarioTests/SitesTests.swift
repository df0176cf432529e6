import PCMCore
import PCMCrypto
import PCMNetwork
import PCMScenario
import PCMSimulatedSites
import Testing

/// Simulated sites and the requests of browsers.
@Suite struct SitesTests {
  private let sites: SimulatedSites

  init() {
    sites = SimulatedSites(registrableDomain: { $0.split(separator: ".").suffix(2).joined(separator: ".") })
  }

  private func send(_ request: OutgoingRequest, limit: Int = 65_536) async -> Exchange {
    var route = NetworkRoute()
    route.responseLimit = limit
    return await sites.send(request, route: route)
  }

  private static let cookie = Cookie(domain: "news.example", name: "a", value: "1")

  private func report(to host: String) async -> Exchange {
    await send(
      BrowserRequest.report(url: "https://\(host)/.well-known/private-click-measurement/report-attribution/", body: "{}"))
  }

  private func load(_ url: String) async -> Exchange {
    await send(BrowserRequest.pageLoad(method: .get, url: url, cookies: [Self.cookie]))
  }

  private func servedKey(_ host: String) async throws -> TokenPublicKey {
    let body = await send(BrowserRequest.tokenKey(at: Site(host))).body
    return try TokenPublicKey(wire: try #require(JSON(parsing: body)?["token_public_key"]?.string))
  }

  @Test func anUnspecifiedSiteIsAGoodEndpoint() async throws {
    #expect(await report(to: "news.example").httpStatus == 200)
    #expect(try await servedKey("news.example").form == .rsassaPSS)
    #expect(await load("https://news.example/").httpStatus == 404)
    #expect(await load("https://news.example/").cookies == [Self.cookie])
  }

  @Test func responsesAreInOrderAndTheLastOneRepeats() async throws {
    await sites.apply(["shop.example": SiteBehavior(report: [.status(500), .failing, .status(204)])])
    var seen: [String] = []
    for _ in 0..<4 {
      let exchange = await report(to: "shop.example")
      seen.append(exchange.httpStatus.map(String.init) ?? exchange.failure?.code.rawValue ?? "")
    }
    #expect(seen == ["500", "connection-failed", "204", "204"])
    await sites.apply(["shop.example": SiteBehavior(key: .second)])
    #expect(await report(to: "shop.example").httpStatus == 204)
    await sites.apply(["shop.example": SiteBehavior(report: [.status(503), .good])])
    #expect(await report(to: "shop.example").httpStatus == 503)
    #expect(await report(to: "shop.example").httpStatus == 200)
  }

  @Test func theHostTakesPrecedenceOverItsRegistrableDomain() async throws {
    await sites.apply(["shop.example": SiteBehavior(report: [.status(500)])])
    #expect(await report(to: "www.shop.example").httpStatus == 500)
    await sites.apply(["www.shop.example": SiteBehavior(report: [.status(503)])])
    #expect(await report(to: "www.shop.example:8443").httpStatus == 503)
    #expect(await report(to: "shop.example").httpStatus == 500)
    #expect(await report(to: "other.example").httpStatus == 200)
  }

  @Test func pagesRespondByPathAndQuery() async throws {
    var plain = SiteBehavior.Response.good
    plain.body = "hello"
    plain.contentType = "text/plain"
    await sites.apply(["shop.example": SiteBehavior(loads: ["/a?b=c": [plain], "/": [.redirect("/elsewhere")]])])
    let page = await load("https://shop.example/a?b=c#part")
    #expect(page.httpStatus == 200)
    #expect(page.contentType == "text/plain")
    #expect(page.body == Array("hello".utf8))
    #expect(await load("http://shop.example").location == "/elsewhere")
    #expect(await load("http://shop.example").httpStatus == 302)
    #expect(await load("https://shop.example/a").httpStatus == 404)
  }

  @Test func aLongResponseIsTruncated() async throws {
    var long = SiteBehavior.Response.good
    long.body = "0123456789"
    await sites.apply(["shop.example": SiteBehavior(tokenKey: [long])])
    let cut = await send(BrowserRequest.tokenKey(at: Site("shop.example")), limit: 4)
    #expect(cut.body == Array("0123".utf8))
    #expect(cut.bodyTruncated)
  }

  @Test func aSiteSignsWithTheKeyThatItServes() async throws {
    let token = try UnlinkableToken(bytes: Array(0..<32))
    var ids: Set<KeyID> = []
    for key in SiteBehavior.Key.allCases {
      await sites.apply(["news.example": SiteBehavior(key: key)])
      let served = try await servedKey("news.example")
      let blinded = try token.blind(with: served)
      let body = TokenExchange.signingBody(
        for: .source, nonce: Story.nonce, blinded: Base64URL.encode(blinded.blindedMessage))
      let answer = await send(BrowserRequest.signing(at: Site("news.example"), body: body))
      let signature = try #require(JSON(parsing: answer.body)?["unlinkable_token"]?.string.flatMap(Base64URL.decode))
      #expect(served.verifies(try blinded.finalize(blindSignature: signature).signature, over: token))
      ids.insert(served.id)
    }
    #expect(ids.count == 2)
  }

  @Test func invalidSigningRequestsAreRejected() async throws {
    for body in [[:], ["source_unlinkable_token": "AAAA"], ["source_unlinkable_token": 7]] as [JSON] {
      #expect(await send(BrowserRequest.signing(at: Site("news.example"), body: body)).httpStatus == 400, "\(body.text)")
    }
  }
}
