import PCMCore
import PCMManifest
import PCMURL
import Testing

@Suite struct ManifestReaderTests {
  struct Expected: Sendable, CustomTestStringConvertible {
    let fixture: String
    let bundleIdentifier: String
    let reportEndpoint: String?
    var platform = AppBuild.Platform.iPhoneOrIPad
    var codes: [ManifestFinding.Code] = []

    var testDescription: String { fixture }
  }

  @Test(
    "Each fixture has its expected findings",
    arguments: [
      Expected(fixture: "news-reader", bundleIdentifier: "com.example.news", reportEndpoint: "https://news.example"),
      Expected(fixture: "binary", bundleIdentifier: "com.example.news", reportEndpoint: "https://news.example"),
      Expected(
        fixture: "no-endpoint", bundleIdentifier: "com.example.games", reportEndpoint: nil, codes: [.endpointMissing]),
      Expected(
        fixture: "http-endpoint", bundleIdentifier: "com.example.recipes", reportEndpoint: "http://recipes.example",
        codes: [.endpointNotHTTPS]),
      Expected(
        fixture: "ip-endpoint", bundleIdentifier: "com.example.staging", reportEndpoint: "https://192.0.2.10",
        codes: [.endpointIsAnAddress]),
      Expected(
        fixture: "subdomain-and-path", bundleIdentifier: "com.example.weather",
        reportEndpoint: "https://reports.ads.weather.example:8443/v1/pcm?app=ios#top",
        codes: [
          .endpointSubdomainIgnored, .endpointPathIgnored, .endpointQueryIgnored, .endpointFragmentIgnored,
          .endpointPortIgnored, .minimumOSVersionTooLow,
        ]),
      Expected(
        fixture: "public-suffix-endpoint", bundleIdentifier: "com.example.blog", reportEndpoint: "https://github.io",
        codes: [.endpointWithoutRegistrableDomain]),
      Expected(
        fixture: "mac-catalyst", bundleIdentifier: "com.example.news", reportEndpoint: "https://news.example",
        platform: .macCatalyst, codes: [.macCatalyst]),
      Expected(
        fixture: "skadnetwork", bundleIdentifier: "com.example.radio", reportEndpoint: "https://radio.example",
        codes: [.skAdNetworkItems, .adAttributionKitKeys]),
    ])
  func fixture(_ expected: Expected) throws {
    let manifest = try reader.read(Fixture.bytes(expected.fixture))
    #expect(manifest.bundleIdentifier == expected.bundleIdentifier)
    #expect(manifest.reportEndpoint == expected.reportEndpoint)
    #expect(manifest.endpoint == expected.reportEndpoint.flatMap { try? sites.url($0) })
    #expect(manifest.platform == expected.platform)
    #expect(manifest.findings.map(\.code) == expected.codes)
  }

  @Test(
    "Each fixture that is not a manifest is rejected with its error",
    arguments: [
      ("source-form", ManifestError.unresolvedBuildSetting(key: "CFBundleIdentifier")),
      ("not-a-plist", .notAPropertyList(.html)),
      ("no-bundle-identifier", .missingBundleIdentifier),
      ("billion-laughs.plist", .entitiesNotAllowed),
      ("shared-references.plist", .expandsTooFar(limit: 100_000)),
    ])
  func refusedFixture(_ name: String, _ refusal: ManifestError) {
    #expect(throws: refusal) { try reader.read(Fixture.bytes(name)) }
  }

  @Test("A manifest without an identifier, or with a build setting in its place, is explained, and belongs to a given app")
  func unnamed() throws {
    for name in ["no-bundle-identifier", "source-form"] {
      let bytes = try Fixture.bytes(name)
      let review = try reader.review(bytes)
      #expect(review.bundleIdentifier == nil)
      let named = try reader.read(bytes, named: "com.example.given")
      #expect(named.bundleIdentifier == "com.example.given" && named.review == review)
      let xml = try ManifestReader.xml(bytes, named: "com.example.given")
      #expect(try reader.read(Array(xml.utf8)).bundleIdentifier == "com.example.given")
      #expect(try reader.read(Array(xml.utf8)).findings == review.findings)
    }
    let news = try reader.read(Fixture.bytes("news-reader"), named: "com.example.given")
    #expect(news.bundleIdentifier == "com.example.news")
  }

  @Test("The XML and binary forms of a manifest are equivalent")
  func formsAgree() throws {
    #expect(try reader.read(Fixture.bytes("news-reader")) == reader.read(Fixture.bytes("binary")))
  }

  @Test(
    "An invalid bundle identifier is rejected",
    arguments: [
      ("", ManifestError.missingBundleIdentifier),
      ("<key>CFBundleIdentifier</key><string/>", .missingBundleIdentifier),
      ("<key>CFBundleIdentifier</key><string> \n</string>", .missingBundleIdentifier),
      ("<key>CFBundleIdentifier</key><integer>7</integer>", .wrongType(key: "CFBundleIdentifier", expected: "a string")),
      (
        "<key>CFBundleIdentifier</key><array><string>a</string></array>",
        .wrongType(key: "CFBundleIdentifier", expected: "a string")
      ),
      ("<key>CFBundleIdentifier</key><dict/>", .wrongType(key: "CFBundleIdentifier", expected: "a string")),
      ("<key>CFBundleIdentifier</key><integer>7</integer>", .wrongType(key: "CFBundleIdentifier", expected: "a string")),
      ("<key>CFBundleIdentifier</key><string>com.example.${NAME}</string>", .unresolvedBuildSetting(key: "CFBundleIdentifier")),
      ("<key>CFBundleIdentifier</key><string>com.example/app</string>", .badBundleIdentifier(.characters)),
      ("<key>CFBundleIdentifier</key><string>com.exämple.app</string>", .badBundleIdentifier(.characters)),
      (
        "<key>CFBundleIdentifier</key><string>\(String(repeating: "a", count: 256))</string>",
        .badBundleIdentifier(.tooLong(limit: 255))
      ),
    ])
  func bundleIdentifier(_ keys: String, _ refusal: ManifestError) {
    #expect(throws: refusal) { try reader.read(propertyList("", identifier: keys)) }
  }

  @Test(
    "An invalid bundle identifier is one error, and all else is explained",
    arguments: [
      "<string>com.example/app</string>", "<string>com.exämple.app</string>", "<string> com.example.app</string>",
      "<integer>7</integer>", "<string>\(String(repeating: "a", count: 256))</string>",
    ])
  func invalidIdentifier(_ value: String) throws {
    let endpoint = "<key>NSAdvertisingAttributionReportEndpoint</key><string>https://a.news.example</string>"
    let review = try reader.review(propertyList(endpoint, identifier: "<key>CFBundleIdentifier</key>\(value)"))
    #expect(review.findings.map(\.code) == [.bundleIdentifierInvalid, .endpointSubdomainIgnored])
    #expect(review.findings.first?.severity == .error && review.findings.first?.detail.hasPrefix("CFBundleIdentifier ") == true)
    #expect(review.bundleIdentifier == nil && review.endpoint?.site.domain == "news.example")
    #expect(review.judgments.map(\.verdict) == [.bad, .unused, .bad, .unused, .unused, .unused])
  }

  @Test("The last duplicate key counts")
  func duplicateKey() throws {
    let twice = propertyList("<key>CFBundleIdentifier</key><string>com.example.second</string>")
    #expect(try reader.read(twice).bundleIdentifier == "com.example.second")
  }

  private static let endpoints: [(keys: String, expected: String)] = {
    let key = "<key>NSAdvertisingAttributionReportEndpoint</key>"
    let (secret, plain) = (
      key + "<string>https://u:se&#99;ret@news.example</string>", key + "<string>https://news.example</string>"
    )
    let misspelled = "<key>NSAdvertisingReportEndpoint</key><true/>"
    return [
      (secret, "https://removed@news.example"), (secret + plain, "https://news.example"),
      (plain + secret, "https://removed@news.example"),
      (misspelled + misspelled + "<key>a&lt;b</key><true/><key>a&lt;b</key><true/>" + secret, "https://removed@news.example"),
    ]
  }()

  @Test(
    "The XML of a file has no user information in the endpoint, not even in a repeated one, and the same findings",
    arguments: endpoints)
  func publicEndpoint(keys: String, expected: String) throws {
    let file = propertyList(keys)
    let xml = try ManifestReader.xml(file)
    #expect(!xml.contains("secret") && !xml.contains("&#99;") && xml.contains("<string>\(expected)</string>"), "\(xml)")
    let replayed = try reader.read(Array(xml.utf8))
    #expect(replayed.reportEndpoint == expected)
    #expect(try replayed.findings == reader.read(file).findings)
    #expect(try ManifestReader.xml(Array(xml.utf8)).contains("<string>\(expected)</string>"))
  }

  @Test("The findings and the XML of a file have no user information of any string", arguments: [false, true])
  func userInformation(isBinary: Bool) throws {
    var file = propertyList(
      "<key>AdNetworkIdentifiers</key><array><string>https://u:secret@a.example</string></array>"
        + "<key>a</key><dict><key>b</key><string>blob:https&#58;//u:secret&#64;b.example</string></dict>")
    if isBinary { file = try binaryPropertyList(file) }
    let manifest = try reader.read(file)
    let details = manifest.findings.map(\.detail)
    #expect(details.contains { $0.hasPrefix("AdNetworkIdentifiers[0] (https://removed@a.example)") }, "\(details)")
    let xml = try ManifestReader.xml(file)
    #expect(xml.contains("blob:https://removed@b.example") && !xml.contains("secret"), "\(xml)")
    #expect(try reader.read(Array(xml.utf8)).findings == manifest.findings)
  }

  @Test("An identifier that is too long only with its user information has the same finding in XML")
  func longUserInformation() throws {
    let secret = String(repeating: "a", count: 100)
    let file = propertyList("<key>AdNetworkIdentifiers</key><array><string>https://\(secret)@a.example</string></array>")
    #expect(try reader.read(Array(ManifestReader.xml(file).utf8)).findings == reader.read(file).findings)
  }

  @Test("The XML of a file keeps a leading U+FEFF of its keys and strings", arguments: [false, true])
  func byteOrderMarks(isBinary: Bool) throws {
    let mark = "\u{FEFF}"
    let endpoint = "<key>NSAdvertisingAttributionReportEndpoint</key><string>https://u:secret@news.example</string>"
    let keys = [
      "<key>\(mark)MinimumOSVersion</key><string>\(mark)12.0</string>",
      "<key>a</key><array><string>\(mark)b</string><date>2026-01-02T03:04:05Z</date><real>1.5</real></array>",
      "<key>c</key><dict><key>d</key><false/><key>\(mark)d</key><true/><key>\(mark)\(mark)</key><integer>7</integer></dict>",
    ]
    var file = propertyList(endpoint + keys.joined())
    if isBinary { file = try binaryPropertyList(file) }
    let xml = try ManifestReader.xml(file)
    #expect(try reader.read(Array(xml.utf8)).findings == reader.read(file).findings)
    for part in [keys[0], "<string>\(mark)b</string>", "<key>\(mark)d</key><true/>", "<key>\(mark)\(mark)</key>"] {
      #expect(xml.utf8.firstRange(of: part.utf8) != nil, "\(part) in \(xml)")
    }
  }

  @Test(
    "A string that begins with $null is a string, not a missing value",
    arguments: ["$null", "$null ", "$null&amp;", "$null<![CDATA[ ]]>", "<![CDATA[$null]]>", "$nullable"], [false, true])
  func nullString(_ written: String, isBinary: Bool) throws {
    let text = written.replacing("&amp;", with: "&").replacing("<![CDATA[", with: "").replacing("]]>", with: "")
    let key = "NSAdvertisingAttributionReportEndpoint"
    let others =
      "<key>$nullable</key><string>$nullable</string><key>SKAdNetworkItems</key><array><string>$null.</string></array>"
    let copy = "<key>AttributionCopyEndpoint</key><string>https://u:p@news.example</string>"
    var file = propertyList("<key>\(key)</key><string>\(written)</string>" + others + copy)
    if isBinary { file = try binaryPropertyList(file) }
    let manifest = try reader.read(file)
    #expect(manifest.reportEndpoint == text)
    #expect(manifest.findings.map(\.code).contains(.endpointNotAURL))
    #expect(try reader.read(Array(ManifestReader.xml(file).utf8)).findings == manifest.findings)
    let json = JSON.object([
      .init("CFBundleIdentifier", .string("com.example.app")), .init(key, .string(text)),
      .init("$nullable", .string("$nullable")), .init("SKAdNetworkItems", .array([.string("$null.")])),
      .init("AttributionCopyEndpoint", .string("https://u:p@news.example")),
    ])
    #expect(try reader.read(infoPlist: json) == manifest)
    #expect(try reader.read(Array(ManifestReader.xml(infoPlist: json).utf8)) == manifest)
  }

  @Test(
    "A file with the key $null, which Foundation cannot read, is an error that names it",
    arguments: [
      "<key>$null</key><dict/>", "<key>a</key><dict><key>$nul<![CDATA[l]]></key><true/></dict>",
      "<key>a</key><array><dict><key>b</key><true/><key>&#36;null</key><string/></dict></array>",
    ], [false, true])
  func nullKey(_ keys: String, isBinary: Bool) throws {
    var file = propertyList(keys)
    if isBinary { file = try binaryPropertyList(file) }
    #expect(throws: ManifestError.notAPropertyList(.containsNullKey)) { try reader.read(file) }
    #expect(throws: ManifestError.notAPropertyList(.containsNullKey)) { try ManifestReader.xml(file) }
  }

  @Test("Every error has a detail")
  func details() {
    let refusals: [ManifestError] =
      [
        .tooLarge(limit: 1), .tooDeep(limit: 1), .entitiesNotAllowed, .cyclicReferences, .expandsTooFar(limit: 1),
        .expandsToTooManyBytes(limit: 1), .notADictionary,
        .missingBundleIdentifier, .badBundleIdentifier(.characters), .badBundleIdentifier(.tooLong(limit: 1)),
        .unresolvedBuildSetting(key: "K"), .wrongType(key: "K", expected: "a string"), .notAPropertyList(.empty),
        .notAPropertyList(.html), .notAPropertyList(.json), .notAPropertyList(.oldStyleText), .notAPropertyList(.otherContent),
        .notAPropertyList(.otherXML), .notAPropertyList(.encoding), .notAPropertyList(.truncated),
        .notAPropertyList(.malformed),
        .notAPropertyList(.containsNUL), .notAPropertyList(.containsNullKey), .notAPropertyList(.utf16WithoutMark),
      ]
    #expect(Set(refusals.map(\.detail)).count == refusals.count)
    #expect(ManifestError.unresolvedBuildSetting(key: "K").detail.contains("built app"))
  }
}
