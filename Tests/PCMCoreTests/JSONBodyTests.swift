import PCMCore
import Testing

/// Reading request bodies: the values of valid bodies and the errors of invalid bodies.
@Suite struct JSONBodyTests {
  /// Returns each error as `/pointer detail`, or nil for malformed JSON.
  private func errors<Body: JSONBody>(_ type: Body.Type, _ text: String) -> [String]? {
    do throws(BodyError) {
      _ = try Body(json: Array(text.utf8))
      return []
    } catch {
      switch error {
      case .malformed: return nil
      case .invalid(let errors): return errors.map { "/\($0.path.joined(separator: "/")) \($0.detail)" }
      }
    }
  }

  private func load(_ url: String) -> String { #"{"firstPartyURL":"https://shop.example/","url":\#(url)}"# }

  @Test func membersOfEveryKindAreRead() throws {
    let text = """
      { "seed" : "s", "clock": {"start":"2026-11-20T10:00:00Z", "mode":"manual"},\t"storage":"ephemeral",
        "settings":{"debugMode":true,"privateBrowsing":false,"deliveryPolicy":"reliable"} }
      """
    let body = try BrowserSpecification(json: Array(text.utf8))
    let now = try #require(Instant(text: "2026-11-20T10:00:00Z"))
    #expect(
      body
        == BrowserSpecification(
          storage: .ephemeral, seed: "s", clockMode: .manual, start: now,
          settings: SettingsChange(privateBrowsing: false, debugMode: true, deliveryPolicy: .reliable)))
  }

  @Test func absentMembersHaveDefaultValues() throws {
    let tap = try EventAttributionInput(
      json: Array(#"{"bundleIdentifier":"a","sourceIdentifier":4.0,"destinationURL":"u"}"#.utf8))
    #expect(tap == EventAttributionInput(bundleIdentifier: "a", sourceIdentifier: 4, destinationURL: "u"))
    #expect(tap.tapVerified)
    #expect(tap.presentation == "openURL")
  }

  @Test func readingAWrittenBodyReturnsTheBody() throws {
    let link = LinkClickInput(
      pageURL: "https://a.example/\"\\\u{1}ä", attributionSourceID: "4", attributionDestination: nil, userGesture: false)
    #expect(try LinkClickInput(json: link.json.bytes) == link)
    let event = TriggeringEventInput(firstPartyURL: "a", redirectFrom: "b", redirectTo: "c", bundleIdentifier: "d")
    #expect(event.json.text == #"{"firstPartyURL":"a","redirect":{"from":"b","to":"c"},"bundleIdentifier":"d"}"#)
    #expect(try TriggeringEventInput(json: event.json.bytes) == event)
    let seen = LinkClickInput(
      pageURL: "a", attributionSourceID: nil, attributionDestination: nil, clickedAt: .clicked,
      observed: Provenance(frame: "https://ads.example/", load: "navigation", inferred: true))
    #expect(try LinkClickInput(json: seen.json.bytes) == seen)
    let unknown = TriggeringEventInput(firstPartyURL: "a", redirectFrom: nil, redirectTo: "c")
    #expect(unknown.json.text == #"{"firstPartyURL":"a","redirect":{"to":"c"}}"#)
    #expect(try TriggeringEventInput(json: unknown.json.bytes) == unknown)
    for move in [
      ClockAdvance.by(.hours(48)), .to(Instant(milliseconds: 253_370_764_799_999)), .toNextEvent, .untilIdle(),
      .untilIdle(within: .days(60)),
    ] {
      #expect(try ClockAdvance(json: move.json.bytes) == move)
    }
  }

  @Test(
    arguments: [
      (#""a""#, "a"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e4\uD83D\uDE00\u0000""#, "ä😀\0"),
      ("\"ä😀\"", "ä😀"), ("\"\u{7F}\"", "\u{7F}"),
    ])
  func escapesInStringsAreDecoded(_ json: String, _ text: String) throws {
    #expect(try LoadInput(json: Array(load(json).utf8)).url == text)
  }

  @Test(
    arguments: [
      "", " ", "{", "}", "[", "nonsense", "{}x", "{} {}", "{'app':1}", #"{"app"}"#, #"{"app":}"#, #"{"app":1,}"#, #"{,}"#,
      #"{"app":1 "x":2}"#, #"{"x":01}"#, #"{"x":1.}"#, #"{"x":.5}"#, #"{"x":+1}"#, #"{"x":-}"#, #"{"x":1e}"#, #"{"x":tru}"#,
      #"{"x":nul}"#, #"{"x":[1,]}"#, #"{"x":[1 2]}"#, #"{"x":"\x"}"#, #"{"x":"\u12"}"#, #"{"x":"\u12G4"}"#, "{\"x\":\"\n\"}",
      #"{"x":""#, #"{"x":"\"#, #"{"x":NaN}"#, "{\"bundleIdentifier\":\"a\u{0}\"}",
      #"{"x":"# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}",
    ])
  func invalidJSONIsMalformed(_ text: String) {
    #expect(errors(LoadInput.self, text) == nil, "\(text)")
    #expect(!JSON.isValid(Array(text.utf8)) || text == "")
  }

  @Test(arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80]] as [[UInt8]])
  func invalidUTF8IsMalformed(_ bytes: [UInt8]) {
    for place in ["url", "x"] {
      let body = Array(#"{"firstPartyURL":"","\#(place)":""#.utf8) + bytes + Array("\"}".utf8)
      #expect(throws: BodyError.malformed) { try LoadInput(json: body) }
    }
  }

  @Test func aByteOrderMarkIsSkipped() throws {
    #expect(try LoadInput(json: [0xEF, 0xBB, 0xBF] + Array(load("\"u\"").utf8)).url == "u")
  }

  @Test(arguments: ["[]", "4", "\"text\"", "true", "null"])
  func aBodyMustBeAnObject(_ text: String) {
    #expect(errors(LoadInput.self, text) == ["/ the body must be a JSON object"])
    #expect(errors(CardFeedInput.self, text) == [#"/ the body must be a JSON object, such as {"cards": [...]}"#])
  }

  @Test(
    "A misspelled member has the nearest right name",
    arguments: [
      ("attributeonSourceID", "attributionSourceID"), ("attributiondestination", "attributionDestination"),
      ("attribution_source_nonce", "attributionSourceNonce"), ("page-url", "pageURL"), ("landingUrl", "landingURL"),
    ])
  func nearestName(_ name: String, _ right: String) {
    let text = #"{"pageURL":"https://news.example/","NAME":"4"}"#.replacing("NAME", with: name)
    let found = errors(LinkClickInput.self, text)
    #expect(found == ["/\(name) \(name) is not a member here; did you mean \"\(right)\"?"])
    #expect(
      errors(LinkClickInput.self, #"{"pageURL":"","page":"<a>"}"#)?.first?.contains("known are attributionDestination, ")
        == true)
  }

  @Test(
    "A member that only HTML has leads to the members of a link",
    arguments: [
      ("attributeon", #"WebKit no longer reads attributeon; did you mean "attributionDestination"?"#),
      ("attributeOn", #"WebKit no longer reads attributeon; did you mean "attributionDestination"?"#),
      ("html", "give the attributes of the link as members, such as href and attributionSourceID"),
    ])
  func namesOfHTML(_ name: String, _ note: String) {
    let text = #"{"pageURL":"https://news.example/","NAME":"4"}"#.replacing("NAME", with: name)
    #expect(errors(LinkClickInput.self, text) == ["/\(name) \(name) is not a member here; \(note)"])
  }

  @Test func allErrorsAreReportedInTheOrderOfTheMembers() {
    let text =
      #"{"z":[{}],"untold":1,"tapVerified":"yes","bundleIdentifier":1,"landingURL":{"a":1},"bundleIdentifier":"b","z":2}"#
    #expect(
      errors(EventAttributionInput.self, text) == [
        "/bundleIdentifier bundleIdentifier must be a string",
        "/bundleIdentifier bundleIdentifier is given twice; give it once",
        "/sourceIdentifier sourceIdentifier is missing; it must be an integer from 0 to 255",
        "/destinationURL destinationURL is missing; it must be a string with an absolute URL",
        "/tapVerified tapVerified must be true or false", "/landingURL landingURL must be a string with an absolute URL",
        "/untold untold is not a member here; known are bundleIdentifier, destinationURL, landingURL, openedURL, presentation, "
          + "purchaser, sourceDescription, sourceIdentifier, sourceNonce, tapVerified",
        "/z z is not a member here; known are bundleIdentifier, destinationURL, landingURL, openedURL, presentation, "
          + "purchaser, sourceDescription, sourceIdentifier, sourceNonce, tapVerified",
      ])
  }

  private func codes<Body: JSONBody>(_ type: Body.Type, _ text: String) -> [String] {
    do throws(BodyError) {
      _ = try Body(json: Array(text.utf8))
      return []
    } catch {
      guard case .invalid(let errors) = error else { return [] }
      return errors.map(\.code)
    }
  }

  @Test func eachErrorHasACode() {
    #expect(codes(LoadInput.self, "[]") == ["wrong-type"])
    #expect(
      codes(
        EventAttributionInput.self,
        #"{"bundleIdentifier":1,"bundleIdentifier":"b","destinationURL":null,"sourceIdentifier":4,"z":2}"#)
        == ["wrong-type", "duplicate-member", "wrong-type", "unknown-member"])
    #expect(codes(ClockAdvance.self, "{}") == ["missing"])
    #expect(codes(ClockAdvance.self, #"{"by":"PT1H","untilIdle":true}"#) == ["conflicting-members"])
    #expect(codes(ClockAdvance.self, #"{"by":"an hour"}"#) == ["invalid-value"])
    #expect(codes(ClockAdvance.self, #"{"to":"9999-12-31T00:00:00Z"}"#) == ["out-of-range"])
    #expect(codes(ClockAdvance.self, #"{"to":"tomorrow"}"#) == ["invalid-value"])
    #expect(codes(ClockAdvance.self, #"{"untilIdle":false}"#) == ["invalid-value"])
  }

  @Test(
    arguments: [
      (#""maximumCount":999"#, "out-of-range"), (#""maximumCount":-1"#, "out-of-range"),
      (#""maximumCount":1000000001"#, "out-of-range"), (#""maximumCount":99999999999999999999"#, "out-of-range"),
      (#""maximumCount":1e400"#, "out-of-range"), (#""maximumCount":1000.5"#, "wrong-type"),
      (#""maximumCount":"many""#, "wrong-type"), (#""maximumCount":[]"#, "wrong-type"),
      (#""maximumAge":"P1Y""#, "invalid-value"), (#""maximumAge":"PT23H""#, "out-of-range"),
      (#""maximumAge":"P36501D""#, "out-of-range"), (#""minimumAge":"P2D""#, "unknown-member"),
    ])
  func aRetentionIsOutOfRangeOrOfAnotherType(_ member: String, _ code: String) {
    #expect(codes(BrowserSpecification.self, #"{"settings":{"logRetention":{\#(member)}}}"#) == [code])
  }

  @Test func aWordThatIsNotAChoiceIsInvalid() {
    #expect(codes(BrowserSpecification.self, #"{"storage":"disk"}"#) == ["invalid-value"])
    #expect(codes(BrowserSpecification.self, #"{"storage":1}"#) == ["wrong-type"])
  }

  @Test func anErrorInANestedObjectHasItsPath() {
    #expect(
      errors(TriggeringEventInput.self, #"{"firstPartyURL":"a","redirect":{"to":4,"form/~":"b"}}"#) == [
        "/redirect/to to must be a string with an absolute URL",
        "/redirect/form/~ form/~ is not a member here; known are from, to",
      ])
    #expect(
      errors(TriggeringEventInput.self, #"{"firstPartyURL":"a","redirect":null}"#)
        == ["/redirect redirect is null; omit it instead"])
    #expect(
      errors(TriggeringEventInput.self, #"{"firstPartyURL":"a","redirect":{}}"#) == [
        "/redirect/to to is missing; it must be a string with an absolute URL"
      ])
  }

  @Test(
    "a triggering event has a redirect or a pixel",
    arguments: [
      ("", "/ give exactly one of redirect and pixelOf"),
      (#","redirect":{"from":"b","to":"c"},"pixelOf":"d","triggerData":1"#, "/ give exactly one of redirect and pixelOf"),
      (#","pixelOf":"d""#, "/triggerData triggerData is missing; a pixel has an integer from 0 to 99"),
      (#","pixelOf":"d","triggerData":100"#, "/triggerData triggerData must be an integer from 0 to 99"),
      (#","pixelOf":"d","triggerData":-1"#, "/triggerData triggerData must be an integer from 0 to 99"),
      (#","pixelOf":"d","triggerData":1,"priority":100"#, "/priority priority must be an integer from 0 to 99"),
      (
        #","redirect":{"from":"b","to":"c"},"triggerData":1"#,
        "/triggerData triggerData and priority belong to pixelOf; the URL of a redirect contains them"
      ),
      (
        #","redirect":{"from":"b","to":"c"},"priority":1"#,
        "/priority triggerData and priority belong to pixelOf; the URL of a redirect contains them"
      ),
    ])
  func redirectOrPixel(_ members: String, _ error: String) {
    #expect(errors(TriggeringEventInput.self, #"{"firstPartyURL":"a"\#(members)}"#) == [error])
  }

  @Test(
    "a pixel redirects to the trigger path, with two digits for each number",
    arguments: [(0, nil, "00"), (7, 0, "07/00"), (12, 3, "12/03"), (15, 63, "15/63"), (99, 99, "99/99")]
      as [(Int, Int?, String)])
  func pixel(_ data: Int, _ priority: Int?, _ tail: String) {
    let event = TriggeringEventInput(firstPartyURL: "a", pixelOf: "news.example:8443", triggerData: data, priority: priority)
    #expect(event.observedRedirect.from == "https://news.example:8443/pixel")
    let path = "/.well-known/private-click-measurement/trigger-attribution/"
    #expect(event.observedRedirect.to == "https://news.example:8443\(path)\(tail)")
    #expect((try? TriggeringEventInput(json: event.json.bytes)) == event)
  }

  @Test("a member that is given many times is one error")
  func repeatedMembers() {
    let text = "{" + Array(repeating: #""by":"PT1H""#, count: 50).joined(separator: ",") + "}"
    #expect(errors(ClockAdvance.self, text) == ["/by by is given twice; give it once"])
  }

  @Test("unknown members are listed once each, up to 100 errors")
  func manyUnknownMembers() {
    let names = (1_000..<9_000).map(String.init)
    let text = "{" + (names + names).map { #""\#($0)":0"# }.joined(separator: ",") + "}"
    let known = " is not a member here; known are by, to, toNextEvent, untilIdle, within"
    #expect(errors(ClockAdvance.self, text) == names.prefix(100).map { "/\($0) \($0)\(known)" })
  }

  @Test(arguments: ["4.5", "1e400", "99999999999999999999", "\"4\"", "true", "[4]", "{}"])
  func aSourceIdentifierMustBeAnInteger(_ value: String) {
    #expect(
      errors(EventAttributionInput.self, #"{"bundleIdentifier":"a","destinationURL":"u","sourceIdentifier":\#(value)}"#)
        == ["/sourceIdentifier sourceIdentifier must be an integer from 0 to 255"])
  }

  @Test(
    "an integer is decided by its digits and its exponent, without rounding",
    arguments: [
      ("4.0", 4), ("4e0", 4), ("400e-2", 4), ("0.04e2", 4), ("0.4E+1", 4), ("40.00e-1", 4), ("-4", -4), ("-40e-1", -4),
      ("0", 0), ("-0", 0), ("-0.0", 0), ("0e400", 0), ("0.000e-99999999999999999999", 0), ("1e400", nil), ("1e-400", nil),
      ("5.00000000000000000001", nil), ("4.5", nil), ("45e-1", nil), ("0.1", nil), ("1e99999999999999999999", nil),
      ("1e-99999999999999999999", nil), ("9223372036854775807", .max), ("9223372036854775807.0", .max),
      ("922337203685477580.7e1", .max), ("-9223372036854775808e0", .min), ("9223372036854775808", nil),
      ("9223372036854775808.0", nil), ("9223372036854775807.5", nil), ("1e18", 1_000_000_000_000_000_000), ("1e19", nil),
    ] as [(String, Int?)])
  func anIntegerIsExact(_ number: String, _ value: Int?) {
    let text = #"{"bundleIdentifier":"a","destinationURL":"u","sourceIdentifier":\#(number)}"#
    #expect((try? EventAttributionInput(json: Array(text.utf8)))?.sourceIdentifier == value)
  }

  @Test func anUnpairedSurrogateIsNotAString() {
    for escape in [#"\ud800"#, #"\udc00"#, #"\ud800\u0041"#, #"\ud800x"#] {
      #expect(errors(LoadInput.self, load("\"\(escape)\"")) == ["/url url must be a string with an absolute URL"])
    }
  }

  @Test(arguments: [#"{"a":["\ud800"]}"#, #"{"\udc00":1}"#, #"{"a":{"b\ud83d)":1.5}}"#])
  func anUnpairedSurrogateIsNotInAnInfoPlist(_ infoPlist: String) {
    let expected = "infoPlist has an escape such as \\ud800 without the other half of its pair; write both halves, or neither"
    #expect(errors(AppRegistration.self, #"{"infoPlist":\#(infoPlist)}"#) == ["/infoPlist " + expected])
    #expect(errors(AppRegistration.self, #"{"infoPlist":\#(infoPlist)"#) != ["/infoPlist " + expected])
  }

  @Test func aMemberNameCanContainEscapes() throws {
    let text = load("\"u\"").replacing("url", with: #"\u0075rl"#)
    #expect(try LoadInput(json: Array(text.utf8)).url == "u")
  }

  @Test(
    arguments: [
      ("{}", "/ give exactly one of by, to, toNextEvent and untilIdle"),
      (#"{"by":null}"#, "/by by is null; omit it instead"),
      (#"{"by":"PT1H","untilIdle":true}"#, "/ give exactly one of by, to, toNextEvent and untilIdle"),
      (#"{"toNextEvent":false}"#, "/toNextEvent toNextEvent can only be true; omit it otherwise"),
      (#"{"by":48}"#, "/by by must be an ISO 8601 duration such as PT48H or P7D"),
      (
        #"{"by":"48h"}"#,
        "/by \"48h\" is not an ISO 8601 duration of weeks, days, hours, minutes, and seconds, such as PT48H"
      ),
      (
        #"{"to":"now"}"#,
        "/to \"now\" is not an RFC 3339 instant from 1970-01-01T00:00:00.000Z to 9998-12-31T23:59:59.999Z"
      ),
      (
        #"{"to":"9999-01-01T00:00:00Z"}"#,
        "/to \"9999-01-01T00:00:00Z\" is not an RFC 3339 instant from 1970-01-01T00:00:00.000Z to 9998-12-31T23:59:59.999Z"
      ),
      (#"{"until":true}"#, "/until until is not a member here; known are by, to, toNextEvent, untilIdle, within"),
    ])
  func aClockAdvanceHasExactlyOneMember(_ text: String, _ error: String) {
    #expect(errors(ClockAdvance.self, text) == [error])
  }

  @Test func aBrowserSpecificationReportsTheErrorsOfItsMembers() {
    #expect(
      errors(
        BrowserSpecification.self, #"{"seed":"","storage":"disk","clock":{"start":"2026-11-20T10:00:00Z"},"settings":4}"#) == [
          "/storage storage must be \"durable\" or \"ephemeral\"", "/seed a seed has 1 to 200 bytes of UTF-8; this one has 0",
          "/clock/start only a manual clock has a chosen start; a real clock starts at the machine's time",
          "/settings settings must be an object",
        ])
  }

  @Test func aSeedHas1To200Bytes() throws {
    let seed = String(repeating: "ü", count: 100)
    #expect(try BrowserSpecification(json: Array(#"{"seed":"\#(seed)"}"#.utf8)).seed == seed)
    let error = "/seed a seed has 1 to 200 bytes of UTF-8; this one has 201"
    #expect(errors(BrowserSpecification.self, #"{"seed":"\#(seed)x"}"#) == [error])
  }

  @Test(arguments: [#"\u0000"#, #"a\u0000"#, #"a\u0000b"#])
  func aSeedContainsNoNUL(_ seed: String) {
    #expect(errors(BrowserSpecification.self, #"{"seed":"\#(seed)"}"#) == ["/seed a seed contains no U+0000; remove it"])
  }

  @Test(arguments: [
    (#"{"infoPlist":{"a":1,"a":1}}"#, "/infoPlist/a a is given twice; give it once"),
    (#"{"infoPlist":{"a":[0,{"b":1,"\u0062":2}]}}"#, "/infoPlist/a/1/b b is given twice; give it once"),
  ])
  func anInfoPlistHasNoDuplicateKeys(_ text: String, _ error: String) {
    #expect(errors(AppRegistration.self, text) == [error])
  }

  @Test(arguments: [#"{"infoPlist":{"é":1,"e\u0301":2}}"#, #"{"infoPlist":{"K":1,"a":[{"K":1,"\u212A":2}],"\u212a":2}}"#])
  func canonicallyEquivalentKeysAreNoDuplicates(_ text: String) {
    #expect(errors(AppRegistration.self, text) == [])
  }

  @Test(arguments: [#"postback\u212Aeys"#, "postback\u{212A}eys"])
  func aMemberIsKnownByItsBytes(_ name: String) {
    let found = errors(BrowserSpecification.self, #"{"device":{"\#(name)":"test"}}"#) ?? []
    #expect(found.count == 1 && found[0].contains("is not a member here"), "\(found)")
  }

  @Test(arguments: [
    (#"{"infoPlist":{"$null":1}}"#, "/infoPlist/$null"),
    (#"{"infoPlist":{"$$$":"","a":[0,{"$null":{"i":[]}}]}}"#, "/infoPlist/a/1/$null"),
    (#"{"infoPlist":{"$null":{"$null":"$null"}}}"#, "/infoPlist/$null"),
  ])
  func anInfoPlistHasNoNullKey(_ text: String, _ path: String) {
    #expect(errors(AppRegistration.self, text) == [path + " $null is the null of keyed archives, which is not a key; omit it"])
  }

  @Test(arguments: [
    ("18.2", nil), ("14", nil), ("18.2.1", nil),
    ("18,2", #"/sdkVersion "18,2" is not a version; sdkVersion is one to three numbers, such as "18.2""#),
    ("iOS 18", #"/sdkVersion "iOS 18" is not a version; sdkVersion is one to three numbers, such as "18.2""#),
  ])
  func anSDKIsAVersion(_ text: String, _ error: String?) {
    let body = #"{"reportEndpoint":"https://a.example","sdkVersion":"\#(text)"}"#
    #expect(errors(AppRegistration.self, body) == [error].compactMap { $0 })
  }

  @Test(
    arguments: [
      (nil, AppBuild.Platform.iPhoneOrIPad, AppBuild.Platform.iPhoneOrIPad), (nil, .macCatalyst, .macCatalyst),
      (.appClip, .iPhoneOrIPad, .appClip), (.iPhoneOrIPad, .iPhoneOrIPad, .iPhoneOrIPad),
      (.macCatalyst, .macCatalyst, .macCatalyst),
      (.macCatalyst, .iPhoneOrIPad, nil), (.iPhoneOrIPad, .macCatalyst, nil), (.appClip, .macCatalyst, nil),
    ] as [(AppBuild.Platform?, AppBuild.Platform, AppBuild.Platform?)])
  func onlyTheInfoPlistTellsAMacCatalystApp(
    _ given: AppBuild.Platform?, _ read: AppBuild.Platform, _ expected: AppBuild.Platform?
  ) {
    var registration = AppRegistration()
    registration.platform = given
    #expect(registration.platformError(for: read)?.path == (expected == nil ? ["platform"] : nil))
    if let expected { #expect(registration.build(for: read) == AppBuild(sdk: nil, signing: .store, platform: expected)) }
    registration.sdkVersion = OSVersion(18, 2)
    registration.signing = .development
    #expect(registration.build(for: read).sdk == OSVersion(18, 2) && registration.build(for: read).signing == .development)
  }

  @Test func aTruncatedBodyIsMalformed() throws {
    let bytes = BrowserSpecification(
      storage: .durable, seed: "\"ä", clockMode: .manual, start: Instant(milliseconds: 0),
      settings: SettingsChange(debugMode: true)
    ).json.bytes
    for end in 0..<bytes.count { #expect(throws: BodyError.malformed) { try BrowserSpecification(json: Array(bytes[..<end])) } }
    #expect(try BrowserSpecification(json: bytes).seed == "\"ä")
  }
}
