import PCMCore
import PCMManifest
import Testing

/// The manifests of apps that show ads and of apps that are advertised.
@Suite struct FixtureFindingTests {
  @Test("An app with ads has its networks and the sites that receive copies")
  func publisher() throws {
    let manifest = try reader.read(Fixture.bytes("publisher"))
    let values = manifest.adAttribution
    #expect(manifest.findings.map(\.code) == [.skAdNetworkItems, .adAttributionKitKeys])
    #expect(values.skAdNetworkIdentifiers.count == 12)
    #expect(values.skAdNetworkIdentifiers.first == "a1b2c3d4e5.skadnetwork")
    #expect(
      values.adNetworkIdentifiers == [
        "a1b2c3d4e5.adattributionkit", "b7k2m9x4q1.adattributionkit", "c0ffee1234.adattributionkit",
      ])
    #expect(values.skAdNetworkCopyURL == "https://puzzle.example/.well-known/skadnetwork/report-attribution/")
    #expect(values.adAttributionKitCopyURL == "https://postbacks.example/.well-known/appattribution/report-attribution/")
    #expect(values.globalWindows == AppAdAttribution.Windows() && values.networkWindows.isEmpty)
    #expect(values.cooldowns == AppAdAttribution.Cooldowns())
  }

  @Test("An advertised app has its windows, with the network's windows before the global windows and the defaults")
  func advertiser() throws {
    let manifest = try reader.read(Fixture.bytes("advertiser"))
    let values = manifest.adAttribution
    #expect(manifest.findings.map(\.code) == [.adAttributionKitKeys])
    #expect(values.globalWindows == windows(14, 3))
    #expect(
      values.networkWindows == [
        "a1b2c3d4e5.skadnetwork": windows(30, 3, ignoring: .view),
        "b7k2m9x4q1.adattributionkit": windows(14, 7, ignoring: .click),
      ])
    #expect((values.cooldowns.install, values.cooldowns.reengagement) == (.hours(6), .hours(36)))
    #expect(values.hasOverlappingConversions && values.copiesReengagementPostbacks)
  }

  @Test("Each mistake of an app with ads has its finding")
  func publisherMistakes() throws {
    let manifest = try reader.read(Fixture.bytes("publisher-mistakes"))
    #expect(
      manifest.findings.map(\.code) == [
        .copyEndpointNotHTTPS, .adAttributionKitDictionary, .keyMisspelled, .copyEndpointSubdomainIgnored,
        .copyEndpointPathIgnored, .adNetworkIdentifierNotLowercase, .duplicateAdNetworks, .adNetworkIdentifierWithoutSuffix,
        .adNetworkIdentifierInvalid, .unknownMember, .adNetworkIdentifierMissing, .wrongType, .adNetworkListEmpty,
        .skAdNetworkItems, .adAttributionKitKeys,
      ])
    #expect(manifest.adAttribution.skAdNetworkIdentifiers == ["b7k2m9x4q1.skadnetwork", "c0ffee1234"])
    #expect(manifest.adAttribution.adNetworkIdentifiers.isEmpty)
    #expect(manifest.adAttribution.adAttributionKitCopyURL == nil)
  }

  @Test("Each mistake of an advertised app has its finding, and the other values count")
  func advertiserMistakes() throws {
    let manifest = try reader.read(Fixture.bytes("advertiser-mistakes"))
    #expect(
      manifest.findings.map(\.code) == [
        .attributionWindowOutOfRange, .attributionWindowOutOfRange, .interactionTypeUnderGlobal, .unknownMember, .wrongType,
        .interactionTypeUnknown, .cooldownOutOfRange, .cooldownSpelledTwice, .wrongType, .reengagementCopiesWithoutEndpoint,
        .adAttributionKitKeys,
      ])
    let values = manifest.adAttribution
    #expect(values.globalWindows == windows(30, 1))
    #expect(values.networkWindows == ["a1b2c3d4e5.skadnetwork": windows(30, 1)])
    #expect((values.cooldowns.install, values.cooldowns.reengagement) == (.hours(0), .hours(24)))
    #expect(!values.hasOverlappingConversions && values.copiesReengagementPostbacks)
  }

  @Test(
    "A manifest has the same values and findings in each form",
    arguments: ["publisher", "advertiser", "publisher-mistakes", "advertiser-mistakes"])
  func forms(_ name: String) throws {
    let manifest = try reader.read(Fixture.bytes(name))
    let binary = try Fixture.binary(name)
    #expect(try reader.read(binary) == manifest)
    #expect(try reader.read(Array(ManifestReader.xml(binary).utf8)) == manifest)
  }

  @Test("The values as JSON have durations and no user information")
  func json() throws {
    let plist = propertyList(
      """
      <key>AttributionCopyEndpoint</key><string>https://me:secret@news.example</string>
      <key>AdAttributionKitConfigurations</key><dict><key>AttributionWindows</key><dict><key>b.skadnetwork</key><dict>
      <key>install</key><dict><key>click</key><integer>7</integer></dict></dict><key>a.skadnetwork</key><dict/></dict></dict>
      """)
    let json = try reader.read(plist).adAttribution.json.text
    let defaults = #""click":"PT720H","view":"PT24H""#
    #expect(
      json == #"{"skAdNetworkIdentifiers":[],"adNetworkIdentifiers":[],"skAdNetworkCopyURL":null,"#
        + #""attributionCopyEndpoint":"https://news.example","#
        + #""adAttributionKitCopyURL":"https://news.example/.well-known/appattribution/report-attribution/","#
        + #""attributionWindows":{"global":{\#(defaults)},"networks":["#
        + #"{"adNetworkIdentifier":"a.skadnetwork",\#(defaults),"ignoredInteractionType":null},"#
        + #"{"adNetworkIdentifier":"b.skadnetwork","click":"PT168H","view":"PT24H","ignoredInteractionType":null}]},"#
        + #""attributionCooldowns":{"install":"PT0S","reengagement":"PT0S"},"#
        + #""overlappingConversions":false,"reengagementPostbackCopies":false}"#)
  }
}

func windows(_ click: Int64, _ view: Int64, ignoring ignored: InteractionType? = nil) -> AppAdAttribution.Windows {
  var windows = AppAdAttribution.Windows()
  (windows.click, windows.view, windows.ignoredInteraction) = (.days(click), .days(view), ignored)
  return windows
}
