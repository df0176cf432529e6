import PCMCore
import PCMManifest
import Testing

/// The endpoints for copies of postbacks, and the keys that people write instead.
@Suite struct CopyEndpointTests {
  private static let key = "AttributionCopyEndpoint"
  private static let copyURL = "https://news.example/.well-known/appattribution/report-attribution/"

  @Test(
    "Each part of the endpoint is checked",
    arguments: [
      ("<string>https://news.example/</string>", true, []), ("<string>https://NEWS.example:443</string>", true, []),
      ("<string>https://a.news.example</string>", true, [.copyEndpointSubdomainIgnored]),
      ("<string>https://news.example/x</string>", true, [.copyEndpointPathIgnored]),
      ("<string>https://news.example?</string>", true, [.copyEndpointQueryIgnored]),
      ("<string>https://news.example#</string>", true, [.copyEndpointFragmentIgnored]),
      ("<string>https://news.example:8443</string>", true, [.copyEndpointPortIgnored]),
      ("<string>https://me:secret@news.example</string>", true, [.copyEndpointCredentialsIgnored]),
      ("<string> https://news.example</string>", true, [.copyEndpointPadded]),
      ("<string>https://ｎews.example</string>", true, [.copyEndpointHostNotASCII]),
      ("<string>http://news.example</string>", false, [.copyEndpointNotHTTPS]),
      ("<string>https://[::1]</string>", false, [.copyEndpointIsAnAddress]),
      ("<string>https://co.uk</string>", false, [.copyEndpointWithoutRegistrableDomain]),
      ("<string>news.example</string>", false, [.copyEndpointNotAURL]),
      ("<string>https://$(HOST)</string>", false, [.copyEndpointUnresolvedBuildSetting]),
      ("<dict/>", false, [.copyEndpointNotAString]),
    ] as [(String, Bool, [ManifestFinding.Code])])
  func endpoint(_ value: String, _ isUsable: Bool, _ codes: [ManifestFinding.Code]) throws {
    let manifest = try reader.readValid("<key>\(Self.key)</key>\(value)")
    #expect(manifest.problems == codes)
    #expect(manifest.adAttribution.adAttributionKitCopyURL == (isUsable ? Self.copyURL : nil))
    let details = manifest.findings.filter { $0.severity != .info }.map(\.detail)
    #expect(details.allSatisfy { $0.contains(Self.key) && !$0.contains("private-click-measurement") })
    #expect(!details.contains { $0.contains("secret") })
    #expect(manifest.endpointError == nil, "the endpoint for reports is another one")
  }

  @Test("An ignored part names the URL of the copies")
  func ignored() throws {
    let manifest = try reader.readValid("<key>\(Self.key)</key><string>https://news.example/x</string>")
    #expect(
      manifest.findings.first?.detail
        == "AttributionCopyEndpoint: the path is ignored; copies of postbacks go to \(Self.copyURL). "
        + "Write https://news.example.")
  }

  @Test("Copies of SKAdNetwork's postbacks go to the site of the report endpoint, if it is usable")
  func reportEndpoint() throws {
    let key = "<key>NSAdvertisingAttributionReportEndpoint</key>"
    let good = try reader.read(propertyList("\(key)<string>https://a.news.example/x</string>")).adAttribution
    #expect(good.skAdNetworkCopyURL == "https://news.example/.well-known/skadnetwork/report-attribution/")
    for value in ["<string>http://news.example</string>", "<string>https://localhost</string>", "<true/>"] {
      #expect(try reader.read(propertyList(key + value)).adAttribution.skAdNetworkCopyURL == nil)
    }
    #expect(try reader.read(propertyList("")).adAttribution.skAdNetworkCopyURL == nil)
  }

  @Test(
    "The copies of re-engagement postbacks need an endpoint",
    arguments: ["", "<key>\(key)</key><string>http://a.example</string>"])
  func reengagement(_ endpoint: String) throws {
    let switches = "<key>EligibleForAdAttributionKitReengagementPostbackCopies</key>"
    let manifest = try reader.readValid(endpoint + switches + "<true/>")
    #expect(manifest.adAttribution.copiesReengagementPostbacks)
    #expect(manifest.problems.contains(.reengagementCopiesWithoutEndpoint))
    #expect(!(try reader.readValid(endpoint + switches + "<false/>")).problems.contains(.reengagementCopiesWithoutEndpoint))
    let good = try reader.readValid("<key>\(Self.key)</key><string>https://a.example</string>\(switches)<true/>")
    #expect(good.problems == [])
  }

  @Test(
    "Each member of a dictionary for a framework is found with the key that Apple documents",
    arguments: [
      ("AdAttributionKit", "PostbackCopyURL", key), ("AdAttributionKit", key, key),
      ("AdAttributionKit", "OptInForReengagementPostbackCopies", "EligibleForAdAttributionKitReengagementPostbackCopies"),
      ("AdAttributionKit", "ReportEndpoint", key), ("AdAttributionKit", "NetworkIdentifiers", "AdNetworkIdentifiers"),
      ("AdAttributionKit", "AttributionWindows", "AdAttributionKitConfigurations/AttributionWindows"),
      ("AdAttributionKitSettings", "copyURL", key), ("SKAdNetwork", "ReportEndpoint", "NSAdvertisingAttributionReportEndpoint"),
      ("SKAdNetwork", "Identifiers", "SKAdNetworkItems"),
    ])
  func dictionary(_ container: String, _ member: String, _ right: String) throws {
    let manifest = try reader.readValid("<key>\(container)</key><dict><key>\(member)</key><true/></dict>")
    #expect(manifest.problems.contains(.adAttributionKitDictionary) || manifest.problems == [.keyMisspelled])
    let details = manifest.findings.filter { $0.severity == .error }.map(\.detail)
    #expect(details.count == 1)
    guard manifest.problems != [.keyMisspelled] else { return }
    #expect(details.first?.hasPrefix("\(container)/\(member): ") == true, "\(details)")
    #expect(details.first?.contains(" Write the value as \(right), ") == true, "\(details)")
    #expect(manifest.adAttribution.adAttributionKitCopyURL == nil)
  }

  @Test(
    "The key AdAttributionKit without a known member is found",
    arguments: [
      ("<dict/>", "AdAttributionKit: ", ManifestFinding.Severity.warning),
      ("<string>https://news.example</string>", "AdAttributionKit: ", .error),
      ("<dict><key>Enabled</key><true/></dict>", "AdAttributionKit/Enabled: ", .warning),
    ])
  func emptyDictionary(_ value: String, _ place: String, _ severity: ManifestFinding.Severity) throws {
    let manifest = try reader.readValid("<key>AdAttributionKit</key>\(value)")
    #expect(manifest.problems == [.adAttributionKitDictionary])
    let finding = try #require(manifest.findings.first)
    #expect(finding.detail.hasPrefix(place) && finding.severity == severity, "\(finding.detail)")
  }

  @Test(
    "A key inside of another dictionary or array is an error that names the top level",
    arguments: [
      ("<key>CFBundleURLTypes</key><array><dict>", "</dict></array>", "CFBundleURLTypes[0]/"),
      ("<key>NSAppTransportSecurity</key><dict>", "</dict>", "NSAppTransportSecurity/"),
      ("<key>a</key><dict><key>b</key><array><true/><dict>", "</dict></array></dict>", "a/b[1]/"),
    ], [key, "SKAdNetworkItems", "AdAttributionKit - Postback Copy URL"])
  func nested(_ around: (before: String, after: String, place: String), _ name: String) throws {
    let manifest = try reader.readValid("\(around.before)<key>\(name)</key><true/>\(around.after)")
    #expect(manifest.problems == [.keyMisplaced])
    let right = name.hasPrefix("SK") ? name : Self.key
    #expect(
      manifest.findings.first?.detail
        == "\(around.place)\(name): devices ignore this key here. Move \(right) to the top level.")
  }

  @Test(
    "A key whose words are divided between a dictionary and its member is found",
    arguments: [
      ("NSAdvertisingAttribution", "ReportEndpoint", "NSAdvertisingAttributionReportEndpoint"),
      ("Attribution", "CopyEndpoint", key), ("AdNetwork", "Identifiers", "AdNetworkIdentifiers"),
    ])
  func divided(_ container: String, _ member: String, _ right: String) throws {
    let manifest = try reader.readValid("<key>\(container)</key><dict><key>\(member)</key><true/></dict>")
    #expect(
      manifest.findings.map(\.detail) == [
        "\(container)/\(member): devices ignore this key here. Move \(right) to the top level."
      ])
  }

  @Test("The XML of a file has no user information in the endpoint for copies, and the same findings")
  func publicEndpoint() throws {
    let secret = "<key>\(Self.key)</key><string>https://u:se&#99;ret@news.example</string>"
    let plain = "<key>\(Self.key)</key><string>https://news.example</string>"
    for keys in [secret, secret + plain, plain + secret] {
      let file = propertyList(keys)
      let xml = try ManifestReader.xml(file)
      #expect(!xml.contains("secret") && !xml.contains("&#99;"), "\(xml)")
      let (replayed, original) = (try reader.read(Array(xml.utf8)), try reader.read(file))
      #expect(replayed.findings == original.findings)
      #expect(replayed.adAttribution.json == original.adAttribution.json)
    }
  }

  @Test(
    "A misspelled key is reported with the correct one",
    arguments: [
      ("AdNetworkIdentifer", "AdNetworkIdentifiers"), ("NSAdNetworkIdentifiers", "AdNetworkIdentifiers"),
      ("adNetworkIdentifiers", "AdNetworkIdentifiers"), ("SKAdNetworkItem", "SKAdNetworkItems"),
      ("AdNetworkItems", "SKAdNetworkItems"), ("AttributionCopyEndPoint", key), ("AdAttributionCopyEndpoint", key),
      ("AdAttributionKitConfiguration", "AdAttributionKitConfigurations"),
      ("EligibleForAdAttributionKitOverlapingConversions", "EligibleForAdAttributionKitOverlappingConversions"),
      (
        "EligibleForAdAttributionKitReEngagementPostbackCopies", "EligibleForAdAttributionKitReengagementPostbackCopies"
      ),
    ])
  func misspelled(_ written: String, _ correct: String) throws {
    let manifest = try reader.readValid("<key>\(written)</key><true/>")
    #expect(manifest.findings.map(\.code) == [.keyMisspelled])
    #expect(manifest.findings.first?.severity == .error)
    #expect(manifest.findings.first?.detail == "\(written) has no effect: the key is spelled \(correct). Rename it.")
  }

  @Test("A misspelled key next to the right one is a warning")
  func misspelledTwice() throws {
    let value = "<string>https://news.example</string>"
    let manifest = try reader.readValid("<key>\(Self.key)</key>\(value)<key>\(Self.key)s</key>\(value)")
    #expect(manifest.problems == [.keyMisspelled])
    #expect(manifest.findings.first?.severity == .warning)
  }

  @Test(
    "The names that Xcode shows are found with their keys",
    arguments: [
      ("AdAttributionKit - Postback Copy URL", key),
      (
        "AdAttributionKit - Opt in for Reengagement Postback Copies", "EligibleForAdAttributionKitReengagementPostbackCopies"
      ),
    ])
  func displayNames(_ written: String, _ correct: String) throws {
    let manifest = try reader.readValid("<key>\(written)</key><true/>")
    #expect(
      manifest.findings.map(\.detail) == ["\(written) has no effect: Xcode shows this name for the key \(correct). Rename it."])
    let endpoint = "Advertising attribution report endpoint URL"
    let clicks = try reader.read(propertyList("<key>\(endpoint)</key><string>https://news.example</string>"))
    #expect(clicks.findings.map(\.code) == [.endpointMissing, .endpointKeyMisspelled])
    #expect(clicks.findings.last?.detail.contains("Xcode shows this name for the key NSAdvertising") == true)
  }

  @Test(
    "Invented keys are found with the right ones",
    arguments: [
      ("AdAttributionKitPostbackCopyURL", key), ("AdAttributionKitPostbackEndpoint", key), ("PostbackCopyURL", key),
      ("EligibleForAdAttributionKitReengagement", "EligibleForAdAttributionKitReengagementPostbackCopies"),
      ("AdAttributionKitReportEndpoint", key), ("AdAttributionKitNetworks", "AdNetworkIdentifiers"),
      ("OptInForReengagementPostbackCopies", "EligibleForAdAttributionKitReengagementPostbackCopies"),
      ("AdAttributionKitOverlappingConversions", "EligibleForAdAttributionKitOverlappingConversions"),
      ("SKAdNetworkIdentifiers", "SKAdNetworkItems"), ("AdAttributionKitRules", "AdAttributionKitConfigurations"),
    ])
  func invented(_ written: String, _ correct: String) throws {
    let manifest = try reader.readValid("<key>\(written)</key><true/>")
    #expect(manifest.problems == [.keyMisspelled])
    #expect(manifest.findings.first?.detail == "\(written) has no effect: the key is spelled \(correct). Rename it.")
  }

  @Test(
    "Other keys are not misspellings",
    arguments: [
      "AdAttributionKit", "NSAdvertising", "UIApplicationSceneManifest", "NSUserTrackingUsageDescription", "Attribution",
      "SKStoreProductItems", "EligibleForAdAttributionKit", "FacebookSKAdNetworkReportEnabled", "AppsFlyerAdAttributionKitURL",
      "GOOGLE_ANALYTICS_REGISTRATION_WITH_AD_NETWORK_ENABLED", "AdAttributionKitEnabled", "AdAttributionKitScope",
      "UIViewControllerBasedStatusBarAppearance",
    ])
  func otherKeys(_ key: String) throws {
    #expect(!(try reader.readValid("<key>\(key)</key><true/>")).problems.contains(.keyMisspelled))
  }

  @Test("Three misspellings of each key are named, and many keys are fast")
  func many() throws {
    let names = ["AdNetworkIdentifiers", "EligibleForAdAttributionKitOverlappingConversions"]
    let keys = (0..<12_000).map { "<key>\(names[$0 % 2])\($0)</key><true/>" }.joined()
    let manifest = try reader.readValid(keys)
    #expect(manifest.problems.filter { $0 == .keyMisspelled }.count == 6)
  }
}
