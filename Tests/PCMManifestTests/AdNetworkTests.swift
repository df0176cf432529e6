import PCMCore
import PCMManifest
import Testing

/// `SKAdNetworkItems` and `AdNetworkIdentifiers`.
@Suite struct AdNetworkTests {
  private static func items(_ identifiers: [String]) -> String {
    let items = identifiers.map { "<dict><key>SKAdNetworkIdentifier</key><string>\($0)</string></dict>" }
    return "<key>SKAdNetworkItems</key><array>\(items.joined())</array>"
  }

  private static func identifiers(_ identifiers: [String]) -> String {
    "<key>AdNetworkIdentifiers</key><array>\(identifiers.map { "<string>\($0)</string>" }.joined())</array>"
  }

  @Test(
    "An identifier is checked in both lists",
    arguments: [
      ("a1.skadnetwork", true, []), ("a1.adattributionkit", true, []), ("a-b.c_d.skadnetwork", true, []),
      ("a1.SKAdNetwork", false, [.adNetworkIdentifierNotLowercase]),
      ("A1.skadnetwork", false, [.adNetworkIdentifierNotLowercase]),
      ("com.example", true, [.adNetworkIdentifierWithoutSuffix]),
      ("a1.skadnetworks", true, [.adNetworkIdentifierWithoutSuffix]),
      ("a1skadnetwork", true, [.adNetworkIdentifierWithoutSuffix]),
      (".skadnetwork", true, [.adNetworkIdentifierWithoutSuffix]),
      ("", false, [.adNetworkIdentifierInvalid]), (" ", false, [.adNetworkIdentifierInvalid]),
      ("a1.skadnetwork\n", false, [.adNetworkIdentifierInvalid]), (" a1.skadnetwork", false, [.adNetworkIdentifierInvalid]),
      ("a/1.skadnetwork", false, [.adNetworkIdentifierInvalid]), ("ä1.skadnetwork", false, [.adNetworkIdentifierInvalid]),
      ("$(NETWORK).skadnetwork", false, [.adNetworkIdentifierInvalid]),
      (String(repeating: "a", count: 52) + ".skadnetwork", true, []),
      (String(repeating: "a", count: 53) + ".skadnetwork", false, [.adNetworkIdentifierInvalid]),
    ] as [(String, Bool, [ManifestFinding.Code])])
  func identifier(_ text: String, _ isRead: Bool, _ codes: [ManifestFinding.Code]) throws {
    let items = try reader.readValid(Self.items([text]))
    let codes = (isRead || text.contains("$(") ? [] : [.adNetworkListUnusable]) + codes
    #expect(items.problems == codes)
    #expect(items.adAttribution.skAdNetworkIdentifiers == (isRead ? [text] : []))
    let strings = try reader.readValid(Self.identifiers([text]))
    #expect(strings.problems == codes)
    #expect(strings.adAttribution.adNetworkIdentifiers == (isRead ? [text] : []))
    for (manifest, place) in [(items, "SKAdNetworkItems[0]/SKAdNetworkIdentifier"), (strings, "AdNetworkIdentifiers[0]")] {
      let details = manifest.findings.filter { $0.severity == .warning }.map(\.detail)
      #expect(details.allSatisfy { $0.hasPrefix("\(place) (") }, "\(details)")
    }
  }

  @Test(
    "Each cause of an invalid identifier has its remedy",
    arguments: [
      ("", "is empty. Write one"), ("a1.skadnetwork ", "begins or ends with a space"),
      ("a b.skadnetwork", "has characters other"),
      ("${ID}", "is a build setting"), (String(repeating: "a", count: 65), "has more than 64 bytes"),
    ])
  func invalid(_ text: String, _ cause: String) throws {
    let manifest = try reader.readValid(Self.identifiers([text]))
    let finding = manifest.findings.first { $0.code == .adNetworkIdentifierInvalid }
    #expect(finding?.detail.contains("): the ad network identifier \(cause)") == true, "\(manifest.findings)")
  }

  @Test(
    "A list of another type is ignored",
    arguments: [
      ("<key>SKAdNetworkItems</key><string>a1.skadnetwork</string>", "an array of dictionaries"),
      ("<key>SKAdNetworkItems</key><dict/>", "an array of dictionaries"),
      (
        "<key>SKAdNetworkItems</key><array><string>a1.skadnetwork</string></array>",
        "a dictionary with the key SKAdNetworkIdentifier"
      ),
      ("<key>SKAdNetworkItems</key><array><true/></array>", "a dictionary"),
      (
        "<key>SKAdNetworkItems</key><array><dict><key>SKAdNetworkIdentifier</key><integer>1</integer></dict></array>",
        "a string"
      ),
      ("<key>AdNetworkIdentifiers</key><string>a1.skadnetwork</string>", "an array of strings"),
      ("<key>AdNetworkIdentifiers</key><true/>", "an array of strings"),
      ("<key>AdNetworkIdentifiers</key><array><array/></array>", "a string"),
      ("<key>AdNetworkIdentifiers</key><array><real>1.5</real></array>", "a string"),
    ])
  func wrongType(_ keys: String, _ expected: String) throws {
    let manifest = try reader.readValid(keys)
    #expect(manifest.problems == [.adNetworkListUnusable, .wrongType])
    let detail = try #require(manifest.findings.first { $0.code == .wrongType }?.detail)
    #expect(detail.hasSuffix(": the value is ignored because it is not \(expected). Change its type."), "\(detail)")
    #expect(manifest.adAttribution.skAdNetworkIdentifiers.isEmpty && manifest.adAttribution.adNetworkIdentifiers.isEmpty)
  }

  @Test("An item without an identifier is ignored, and an unknown member is found")
  func item() throws {
    let item = "<dict><key>SKAdNetworkIdentifer</key><string>a1.skadnetwork</string></dict>"
    let manifest = try reader.readValid("<key>SKAdNetworkItems</key><array><dict/>\(item)</array>")
    #expect(
      manifest.findings.map(\.detail).dropFirst().prefix(2) == [
        "SKAdNetworkItems[0], SKAdNetworkItems[1]: the item has no SKAdNetworkIdentifier and is ignored. Add the key or remove the item.",
        "SKAdNetworkItems[1]/SKAdNetworkIdentifer: devices ignore this key. Expected: SKAdNetworkIdentifier. "
          + "Rename or remove it.",
      ])
  }

  @Test("An empty list and a duplicate in one list are found; the same network in both lists is not")
  func lists() throws {
    let empty = try reader.readValid("<key>SKAdNetworkItems</key><array/><key>AdNetworkIdentifiers</key><array/>")
    #expect(empty.problems == [.adNetworkListEmpty])
    #expect(empty.findings.first?.detail.hasPrefix("SKAdNetworkItems, AdNetworkIdentifiers: the list is empty.") == true)
    let both = try reader.readValid(Self.items(["a1.skadnetwork"]) + Self.identifiers(["a1.skadnetwork", "b2.skadnetwork"]))
    #expect(both.problems == [])
    let twice = try reader.readValid(Self.identifiers(["a1.skadnetwork", "b2.skadnetwork", "a1.skadnetwork"]))
    #expect(twice.problems == [.duplicateAdNetworks])
    #expect(twice.findings.first?.detail.hasPrefix("AdNetworkIdentifiers[2] (a1.skadnetwork): ") == true)
    #expect(twice.adAttribution.adNetworkIdentifiers == ["a1.skadnetwork", "b2.skadnetwork"])
  }

  @Test("The first 1,000 entries are read", arguments: [1_000, 1_001])
  func many(_ count: Int) throws {
    let names = (0..<count).map { "n\($0).skadnetwork" }
    for manifest in [try reader.readValid(Self.items(names)), try reader.readValid(Self.identifiers(names))] {
      let values = manifest.adAttribution
      #expect(values.skAdNetworkIdentifiers + values.adNetworkIdentifiers == Array(names.prefix(1_000)))
      #expect(manifest.problems == (count > 1_000 ? [.tooManyAdNetworks] : []))
    }
  }

  @Test("Many mistakes are one finding that names three of them, without control characters")
  func bounded() throws {
    let manifest = try reader.readValid(Self.identifiers((0..<900).map { "\u{202E}\($0)" }))
    #expect(manifest.problems == [.adNetworkListUnusable, .adNetworkIdentifierInvalid])
    let detail = try #require(manifest.findings.dropFirst().first?.detail)
    let places = (0..<3).map { "AdNetworkIdentifiers[\($0)] (\u{FFFD}\($0))" }.joined(separator: ", ")
    #expect(detail.hasPrefix("\(places) and 897 more: the ad network identifier has characters other than"), "\(detail)")
  }

  @Test("The notes count the networks and name the keys that have no effect on clicks")
  func notes() throws {
    let manifest = try reader.readValid(Self.items(["a1.skadnetwork"]) + Self.identifiers(["a1.adattributionkit"]))
    #expect(
      manifest.findings.map(\.detail) == [
        "SKAdNetworkItems lists 1 ad network. It serves app installs through SKAdNetwork and has no effect on clicks.",
        "AdNetworkIdentifiers configures AdAttributionKit and has no effect on clicks.",
      ])
  }
}

extension ManifestReader {
  /// Reads a manifest with these keys and a good report endpoint.
  func readValid(_ keys: String) throws -> AppManifest {
    try read(propertyList("<key>NSAdvertisingAttributionReportEndpoint</key><string>https://news.example</string>\(keys)"))
  }
}

extension AppManifest {
  /// The codes of the findings without notes.
  var problems: [ManifestFinding.Code] { review.findings.filter { $0.severity != .info }.map(\.code) }
}
