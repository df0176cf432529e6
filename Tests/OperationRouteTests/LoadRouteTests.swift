import BrowserSupport
import HTTPSupport
import HTTPTypes
import PCMNetwork
import Testing

/// `POST …/loads` on the wire.
@Suite struct LoadRouteTests {
  private static let loads = "/v1/browsers/test/loads"
  private static let body = #"{"firstPartyURL":"https://shop.example/thanks","url":"https://news.example/pixel"}"#
  private static let path = "/.well-known/private-click-measurement/trigger-attribution/12/03"

  @Test func aLoadReturnsItsHops() async throws {
    let transport = ScriptedTransport { request, _ in
      request.url.hasSuffix("/pixel") ? Exchange(httpStatus: 302, location: Self.path) : Exchange(httpStatus: 404)
    }
    try await API.test(transport: transport) { api in
      try await api.call(.post, "/v1/browsers/test/event-attributions", API.eventAttribution)
      let answer = try await api.call(.post, Self.loads, Self.body)
      #expect(answer.status == 200)
      let hops =
        #"{"hops":[{"url":"https://news.example/pixel","status":302,"location":"\#(Self.path)","error":null},"#
        + #"{"url":"https://news.example\#(Self.path)","status":404,"location":null,"error":null}],"triggeringEvents":[{"#
      #expect(answer.text.hasPrefix(hops), "\(answer.text)")
      #expect(answer.text.hasSuffix(#"}],"ignored":[],"reason":null,"error":null}"#))
      let event = try #require(try answer.member("triggeringEvents", as: [[String: Any]].self).first)
      #expect(event["outcome"] as? String == "attributed")
      #expect(Set(event.keys).isSuperset(of: ["reasons", "trigger", "attribution"]))
    }
  }

  @Test func aFailedLoadReturns200() async throws {
    let transport = ScriptedTransport { _, _ in
      Exchange(failure: TransportFailure(.addressRefused, "127.0.0.1 is a loopback address"))
    }
    try await API.test(transport: transport) { api in
      let answer = try await api.call(
        .post, Self.loads,
        #"{"firstPartyURL":"http://a.example","url":"http://b.example","method":"POST"}"#)
      #expect(answer.status == 200)
      let error = #"{"code":"address-refused","detail":"127.0.0.1 is a loopback address"}"#
      #expect(
        answer.text
          == #"{"hops":[{"url":"http://b.example/","status":null,"location":null,"error":\#(error)}],"triggeringEvents":[],"ignored":[],"reason":\#(error),"error":\#(error)}"#
      )
      #expect(await transport.requests.map(\.method) == [.post])
    }
  }

  @Test(
    arguments: [
      (#""url":"https://news.example/pixel""#, #""url":"news.example""#, "/url"),
      (#""url":"https://news.example/pixel""#, #""url":"ftp://news.example/""#, "/url"),
      (#""url":"https://news.example/pixel""#, #""url":"https://""#, "/url"),
      (#""url":"https://news.example/pixel""#, #""url":7"#, "/url"),
      (#""url":"https://news.example/pixel""#, #""method":"GET""#, "/url"),
      (#""firstPartyURL":"https://shop.example/thanks""#, #""firstPartyURL":"about:blank""#, "/firstPartyURL"),
      (#""firstPartyURL":"https://shop.example/thanks","#, "", "/firstPartyURL"),
      ("}", #","method":"PUT"}"#, "/method"), ("}", #","method":"get"}"#, "/method"), ("}", #","method":1}"#, "/method"),
      ("}", #","bundleIdentifier":""}"#, "/bundleIdentifier"), ("}", #","redirect":{}}"#, "/redirect"),
    ])
  func theBodyIsValidated(_ what: String, _ replacement: String, _ pointer: String) async throws {
    let transport = ScriptedTransport()
    try await API.test(transport: transport) { api in
      let answer = try await api.call(.post, Self.loads, Self.body.replacing(what, with: replacement))
      #expect(answer.status == 422, "\(answer.text)")
      #expect(try answer.pointers == [pointer])
      #expect(await transport.requests.isEmpty)
    }
  }

  @Test func aLoadRequiresABrowserAndPOST() async throws {
    try await API.test { api in
      #expect(try await api.call(.post, "/v1/browsers/none/loads", Self.body).status == 404)
      let answer = try await api.call(.get, Self.loads)
      #expect(answer.status == 405)
      #expect(answer.headers[.allow] == "POST")
      #expect(try await api.call(.post, Self.loads, Self.body, type: "text/plain").status == 415)
    }
  }
}
