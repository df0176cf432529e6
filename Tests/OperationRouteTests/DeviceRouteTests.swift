import BrowserSupport
import HTTPSupport
import HTTPTypes
import PCMNetwork
import Testing

/// A device and its browser under their two paths, and the lists of a device.
@Suite struct DeviceRouteTests {
  private static let device = "/v1/devices/test"

  @Test func aDeviceAndItsBrowserAreOne() async throws {
    try await API.test { api in
      let created = try await api.call(.put, "/v1/devices/phone", #"{"seed":"1","device":{"country":"DE"}}"#)
      #expect(created.status == 201 && created.headers[.location] == "/v1/devices/phone", "\(created.text)")
      #expect(created.text.contains(#""device":{"systemVersion":"18.6","country":"DE","developerMode":false"#))
      #expect(try await api.call(.get, "/v1/browsers/phone").text == api.call(.get, "/v1/devices/phone").text)
      #expect(try await api.call(.get, "/v1/browsers").text == api.call(.get, "/v1/devices").text)
      let events = try await api.items("/v1/browsers/phone/events")
      #expect(events.compactMap { $0["kind"] as? String } == ["device-changed"])
      #expect(try await api.call(.delete, "/v1/devices/phone").status == 204)
      #expect(try await api.call(.get, "/v1/browsers/phone").status == 404)
    }
  }

  @Test func aDifferentPropertyIsAConflict() async throws {
    try await API.test { api in
      let body = #"{"device":{"country":"DE","developerMode":true}}"#
      #expect(try await api.call(.put, "/v1/devices/phone", body).status == 201)
      #expect(try await api.call(.put, "/v1/devices/phone", body).status == 200)
      let other = try await api.call(.put, "/v1/devices/phone", #"{"device":{"country":"FR"}}"#)
      #expect(other.status == 409)
      #expect(try other.member("detail", as: String.self).hasPrefix("device: "))
      let generated = try await api.call(.post, "/v1/browsers", body)
      #expect(generated.status == 422)
      #expect(try generated.pointers == ["/device"])
    }
  }

  @Test(
    "A signed ad is displayed as it is, and signing stores nothing",
    arguments: [
      (#""version":"4.0","presentation":"view-through""#, "started"), (#""version":"2.2""#, "recorded"), ("", "recorded"),
      (#""framework":"adattributionkit","eligibleForReengagement":true"#, "started"),
      (#""framework":"adattributionkit","handleView":true"#, "rejected"),
    ])
  func signedAds(members: String, outcome: String) async throws {
    try await API.test { api in
      _ = try await api.prepareDevice()
      let events = try await api.items("\(Self.device)/events").count
      let body = #"{"bundleIdentifier":"com.example.news"\#(members.isEmpty ? "" : "," + members)}"#
      let signed = try await api.call(.post, "\(Self.device)/signed-ads", body)
      #expect(signed.status == 200 && !signed.text.contains("framework"), "\(signed.text)")
      #expect(try await api.call(.post, "\(Self.device)/signed-ads", body).text == signed.text)
      #expect(try await api.items("\(Self.device)/events").count == events)
      let displayed = try await api.call(.post, "\(Self.device)/impressions", signed.text)
      #expect(try displayed.member("outcome") == outcome, "\(displayed.text)")
      let next = try await api.call(.post, "\(Self.device)/signed-ads", body)
      #expect(next.text != signed.text, "The next ad has another nonce.")
    }
  }

  @Test func anAdOfAnUnknownAppIsNotSigned() async throws {
    try await API.test { api in
      _ = try await api.prepareDevice()
      let unknown = #"{"bundleIdentifier":"com.example.news","presentation":"banner"}"#
      #expect(try await api.call(.post, "\(Self.device)/signed-ads", unknown).status == 422)
      let answer = try await api.call(.post, "\(Self.device)/signed-ads", #"{"bundleIdentifier":"com.example.none"}"#)
      #expect(answer.status == 422 && answer.text.contains(#""code":"app-unknown""#), "\(answer.text)")
    }
  }

  @Test(
    "An identifier that Apple would not assign gets a finding",
    arguments: [("foo", 1), (".skadnetwork", 1), ("foo.skadnetworks", 1), ("a1.skadnetwork", 0), ("a1.adattributionkit", 0)])
  func findings(identifier: String, count: Int) async throws {
    try await API.test { api in
      let path = "\(Self.device)/ad-networks/\(identifier)"
      let put = try await api.call(.put, path, DeviceAds.registration(at: "https://ads.example/"))
      let findings = try put.member("findings", as: [[String: Any]].self)
      #expect(put.status == 200 && findings.count == count, "\(put.text)")
      #expect(findings.allSatisfy { $0["code"] as? String == "ad-network-identifier-without-suffix" })
      #expect(try await api.call(.get, path).text == put.text)
    }
  }

  @Test func theListOfKeysHasPages() async throws {
    try await API.test { api in
      let all = try await api.call(.get, "\(Self.device)/keys").member("items", as: [[String: Any]].self)
      let pages = try await api.items("\(Self.device)/keys?limit=2")
      #expect(all.count == 6)
      #expect(pages.map { $0["id"] as? String } == all.map { $0["id"] as? String })
    }
  }

  /// The ad network accepts, and the site that receives the copy does not.
  private static let transport = ScriptedTransport { request, _ in
    Exchange(httpStatus: request.url.contains("shop.example") ? 500 : 200, body: Array("text".utf8))
  }

  @Test func postbacksAreSelectedByTheirStatesAndLeaveOutTheirParts() async throws {
    try await API.test(transport: Self.transport) { api in
      _ = try await api.prepareDevice()
      #expect(try await api.call(.post, "\(Self.device)/impressions", DeviceAds.ad()).status == 201)
      let install = try await api.call(.post, "\(Self.device)/installs", DeviceAds.install)
      #expect(try install.member("outcome") == "attributed", "\(install.text)")
      #expect(try await api.call(.post, "\(Self.device)/conversion-values", DeviceAds.value()).member("outcome") == "accepted")
      #expect(try await api.call(.post, "\(Self.device)/clock/advance", #"{"by":"P5D"}"#).status == 200)
      func states(_ query: String) async throws -> [String] {
        try await api.items("\(Self.device)/postbacks?\(query)").compactMap { $0["state"] as? String }
      }
      #expect(try await states("limit=1") == ["delivered", "scheduled"])
      #expect(try await states("state=delivered") == ["delivered"])
      #expect(try await states("state=scheduled&state=delivered&limit=1") == ["delivered", "scheduled"])
      #expect(try await states("state=failed").isEmpty)
      let bare = try await api.call(.get, "\(Self.device)/postbacks").text
      #expect(!bare.contains(#""body""#) && !bare.contains(#""response""#))
      let full = try await api.call(.get, "\(Self.device)/postbacks?include=body&include=response").text
      #expect(full.contains(#""attribution-signature""#) && full.contains(#""response":{"contentType":null,"body":"text""#))
      let item = try #require(try await api.items("\(Self.device)/postbacks?include=body&include=response").first)
      let id = try #require(item["id"] as? String)
      #expect(full.contains(try await api.call(.get, "\(Self.device)/postbacks/\(id)").text))
    }
  }
}
