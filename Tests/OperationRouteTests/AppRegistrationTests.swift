import Foundation
import HTTPSupport
import HTTPTypes
import PCMStore
import Testing

/// `PUT /v1/browsers/{browser}/apps/{bundleIdentifier}`, with an Info.plist or with JSON.
@Suite struct AppRegistrationTests {
  private static let apps = "/v1/browsers/test/apps"

  private static func bytes(_ manifest: String) throws -> [UInt8] {
    Array(try Data(contentsOf: API.fixtures.appendingPathComponent("manifests/\(manifest)/Info.plist")))
  }

  @Test(arguments: [
    "news-reader", "binary", "subdomain-and-path", "no-endpoint", "http-endpoint", "ip-endpoint", "mac-catalyst",
    "public-suffix-endpoint", "skadnetwork", "publisher", "publisher-mistakes", "advertiser", "advertiser-mistakes",
  ])
  func everyFormHasTheSameFindings(_ manifest: String) async throws {
    let bytes = try Self.bytes(manifest)
    let keys = try #require(
      try PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any])
    let json = try JSONSerialization.data(withJSONObject: ["infoPlist": keys])
    let id = try #require(keys["CFBundleIdentifier"] as? String)
    try await API.test { api in
      // Each registration replaces the values of an earlier one.
      let former = #"{"reportEndpoint":"https://a.example","itemIdentifier":9007199254740991,"sdkVersion":"18.2"}"#
      #expect(try await api.call(.put, "\(Self.apps)/\(id)", former).status == 200)
      let collection = try await api.call(.put, Self.apps, bytes: bytes, type: "application/x-plist")
      #expect(collection.status == 200 && !collection.text.contains("itemIdentifier"))
      let named = try await api.call(.put, "\(Self.apps)/\(id)", bytes: bytes, type: "application/octet-stream")
      #expect(named.text == collection.text)
      let untyped = try await api.call(.put, "\(Self.apps)/\(id)", bytes: bytes)
      #expect(untyped.text == collection.text)
      #expect(try await api.call(.put, Self.apps, bytes: bytes).text == collection.text)
      let inJSON = try await api.call(.put, "\(Self.apps)/\(id)", bytes: Array(json), type: "application/json")
      #expect(inJSON.text == collection.text)
      #expect(try await api.call(.get, "\(Self.apps)/\(id)").text == collection.text)
    }
  }

  @Test func theIdentifiersInThePathAndInTheManifestAreTheSame() async throws {
    try await API.test { api in
      let path = "\(Self.apps)/com.example.other"
      for (body, type, pointer) in [
        (try Self.bytes("news-reader"), "text/xml", "/CFBundleIdentifier"),
        (
          Array(#"{"infoPlist":{"CFBundleIdentifier":"com.example.news"}}"#.utf8), "application/json",
          "/infoPlist/CFBundleIdentifier"
        ),
      ] {
        let answer = try await api.call(.put, path, bytes: body, type: type)
        #expect(answer.status == 422)
        #expect(try answer.pointers == [pointer])
        #expect(try answer.member("detail", as: String.self).contains("PUT this app to …/apps/com.example.news"))
      }
      #expect(try await api.call(.get, path).status == 404)
    }
  }

  @Test(arguments: [
    "source-form/Info.plist", "no-bundle-identifier/Info.plist", "cases/web-m10-source-form.plist",
    "cases/web-m09-http-nobundle.plist", "cases/web-m15-flutter-Runner.plist",
  ])
  func thePathNamesTheAppOfASourceManifest(_ manifest: String) async throws {
    let bytes = Array(try Data(contentsOf: API.fixtures.appendingPathComponent("manifests/\(manifest)")))
    try await API.test { api in
      let path = "\(Self.apps)/com.example.given"
      let app = try await api.call(.put, path, bytes: bytes, type: "application/x-plist")
      #expect(app.status == 200, "\(app.text)")
      #expect(try app.member("bundleIdentifier") == "com.example.given")
      #expect(try await api.call(.get, path).text == app.text)
      let unnamed = try await api.call(.put, Self.apps, bytes: bytes, type: "application/x-plist")
      #expect(unnamed.status == 422)
      #expect(unnamed.text.contains("PUT the file to …/apps/{bundleIdentifier}"))
      #expect(unnamed.text.contains("In a scenario, add bundleIdentifier next to manifest or plist."))
      let journal = try await api.call(.get, "/v1/browsers/test/scenario").text
      #expect(journal.contains("com.example.given") && !journal.contains("PRODUCT_BUNDLE_IDENTIFIER"), "\(journal)")
    }
  }

  @Test func aBuildSettingInJSONIsTheIdentifierInThePath() async throws {
    try await API.test { api in
      let endpoint = #""NSAdvertisingAttributionReportEndpoint":"https://news.example""#
      let body = #"{"infoPlist":{"CFBundleIdentifier":"$(PRODUCT_BUNDLE_IDENTIFIER)",\#(endpoint)}}"#
      let app = try await api.call(.put, "\(Self.apps)/com.example.given", body)
      #expect(app.status == 200, "\(app.text)")
      #expect(try app.member("bundleIdentifier") == "com.example.given")
      #expect(try app.member("sourceSite") == "news.example")
    }
  }

  @Test func anAppForVisionOSIsNotForMacCatalyst() async throws {
    try await API.test { api in
      let path = "\(Self.apps)/com.example.news"
      let endpoint = #""NSAdvertisingAttributionReportEndpoint":"https://news.example""#
      let app = try await api.call(.put, path, #"{"infoPlist":{"UIDeviceFamily":[7],\#(endpoint)}}"#)
      #expect(try app.member("platform") == "visionos")
      #expect(app.text.contains(#""code":"visionos""#))
      let click = try await api.call(.post, "/v1/browsers/test/event-attributions", API.eventAttribution)
      #expect(try click.member("outcome") == "stored")
      #expect(click.text.contains(#""code":"visionos""#))
    }
  }

  @Test(arguments: [
    ("{}", "", "missing"), (#"{"itemIdentifier":1}"#, "", "missing"),
    (#"{"infoPlist":{},"reportEndpoint":"https://news.example"}"#, "", "conflicting-members"),
    (#"{"infoPlist":[]}"#, "/infoPlist", "wrong-type"), (#"{"reportEndpoint":7}"#, "/reportEndpoint", "wrong-type"),
    (#"{"infoPlist":{"A":[1,{"B":null}]}}"#, "/infoPlist/A/1/B", "wrong-type"),
    (#"{"infoPlist":{"A":["a","b\u0000"]}}"#, "/infoPlist/A/1", "invalid-value"),
    (#"{"infoPlist":{"A":{"\u0000":1}}}"#, "/infoPlist/A", "invalid-value"),
    (#"{"infoPlist":{"CFBundleIdentifier":7}}"#, "", "invalid-value"),
    (#"{"infoPlist":{},"itemIdentifier":0}"#, "/itemIdentifier", "out-of-range"),
    (#"{"infoPlist":{},"itemIdentifier":9007199254740992}"#, "/itemIdentifier", "out-of-range"),
    (#"{"infoPlist":{},"itemIdentifier":"1"}"#, "/itemIdentifier", "wrong-type"),
    (#"{"infoPlist":{},"sdkVersion":"18,2"}"#, "/sdkVersion", "invalid-value"),
    (#"{"infoPlist":{},"sdkVersion":18.2}"#, "/sdkVersion", "wrong-type"),
    (#"{"infoPlist":{},"signing":"enterprise"}"#, "/signing", "invalid-value"),
    (#"{"infoPlist":{},"platform":"tvos"}"#, "/platform", "invalid-value"),
    (#"{"infoPlist":{},"platform":"mac-catalyst"}"#, "/platform", "conflicting-members"),
    (#"{"infoPlist":{},"plist":1}"#, "/plist", "unknown-member"),
    (#"{"reportEndpoint":"https://a.example/\#(String(repeating: "ü", count: 1_016))"}"#, "/reportEndpoint", "out-of-range"),
  ])
  func invalidRegistrationsAreErrors(_ body: String, _ pointer: String, _ code: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.put, "\(Self.apps)/com.example.news", body)
      #expect(answer.status == 422)
      let entry = try #require(try answer.member("errors", as: [[String: Any]].self).first)
      #expect(entry["pointer"] as? String == pointer && entry["code"] as? String == code, "\(answer.text)")
    }
  }

  @Test func aRegistrationHasLimits() async throws {
    try await API.test { api async throws in
      let path = "\(Self.apps)/com.example.news"
      let endpoint = "https://a.example/" + String(repeating: "ü", count: 1_015)
      #expect(endpoint.utf8.count == 2_048)
      #expect(try await api.call(.put, path, #"{"reportEndpoint":"\#(endpoint)"}"#).status == 200)
      let empty = #"{"infoPlist":{}}"#
      let largest = empty + String(repeating: " ", count: 65_536 - empty.utf8.count)
      #expect(try await api.call(.put, path, largest).status == 200)
      #expect(try await api.call(.put, path, largest + " ").status == 413)
      for depth in [60, 70, 5_000] {
        let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(try await api.call(.put, path, #"{"infoPlist":{"A":\#(nested)}}"#).status == (depth == 60 ? 200 : 400))
      }
      #expect(try await api.call(.put, path, #"{"infoPlist":{"A":1.5,"B":-2e300,"C":true}}"#).status == 200)
    }
  }

  @Test func otherMediaTypesAreRejectedWithAllThatAreAccepted() async throws {
    try await API.test { api in
      let named = try await api.call(.put, "\(Self.apps)/com.example.news", "x", type: "text/plain")
      #expect(named.status == 415)
      #expect(try named.member("detail", as: String.self).hasSuffix("application/octet-stream or application/json"))
      let collection = try await api.call(.put, Self.apps, #"{"reportEndpoint":"https://news.example"}"#)
      #expect(collection.status == 415)
    }
  }
}
