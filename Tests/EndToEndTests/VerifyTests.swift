import Foundation
import ServiceSupport
import Testing

/// `pcm-browser verify` as its users meet it.
@Suite struct VerifyTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/device").path

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static func vector(_ name: String) throws -> String {
    try String(contentsOfFile: "\(fixtures)/vectors/\(name)", encoding: .utf8)
  }

  private func write(_ text: String, _ name: String) throws -> String {
    let path = "\(folder.path)/\(name)"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    return path
  }

  @Test func aPostbackIsExplainedToPeople() async throws {
    let file = "\(Self.fixtures)/vectors/postback-v4.0-a.json"
    let run = try await ServiceProcess.run(["verify", file])
    #expect(run.status == 0)
    #expect(
      run.output == """
        \(file): valid, a postback of SKAdNetwork 4.0
        key       apple-skadnetwork-p256: Apple's P-256 key for postbacks of SKAdNetwork 2.1 and later
        signed    4.0|com.example|5239|525463029|6aafb7a5-0170-41b5-bbe4-fe71dedf1e30|false|example.com|1|true|0
                  (| stands for U+2063)
        unsigned  conversion-value 63

        """)
  }

  @Test func anInvalidPostbackHasItsFaultsAndTheFix() async throws {
    let changed = try Self.vector("postback-v3.0-a.json").replacing("\"fidelity-type\": 1", with: "\"fidelity-type\": 0")
    let run = try await ServiceProcess.run(["verify", write(changed, "postback.json")])
    #expect(run.status == 1)
    #expect(run.output.contains("postback.json: invalid, a postback of SKAdNetwork 3.0"))
    #expect(run.output.contains("fault     /attribution-signature: The signature does not verify"))
    #expect(run.output.contains("fix       The signature verifies with fidelity-type 1."))
  }

  @Test func jsonHasTheVerdict() async throws {
    let run = try await ServiceProcess.run(["verify", "--json", "\(Self.fixtures)/vectors/aak-postback.json"])
    #expect(run.status == 0)
    let verdict = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(verdict["verdict"] as? String == "valid")
    #expect(verdict["framework"] as? String == "adattributionkit")
    #expect(verdict["key"] as? String == "apple-development-identifier/1")
    #expect((verdict["unsigned"] as? [String: Any])?["conversion-value"] as? Int == 24)
    #expect((verdict["faults"] as? [Any])?.isEmpty == true)
    #expect(verdict["item"] == nil)
  }

  @Test("Standard input can be a postback or a JSON Web Signature", arguments: ["postback-v1.0-a.json", "aak-postback.jws"])
  func standardInput(_ name: String) async throws {
    let run = try await ServiceProcess.run(["verify", "-"], input: Self.vector(name))
    #expect(run.status == 0, "\(run.output)")
    #expect(run.output.hasPrefix("standard input: valid"))
  }

  @Test func anImpressionNeedsTheKeyOfItsAdNetwork() async throws {
    let file = "\(Self.fixtures)/vectors/impression-4.0-web.json"
    let without = try await ServiceProcess.run(["verify", file])
    #expect(without.status == 1)
    #expect(without.output.contains(": unverifiable, an ad impression of SKAdNetwork 4.0"))
    #expect(without.output.contains("Name its file with --key."))
    let key = "\(Self.fixtures)/keys/apple-sample-ad-network.txt"
    let with = try await ServiceProcess.run(["verify", "--key", key, file])
    #expect(with.status == 0)
    #expect(with.output.contains("4.0|com.apple.test-1|3120|"))
  }

  @Test func aFolderAndJSONLinesHaveAVerdictForEachItem() async throws {
    let run = try await ServiceProcess.run(["verify", "\(Self.fixtures)/vectors"])
    #expect(run.status == 1)
    #expect(run.output.hasSuffix("21 items: 10 valid, 7 invalid, 4 unverifiable\n"), "\(run.output.suffix(100))")
    let lines = try ["postback-v4.0-a.json", "aak-postback.jws", "postback-v1.0-a.json"].map(Self.vector).joined()
    let valid = try await ServiceProcess.run(["verify", "--json", write(lines, "postbacks.jsonl")])
    #expect(valid.status == 0)
    #expect(valid.output.split(separator: "\n").count == 3)
    #expect(valid.output.contains("postbacks.jsonl:3\",\"verdict\":\"valid\""))
    let broken = try await ServiceProcess.run(["verify", write(lines + "{\n", "broken.jsonl")])
    #expect(broken.status == 1)
    #expect(broken.output.hasSuffix("4 items: 3 valid, 1 invalid\n"))
  }

  @Test func jsonTextsOneAfterAnotherHaveAVerdictEach() async throws {
    let file = "\(Self.fixtures)/cases/u-pretty-two.json"
    let run = try await ServiceProcess.run(["verify", file])
    #expect(run.status == 0)
    #expect(run.output.contains("\(file):1: valid, a postback of SKAdNetwork 3.0"))
    #expect(run.output.contains("\(file):14: valid, a postback of SKAdNetwork 4.0"))
  }

  @Test func aPublicSuffixIsNoWebsite() async throws {
    let impression = try Self.vector("impression-4.0-web.json").replacing("example.com", with: "github.io")
    let run = try await ServiceProcess.run(["verify", write(impression, "web.json")])
    #expect(run.status == 1)
    #expect(run.output.contains("invalid, an ad impression of SKAdNetwork 4.0"))
    #expect(run.output.contains("which is a public suffix"))
  }

  @Test(
    "The JSON has the fix of the text",
    arguments: ["cases/i-newline.json", "cases/j-wrapped.jws", "vectors/postback-n2.0-a.json"])
  func fixes(_ file: String) async throws {
    let json = try await ServiceProcess.run(["verify", "--json", "\(Self.fixtures)/\(file)"])
    let text = try await ServiceProcess.run(["verify", "\(Self.fixtures)/\(file)"])
    let verdict = try #require(JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    let words = text.output.components(separatedBy: "fix ").last?.split(whereSeparator: \.isWhitespace) ?? []
    #expect(verdict["fix"] as? String == words.joined(separator: " "))
    #expect(!words.isEmpty)
  }

  @Test func aTerminalIsNotControlledByAnItem() async throws {
    let run = try await ServiceProcess.run(["verify", write(#"{"jws-string":"","\#u{1B}":1,"x":"‮"}"#, "bad.json")])
    #expect(run.status == 1)
    #expect(!run.output.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E })
  }

  @Test func ofALargeItemOnlyTheBeginningIsShown() async throws {
    let text = try Self.vector("postback-v4.0-a.json").replacing(
      "{", with: "{\"x\":\"\(String(repeating: "x ", count: 500_000))\",")
    let run = try await ServiceProcess.run(["verify", "-"], input: text)
    #expect(run.status == 0)
    #expect(run.output.utf8.count < 5_000)
  }
}
