import Foundation
import PCMCore
import PCMManifest
import Testing

/// Misspelled keys, which look correct to people but not to devices.
@Suite struct SpellingTests {
  private static let key = "NSAdvertisingAttributionReportEndpoint"
  private static let value = "<string>https://news.example</string>"

  @Test(
    "A misspelled key is reported with the correct one",
    arguments: [
      "NSAdvertisingAttributionReportEndPoint", "nsadvertisingattributionreportendpoint",
      "NSADVERTISINGATTRIBUTIONREPORTENDPOINT",
      "AdvertisingAttributionReportEndpoint", "AttributionReportEndpoint", "SKAdNetworkReportEndpoint",
      "NSAdvertisingAttributionReportEndpoints",
      "NSAdvertisingAttributionsReportEndpoint",
      "NSAdvertisingAttributionReportEndpiont", "NSAdvertisingAtributionReportEndpoint", "NSAdvertisingAttributionEndpoint",
      "NSAdvertisingAttributionReportEndpointURL", "NS_Advertising-Attribution ReportEndpoint",
    ])
  func nearMiss(_ near: String) throws {
    let manifest = try reader.read(propertyList("<key>\(near)</key>\(Self.value)"))
    let finding = try #require(manifest.findings.first { $0.code == .endpointKeyMisspelled }, "\(near)")
    #expect(finding.severity == .warning)
    #expect(finding.detail == "\(near) has no effect: the key is spelled \(Self.key). Rename it.")
    let missing = try #require(manifest.endpointError)
    #expect(missing.code == .endpointMissing && missing.detail.hasSuffix("Rename the key \(near)."), "\(missing.detail)")
    #expect(manifest.app.endpoint == .missing)
  }

  @Test(
    "A key with white space at an end is named with it",
    arguments: [
      (" \(key)", "begins with a space"), ("\(key)\t", "ends with a tab"),
      ("\n\(key) ", "begins with a line break and ends with a space"),
      ("\u{A0}\(key)", "begins with the invisible character U+A0"),
      ("\(key)\u{200B}", "ends with the invisible character U+200B"),
    ])
  func paddedKey(_ written: String, _ padding: String) throws {
    let manifest = try reader.read(propertyList("<key>\(written)</key>\(Self.value)"))
    let details = manifest.findings.map(\.detail)
    #expect(manifest.findings.map(\.code) == [.endpointMissing, .endpointKeyMisspelled])
    #expect(details.first?.contains("Rename the key \"") == true)
    #expect(details.last?.contains("\" \(padding), so it has no effect: devices read \(Self.key).") == true, "\(details)")
  }

  @Test("White space is named in each key that a device reads, and in the members of its dictionaries")
  func otherPaddedKeys() throws {
    let item = "<key> SKAdNetworkIdentifier</key><string>a.skadnetwork</string>"
    let keys = "<key>SKAdNetworkItems</key><array><dict>\(item)</dict></array><key> LSRequiresIPhoneOS</key><true/>"
    let details = try reader.readValid(keys).findings.map(\.detail)
    #expect(
      details.contains(
        "The key \" LSRequiresIPhoneOS\" begins with a space: devices read it as another key. Remove the white space."))
    #expect(
      details.contains { $0.hasPrefix("SKAdNetworkItems[0]/ SKAdNetworkIdentifier: the key begins with a space") }, "\(details)"
    )
  }

  @Test("A list under a key that begins with a space is an error")
  func paddedList() throws {
    let review = try reader.review(Fixture.bytes("round-3/w17i-both.plist"))
    #expect(review.judgments.map(\.verdict) == [.good, .bad, .good, .unused, .unused, .unused])
    #expect(review.findings.first?.detail.contains("\" SKAdNetworkItems\" begins with a space") == true)
    let alone = try reader.review(Fixture.bytes("round-3/w17a-space-in-key.plist"))
    #expect(alone.findings.contains { $0.detail.contains("begins with a space") })
  }

  @Test(
    "Other keys are not misspellings",
    arguments: [
      "AttributionCopyEndpoint", "NSUserTrackingUsageDescription", "AdAttributionKit", "SKAdNetworkItems", "NSAdvertising",
      "ReportEndpoint", "", "NSAppTransportSecurity",
    ])
  func notNear(_ other: String) throws {
    let manifest = try reader.read(propertyList("<key>\(other)</key>\(Self.value)"))
    #expect(!manifest.findings.contains { $0.code == .endpointKeyMisspelled }, "\(other)")
  }

  @Test("A misspelled key in addition to the correct one is a warning")
  func beside() throws {
    let manifest = try reader.read(propertyList("<key>\(Self.key)s</key>\(Self.value)<key>\(Self.key)</key>\(Self.value)"))
    #expect(manifest.findings.map(\.code) == [.endpointKeyMisspelled])
    #expect(manifest.endpointError == nil)
  }

  @Test("A key is shown without control characters")
  func steering() throws {
    let manifest = try reader.read(propertyList("<key>\(Self.key)&#x9;\u{202E}</key>\(Self.value)"))
    let finding = try #require(manifest.findings.first { $0.code == .endpointKeyMisspelled })
    #expect(
      finding.detail.hasPrefix("The key \"\(Self.key)\u{FFFD}\u{FFFD}\" ends with the invisible character"), "\(finding.detail)"
    )
  }

  @Test("Only some of many misspelled keys are named, and many keys are fast")
  func many() throws {
    let keys = (0..<12_000).map { "<key>\(Self.key)\($0)</key><true/>" }.joined()
    let manifest = try reader.read(propertyList(keys))
    #expect(manifest.findings.filter { $0.code == .endpointKeyMisspelled }.count == 3)
  }

  @Test(
    "Spaces around the value are a warning, and the value is used",
    arguments: [" https://news.example", "https://news.example ", "\n  https://news.example\n", "\u{A0}https://news.example"])
  func padded(_ text: String) throws {
    let manifest = try reader.read(propertyList("<key>\(Self.key)</key><string>\(text)</string>"))
    let finding = try #require(manifest.findings.first { $0.code == .endpointPadded }, "\(text.debugDescription)")
    #expect(finding.severity == .warning)
    #expect(finding.detail.contains("begins or ends with a space or a line break"))
    if !text.contains("\u{A0}") { #expect(manifest.endpointError == nil) }
  }

  @Test("Spaces around the bundle identifier are reported", arguments: [" com.example.app", "com.example.app\n"])
  func paddedIdentifier(_ text: String) throws {
    let identifier = "<key>CFBundleIdentifier</key><string>\(text)</string>"
    let refusal = try #require(throws: ManifestError.self) { try reader.read(propertyList("", identifier: identifier)) }
    #expect(refusal == .badBundleIdentifier(.padded))
    #expect(refusal.detail.contains("space or a line break"))
  }

  @Test(
    "A non-ASCII host is shown with its ASCII form",
    arguments: [
      ("https://bücher.example", "bücher.example", "xn--bcher-kva.example"),
      ("https://ｎews.example/x", "ｎews.example", "news.example"),
      ("https://me@www.bücher.example:8443", "www.bücher.example:8443", "www.xn--bcher-kva.example"),
    ])
  func international(_ text: String, _ written: String, _ host: String) throws {
    let manifest = try reader.read(propertyList("<key>\(Self.key)</key><string>\(text)</string>"))
    let finding = try #require(manifest.findings.first { $0.code == .endpointHostNotASCII }, "\(manifest.findings)")
    #expect(finding.severity == .warning)
    #expect(finding.detail.contains("has the host \(written), which is \(host) in requests"), "\(finding.detail)")
    #expect(manifest.endpointError == nil)
  }

  @Test("A non-ASCII path is an ignored path")
  func internationalPath() throws {
    let manifest = try reader.read(propertyList("<key>\(Self.key)</key><string>https://news.example/ü</string>"))
    #expect(manifest.findings.map(\.code) == [.endpointPathIgnored])
  }

  @Test("A duplicate key is a warning, and the file is used")
  func duplicates() throws {
    let other = "<string>https://other.example</string>"
    let manifest = try reader.read(
      propertyList(
        "<key>\(Self.key)</key>\(other)<key>a</key><true/><key>NSAdvertisingAttribution<![CDATA[Report]]>&#69;ndpoint</key>\(Self.value)<key>a</key><dict><key>b</key><true/><key>b</key><true/></dict>"
      ))
    let finding = try #require(manifest.findings.first { $0.code == .duplicateKeys })
    #expect(finding.severity == .warning)
    #expect(finding.detail.hasPrefix("\(Self.key), a: the manifest contains more than one value for each of these keys"))
    #expect(manifest.findings.map(\.code) == [.duplicateKeys])
    #expect(manifest.reportEndpoint == "https://news.example")
    let equivalent = JSON.object([.init("CFBundleIdentifier", "com.example.app"), .init("é", 1), .init("e\u{301}", 2)])
    #expect(try !reader.read(infoPlist: equivalent).findings.map(\.code).contains(.duplicateKeys))
  }

  @Test("Only some of many duplicate keys are named")
  func manyDuplicates() throws {
    let keys = (0..<7).map { "<key>k\($0)</key><true/><key>k\($0)</key><true/>" }.joined()
    let manifest = try reader.read(propertyList("<key>\(Self.key)</key>\(Self.value)\(keys)"))
    #expect(manifest.findings.map { String($0.detail.prefix(32)) } == ["k0, k1, k2, k3, k4 and 2 more: t"])
  }

  @Test("A binary property list has the same findings as XML")
  func binary() throws {
    let plain = ["CFBundleIdentifier": "com.example.app", Self.key + "s": "https://news.example", "ü": "x"]
    let bytes = Array(try PropertyListSerialization.data(fromPropertyList: plain, format: .binary, options: 0))
    #expect(try reader.read(bytes).findings.map(\.code) == [.endpointMissing, .endpointKeyMisspelled])
  }

  @Test("A binary property list with a duplicate key is an error, because Foundation's parsers read different values")
  func binaryDuplicate() throws {
    let strings = ["CFBundleIdentifier", "com.example.app", "aa", "b"]
    #expect(try reader.read(binaryPropertyList(strings, keys: [0, 2], values: [1, 3])).bundleIdentifier == "com.example.app")
    for (keys, values, duplicate) in [([0, 2, 2], [1, 3, 3], "aa"), ([0, 0], [1, 3], "CFBundleIdentifier")]
      as [([UInt8], [UInt8], String)]
    {
      let bytes = binaryPropertyList(strings, keys: keys, values: values)
      #expect(throws: ManifestError.duplicateKey(duplicate)) { try reader.read(bytes) }
      #expect(throws: ManifestError.duplicateKey(duplicate)) { try ManifestReader.xml(bytes) }
    }
  }

  /// A dictionary whose keys and values are strings with these numbers.
  private func binaryPropertyList(_ strings: [String], keys: [UInt8], values: [UInt8]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for string in strings {
      offsets.append(bytes.count)
      bytes +=
        (string.utf8.count < 15 ? [0x50 | UInt8(string.utf8.count)] : [0x5F, 0x10, UInt8(string.utf8.count)]) + string.utf8
    }
    offsets.append(bytes.count)
    bytes += [0xD0 | UInt8(keys.count)] + keys + values
    let table = bytes.count
    bytes += offsets.map(UInt8.init) + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(offsets.count)]
    bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(strings.count)] + [0, 0, 0, 0, 0, 0, 0, UInt8(table)]
    return bytes
  }
}
