import PCMCore
import PCMCurl
import PCMNetwork
import TLSSupport
import Testing

@Suite("Rejected addresses", .timeLimit(.minutes(5)))
struct AddressGuardTests {
  /// Who asks for an address.
  enum Request: CaseIterable {
    case report, load, plainLoad

    func to(_ host: String, at stage: Stage) -> OutgoingRequest {
      let scheme = self == .plainLoad ? "http" : "https"
      return self == .report
        ? stage.report(host: host)
        : BrowserRequest.pageLoad(method: .get, url: "\(scheme)://\(host):\(stage.server.port)/", cookies: [])
    }
  }

  private func expectRefusal(of host: String, to request: Request, naming address: String? = nil) async throws {
    try await Stage.run(names: ["localhost"]) { stage in
      let exchange = await stage.transport.send(request.to(host, at: stage), route: stage.route())
      #expect(exchange.failure?.code == .addressRefused, "\(String(describing: exchange.failure))")
      #expect(exchange.failure?.detail.contains(" address") == true)
      if let address { #expect(exchange.failure?.detail.hasPrefix(address + " is ") == true) }
      #expect(exchange.httpStatus == nil)
      #expect(await stage.server.requests.isEmpty)
    }
  }

  @Test(
    "A private address is rejected in every notation",
    arguments: [
      "127.0.0.1", "[::1]", "2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "017700000001",
      "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
      "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "[::ffff:a9fe:a9fe]", "10.0.0.1", "192.168.1.1",
      "100.64.0.1", "0.0.0.0", "0", "[::]", "[fe80::1]", "[fd00::1]",
    ], Request.allCases)
  func refused(_ host: String, _ request: Request) async throws {
    try await expectRefusal(of: host, to: request)
  }

  @Test(
    "A name of this machine is rejected", arguments: ["localhost", "LocalHost", "a.localhost", "a.b.localhost"],
    Request.allCases)
  func localNames(_ name: String, _ request: Request) async throws {
    try await expectRefusal(of: name, to: request)
  }

  #if canImport(Glibc)
    @Test("A name that resolves to a private address is rejected", arguments: Lookup.names.keys.sorted(), Request.allCases)
    func lookedUpNames(_ name: String, _ request: Request) async throws {
      // "169.254.169.254 is a link-local address": the detail names the result of the lookup, so the guard refused this address.
      try await expectRefusal(of: name, to: request, naming: Self.written(Lookup.names[name]))
    }

    /// As the system writes it.
    private static func written(_ address: String?) -> String? {
      address == "64:ff9b::169.254.169.254" ? "64:ff9b::a9fe:a9fe" : address
    }
  #endif

  @Test(
    "An entry maps a host to its address, and a redirect is not followed", arguments: [301, 302, 307])
  func redirectTarget(_ status: Int) async throws {
    let hidden = try await RecordingServer.start(nil)
    try await Stage.run(reply: .redirect(to: "http://127.0.0.1:\(hidden.port)/", status: status)) { stage in
      let first = await stage.transport.send(Request.load.to("report.example", at: stage), route: stage.route())
      let target = BrowserRequest.pageLoad(method: .get, url: try #require(first.location), cookies: first.cookies ?? [])
      #expect(await stage.transport.send(target, route: stage.route()).failure?.code == .addressRefused)
      #expect(await hidden.requests.isEmpty)
    }
    await hidden.stop()
  }

  @Test("The error contains the address")
  func refusalText() async throws {
    try await Stage.run { stage in
      let exchange = await stage.transport.send(stage.report(host: "127.1"), route: stage.route())
      #expect(exchange.failure == TransportFailure(.addressRefused, "127.0.0.1 is a loopback address"))
    }
  }

  @Test("A private address is allowed by the option or by a matching entry")
  func allowed() async throws {
    try await Stage.run(names: ["localhost"]) { stage in
      let port = stage.server.port
      let changes: [(inout NetworkRoute) -> Void] = [
        { $0.allowPrivateNetworks = true },
        { $0.resolve = ["localhost:\(port):127.0.0.1"] },
        { $0.resolve = ["*:\(port):127.0.0.1"] },
        { $0.resolve = ["+LOCALHOST:\(port):127.0.0.1"] },
        { $0.connectTo = ["localhost:\(port):127.0.0.1:\(port)"] },
        { $0.connectTo = ["::127.0.0.1:\(port)"] },
        { $0.connectTo = ["Localhost::127.0.0.1:\(port)"] },
        { $0.connectTo = ["localhost:::\(port)"] },
        { $0.connectTo = ["::localhost:"] },
      ]
      for (index, change) in changes.enumerated() {
        let exchange = await stage.transport.send(stage.report(host: "localhost"), route: stage.route(change))
        #expect(exchange.failure == nil, "change \(index)")
        #expect(exchange.httpStatus == 200, "change \(index)")
      }
    }
  }

  @Test("An entry without a host allows nothing, even if it leads to a port of this machine")
  func onlyPort() async throws {
    try await Stage.run(names: ["localhost"]) { stage in
      let request = BrowserRequest.pageLoad(method: .get, url: "https://localhost:80/", cookies: [])
      let route = stage.route { $0.connectTo = [":80::\(stage.server.port)"] }
      #expect(await stage.transport.send(request, route: route).failure?.code == .addressRefused)
      #expect(await stage.server.requests.isEmpty)
    }
  }

  @Test("An entry for another host or port allows nothing")
  func notAllowed() async throws {
    try await Stage.run(names: ["localhost"]) { stage in
      let port = stage.server.port
      let changes: [(inout NetworkRoute) -> Void] = [
        { $0.resolve = ["localhost:443:127.0.0.1"] },
        { $0.resolve = ["other.example:\(port):127.0.0.1"] },
        { $0.resolve = ["*:443:127.0.0.1"] },
        { $0.resolve = ["-localhost:\(port)"] },
        { $0.connectTo = ["localhost:443:127.0.0.1:\(port)"] },
        { $0.connectTo = ["other.example::127.0.0.1:\(port)"] },
        { $0.connectTo = ["*:\(port):127.0.0.1:\(port)"] },
        { $0.connectTo = [":\(port)::\(port)"] },
        { $0.connectTo = [":::\(port)"] },
        { $0.connectTo = [":::"] },
        { $0.connectTo = [":::\(port)", "::127.0.0.1:\(port)"] },
        { $0.connectTo = ["localhost:\(port)::", ":::\(port)"] },
      ]
      for (index, change) in changes.enumerated() {
        let exchange = await stage.transport.send(stage.report(host: "localhost"), route: stage.route(change))
        #expect(exchange.failure?.code == .addressRefused, "change \(index)")
      }
      #expect(await stage.server.requests.isEmpty)
    }
  }
}
