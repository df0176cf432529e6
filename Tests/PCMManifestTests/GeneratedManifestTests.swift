import Foundation
import PCMCore
import PCMManifest
import Testing

/// Manifests with any values at the keys for app installs.
@Suite struct GeneratedManifestTests {
  @Test("A manifest has the same values and findings in each form, and the values are in their ranges", arguments: 0..<4)
  func forms(seed: UInt64) throws {
    var generator = ManifestGenerator(random: SplitMix64(seed: seed))
    for _ in 0..<150 {
      let json = generator.manifest()
      let list = json.propertyListValue
      let manifest = try reader.read(infoPlist: json)
      for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
        let bytes = Array(try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
        #expect(try reader.read(bytes) == manifest, "\(json.text)")
        let again = try reader.read(Array(ManifestReader.xml(bytes).utf8))
        #expect(again.findings == manifest.findings && again.adAttribution.json == manifest.adAttribution.json, "\(json.text)")
      }
      #expect(manifest.findings.count <= 96)
      let values = manifest.adAttribution
      for windows in [values.globalWindows] + values.networkWindows.values {
        #expect(windows.click >= .days(1) && windows.click <= .days(30), "\(json.text)")
        #expect(windows.view >= .days(1) && windows.view <= .days(7), "\(json.text)")
      }
      for cooldown in [values.cooldowns.install, values.cooldowns.reengagement] {
        #expect(cooldown >= .hours(0) && cooldown <= .hours(720), "\(json.text)")
      }
      var kept = values
      kept.copyEndpoint = values.copyEndpoint?.withoutUserInformation
      #expect(JSON(parsing: values.json.bytes).flatMap { AppAdAttribution(json: $0) } == kept, "\(json.text)")
      let lists = [values.skAdNetworkIdentifiers, values.adNetworkIdentifiers]
      #expect(lists.allSatisfy { Set($0).count == $0.count && $0.allSatisfy { $0 == $0.lowercased() } }, "\(json.text)")
      #expect(values.adAttributionKitCopyURL?.hasPrefix("https://") != false)
    }
  }
}

/// Numbers in JSON and in XML.
@Suite struct ManifestNumberTests {
  @Test(
    "A number in JSON has the findings of the same real in XML",
    arguments: ["6.0", "6e0", "6.5", "4444444444444444444.4444444444444", "44444444444444444444444444444444444444442", "1e400"])
  func number(_ number: String) throws {
    let json = try #require(
      JSON(
        parsing: Array(#"{"CFBundleIdentifier":"com.example.news","UIDeviceFamily":[\#(number)]}"#.utf8), keepingNumbers: true))
    let xml = """
      <plist><dict><key>CFBundleIdentifier</key><string>com.example.news</string>
      <key>UIDeviceFamily</key><array><real>\(number)</real></array></dict></plist>
      """
    let manifest = try reader.read(infoPlist: json)
    #expect(try reader.read(Array(xml.utf8)) == manifest)
    if ["6.0", "6e0"].contains(number) { #expect(manifest.platform == .macCatalyst) }
  }
}

/// Draws manifests. Each value is mostly of the right type.
private struct ManifestGenerator {
  var random: SplitMix64

  mutating func manifest() -> JSON {
    var members = [JSON.Member("CFBundleIdentifier", "com.example.app")]
    add("NSAdvertisingAttributionReportEndpoint", url(), to: &members)
    add(
      "SKAdNetworkItems", .array(list { $0.object(["SKAdNetworkIdentifier", "x"]) { _, generator in generator.text() } }),
      to: &members)
    add("AdNetworkIdentifiers", .array(list { $0.text() }), to: &members)
    add("AttributionCopyEndpoint", url(), to: &members)
    add("AdAttributionKitConfigurations", configurations(), to: &members)
    add("EligibleForAdAttributionKitOverlappingConversions", .bool(random.below(2) == 0), to: &members)
    add("EligibleForAdAttributionKitReengagementPostbackCopies", .bool(random.below(2) == 0), to: &members)
    add("AdAttributionKit", object(["PostbackCopyURL"]) { _, generator in generator.url() }, to: &members)
    add("AdNetworkIdentifer", .bool(true), to: &members)
    return .object(members)
  }

  private mutating func configurations() -> JSON {
    object(["AttributionWindows", "AttributionCooldown", "x"]) { name, generator in
      guard name == "AttributionWindows" else {
        return generator.object(
          ["install-cooldown-hours", "re-engagement-cooldown-hours", "reengagement-cooldown-hours", "x"]
        ) { _, generator in .number(Int64(generator.random.below(760)) - 20) }
      }
      return generator.object(["global", "a.skadnetwork", "b.adattributionkit", "C.skadnetwork", " d", "e"]) { _, generator in
        generator.object(["install", "x"]) { _, generator in
          generator.object(["click", "view", "ignoreInteractionType", "x"]) { name, generator in
            name == "ignoreInteractionType"
              ? .string(generator.one(of: ["click", "view", "both"])) : .number(Int64(generator.random.below(36)) - 2)
          }
        }
      }
    }
  }

  private mutating func add(_ key: String, _ value: JSON, to members: inout [JSON.Member]) {
    guard random.below(4) > 0 else { return }
    members.append(.init(key, random.below(8) > 0 ? value : other()))
  }

  private mutating func object(_ names: [String], _ value: (String, inout Self) -> JSON) -> JSON {
    var members: [JSON.Member] = []
    for name in names {
      let drawn = value(name, &self)
      add(name, drawn, to: &members)
    }
    return .object(members)
  }

  private mutating func list(_ element: (inout Self) -> JSON) -> [JSON] {
    (0..<random.below(5)).map { _ in random.below(8) > 0 ? element(&self) : other() }
  }

  private mutating func text() -> JSON {
    .string(
      one(of: ["a.skadnetwork", "b.adattributionkit", "A.skadnetwork", "", " a.skadnetwork", "ä", "com.example", "$(X)"]))
  }

  private mutating func url() -> JSON {
    .string(
      one(of: [
        "https://news.example", "http://a.news.example/x", "https://u:p@news.example", " https://news.example", "https://[::1]",
        "https://co.uk", "news.example", "https://$(X)", "https://ｎews.example:8443/?#",
      ]))
  }

  private mutating func other() -> JSON {
    [JSON.bool(true), .number(1), .verbatim("1.5"), "text", [], ["a", 1], [:], ["click": 1]][random.below(8)]
  }

  private mutating func one(of texts: [String]) -> String { texts[random.below(texts.count)] }
}

extension JSON {
  /// The value for `PropertyListSerialization`.
  fileprivate var propertyListValue: Any {
    switch self {
    case .null: ""
    case .bool(let value): value
    case .number(let number): Int(number)
    case .verbatim(let number): Double(number) ?? 0
    case .string(let text): text
    case .array(let items): items.map(\.propertyListValue)
    case .object(let members): Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value.propertyListValue) })
    }
  }
}
