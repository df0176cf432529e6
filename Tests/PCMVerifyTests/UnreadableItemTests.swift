import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

/// Input of any kind has a verdict.
@Suite struct UnreadableItemTests {
  @Test(
    "Other input is invalid",
    arguments: [
      ("", "empty"), (" \n", "empty"), ("{", "ends too early"), ("{}", "neither a postback"), ("[]", "not a JSON object"),
      ("1.5", "three parts"), (#"{"a":1,"a":2}"#, "a member twice: a."), (#"{"b":[{"c":1,"c":2}]}"#, "a member twice: c."),
      ("{\"a\":\u{1}}", "line 1, column 6"),
      ("true", "not a JSON object"),
      (nested(64), "neither a postback"), (nested(65), "more than 64 levels"), (nested(600), "more than 64 levels"),
      (#"{"x":"# + String(repeating: "[", count: 600), "more than 64 levels"),
      (#"{"x":"# + String(repeating: "[", count: 60), "ends too early"),
      (#"{"x":"[[[["#, "ends too early"), (#"{"x":"\ud800"}"#, "an unpaired surrogate"),
    ])
  func otherInput(_ text: String, _ detail: String) throws {
    let verdict = try SignatureVerifier(.apple).verdict(on: Array(text.utf8))
    #expect(verdict.outcome == .invalid)
    #expect(verdict.faults.first?.detail.contains(detail) == true, "\(verdict.faults)")
  }

  /// An object with a number of levels in total.
  private static func nested(_ levels: Int) -> String {
    let text = String(repeating: "[", count: levels - 1) + "\"" + String(repeating: "[", count: 100) + "\""
    return #"{"x":"# + text + String(repeating: "]", count: levels - 1) + "}"
  }

  @Test("A fault has a limited size, whatever the text consists of")
  func longText() throws {
    let long = JSON.string("a" + String(repeating: "\u{301}", count: 100_000))
    let items: [JSON] = [
      ["version": long, "transaction-id": ""], ["version": .array([long]), "transaction-id": ""],
      ["version": "4.0", "nonce": long, "signature": ""],
      ["jws-string": .string(jws(algorithm: .string("a" + String(repeating: "\u{301}", count: 20_000))))],
      ["jws-string": .string(jws(key: .string("a" + String(repeating: "\u{301}", count: 20_000))))],
    ]
    for item in items {
      let faults = try SignatureVerifier(.apple).verdict(on: item.bytes).faults
      #expect(!faults.isEmpty)
      #expect(faults.allSatisfy { $0.detail.utf8.count <= 1_000 }, "\(faults.map(\.detail.utf8.count))")
    }
  }

  private func jws(key: JSON = "a", algorithm: JSON = "ES256") -> String {
    let header: JSON = ["kid": key, "alg": algorithm]
    return [header.bytes, JSON.object([]).bytes, [UInt8](repeating: 1, count: 64)].map { Base64URL.encode($0) }
      .joined(separator: ".")
  }

  @Test func anItemIsLimited() throws {
    let verifier = try SignatureVerifier(.apple)
    let text = try DeviceFixtures.text("vectors/postback-v4.0-a.json")
    let spaces = String(repeating: " ", count: SignatureVerifier.sizeLimit - text.utf8.count)
    #expect(verifier.verdict(on: Array((spaces + text).utf8)).outcome == .valid)
    #expect(verifier.verdict(on: Array((spaces + " " + text).utf8)).faults.first?.detail.contains("1048576 bytes") == true)
  }

  @Test("A verdict as JSON has the members of the interface")
  func json() throws {
    let verdict = try SignatureVerifier(.apple).verdict(on: DeviceFixtures.bytes("vectors/postback-v1.0-a.json"))
    #expect(
      verdict.json.text.replacing("\u{2063}", with: "|")
        == #"{"verdict":"valid","framework":"skadnetwork","version":"1.0","key":"apple-skadnetwork-p192","#
        + #""signedText":"su67r6k2v3.skadnetwork|51|1176027022|583e867c-0bc5-4980-8766-6d8cf992f24a","#
        + #""unsigned":{"version":"1.0","redownload":false},"faults":[],"subject":"postback","signature":"verifies","fix":null,"notes":[]}"#
    )
  }
}
