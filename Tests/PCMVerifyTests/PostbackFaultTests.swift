import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

/// Faults of a postback, with their pointers.
@Suite struct PostbackFaultTests {
  /// A change of a signed sample of a version.
  struct Change: Sendable, CustomTestStringConvertible {
    let version: SKAdNetworkVersion
    let name: String
    let value: JSON?
    let detail: String

    var testDescription: String { "\(version.rawValue) \(name) \(value?.text ?? "missing")" }

    init(_ version: SKAdNetworkVersion, _ name: String, _ value: JSON?, _ detail: String) {
      (self.version, self.name, self.value, self.detail) = (version, name, value, detail)
    }
  }

  /// Changes of signed members after which the signed text is unknown.
  private static let unusable = [
    Change(.v3, "campaign-id", "42", #"campaign-id is the string "42"; it must be an integer from 1 to 100."#),
    Change(.v3, "campaign-id", 0, "campaign-id is the number 0; it must be an integer from 1 to 100."),
    Change(.v3, "campaign-id", 101, "an integer from 1 to 100"),
    Change(.v2, "redownload", 1, "redownload is the number 1; it must be true or false."),
    Change(.v4, "redownload", "true", "true or false"),
    Change(.v4, "source-identifier", 5239, "a string of two to four digits"),
    Change(.v4, "source-identifier", "5", "a string of two to four digits"),
    Change(.v4, "source-identifier", "52390", "a string of two to four digits"),
    Change(.v4, "source-identifier", "5a", "a string of two to four digits"),
    Change(.v4, "app-id", .verbatim("1.5"), "app-id is the number 1.5"),
    Change(.v4, "app-id", -1, "an integer"),
    Change(.v4, "app-id", .verbatim("9223372036854775808"), "an integer"),
    Change(.v4, "transaction-id", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e2", "a UUID"),
    Change(.v4, "transaction-id", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e2g", "a UUID"),
    Change(.v4, "transaction-id", "6aafb7a50170-41b5-bbe4-fe71-dedf1e28", "a UUID"),
    Change(.v4, "postback-sequence-index", 3, "0, 1, or 2"),
    Change(.v4, "fidelity-type", 2, "0 (view-through) or 1"),
    Change(.v4, "did-win", .null, "did-win is null"),
    Change(.v4, "ad-network-id", "", "1 to 64 letters, digits, hyphens, periods, and underscores"),
    Change(.v4, "ad-network-id", "a\u{2063}b", "1 to 64 letters, digits, hyphens, periods, and underscores"),
    Change(.v4, "source-domain", "a\u{2063}b", "a string of printable characters"),
    Change(.v4, "source-domain", "a\u{202E}b", "a string of printable characters"),
    Change(.v4, "source-app-id", "1234567891", "an integer"),
    Change(.v1, "transaction-id", nil, "transaction-id is missing"),
    Change(.v1, "campaign-id", nil, "campaign-id is missing"),
    Change(.v2, "redownload", nil, "redownload is missing"),
    Change(.v22, "fidelity-type", nil, "fidelity-type is missing"),
    Change(.v3, "did-win", nil, "did-win is missing"),
    Change(.v4, "source-identifier", nil, "source-identifier is missing"),
    Change(.v4, "postback-sequence-index", nil, "postback-sequence-index is missing"),
    Change(.v4, "app-id", nil, "app-id is missing"),
    Change(.v4, "ad-network-id", nil, "ad-network-id is missing"),
  ]

  @Test("A signed member without a usable value has a fault, and the signature is not checked", arguments: unusable)
  func unusableValue(_ change: Change) throws {
    let verdict = try verdict(change)
    #expect(verdict.outcome == .invalid)
    #expect(verdict.faults.map(\.pointer) == ["/\(change.name)"])
    #expect(verdict.faults.first?.detail.contains(change.detail) == true, "\(verdict.faults)")
    #expect(verdict.check == .notChecked)
    #expect(verdict.signedText == nil)
  }

  /// Changes after which the signature still verifies.
  private static let unsigned = [
    Change(.v4, "conversion-value", 64, "an integer from 0 to 63"),
    Change(.v4, "conversion-value", -1, "an integer from 0 to 63"),
    Change(.v4, "conversion-value", "20", #"the string "20""#),
    Change(.v4, "coarse-conversion-value", "low", "mutually exclusive"),
    Change(.v4, "country-code", "usa", "two letters"),
    Change(.v4, "campaign-id", 42, "is a member of version 3.0 and earlier"),
    Change(.v1, "conversion-value", 20, "is a member of version 2.0 and later"),
    Change(.v1, "source-app-id", 20, "is a member of version 2.0 and later"),
    Change(.v21, "fidelity-type", 1, "is a member of version 2.2 and later; this is version 2.1"),
    Change(.v22, "did-win", .bool(true), "is a member of version 3.0 and later"),
    Change(.v3, "postback-sequence-index", 0, "is a member of version 4.0 and later"),
    Change(.v3, "coarse-conversion-value", "low", "is a member of version 4.0 and later"),
    Change(.v3, "source-identifier", "39", "is a member of version 4.0 and later"),
    Change(.v3, "source-domain", "example.com", "is a member of version 4.0 and later"),
    Change(.v1, "redownload", 1, "true or false"),
  ]

  @Test("A wrong member that is not signed has a fault, and the signature verifies", arguments: unsigned)
  func unsignedValue(_ change: Change) throws {
    let verdict = try verdict(change)
    #expect(verdict.outcome == .invalid)
    #expect(verdict.check == .verifies)
    #expect(verdict.faults.map(\.pointer) == ["/\(change.name)"])
    #expect(verdict.faults.first?.detail.contains(change.detail) == true, "\(verdict.faults)")
  }

  @Test("Values that exclude each other have faults")
  func contradictions() throws {
    let members = try SKAdNetworkPostback.signedSample(.v4)
    let second = members.setting("postback-sequence-index", 1)
    func pointers(_ members: [JSON.Member]) throws -> [String] {
      try verifier(.v4).verdict(on: JSON.object(members).bytes).faults.map(\.pointer).filter { $0 != "/attribution-signature" }
    }
    #expect(try pointers(second) == ["/conversion-value", "/source-identifier", "/source-app-id"])
    let site = second.setting("source-app-id", nil).setting("source-domain", "example.com").setting("conversion-value", nil)
    #expect(try pointers(site) == ["/source-identifier", "/source-domain"])
    #expect(try pointers(site.setting("source-domain", nil).setting("source-identifier", "39")) == [])
    #expect(try pointers(members.setting("source-domain", "example.com")) == ["/source-domain"])
    #expect(try pointers(members.setting("did-win", .bool(false))) == ["/source-app-id", "/conversion-value"])
    let late = members.setting("did-win", .bool(false)).setting("source-app-id", nil).setting("conversion-value", nil)
    #expect(try pointers(late) == [])
    #expect(
      try pointers(late.setting("postback-sequence-index", 2)) == ["/source-identifier", "/postback-sequence-index"])
  }

  @Test(
    "A signature that cannot be read has a fault",
    arguments: [nil, 1, "", "no base64", "MEUC", "MEUCIQ==", "AAAA"] as [JSON?])
  func unreadableSignature(_ value: JSON?) throws {
    let members = try SKAdNetworkPostback.signedSample(.v4).setting("attribution-signature", value).setting("x", "")
    let verdict = try verifier(.v4).verdict(on: JSON.object(members).bytes)
    #expect(verdict.faults.map(\.pointer) == ["/attribution-signature"])
    #expect(verdict.check == .notChecked)
    #expect(verdict.signedText != nil)
  }

  @Test("Without a version, a postback is one of 1.0")
  func absentVersion() throws {
    let members = try SKAdNetworkPostback.signedSample(.v1).setting("version", nil)
    let verdict = try verifier(.v1).verdict(on: JSON.object(members).bytes)
    #expect(verdict.outcome == .valid)
    #expect(verdict.version == "1.0")
    let later = try SKAdNetworkPostback.signedSample(.v22).setting("version", nil)
    let other = try verifier(.v22).verdict(on: JSON.object(later).bytes)
    #expect(other.version == nil)
    #expect(other.faults.map(\.pointer) == ["/version"])
    #expect(other.faults.first?.detail.contains("it has no source-app-id, fidelity-type, conversion-value") == true)
    #expect(other.fix?.hasPrefix(#"version is missing; with "2.2" the signature verifies."#) == true, "\(other.fix ?? "")")
  }

  @Test("A postback with faults is invalid, even if its key is unknown")
  func faultsWithoutKey() throws {
    let jws = try DeviceFixtures.text("vectors/aak-postback.jws").replacing("\n", with: "")
    let header = Base64URL.encode(Array(#"{"kid":"other/0","alg":"ES256"}"#.utf8))
    let unknown = JSON.string(header + jws.drop { $0 != "." })
    let verifier = try SignatureVerifier(.apple)
    #expect(verifier.verdict(on: (["jws-string": unknown] as JSON).bytes).outcome == .unverifiable)
    #expect(verifier.verdict(on: (["jws-string": unknown, "conversion-value": 64] as JSON).bytes).outcome == .invalid)
    let impression = try DeviceFixtures.text("vectors/impression-4.0-web.json").replacing("1676057605705", with: "5")
    #expect(verifier.verdict(on: Array(impression.utf8)).outcome == .invalid)
  }

  @Test("An unknown version is not verifiable", arguments: ["2.3", "4.1", "5.0", "", "4"])
  func unknownVersion(_ version: String) throws {
    let members = try SKAdNetworkPostback.signedSample(.v4).setting("version", .string(version))
    let verdict = try verifier(.v4).verdict(on: JSON.object(members).bytes)
    #expect(verdict.outcome == .unverifiable)
    #expect(verdict.faults.map(\.pointer) == ["/version"])
    #expect(verdict.version == version)
  }

  @Test func aVersionThatIsANumberIsWrong() throws {
    let members = try SKAdNetworkPostback.signedSample(.v4).setting("version", 4)
    let verdict = try verifier(.v4).verdict(on: JSON.object(members).bytes)
    #expect(verdict.outcome == .invalid)
    #expect(verdict.faults.map(\.pointer) == ["/version"])
  }

  private func verifier(_ version: SKAdNetworkVersion) throws -> SignatureVerifier { try DeviceFixtures.verifier(version) }

  private func verdict(_ change: Change) throws -> SignatureVerdict {
    let members = try SKAdNetworkPostback.signedSample(change.version).setting(change.name, change.value)
    return try verifier(change.version).verdict(on: JSON.object(members).bytes)
  }
}
