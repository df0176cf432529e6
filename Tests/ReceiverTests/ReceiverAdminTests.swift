import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import PCMCore
import PCMCrypto
import PCMEndpoint
import PCMHTTP
import Testing

/// The report endpoint's admin API without a socket.
@Suite struct ReceiverAdminTests {
  @Test func theAdminTokenIsRequired() async throws {
    try await ReceiverAPI.test(token: "secret") { client async throws in
      #expect(try await ReceiverAPI.call(client, .get, "/admin/reports").status == 401)
      #expect(try await ReceiverAPI.call(client, .get, "/admin/reports", token: "wrong").status == 401)
      #expect(try await ReceiverAPI.call(client, .get, "/admin/reports", token: "secret").status == 200)
      #expect(
        try await ReceiverAPI.call(client, .get, "/.well-known/private-click-measurement/get-token-public-key/").status == 200)
    }
  }

  @Test func probesNeedNoTokenAndAreNotListed() async throws {
    try await ReceiverAPI.test(token: "secret") { client async throws in
      let faults = #"{"faults":[{"fault":"status","status":500}]}"#
      #expect(try await ReceiverAPI.call(client, .put, "/admin/faults", faults, token: "secret").status == 200)
      #expect(try await ReceiverAPI.call(client, .get, "/healthz").status == 200)
      #expect(try await ReceiverAPI.call(client, .get, "/admin/requests", token: "secret").text == #"{"items":[],"next":null}"#)
    }
  }

  @Test(
    arguments: [
      (#"{}"#, 422), (#"{"faults":[{"fault":"nonsense"}]}"#, 422), (#"{"faults":[{"fault":"status","times":0}]}"#, 422),
      (#"{"faults":[{"fault":"status","probability":1.5}]}"#, 422), (#"{"faults":[{"fault":"status","satus":500}]}"#, 422),
      (#"{"faults":[{"fault":"status","status":99}]}"#, 422), (#"{"faults":[{"fault":"delay","milliseconds":-1}]}"#, 422),
      (#"{"faults":[{"fault":"delay","milliseconds":600001}]}"#, 422),
      (#"{"faults":[{"fault":"trickle","milliseconds":600000,"probability":0.5}]}"#, 200),
      (#"{"faults":[{"fault":"status","on":"nothing"}]}"#, 422), ("{", 400),
      (#"{"seed":7,"faults":[{"fault":"status","on":"report","probability":0.5,"times":3}]}"#, 200),
    ])
  func faultsAreValidated(_ body: String, _ status: Int) async throws {
    try await ReceiverAPI.test { client async throws in
      #expect(try await ReceiverAPI.call(client, .put, "/admin/faults", body).status == status)
      let list = try await ReceiverAPI.call(client, .get, "/admin/faults").text
      #expect(list.contains(#""probability":0.5"#) == (status == 200))
      #expect(try await ReceiverAPI.call(client, .delete, "/admin/faults").status == 204)
      #expect(try await ReceiverAPI.call(client, .get, "/admin/faults").text == #"{"faults":[]}"#)
    }
  }

  @Test("a fault with a status that has no content has no body", arguments: [204, 205, 304])
  func faultWithoutContent(_ status: Int) async throws {
    try await ReceiverAPI.test { client async throws in
      let served = "/.well-known/private-click-measurement/get-token-public-key/"
      for (status, isEmpty) in [(status, true), (500, false)] {
        let faults = #"{"faults":[{"fault":"status","status":\#(status)}]}"#
        #expect(try await ReceiverAPI.call(client, .put, "/admin/faults", faults).status == 200)
        let answer = try await ReceiverAPI.call(client, .get, served)
        #expect(answer.status == status)
        #expect(answer.text.isEmpty == isEmpty, "\(answer.text)")
      }
    }
  }

  @Test func noncesAreRegisteredAndMinted() async throws {
    try await ReceiverAPI.test { client async throws in
      let both = try await ReceiverAPI.call(client, .post, "/admin/nonces", #"{"nonces":["ZZZZZZabcdef0123456789"],"mint":1}"#)
      #expect(both.status == 201)
      #expect(both.text == #"{"nonces":["ZZZZZZabcdef0123456789","ABCDEFabcdef0123456789"]}"#)
      #expect(try await ReceiverAPI.call(client, .post, "/admin/nonces", #"{"nonces":["x"]}"#).status == 400)
      #expect(try await ReceiverAPI.call(client, .post, "/admin/nonces", #"{"mint":1001}"#).status == 422)
      #expect(try await ReceiverAPI.call(client, .post, "/admin/nonces", "{}").status == 422)
    }
  }

  @Test func requestsAreListedInPages() async throws {
    try await ReceiverAPI.test { client async throws in
      for _ in 0..<3 { #expect(try await ReceiverAPI.call(client, .get, "/pixel?data=1").status == 302) }
      let first = try await ReceiverAPI.call(client, .get, "/admin/requests?limit=2&kind=pixel")
      let next = try #require(JSON(parsing: Array(first.text.utf8))?["next"]?.string)
      let second = try await ReceiverAPI.call(client, .get, "/admin/requests?limit=2&cursor=\(next)").text
      #expect(second.contains(#""number":3"#) && second.hasSuffix(#""next":null}"#))
      #expect(try await ReceiverAPI.call(client, .get, "/admin/reports").text == #"{"items":[],"next":null}"#)
      #expect(try await ReceiverAPI.call(client, .get, "/pixel?data=16").status == 400)
      let third = try #require(
        JSON(parsing: Array(try await ReceiverAPI.call(client, .get, "/admin/requests?limit=3").text.utf8))?["next"]?.string)
      #expect(
        try await ReceiverAPI.call(client, .get, "/admin/requests?cursor=\(third)").text.contains(#""code":"trigger-invalid""#))
      #expect(try await ReceiverAPI.call(client, .get, "/admin/requests?kind=nothing").status == 422)
      #expect(try await ReceiverAPI.call(client, .get, "/admin/requests?limit=2&limit=3").status == 422)
      #expect(try await ReceiverAPI.call(client, .post, "/admin/requests").status == 405)
    }
  }

  private struct DiskIsFull: Error {}

  @Test func aRotationThatCannotBeSavedChangesNothing() async throws {
    let refuse: @Sendable (String?, KeySeries) throws -> Void = { _, _ in throw DiskIsFull() }
    try await ReceiverAPI.test(saveKeys: refuse) { client async throws in
      let served = "/.well-known/private-click-measurement/get-token-public-key/"
      let (keys, key) = (
        try await ReceiverAPI.call(client, .get, "/admin/keys").text, try await ReceiverAPI.call(client, .get, served).text
      )
      let answer = try await ReceiverAPI.call(client, .post, "/admin/keys/rotate")
      #expect(answer.status == 500 && answer.text.contains("problem:not-saved"), "\(answer)")
      #expect(try await ReceiverAPI.call(client, .get, "/admin/keys").text == keys)
      #expect(try await ReceiverAPI.call(client, .get, served).text == key)
    }
  }

  @Test(
    arguments: [
      (nil, nil, nil, nil), (nil, nil, "127.0.0.1", nil), (nil, nil, "127.9.9.9", nil), (nil, nil, "::1", nil),
      (nil, nil, "::ffff:127.0.0.1", nil), (nil, nil, "192.0.2.1", .notLocal), (nil, nil, "::ffff:192.0.2.1", .notLocal),
      (nil, nil, "2001:db8::1", .notLocal), (nil, nil, "::", .notLocal), (nil, nil, "12.7.0.1", .notLocal),
      (nil, "Bearer secret", "192.0.2.1", .notLocal), ("secret", nil, "127.0.0.1", .noToken), ("secret", nil, nil, .noToken),
      ("secret", "Bearer wrong", "192.0.2.1", .noToken), ("secret", "Bearer secret", "192.0.2.1", nil),
    ] as [(String?, String?, String?, AdminRules.AccessError?)])
  func remoteCallersNeedTheToken(
    _ token: String?, _ authorization: String?, _ address: String?, _ error: AdminRules.AccessError?
  ) {
    #expect(AdminRules(token: token).accessError(authorization: authorization, address: address) == error)
  }

  @Test func keysAreListedAndRotated() async throws {
    try await ReceiverAPI.test { client async throws in
      #expect(try await ReceiverAPI.call(client, .get, "/admin/keys").text.contains(#""bits":2048,"earlier":[]"#))
      #expect(try await ReceiverAPI.call(client, .post, "/admin/keys/rotate?host=news.example").status == 404)
      let rotated = try await ReceiverAPI.call(client, .post, "/admin/keys/rotate")
      #expect(rotated.status == 200 && rotated.text.contains(#""bits":3072,"earlier":[""#))
    }
  }

  /// The authority of requests without a socket is `localhost`.
  @Test(
    "A page of another site, and a page whose host name leads here, cannot call the admin API",
    arguments: [
      (["localhost"], [], 200), (["news.example", "localhost"], [("Origin", "https://localhost")], 200),
      (["127.0.0.1", "news.example"], [], 421), (["localhost"], [("Origin", "https://evil.example")], 403),
      (["localhost"], [("Origin", "null")], 403), (["localhost"], [("Sec-Fetch-Site", "cross-site")], 403),
      (["localhost"], [("Sec-Fetch-Site", "same-origin")], 200),
    ] as [([String], [(String, String)], Int)])
  func pages(_ hosts: [String], _ headers: [(String, String)], _ status: Int) async throws {
    var fields = HTTPFields()
    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
    for token in [nil, "secret"] {
      if let token { fields[.authorization] = "Bearer \(token)" }
      let router = try ReceiverAPI.api(token: token, adminHosts: hosts).router()
      try await Application(router: router).test(.router) { [fields] client in
        for (path, method) in [("/admin/reports", .get), ("/admin/faults", .delete), ("/admin/page/faults", .get)]
          as [(String, HTTPRequest.Method)]
        {
          let answer = try await client.execute(uri: path, method: method, headers: fields)
          #expect(Int(answer.status.code) == (status == 200 && method == .delete ? 204 : status), "\(path)")
          #expect(answer.headers[.xContentTypeOptions] == "nosniff", "\(path)")
        }
        // Browsers and devices call the protocol under any name.
        let served = "/.well-known/private-click-measurement/get-token-public-key/"
        #expect(try await client.execute(uri: served, method: .get, headers: fields).status == .ok)
      }
    }
  }

  @Test("The receiver suggests its paths, too")
  func receiver() async throws {
    try await ReceiverAPI.test { client async throws in
      let answer = try await ReceiverAPI.call(client, .get, "/admin/report")
      #expect(answer.status == 404 && answer.text.contains("did you mean GET /admin/reports?"), "\(answer.text)")
    }
  }
}
