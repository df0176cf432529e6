import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

/// Inputs that people met, with the parts of the verdict.
@Suite struct CaseTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let file: String
    /// Whether the signature verifies after the change that the fix names.
    let verifies: Bool
    /// Parts of the fix, or of the first fault without one.
    let parts: [String]

    var testDescription: String { file }

    init(_ file: String, verifies: Bool = true, _ parts: String...) {
      (self.file, self.verifies, self.parts) = (file, verifies, parts)
    }
  }

  private static let postbacks: [Case] = [
    Case(
      "all-strings.json", "campaign-id is a string, app-id is a string, redownload is a string",
      "corrected, the signature verifies"),
    Case("campaign-string.json", "campaign-id is a string; as a number the signature verifies."),
    Case("v21-redownload-number.json", "redownload is the number 1; as true the signature verifies."),
    Case("u-plus-to-space.json", "+ became a space, as form decoding does; with + the signature verifies."),
    Case("u-base64url.json", "attribution-signature is Base64URL; as Base64 the signature verifies."),
    Case("u-wrapped76.json", "attribution-signature has line breaks; without them the signature verifies."),
    Case("u-snake.json", "names of members have underscores; with hyphens the signature verifies."),
    Case("u-null-conv.json", "conversion-value is null; without it the signature verifies. Omit conversion-value."),
    Case("bad-commas.json", verifies: false, "With these corrections the item can be read."),
  ]

  private static let impressions: [Case] = [
    Case("i-newline.json", verifies: false, "The signed text ends with a newline.", "echo -n"),
    Case("i-prehashed.json", verifies: false, "hashed twice"),
    Case("i-hexhash.json", verifies: false, "hexadecimal digest"),
    Case("i-utf16.json", verifies: false, "signed in UTF-16"),
    Case("i-noversion.json", verifies: false, "The version is not part of the signed text."),
    Case("i-campaign-order.json", verifies: false, "signed in another order", "4.0|example123.skadnetwork|5239|525463029|"),
    Case("i-raw-rs.json", "r and s without DER; in DER the signature verifies."),
    Case("i-double-b64.json", "Base64 twice; encoded once, the signature verifies."),
    Case("i-singular-response.json", "embers have other names", "fidelity-type is missing", "the signature verifies."),
    Case(
      "n-campaign-instead.json", verifies: false, "Version 4.0 is signed with campaign-id in the place of source-identifier."),
    Case("n-exp-timestamp.json", verifies: false, "The timestamp is signed in exponential notation: 1.7951688E12."),
    Case("n-id-prefix.json", verifies: false, "The advertised app is signed with the prefix id: id525463029."),
    Case("n-nonce-b64url.json", verifies: false, "The nonce is signed in Base64URL, as in source_nonce"),
    Case("n-two-mistakes.json", verifies: false, "The nonce is signed in upper case. The timestamp is signed in seconds."),
    Case("n-u200d.json", verifies: false, "The values are signed with U+200D."),
    Case("t-float32-timestamp.json", "with the timestamp 1795168800000: the timestamp went through 32 bits."),
    Case("t-int32-timestamp.json", verifies: false, "2147483647 is the largest 32-bit integer: the timestamp went through 32"),
    Case("t-int32-wrapped.json", "with the timestamp 1795168800000: the timestamp went through 32 bits."),
    Case("w-nonce-as-received.json", verifies: false, "The nonce is signed in Base64URL, as in source_nonce"),
    Case("j-json-general.json", "in the JSON serialization; in the compact one the signature verifies."),
    Case("j-stdb64.jws", "parts in Base64", "in Base64URL the signature verifies."),
    Case("j-quoted.jws", "in quotation marks; without them the signature verifies."),
    Case("j-wrapped.jws", "has line breaks; without them the signature verifies."),
  ]

  @Test("A postback is invalid, and the fix names the change", arguments: postbacks)
  func postback(_ sample: Case) throws {
    try expect(SignatureVerifier(.apple).verdict(on: DeviceFixtures.bytes("cases/\(sample.file)")), sample)
  }

  @Test("An impression is invalid, and the fix names the change", arguments: impressions)
  func impression(_ sample: Case) throws {
    let verdict = try SignatureVerifier(.test).verdict(on: DeviceFixtures.bytes("cases/\(sample.file)"))
    try expect(verdict, sample)
    #expect(verdict.version != "1.0")
    #expect(verdict.subject == .impression)
  }

  private func expect(_ verdict: SignatureVerdict, _ sample: Case) throws {
    #expect(verdict.outcome == .invalid)
    let fix = verdict.fix ?? ""
    for part in sample.parts { #expect(fix.contains(part), "\(fix)") }
    #expect(fix.lowercased().contains("the signature verifies") == sample.verifies, "\(fix)")
  }

  @Test("The places of flaws in JSON have lines and columns")
  func malformedJSON() throws {
    let verdict = try SignatureVerifier(.apple).verdict(on: DeviceFixtures.bytes("cases/bad-commas.json"))
    #expect(
      verdict.faults.map(\.detail) == [
        "The item is not JSON: line 8, column 2: a comma is missing before this, at the end of line 7.",
        "The item is not JSON: line 10, column 2: a comma is missing before this, at the end of line 9.",
        #"The item is not JSON: line 10, column 2: a quotation mark is missing after "conversion-value."#,
      ])
  }

  @Test("Each element of an array, and the member of an envelope, has a verdict")
  func nestedItems() throws {
    let apple = try SignatureVerifier(.apple)
    let array = try apple.verdicts(on: DeviceFixtures.bytes("cases/u-array.json"))
    #expect(array.map(\.pointer) == ["/0", "/1"])
    #expect(array.map(\.verdict.outcome) == [.valid, .valid])
    let bytes = try DeviceFixtures.bytes("cases/u-wrapped-envelope.json")
    #expect(apple.verdicts(on: bytes).map(\.pointer) == ["/postback"])
    #expect(apple.verdicts(on: bytes).map(\.verdict.outcome) == [.valid])
    let whole = apple.verdict(on: bytes)
    #expect(whole.outcome == .invalid && whole.version == nil)
    #expect(whole.fix == "/postback is an item. Pass the value alone.")
  }

  @Test("An object of an OpenRTB bid is read", arguments: ["i-openrtb-skadn.json", "i-openrtb-skadn-flat.json"])
  func openRTB(_ file: String) throws {
    let bytes = try DeviceFixtures.bytes("cases/\(file)")
    let skadn = try #require(JSON(parsing: bytes))
    let bid: JSON = ["id": "1", "seatbid": [["bid": [["price": 1, "ext": ["skadn": skadn]]]]]]
    for (bytes, place) in [(bytes, ""), (bid.bytes, "/seatbid/0/bid/0/ext/skadn")] {
      let found = try SignatureVerifier(.test).verdicts(on: bytes)
      #expect(found.map(\.pointer) == [place + (file.contains("flat") ? "" : "/fidelities/0")])
      #expect(found.map(\.verdict.outcome) == [.valid], "\(found.map(\.verdict.faults))")
    }
  }

  @Test("An OpenRTB object has at most 64 members", arguments: [(64, true), (65, false)])
  func manyMembers(_ count: Int, _ isRead: Bool) throws {
    let skadn = try #require(JSON(parsing: DeviceFixtures.bytes("cases/i-openrtb-skadn.json"), keepingNumbers: true))
    let members = skadn.members
    let more = (0..<(count - members.count)).map { JSON.Member("x\($0)", .number(Int64($0))) }
    let found = try SignatureVerifier(.test).verdicts(on: JSON.object(members + more).bytes)
    #expect(found.map(\.verdict.outcome) == [isRead ? .valid : .invalid], "\(found)")
  }

  @Test("Only the first fidelities of an OpenRTB object are read")
  func openRTBLimits() throws {
    let skadn = try #require(JSON(parsing: try DeviceFixtures.bytes("cases/i-openrtb-skadn.json")))
    let fidelity = try #require(skadn["fidelities"]?.items.first)
    let others = skadn.members.filter { $0.name != "fidelities" }
    let many = others + [JSON.Member("fidelities", .array(Array(repeating: fidelity, count: 100)))]
    #expect(try SignatureVerifier(.test).verdicts(on: JSON.object(many).bytes).count == 8)
  }

  @Test("A sample that none of Apple's keys signed is invalid with each set of keys")
  func appleCAS() throws {
    let bytes = try DeviceFixtures.bytes("vectors/aak-postback-apple-cas0.json")
    let keys = try AppleKey.adAttributionKit.map { NamedKey(name: $0.rawValue, use: $0.use, key: try $0.publicKey()) }
    for verifier in [try SignatureVerifier(.apple), try SignatureVerifier(.test), try SignatureVerifier(.given(keys))] {
      let verdict = verifier.verdict(on: bytes)
      #expect(verdict.outcome == .invalid)
      #expect(verdict.check == .fails)
      #expect(verdict.faults.map(\.pointer) == ["/jws-string/signature"])
    }
  }
}
