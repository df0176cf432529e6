import Foundation
import PCMCore
import PCMManifest
import PCMScenario
import PCMURL

@testable import PCMCrypto

extension FuzzTarget {
  /// An Info.plist in either format: the XML for a replay has the same findings.
  static let infoPlist = FuzzTarget("info-plist") { bytes in
    let reader = ManifestReader { try? sites.url($0) }
    guard let manifest = try? reader.read(bytes) else { return false }
    try check(manifest.findings.count <= 96, "the number of findings is bounded")
    let xml: String
    do throws(ManifestError) {
      xml = try ManifestReader.xml(bytes)
    } catch {
      // A binary file can contain U+0000, which XML cannot.
      let isExpected = bytes.starts(with: "bplist".utf8) && error == .notAPropertyList(.containsNUL)
      try check(isExpected, "a manifest can be written as XML: \(error)")
      return true
    }
    guard xml.utf8.count <= ManifestReader.sizeLimit else { return true }
    let again = try required("a manifest as XML is a manifest") { try reader.read(Array(xml.utf8)) }
    try checkEqual(again.bundleIdentifier, manifest.bundleIdentifier, "the identifier in XML")
    try checkEqual(again.reportEndpoint, manifest.reportEndpoint?.withMarkedUserInformation, "the endpoint in XML")
    try checkEqual(again.app.platform, manifest.app.platform, "the device in XML")
    try checkEqual(again.adAttribution.json, manifest.adAttribution.json, "the values for app installs in XML")
    try checkEqual(again.findings, manifest.findings, "the findings in XML")
    return true
  }

  /// The keys of an Info.plist as JSON: the XML for a replay is the same manifest.
  static let infoPlistJSON = FuzzTarget("info-plist-json") { bytes in
    let body = Array(#"{"infoPlist":"#.utf8) + bytes + Array("}".utf8)
    guard let registration = try? AppRegistration(json: body) else { return false }
    let reader = ManifestReader { try? sites.url($0) }
    let infoPlist = registration.infoPlist(of: "com.example.news")
    guard let manifest = try? reader.read(infoPlist: infoPlist) else { return false }
    let xml = ManifestReader.xml(infoPlist: infoPlist)
    guard xml.utf8.count <= ManifestReader.sizeLimit else { return true }
    let again = try required("a manifest as XML is a manifest") { try reader.read(Array(xml.utf8)) }
    try checkEqual(again.bundleIdentifier, manifest.bundleIdentifier, "the identifier in XML")
    try checkEqual(again.reportEndpoint, manifest.reportEndpoint?.withMarkedUserInformation, "the endpoint in XML")
    try checkEqual(again.adAttribution.json, manifest.adAttribution.json, "the values for app installs in XML")
    try checkEqual(again.findings, manifest.findings, "the findings in XML")
    return true
  }

  /// A SubjectPublicKeyInfo: a key in the form of current browsers is written as the same bytes, and any other key has the
  /// same numbers in that form.
  static let spki = FuzzTarget("spki") { bytes in
    let wire = Base64URL.encode(bytes)
    try checkEqual(Base64URL.decode(wire), bytes, "base64url")
    guard let key = try? TokenPublicKey(wire: wire) else { return false }
    let info = try required("a key is a SubjectPublicKeyInfo") { try SubjectPublicKeyInfo(der: bytes) }
    try checkEqual(info.modulus, key.modulus, "the modulus")
    try check((256...512).contains(key.modulusByteCount), "the size of a key is bounded")
    let written = try required("a key can be written") {
      try SubjectPublicKeyInfo.der(modulus: info.modulus[...], exponent: info.exponent[...])
    }
    if key.form == .rsassaPSS { try checkEqual(written, bytes, "the written key") }
    let again = try required("a written key is a key") { try TokenPublicKey(spki: written) }
    try checkEqual(again.form, .rsassaPSS, "the form of a written key")
    try checkEqual(again.modulus, key.modulus, "the modulus of a written key")
    return true
  }

  /// A scenario in YAML: its values as JSON are the same scenario, and errors have a place in the file.
  static let scenario = FuzzTarget("scenario") { bytes in
    let reader = ScenarioReader()
    let scenario: Scenario
    do throws(ScenarioErrors) {
      scenario = try reader.read(bytes)
    } catch {
      try check(!error.errors.isEmpty, "an unreadable scenario has errors")
      try check(error.errors.allSatisfy { isInside($0.place, bytes) }, "an error is in the file: \(error.errors)")
      try check(error.text(file: "a", bytes: bytes).hasPrefix("a:"), "an error can be shown")
      return false
    }
    guard let source = scenario.source else { throw BrokenProperty("a scenario that was read has its source") }
    try checkJSON(source.json, scenario)
    return true
  }

  private static func checkJSON(_ value: JSON, _ scenario: Scenario) throws {
    let again: Scenario
    do throws(ScenarioErrors) {
      again = try ScenarioReader().read(value.bytes, as: .json)
    } catch {
      // The limit of open brackets also counts brackets in strings. A line break of Unicode needs an escape, because YAML folds it.
      let isExpected = error.errors.allSatisfy {
        $0.detail.contains("open brackets") || $0.detail.contains("in double quotes it can be written")
      }
      return try check(isExpected, "a scenario as JSON is a scenario: \(error)")
    }
    try check(again.source?.json.bytes == value.bytes, "a scenario as JSON is the same")
    try checkEqual(again.steps.map(\.name), scenario.steps.map(\.name), "the steps in JSON")
  }

  private static func isInside(_ place: SourcePlace, _ file: [UInt8]) -> Bool {
    let lines = file.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.indices.contains(place.line - 1) else { return false }
    let line = String(decoding: lines[place.line - 1], as: UTF8.self)
    return (1...(line.unicodeScalars.count + 1)).contains(place.column)
  }
}
