import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

/// The table of mistakes of signers: each kind with other values, and two at once.
@Suite struct SigningMistakeTests {
  private static let values = [
    "4.0", "example123.skadnetwork", "5239", "1525463029", "68483ef6-0ada-40df-9f1d-9b1dbe8e3b11", "6448311069", "1",
    "1795168812345",
  ]

  /// The fix for the values above with a signature over a text.
  private func fix(signing text: String, sending changes: [(String, JSON)] = []) throws -> String? {
    let names = [
      "version", "ad-network-id", "source-identifier", "itunes-item-id", "nonce", "source-app-id", "fidelity-type", "timestamp",
    ]
    let signature = try DeviceFixtures.privateKey("ad-network").sign(Array(text.utf8))
    var members = zip(names, Self.values).map { name, text in
      JSON.Member(name, ["version", "ad-network-id", "nonce"].contains(name) ? .string(text) : .number(Int64(text) ?? 0))
    }
    members.append(JSON.Member("signature", .string(Base64.encode(signature.der))))
    for (name, value) in changes { members = members.setting(name, value) }
    let verdict = try SignatureVerifier(.test).verdict(on: JSON.object(members).bytes)
    #expect(verdict.outcome == .invalid)
    return verdict.fix
  }

  private static func text(_ changes: [Int: String], separator: String = "\u{2063}") -> String {
    values.enumerated().map { changes[$0.offset] ?? $0.element }.joined(separator: separator)
  }

  @Test(
    "A mistake with one value is found",
    arguments: [
      (3, "1.525463029E9", "The advertised app is signed in exponential notation: 1.525463029E9."),
      (3, "1.525463e+09", "The advertised app is signed in exponential notation: 1.525463e+09."),
      (7, "1.79517e+12", "The timestamp is signed in exponential notation: 1.79517e+12."),
      (7, "1795168812345.0", "The timestamp is signed in another form: 1795168812345.0."),
      (7, "1795168812.345", "The timestamp is signed in seconds."),
      (7, "1,795,168,812,345", "The timestamp is signed in another form: 1,795,168,812,345."),
      (7, "2147483647", "2147483647 is the largest 32-bit integer: the timestamp went through 32 bits before it was signed."),
      (7, "1795168796672", "The timestamp is signed as it is in 32 bits: 1795168796672."),
      (5, "2153343773", "The source app is signed as it is in 32 bits: 2153343773."),
      (5, "id6448311069", "The source app is signed with the prefix id: id6448311069."),
      (4, "aEg+9graQN+fHZsdvo47EQ==", "The nonce is signed in Base64: aEg+9graQN+fHZsdvo47EQ==."),
      (4, "urn:uuid:68483ef6-0ada-40df-9f1d-9b1dbe8e3b11", "The nonce is signed with text around it"),
      (1, "EXAMPLE123.SKADNETWORK", "The ad network's identifier is signed in other letters: EXAMPLE123.SKADNETWORK."),
      (1, "example123", "The ad network's identifier is signed without its suffix: example123."),
      (0, "v4.0", "The signed text is for version v4.0."), (2, "05239", "signed in another form: 05239."),
      (6, "true", "The signed text has fidelity type true."), (2, "null", "signed as other text: null."),
      (5, "1525463029", "Version 4.0 is signed with itunes-item-id in the place of source-app-id."),
    ])
  func value(_ index: Int, _ text: String, _ finding: String) throws {
    let fix = try fix(signing: Self.text([index: text]))
    #expect(fix?.contains(finding) == true, "\(fix ?? "no fix")")
  }

  @Test(
    "Two mistakes at once are found",
    arguments: [
      ([4: "68483EF6-0ADA-40DF-9F1D-9B1DBE8E3B11", 7: "1795168812"], "", ["nonce is signed in upper case", "in seconds"]),
      ([3: "id1525463029", 4: "aEg-9graQN-fHZsdvo47EQ"], "", ["the prefix id", "in Base64URL"]),
      ([3: "id1525463029"], "\n", ["the prefix id", "ends with a newline"]),
      ([0: "4", 7: "1.795168812345E12"], "", ["for version 4.", "exponential notation"]),
      ([2: "42", 7: "1795168812"], "", ["with campaign-id in the place of source-identifier", "in seconds"]),
    ] as [([Int: String], String, [String])])
  func pairs(_ changes: [Int: String], _ end: String, _ findings: [String]) throws {
    // Members that can be signed in place of others add mistakes.
    let more: [(String, JSON)] = [("campaign-id", 42), ("a", 5), ("b", "text"), ("c", 7)]
    let fix = try fix(signing: Self.text(changes) + end, sending: more) ?? "no fix"
    for finding in findings { #expect(fix.contains(finding), "\(fix)") }
  }

  @Test("Another separator and another value are found at once", arguments: ["\u{200D}", "|"])
  func separatorAndValue(_ separator: String) throws {
    let fix = try fix(signing: Self.text([4: "68483EF6-0ADA-40DF-9F1D-9B1DBE8E3B11"], separator: separator)) ?? "no fix"
    #expect(fix.contains("The values are signed with ") && fix.contains("The nonce is signed in upper case."), "\(fix)")
  }

  @Test(
    "A number that went through 32 bits after it was signed is found",
    arguments: [
      ("source-app-id", 2_153_343_773, "verifies with the source app 6448311069: the source app went through 32 bits."),
      ("source-app-id", 6_448_311_296, "is a multiple of 512, as 32-bit floating-point numbers of this size are"),
      ("source-app-id", 2_147_483_647, "2147483647 is the largest 32-bit integer: the source app went through 32 bits."),
      ("timestamp", 4_294_967_295, "4294967295 is the largest 32-bit integer without a sign"),
      ("timestamp", -127_517_383, "verifies with the timestamp 1795168812345: the timestamp went through 32 bits."),
      ("timestamp", 1_795_168_862_208, "is a multiple of 65536, as 32-bit floating-point numbers of this size are"),
    ] as [(String, JSON, String)])
  func sent(_ name: String, _ value: JSON, _ finding: String) throws {
    let fix = try fix(signing: Self.text([:]), sending: [(name, value)]) ?? "no fix"
    #expect(fix.contains(finding), "\(fix)")
  }

  @Test(
    "No repair is found for a changed value",
    arguments: [
      ("source-app-id", 6_448_311_070), ("nonce", "68483ef6-0ada-40df-9f1d-9b1dbe8e3b12"), ("timestamp", 1_795_168_812_346),
      ("itunes-item-id", 1_525_463_030), ("ad-network-id", "example124.skadnetwork"), ("source-identifier", 5_238),
    ] as [(String, JSON)])
  func changed(_ name: String, _ value: JSON) throws {
    #expect(try fix(signing: Self.text([:]), sending: [(name, value)]) == nil)
  }
}
