import Foundation
import PCMCore
import PCMManifest
import PCMURL
import ServiceSupport
import Testing

@testable import PCMApp

/// The text and the JSON of `pcm-browser manifest`.
@Suite struct ManifestExplanationTests {
  private static let folder = URL(filePath: #filePath).appending(path: "../../../Fixtures/manifests").standardized
  private static let sites = SiteParser(publicSuffixList: .builtIn())

  private static func explanation(_ fixture: String, named identifier: String? = nil) throws -> ManifestExplanation {
    let file = folder.appending(path: fixture).path
    return ManifestExplanation(try ManifestFile.review(file, sites: sites), named: identifier)
  }

  @Test("The text has the values that a browser and a device read, and the findings")
  func advertiser() throws {
    let text = try Self.explanation("advertiser/Info.plist").text
    #expect(
      text == """
        app              com.example.shop
        report endpoint  https://shop.example
        click source     shop.example
        reports go to    https://shop.example/.well-known/private-click-measurement/report-attribution/
        SKAdNetwork
          ad networks    none (SKAdNetworkItems)
          copies go to   https://shop.example/.well-known/skadnetwork/report-attribution/
        AdAttributionKit
          ad networks    none (AdNetworkIdentifiers)
          copy endpoint  https://shop.example
          copies go to   https://shop.example/.well-known/appattribution/report-attribution/
          install window 14 d after a click, 3 d after a view
            a1b2c3d4e5.skadnetwork: 30 d after a click, 3 d after a view, views ignored
            b7k2m9x4q1.adattributionkit: 14 d after a click, 7 d after a view, clicks ignored
          cooldown       6 h after an install, 1 d 12 h after a re-engagement
          switches       overlapping conversions: yes, copies of re-engagement postbacks: yes
        info: AttributionCopyEndpoint, AdAttributionKitConfigurations, EligibleForAdAttributionKitOverlappingConversions, \
        EligibleForAdAttributionKitReengagementPostbackCopies configure AdAttributionKit and have no effect on clicks. \
        [ad-attribution-kit-keys]
        clicks                            good: a browser keeps clicks from this app
        SKAdNetwork, publisher            unused: no ad networks in SKAdNetworkItems
        SKAdNetwork, advertised app       good: copies of postbacks go to https://shop.example/.well-known/skadnetwork/report-attribution/
        AdAttributionKit, publisher       unused: no ad networks in AdNetworkIdentifiers
        AdAttributionKit, advertised app  good: copies of postbacks go to https://shop.example/.well-known/appattribution/report-attribution/
        tracking                          unused: NSUserTrackingUsageDescription is missing; an app that requests permission to \
        track needs it

        """)
  }

  @Test("The text shows ten ad networks, and the missing values")
  func publisher() throws {
    let lines = try Self.explanation("publisher/Info.plist").text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("  ad networks    12: a1b2c3d4e5.skadnetwork, ") && $0.hasSuffix(" and 2 more") })
    #expect(lines.contains("  cooldown       none after an install, none after a re-engagement"))
    let plain = try Self.explanation("no-endpoint/Info.plist").text
    #expect(plain.components(separatedBy: "  copies go to   nowhere\n").count == 3)
    #expect(plain.contains("  copy endpoint  none (AttributionCopyEndpoint)\n"))
  }

  @Test("The JSON has the values of the app in the API")
  func json() throws {
    let json = try Self.explanation("publisher/Info.plist").json
    let values = try #require(json["adAttribution"])
    #expect(values["adNetworkIdentifiers"]?.text.hasPrefix(#"["a1b2c3d4e5.adattributionkit","#) == true)
    #expect(
      values["adAttributionKitCopyURL"] == .string("https://postbacks.example/.well-known/appattribution/report-attribution/"))
  }

  @Test(
    "The status depends on the parts that the app takes, or on the measurements that must work",
    arguments: [
      ("cases/m02-nested-postbackcopyurl.plist", [], true), ("cases/m02-nested-postbackcopyurl.plist", [.clicks], false),
      ("cases/m02-nested-postbackcopyurl.plist", [.skadnetwork], false),
      ("cases/m02-nested-postbackcopyurl.plist", [.clicks, .adattributionkit], true),
      ("cases/m03-nested-copyendpoint-optin.plist", [], true), ("cases/m20-optin-top-level.plist", [], true),
      ("cases/m11-wwdc25.plist", [], false), ("cases/m17-only-skan.plist", [], false),
      ("cases/m17-only-skan.plist", [.skadnetwork], false), ("cases/m17-only-skan.plist", [.clicks], true),
      ("cases/m17-only-skan.plist", [.adattributionkit], true),
      ("cases/m26-optional-endpoint-aak-only.plist", [], false),
      ("cases/m26-optional-endpoint-aak-only.plist", [.adattributionkit], false),
      ("cases/web-m10-source-form.plist", [], false), ("cases/web-m09-http-nobundle.plist", [], true),
      ("cases/web-m15-flutter-Runner.plist", [.clicks], true), ("cases/web-app.json", [], false),
      ("cases/web-app.json", [.clicks], false), ("no-endpoint", [], true), ("no-endpoint", [.skadnetwork], true),
      ("cases/web-app.json", [.tracking], true), ("round-3/t01-att-empty.plist", [.tracking], true),
      ("round-3/t02-att-misspelt.plist", [.tracking], true), ("round-3/t03-privacy-title.plist", [.tracking], true),
      ("round-3/e01-rn-admob-app.json", [.tracking, .skadnetwork], false),
    ] as [(String, [PCMManifest.Measurement], Bool)])
  func status(_ fixture: String, _ measurements: [PCMManifest.Measurement], _ isBad: Bool) throws {
    #expect(try Self.explanation(fixture).isBad(strict: false, for: measurements) == isBad)
  }

  @Test("With --strict, only warnings about the measurements that must work are errors")
  func strict() throws {
    let explanation = try Self.explanation("cases/m11-wwdc25.plist")
    #expect(explanation.isBad(strict: true))
    #expect(explanation.isBad(strict: true, for: [.adattributionkit]))
    let subdomain = try Self.explanation("subdomain-and-path")
    #expect(subdomain.isBad(strict: true, for: [.clicks]) && !subdomain.isBad(strict: false, for: [.clicks]))
  }

  @Test("A build setting is unknown: no error by itself, but no measurement that must work")
  func unknown() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/Info.plist"
    let key = "<key>NSAdvertisingAttributionReportEndpoint</key><string>$(ENDPOINT)</string>"
    try "<plist><dict>\(key)</dict></plist>".write(toFile: file, atomically: false, encoding: .utf8)
    let explanation = ManifestExplanation(try ManifestFile.review(file, sites: Self.sites))
    #expect(!explanation.isBad(strict: false) && explanation.isBad(strict: false, for: [.clicks]))
    #expect(explanation.text.contains("unknown: the value is a build setting"))
  }

  @Test("An app with an invalid bundle identifier is explained, and is bad")
  func invalidIdentifier() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/Info.plist"
    let keys =
      "<key>CFBundleIdentifier</key><string>com.example app</string>"
      + "<key>NSAdvertisingAttributionReportEndpoint</key><string>https://news.example</string>"
    try "<plist><dict>\(keys)</dict></plist>".write(toFile: file, atomically: false, encoding: .utf8)
    let explanation = ManifestExplanation(try ManifestFile.review(file, sites: Self.sites))
    #expect(explanation.isBad(strict: false) && explanation.isBad(strict: false, for: [.clicks]))
    #expect(explanation.text.hasPrefix("app              unknown (CFBundleIdentifier is invalid)\n"))
    #expect(explanation.text.contains("click source     news.example\n"))
    #expect(explanation.text.contains("\nerror: CFBundleIdentifier has characters other than letters"))
  }

  @Test(
    "The line for tracking names the fault of the text",
    arguments: [
      ("round-3/t01-att-empty.plist", "is empty"), ("round-3/t02-att-misspelt.plist", "NSUserTrackingUsage has no effect"),
      ("round-3/t03-privacy-title.plist", "Xcode shows this name for the key NSUserTrackingUsageDescription"),
      ("no-endpoint", "NSUserTrackingUsageDescription is missing"),
    ])
  func tracking(_ fixture: String, _ part: String) throws {
    let text = try Self.explanation(fixture == "no-endpoint" ? "no-endpoint/Info.plist" : fixture).text
    let line = text.split(separator: "\n").first { $0.hasPrefix("tracking ") }
    #expect(line?.contains(part) == true, "\(text)")
  }

  @Test("The lists and texts in the options of packages and config plugins are read, with a note")
  func plugins() throws {
    let text = try Self.explanation("round-3/e01-rn-admob-app.json").text
    #expect(text.contains("\nSKAdNetwork, publisher            good: 2 ad networks\n"), "\(text)")
    #expect(text.contains("\ntracking                          good: "))
    #expect(text.contains("SKAdNetworkItems[1]/SKAdNetworkIdentifier (Other456.skadnetwork): devices do not recognize"))
    #expect(text.contains("SKAdNetworkItems: read from the options of react-native-google-mobile-ads"))
    #expect(text.contains("Config plugins can write more keys at prebuild, which are not read: expo-build-properties."))
    #expect(text.contains("npx expo config --type introspect --json"))
  }

  @Test("JavaScript is named, with the command that shows the Info.plist")
  func javaScript() throws {
    let error = #expect(throws: StartError.self) { try Self.explanation("round-3/e05-app-config.js") }
    #expect(error?.description.contains("npx expo config --type introspect --json") == true)
  }

  @Test("The app is unknown until it is named")
  func named() throws {
    let unknown = try Self.explanation("cases/web-m10-source-form.plist")
    #expect(unknown.text.hasPrefix("app              unknown (CFBundleIdentifier is missing or a build setting): "))
    #expect(unknown.text.contains("good: a browser keeps clicks") && unknown.json["bundleIdentifier"] == .null)
    let named = try Self.explanation("cases/web-m10-source-form.plist", named: "com.example.given")
    #expect(named.text.hasPrefix("app              com.example.given\n"))
    #expect(try Self.explanation("cases/web-app.json").json["bundleIdentifier"] == .string("com.example.app"))
  }

  @Test("The JSON has the verdict of each part")
  func participations() throws {
    guard case .array(let parts)? = try Self.explanation("cases/m02-nested-postbackcopyurl.plist").json["participations"] else {
      Issue.record("no participations")
      return
    }
    #expect(parts.compactMap { $0["verdict"]?.string } == ["good", "unused", "good", "unused", "bad", "unused"])
    #expect(parts.last?["participation"] == .string("tracking"))
  }
}

/// The files and folders that `pcm-browser manifest` reads.
@Suite struct ManifestFileTests {
  private static let sites = SiteParser(publicSuffixList: .builtIn())
  private static let plist = "<plist><dict><key>CFBundleIdentifier</key><string>com.example.app</string></dict></plist>"

  private static func review(_ path: String) throws -> ManifestReview { try ManifestFile.review(path, sites: sites) }

  @Test("The folder of an app is read for its Info.plist", arguments: ["App.app", "Mac.app/Contents"])
  func folder(_ path: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: "\(folder.path)/\(path)", withIntermediateDirectories: true)
    try Self.plist.write(toFile: "\(folder.path)/\(path)/Info.plist", atomically: false, encoding: .utf8)
    let app = folder.path + "/" + path.prefix { $0 != "/" }
    #expect(try Self.review(app).bundleIdentifier == "com.example.app")
    #expect(try Self.review(app + "/").bundleIdentifier == "com.example.app")
    let error = #expect(throws: StartError.self) { try Self.review(folder.path) }
    #expect(error?.description.contains("it is a folder without \(folder.path)/Info.plist and") == true)
  }

  @Test("A pipe is read, even if its writer has not begun")
  func pipe() throws {
    let pipe = Pipe()
    let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
    let writer = Thread {
      try? pipe.fileHandleForWriting.write(contentsOf: Data(Self.plist.utf8))
      try? pipe.fileHandleForWriting.close()
    }
    writer.start()
    #expect(try Self.review(path).bundleIdentifier == "com.example.app")
    let error = #expect(throws: StartError.self) { try Self.review(path) }
    #expect(error?.description.contains("cannot read \(path): no process writes to this pipe") == true)
  }

  @Test("A pipe is read up to a limit")
  func longPipe() throws {
    let pipe = Pipe()
    let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
    try pipe.fileHandleForWriting.write(contentsOf: Data(repeating: 0x61, count: 2_000))
    #expect(try TextFile.bytes(of: path, upTo: 500).count == 500)
    let error = #expect(throws: StartError.self) { try TextFile.contents(path, upTo: 500) }
    #expect(error?.description == "\(path) is larger than 500 bytes")
    try pipe.fileHandleForWriting.close()
    #expect(try TextFile.bytes(of: path, upTo: 5_000).count == 999)
  }

  @Test(
    "JSON with the keys of an Info.plist is read",
    arguments: [
      #"{"expo":{"ios":{"bundleIdentifier":"com.example.app","infoPlist":{"AttributionCopyEndpoint":"https://a.example"}}}}"#,
      #"{"name":"a","ios":{"bundleIdentifier":"com.example.app","infoPlist":{"AttributionCopyEndpoint":"https://a.example"}}}"#,
      #"{"CFBundleIdentifier":"com.example.app","AttributionCopyEndpoint":"https://a.example"}"#,
      #"{"infoPlist":{"CFBundleIdentifier":"com.example.app","AttributionCopyEndpoint":"https://a.example"}}"#,
    ])
  func json(_ text: String) throws {
    let folder = try TemporaryFolder()
    for mark in ["", "\u{FEFF}"] {
      try (mark + text).write(toFile: folder.path + "/app.json", atomically: false, encoding: .utf8)
      let review = try Self.review(folder.path + "/app.json")
      #expect(review.bundleIdentifier == "com.example.app")
      #expect(review.adAttribution.copyEndpoint == "https://a.example")
    }
  }

  @Test(
    "Other JSON is an error with the file that is meant",
    arguments: [
      (#"{"name":"a","dependencies":{}}"#, "package.json"), (#"{"appId":"a","webDir":"www"}"#, "ios/App/App/Info.plist"),
      (#"{"appId":"a","appName":"A","ios":{"contentInset":"always"}}"#, "ios/App/App/Info.plist"),
      (#"{"sourceLanguage":"en","strings":{},"version":"1.0"}"#, "InfoPlist.xcstrings"),
      (#"{"expo":{"ios":{"infoPlist":[]}}}"#, "expo.ios.infoPlist must be an object"),
      (#"{"name":"a","displayName":"b"}"#, "without expo.ios.infoPlist"),
      (
        #"{"expo":{"infoPlist":{"AttributionCopyEndpoint":"https://a.example"}}}"#,
        "infoPlist has no effect. Move it to expo.ios"
      ),
      (
        #"{"expo":{"ios":{"AttributionCopyEndpoint":"https://a.example"}}}"#,
        "Endpoint has no effect. Move it to expo.ios.infoPlist"
      ),
      ("{\n  \"expo\": {\n    // comment\n  }\n}", "line 3, column 5"), (#"{"a":1,"a":2}"#, "occurs twice"),
    ])
  func otherJSON(_ text: String, _ part: String) throws {
    let folder = try TemporaryFolder()
    try text.write(toFile: folder.path + "/app.json", atomically: false, encoding: .utf8)
    let error = #expect(throws: StartError.self) { try Self.review(folder.path + "/app.json") }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
  }

  @Test(
    "The options of plugins are read from each place",
    arguments: [
      (#"{"expo":{"plugins":[["a",{"skAdNetworkItems":["a.skadnetwork"],"userTrackingUsageDescription":"Ads."}]]}}"#, true),
      (
        #"{"plugins":[["a",{"ios":{"skAdNetworkIdentifiers":["a.skadnetwork"]},"iosUserTrackingPermission":"Ads."}]],"ios":{}}"#,
        true
      ),
      (#"{"name":"a","b":{"sk_ad_network_items":["a.skadnetwork"],"user_tracking_usage_description":"Ads."}}"#, false),
      (
        #"{"expo":{"ios":{"infoPlist":{"SKAdNetworkItems":[{"SKAdNetworkIdentifier":"a.skadnetwork"}]}},"#
          + #""plugins":["c",["expo-tracking-transparency",{"userTrackingPermission":"Ads."}]]}}"#, true
      ),
    ])
  func pluginOptions(_ text: String, _ isExpo: Bool) throws {
    let review = try review(json: text)
    #expect(review.adAttribution.skAdNetworkIdentifiers == ["a.skadnetwork"])
    #expect(review.adAttribution.trackingUsageDescription == "Ads.")
    let note = try #require(review.findings.first { $0.code == .configPlugins })
    #expect(note.severity == .info && note.detail.contains("introspect") == isExpo, "\(note.detail)")
  }

  @Test("The values of plugins count in the output of a configuration whose plugins have run")
  func introspected() throws {
    let plist = #"{"CFBundleIdentifier":"$(PRODUCT_BUNDLE_IDENTIFIER)","NSUserTrackingUsageDescription":"Ads."}"#
    let review = try review(
      json:
        #"{"name":"a","ios":{"bundleIdentifier":"com.example.app","infoPlist":{}},"plugins":["a",["b",{"skAdNetworkItems":["a"]}]],"#
        + #""_internal":{"modResults":{"ios":{"infoPlist":\#(plist)}}}}"#)
    #expect(review.bundleIdentifier == "com.example.app" && review.adAttribution.trackingUsageDescription == "Ads.")
    #expect(review.adAttribution.skAdNetworkIdentifiers.isEmpty && !review.findings.contains { $0.code == .configPlugins })
  }

  private func review(json: String) throws -> ManifestReview {
    let folder = try TemporaryFolder()
    try json.write(toFile: folder.path + "/app.json", atomically: false, encoding: .utf8)
    return try Self.review(folder.path + "/app.json")
  }

  @Test("The folder and the file of an Xcode project say where their settings end up")
  func xcodeProject() throws {
    let folder = try TemporaryFolder()
    let project = folder.path + "/App.xcodeproj"
    try FileManager.default.createDirectory(atPath: project, withIntermediateDirectories: true)
    let text = "// !$*UTF8*$!\n{\n\tarchiveVersion = 1;\n\tobjectVersion = 56;\n}\n"
    try text.write(toFile: project + "/project.pbxproj", atomically: false, encoding: .utf8)
    try #"{"archiveVersion":"1","objects":{},"rootObject":"A"}"#
      .write(toFile: folder.path + "/project.json", atomically: false, encoding: .utf8)
    for path in [project, project + "/project.pbxproj", folder.path + "/project.json"] {
      let error = #expect(throws: StartError.self) { try Self.review(path) }
      #expect(error?.description.contains("INFOPLIST_KEY_") == true, "\(error?.description ?? "")")
    }
  }

  @Test("An Expo app without keys has no endpoint")
  func noKeys() throws {
    let folder = try TemporaryFolder()
    try #"{"expo":{"name":"a"}}"#.write(toFile: folder.path + "/app.json", atomically: false, encoding: .utf8)
    #expect(try Self.review(folder.path + "/app.json").findings.map(\.code) == [.endpointMissing])
  }
}
