import HTTPSupport
import HTTPTypes
import PCMCore
import PCMCrypto
import Testing

/// Invalid requests about devices return a problem document with the place of each error, and change nothing.
@Suite struct DeviceInputTests {
  private static let device = "/v1/devices/test"

  private func expect(_ answer: API.Answer, _ status: Int, pointers: [String]? = nil, code: String? = nil) throws {
    #expect(answer.status == status, "\(answer.text.prefix(400))")
    #expect(answer.headers[.contentType] == "application/problem+json")
    if let pointers { #expect(try answer.pointers == pointers, "\(answer.text.prefix(400))") }
    let errors = try answer.object["errors"] as? [[String: Any]] ?? []
    if let code { #expect(errors.map { $0["code"] as? String } == [code], "\(answer.text)") }
  }

  @Test(arguments: [
    (#"{"systemVersion":""}"#, "/device/systemVersion"), (#"{"systemVersion":"18.x"}"#, "/device/systemVersion"),
    (#"{"systemVersion":"18.6.1.2"}"#, "/device/systemVersion"), (#"{"country":"us"}"#, "/device/country"),
    (#"{"country":"USA"}"#, "/device/country"), (#"{"minimumViewTime":"PT61M"}"#, "/device/minimumViewTime"),
    (#"{"minimumViewTime":"2"}"#, "/device/minimumViewTime"),
    (#"{"conversionWindowStart":"install"}"#, "/device/conversionWindowStart"),
    (#"{"sourceDomain":"site"}"#, "/device/sourceDomain"),
    (#"{"developerMode":1}"#, "/device/developerMode"), (#"{"developerModeSince":null}"#, "/device/developerModeSince"),
  ])
  func anInvalidPropertyChangesAndCreatesNothing(_ properties: String, _ pointer: String) async throws {
    try await API.test { api in
      let before = try await api.call(.get, Self.device).text
      let body = #"{"settings":{"debugMode":true},"device":\#(properties)}"#
      try expect(try await api.call(.patch, Self.device, body), 422, pointers: [pointer])
      #expect(try await api.call(.get, Self.device).text == before)
      for face in ["browsers", "devices"] {
        try expect(try await api.call(.put, "/v1/\(face)/new", body), 422, pointers: [pointer])
        #expect(try await api.call(.get, "/v1/\(face)/new").status == 404)
      }
    }
  }

  @Test(arguments: [
    (#"{}"#, ["/publicKey", "/postbackURL"]),
    (#"{"publicKey":"","postbackURL":"https://ads.example/"}"#, ["/publicKey"]),
    (#"{"publicKey":"AAAA","postbackURL":"ads.example"}"#, ["/postbackURL", "/publicKey"]),
    (#"{"publicKey":"\#(TestKeyPair.skadnetworkP192.publicKey)","postbackURL":"https://ads.example/"}"#, ["/publicKey"]),
    (#"{"publicKey":"\#(TestKeyPair.adNetwork.publicKey)","postbackURL":"http://ads.example/"}"#, ["/postbackURL"]),
  ])
  func anAdNetworkHasAKeyOnP256AndAnHTTPSURL(_ body: String, _ pointers: [String]) async throws {
    try await API.test { api in
      try expect(try await api.call(.put, "\(Self.device)/ad-networks/a", body), 422, pointers: pointers)
      #expect(try await api.items("\(Self.device)/ad-networks").isEmpty)
    }
  }

  @Test(arguments: [
    ("impressions", #"{"bundleIdentifier":"com.example.none"}"#, "/bundleIdentifier", "app-unknown"),
    ("impressions", #"{"bundleIdentifier":"com.example.news","presentation":"banner"}"#, "/presentation", "invalid-value"),
    (
      "impressions", #"{"bundleIdentifier":"com.example.news","presentation":"custom-rendered"}"#, "/presentation",
      "invalid-value"
    ),
    (
      "impressions", #"{"bundleIdentifier":"com.example.news","jws":"x","adImpressionIdentifier":"y"}"#,
      "/adImpressionIdentifier", "conflicting-members"
    ),
    ("impressions", #"{"bundleIdentifier":"com.example.news","timestamp":9007199254740992}"#, "/timestamp", "out-of-range"),
    ("impressions", #"{"bundleIdentifier":"com.example.news","timestamp":1.5}"#, "/timestamp", "wrong-type"),
    ("installs", #"{"bundleIdentifier":"com.example.none"}"#, "/bundleIdentifier", "app-unknown"),
    ("installs", #"{"bundleIdentifier":"com.example.news","country":"usa"}"#, "/country", "invalid-value"),
    ("installs", #"{"bundleIdentifier":"com.example.news","marketplace":"a b"}"#, "/marketplace", "invalid-value"),
    (
      "installs", #"{"bundleIdentifier":"com.example.news","crowdTiers":{"country":4}}"#, "/crowdTiers/country",
      "out-of-range"
    ),
    ("launches", #"{"bundleIdentifier":"com.example.news"}"#, "/bundleIdentifier", "app-not-installed"),
    ("tracking-requests", #"{"bundleIdentifier":"com.example.none"}"#, "/bundleIdentifier", "app-unknown"),
    ("tracking-answers", #"{"bundleIdentifier":"com.example.news"}"#, "/allow", "missing"),
    ("tracking-settings", #"{"allow":true}"#, "/bundleIdentifier", "missing"),
    ("tracking-settings", #"{"bundleIdentifier":"a","system":"off"}"#, "/bundleIdentifier", "conflicting-members"),
    ("tracking-settings", #"{"system":"on"}"#, "/system", "invalid-value"),
    ("sdk-events", #"{"bundleIdentifier":"com.example.none","event":"open"}"#, "/bundleIdentifier", "app-unknown"),
    ("sdk-events", #"{"bundleIdentifier":"com.example.news","event":""}"#, "/event", "invalid-value"),
    (
      "sdk-events", #"{"bundleIdentifier":"a","event":"a","consentWaitingInterval":"P2D"}"#, "/consentWaitingInterval",
      "out-of-range"
    ),
    ("sdk-events", #"{"bundleIdentifier":"a","event":"a","urlStrategy":"EU"}"#, "/urlStrategy", "invalid-value"),
    (
      "sdk-events", #"{"bundleIdentifier":"a","event":"a","urlStrategy":"ADJDataResidencyEU","sdkVersion":5}"#, "/urlStrategy",
      "conflicting-members"
    ),
    (
      "sdk-events", #"{"bundleIdentifier":"a","event":"a","urlStrategyDomains":["eu.adjust.com"],"sdkVersion":4}"#,
      "/urlStrategyDomains", "conflicting-members"
    ),
    (
      "sdk-events", #"{"bundleIdentifier":"a","event":"a","useSubdomains":true}"#, "/useSubdomains", "conflicting-members"
    ),
    (
      "sdk-events", #"{"bundleIdentifier":"a","event":"a","urlStrategyDomains":["https://eu.adjust.com"]}"#,
      "/urlStrategyDomains/0", "invalid-value"
    ),
    ("sdk-events", #"{"bundleIdentifier":"a","event":"a","urlStrategyDomains":[]}"#, "/urlStrategyDomains", "out-of-range"),
    ("sdk-events", #"{"bundleIdentifier":"a","event":"a","sdkVersion":6}"#, "/sdkVersion", "out-of-range"),
    ("development-postbacks", #"{"bundleIdentifier":"a","windows":2}"#, "/windows", "out-of-range"),
    ("development-postbacks", #"{"bundleIdentifier":"a","send":"soon"}"#, "/send", "invalid-value"),
    (
      "development-postbacks", #"{"bundleIdentifier":"a","windows":3,"sequenceIndex":1}"#, "/sequenceIndex",
      "conflicting-members"
    ),
    (
      "development-postbacks", #"{"bundleIdentifier":"a","send":"later","sequenceIndex":2}"#, "/sequenceIndex",
      "conflicting-members"
    ),
    ("conversion-values", #"{"bundleIdentifier":"com.example.news"}"#, "/bundleIdentifier", "app-not-installed"),
    ("conversion-values", #"{"bundleIdentifier":"a","coarseValue":"great"}"#, "/coarseValue", "invalid-value"),
    ("conversion-values", #"{"bundleIdentifier":"a","framework":"skan"}"#, "/framework", "invalid-value"),
    ("conversion-values", #"{"bundleIdentifier":"a","conversionTag":"t"}"#, "/conversionTag", "invalid-value"),
    (
      "conversion-values", #"{"bundleIdentifier":"a","framework":"adattributionkit","fineValue":1,"conversionTypes":[]}"#,
      "/conversionTypes", "invalid-value"
    ),
    (
      "conversion-values",
      #"{"bundleIdentifier":"a","framework":"adattributionkit","fineValue":1,"conversionTypes":["download"]}"#,
      "/conversionTypes", "invalid-value"
    ),
  ])
  func eachErrorHasAPlaceAndACode(_ list: String, _ body: String, _ pointer: String, _ code: String) async throws {
    try await API.test { api in
      let log = try await api.call(.get, "\(Self.device)/events").text
      try expect(try await api.call(.post, "\(Self.device)/\(list)", body), 422, pointers: [pointer], code: code)
      #expect(try await api.call(.get, "\(Self.device)/events").text == log)
    }
  }

  @Test(arguments: [("conversionTypes", #"["install"]"#, "types"), ("conversionTag", #""t""#, "a tag")])
  func whatOnlyAdAttributionKitHasAsksForTheFramework(_ member: String, _ value: String, _ noun: String) async throws {
    try await API.test { api in
      let body = #"{"bundleIdentifier":"a","fineValue":1,"\#(member)":\#(value)}"#
      let answer = try await api.call(.post, "\(Self.device)/conversion-values", body)
      try expect(answer, 422, pointers: ["/\(member)"], code: "invalid-value")
      let errors: [[String: Any]] = try answer.member("errors")
      #expect(
        errors.first?["detail"] as? String
          == #"only calls of AdAttributionKit have \#(noun); add "framework": "adattributionkit", or remove \#(member)"#)
    }
  }

  @Test(arguments: [
    "", ".", "..", "...", "a.b", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJIUzI1NiIsImtpZCI6ImEifQ.e30.AAAA",
    "eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ==.e30=.AAAA", "\\u0000", String(repeating: "A", count: ImpressionInput.maximumJWSSize),
  ])
  func anInvalidJSONWebSignatureIsARejection(_ jws: String) async throws {
    try await API.test { api in
      let body = #"{"bundleIdentifier":"com.example.news","jws":"\#(jws)"}"#
      let answer = try await api.call(.post, "\(Self.device)/impressions", body)
      #expect(answer.status == 201, "\(answer.text.prefix(400))")
      #expect(try answer.member("outcome") == "rejected")
      #expect(try answer.member("reasons", as: [Any].self).count == 1)
      let id: String = try answer.member("id")
      #expect(try await api.call(.get, "\(Self.device)/explain?about=\(id)").status == 200)
      #expect(try await api.items("\(Self.device)/impressions").isEmpty)
    }
  }

  @Test(arguments: [
    ("jws", ImpressionInput.maximumJWSSize), ("version", ImpressionInput.maximumTextSize),
    ("adNetworkIdentifier", ImpressionInput.maximumTextSize), ("adImpressionIdentifier", ImpressionInput.maximumTextSize),
    ("signature", ImpressionInput.maximumTextSize),
  ])
  func eachTextOfAnAdHasALimit(_ member: String, _ limit: Int) async throws {
    try await API.test { api in
      // Two bytes for each character.
      let body = #"{"bundleIdentifier":"com.example.news","\#(member)":"\#(String(repeating: "é", count: limit / 2 + 1))"}"#
      let log = try await api.call(.get, "\(Self.device)/events").text
      let answer = try await api.call(.post, "\(Self.device)/impressions", body)
      try expect(answer, 422, pointers: ["/\(member)"], code: "out-of-range")
      #expect(answer.text.contains("\(member) has \(limit + 2) bytes; use at most \(limit) bytes of UTF-8"), "\(answer.text)")
      #expect(try await api.call(.get, "\(Self.device)/events").text == log)
    }
  }

  @Test(arguments: [
    (#"{"x":1,]garbage"#, "text/plain", 415), (#"{"x":1,]garbage"#, "application/json", 400),
    (#"{"x":1}"#, "application/json", 422), ("[]", "application/json", 422), ("{}", "application/json", 200),
    ("", "text/plain", 200),
  ])
  func theEndOfAViewHasNoMembers(_ body: String, _ type: String, _ status: Int) async throws {
    try await API.test { api in
      let path = "\(Self.device)/impressions/\(try await api.prepareDevice())/end"
      let log = try await api.call(.get, "\(Self.device)/events").text
      let answer = try await api.call(.post, path, body, type: type)
      #expect(answer.status == status, "\(answer.text)")
      let after = try await api.call(.get, "\(Self.device)/events").text
      #expect((after == log) == (status != 200))
    }
  }

  @Test(arguments: ["impression-9", "impression-09", "impression-", "9", "postback-1", "impression--1"])
  func anAdThatTheDeviceDoesNotHaveIsNotFound(_ name: String) async throws {
    try await API.test { api in
      for action in ["end", "tap"] {
        try expect(try await api.call(.post, "\(Self.device)/impressions/\(name)/\(action)"), 404)
      }
      try expect(try await api.call(.get, "\(Self.device)/postbacks/\(name)"), 404)
    }
  }

  @Test(arguments: ["shop", "https://", "https://a b/", "\\u0000"])
  func theURLOfATapIsAbsolute(_ url: String) async throws {
    try await API.test { api in
      let body = #"{"reengagementURL":"\#(url)"}"#
      let answer = try await api.call(.post, "\(Self.device)/impressions/impression-1/tap", body)
      try expect(answer, 422, pointers: ["/reengagementURL"])
    }
  }
}
