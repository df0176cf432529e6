import PCMCore
import PCMNetwork
import TLSSupport
import Testing

@testable import PCMCurl

/// The hosts of a measurement SDK are not contacted.
@Suite("Hosts that must be mapped", .timeLimit(.minutes(5)))
struct MappedHostTests {
  @Test(
    "A lookup is for the host to which an entry maps, unless an entry gives its address",
    arguments: [
      (["consent.adjust.com:443:127.0.0.1:8443"], [], "127.0.0.1"), (["::my-endpoint.example:443"], [], "my-endpoint.example"),
      (["::[::1]:443"], [], "[::1]"), ([], ["consent.adjust.com:443:127.0.0.1"], nil), ([], ["*:443:127.0.0.1"], nil),
      ([":443::8443"], ["consent.adjust.com:8443:127.0.0.1"], nil),
      (["::analytics.adjust.com:8443"], ["analytics.adjust.com:8443:127.0.0.1"], nil), ([], [], "consent.adjust.com"),
      (["consent.adjust.com:443::8443"], [], "consent.adjust.com"), ([":443::8443"], [], "consent.adjust.com"),
      (["consent.adjust.com:443:consent.adjust.com:443"], [], "consent.adjust.com"),
      (["::ANALYTICS.EU.ADJUST.COM.:443"], [], "analytics.eu.adjust.com."),
      (["analytics.adjust.com:443:127.0.0.1:8443"], [], "consent.adjust.com"),
      ([], ["-consent.adjust.com:443"], "consent.adjust.com"), ([], ["consent.adjust.com:444:127.0.0.1"], "consent.adjust.com"),
    ] as [([String], [String], String?)])
  func lookedUp(_ connectTo: [String], _ resolve: [String], _ host: String?) {
    let rules = RouteRules(connectTo: connectTo, resolve: resolve)
    #expect(rules.lookedUpHost(host: "Consent.adjust.com", port: 443) == host)
  }

  private let request = DeviceRequest.sdk(url: "https://consent.adjust.com/event", body: "{}")

  @Test("A request to a host that no option maps elsewhere fails before its name is looked up")
  func unmapped() async throws {
    let transport = try CurlTransport()
    let load = BrowserRequest.pageLoad(method: .get, url: "http://ANALYTICS.adjust.net.in.:1/", cookies: [])
    let other = BrowserRequest.pageLoad(method: .get, url: "https://shop.example/", cookies: [])
    for (request, route) in [
      (request, NetworkRoute()), (request, NetworkRoute(allowPrivateNetworks: true)),
      (request, NetworkRoute(connectTo: ["consent.adjust.com:443::1"])),
      (request, NetworkRoute(connectTo: ["::analytics.eu.adjust.com:1"])), (load, NetworkRoute()),
      (other, NetworkRoute(connectTo: ["shop.example:443:consent.adjust.cn:443"])),
    ] {
      let exchange = await transport.send(request, route: route)
      #expect(exchange.failure?.code == .addressRefused, "\(exchange)")
      #expect(exchange.failure?.detail.contains(" belongs to a measurement SDK and is not contacted") == true)
      #expect(exchange.remoteAddress == nil && exchange.httpStatus == nil)
    }
    await transport.close()
  }

  @Test("A mapped request reaches the tester's endpoint, under the SDK's name, and without cookies; a redirect is not followed")
  func mapped() async throws {
    let reply = Reply.redirect(to: "https://analytics.adjust.com/event", status: 307)
    try await Stage.run(names: ["consent.adjust.com"], reply: reply) { stage in
      var route = stage.route()
      route.connectTo = ["consent.adjust.com:443:127.0.0.1:\(stage.server.port)"]
      let exchange = await stage.transport.send(request, route: route)
      #expect(exchange.httpStatus == 307, "\(String(describing: exchange.failure))")
      let received = await stage.server.requests
      #expect(received.map(\.target) == ["/event"])
      #expect(received.allSatisfy { !$0.headers.contains { $0.name.lowercased() == "cookie" } })
    }
  }
}
