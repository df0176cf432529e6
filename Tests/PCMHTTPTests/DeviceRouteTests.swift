import BrowserSupport
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
