import HTTPTypes
import HummingbirdTesting
import PCMCore
import PCMEndpoint
import Testing

/// The report endpoint's routes for ads that lead to apps, without a socket.
@Suite struct ReceiverPostbackTests {
  private static let skAdNetwork = AdFramework.skadnetwork.copyPath
  private static let adAttributionKit = AdFramework.adattributionkit.copyPath
  private static let payload = "/.well-known/skadnetwork/get-signed-payload"
  private static let payloadRequest = """
    {"source_domain":"example.com","source_engagement_type":"click_to_App_Store",\
    "source_nonce":"t8naKxXHTzuTJhNfljADPQ","version":"4.0"}
    """

  private func vector(_ name: String) throws -> String { try ReceiverAPI.fixture("device/vectors/\(name)") }

  private func order(_ client: any TestClientProtocol, _ fault: String) async throws {
    let answer = try await ReceiverAPI.call(client, .put, "/admin/faults", #"{"faults":[\#(fault)]}"#)
    #expect(answer.status == 200, "\(answer.text)")
  }

  @Test func postbacksAreAcceptedExactlyAtTheirPaths() async throws {
    let (network, kit) = (try vector("postback-v4.0-a.json"), try vector("aak-postback.json"))
    try await ReceiverAPI.test(postbackPaths: ["/postbacks", "/a/b/", "/a/b"]) { client async throws in
      func status(_ path: String, _ body: String) async throws -> Int {
        try await ReceiverAPI.call(client, .post, path, body).status
      }
      for (path, forNetwork, forKit) in [
        (Self.skAdNetwork, 200, 400), (Self.adAttributionKit, 400, 200), ("/postbacks", 200, 200), ("/a/b/", 200, 200),
        ("/a/b", 200, 200), ("/postbacks/", 404, 404), (String(Self.skAdNetwork.dropLast()), 404, 404),
        (String(Self.adAttributionKit.dropLast()), 404, 404), ("/other", 404, 404), ("/postbacks?campaign=1", 200, 200),
      ] {
        #expect(try await status(path, network) == forNetwork, "\(path)")
        #expect(try await status(path, kit) == forKit, "\(path)")
      }
      #expect(try await ReceiverAPI.call(client, .get, Self.skAdNetwork).status == 405)
      let wrong = try await ReceiverAPI.call(client, .post, Self.skAdNetwork, kit)
      #expect(wrong.text.contains(#""code":"wrong-framework""#) && wrong.text.contains(Self.adAttributionKit))
    }
  }

  @Test("Postbacks need no media type", arguments: [nil, "text/plain", "application/json; charset=utf-8"])
  func mediaType(_ contentType: String?) async throws {
    let body = try vector("postback-v4.0-a.json")
    try await ReceiverAPI.test { client async throws in
      let answer = try await ReceiverAPI.call(client, .post, Self.skAdNetwork, body, contentType: contentType)
      #expect(answer.status == 200 && answer.text == "{}")
    }
  }

  @Test(
    "A response is an error only if the signature cannot be checked",
    arguments: [
      ("postback-n2.1-a.json", 200), ("postback-service-4.0-no-source.json", 200), ("impression-4.0-web.json", 400),
      ("aak-postback.jws", 400),
    ])
  func statuses(_ file: String, _ status: Int) async throws {
    let body = try vector(file)
    try await ReceiverAPI.test(postbackPaths: ["/postbacks"]) { client async throws in
      #expect(try await ReceiverAPI.call(client, .post, "/postbacks", body).status == status)
      let large = #"{"a":""# + String(repeating: "x", count: 70_000) + #""}"#
      #expect(try await ReceiverAPI.call(client, .post, "/postbacks", large).status == 413)
    }
  }

  @Test func postbacksAreListedAndCounted() async throws {
    let bodies = [try vector("postback-v4.0-a.json"), try vector("postback-v4.0-a.json"), try vector("aak-postback.json")]
    try await ReceiverAPI.test(token: "secret", postbackPaths: ["/postbacks"]) { client async throws in
      for body in bodies { #expect(try await ReceiverAPI.call(client, .post, "/postbacks", body).status == 200) }
      func list(_ path: String) async throws -> (status: Int, text: String) {
        let answer = try await ReceiverAPI.call(client, .get, path, token: "secret")
        return (answer.status, answer.text)
      }
      #expect(try await ReceiverAPI.call(client, .get, "/admin/postbacks").status == 401)
      let page = try await list("/admin/postbacks?limit=2")
      #expect(page.text.contains(#""environment":"production""#) && page.text.contains(#""duplicateOf":1"#))
      let next = try #require(JSON(parsing: Array(page.text.utf8))?["next"]?.string)
      #expect(try await list("/admin/postbacks?cursor=\(next)").text.contains(#""key":"apple-development-identifier/1""#))
      let development = try await list("/admin/postbacks?environment=development")
      #expect(development.text.contains(#""number":3"#) && !development.text.contains(#""number":1"#))
      #expect(try await list("/admin/postbacks?environment=other").status == 422)
      #expect(try await list("/admin/requests?kind=postback").text.contains(#""number":2"#))
      #expect(try await list("/admin/reports").text == #"{"items":[],"next":null}"#)
      let counts = """
        {"production":{"counted":1,"duplicates":1},"development":{"counted":1,"duplicates":0},\
        "test":{"counted":0,"duplicates":0},"forged":0,"unverifiable":0,"refused":0}
        """
      #expect(try await list("/admin/postbacks/counts").text == counts)
      #expect(try await ReceiverAPI.call(client, .delete, "/admin/postbacks", token: "secret").status == 204)
      #expect(try await list("/admin/postbacks").text == #"{"items":[],"next":null}"#)
    }
  }

  @Test func signedPayloadsAreServedExactlyAtTheirPath() async throws {
    try await ReceiverAPI.test { client async throws in
      let answer = try await ReceiverAPI.call(client, .post, Self.payload, Self.payloadRequest)
      #expect(answer.status == 200 && answer.contentType == "application/json")
      #expect(answer.text.contains(#""nonce":"b7c9da2b-15c7-4f3b-9326-135f9630033d""#))
      #expect(try await ReceiverAPI.call(client, .post, Self.payload + "/", Self.payloadRequest).status == 404)
      #expect(try await ReceiverAPI.call(client, .post, Self.payload, "{}").status == 400)
      let plain = try await ReceiverAPI.call(client, .post, Self.payload, Self.payloadRequest, contentType: "text/plain")
      #expect(plain.status == 415)
    }
  }

  @Test func faultsOfTheResponse() async throws {
    try await ReceiverAPI.test { client async throws in
      func answer() async throws -> (status: Int, text: String, contentType: String?) {
        try await ReceiverAPI.call(client, .post, Self.payload, Self.payloadRequest)
      }
      let whole = try await answer().text
      try await order(client, #"{"on":"signed-payload","fault":"truncated","times":1}"#)
      let half = try await answer()
      #expect(half.status == 200 && half.contentType == "application/json")
      #expect(whole.hasPrefix(half.text) && half.text.utf8.count == whole.utf8.count / 2)
      try await order(client, #"{"on":"signed-payload","fault":"wrong-content-type","times":1}"#)
      let mislabeled = try await answer()
      #expect(mislabeled.contentType == "text/html" && mislabeled.text == whole)
      try await order(client, #"{"fault":"wrong-version","times":1}"#)
      #expect(try await answer().text.contains(#""version":"3.0""#))
      try await order(client, #"{"on":"signed-payload","fault":"status","status":500,"times":1}"#)
      #expect(try await answer().status == 500)
      #expect(try await answer().text == whole)
    }
  }

  @Test func aFaultDoesNotProcessOrProcessesAPostback() async throws {
    let body = try vector("postback-v4.0-a.json")
    try await ReceiverAPI.test { client async throws in
      try await order(client, #"{"on":"postback","fault":"status","status":503,"times":1},{"fault":"delay","times":1}"#)
      let statuses = [
        try await ReceiverAPI.call(client, .post, Self.skAdNetwork, body).status,
        try await ReceiverAPI.call(client, .post, Self.skAdNetwork, body).status,
      ]
      #expect(statuses == [503, 200])
      let list = try await ReceiverAPI.call(client, .get, "/admin/postbacks").text
      #expect(list.contains(#""verdict":"not-processed""#) && list.contains(#""fault":"delay""#))
      let counts = try await ReceiverAPI.call(client, .get, "/admin/postbacks/counts").text
      #expect(counts.contains(#""production":{"counted":1,"duplicates":0}"#))
    }
  }
}
