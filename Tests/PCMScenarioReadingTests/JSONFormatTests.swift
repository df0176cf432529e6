import PCMCore
import PCMScenario
import Testing

/// Files that are JSON, not YAML.
@Suite struct JSONFormatTests {
  private static let steps = #""steps":[{"at":"PT1H"}]"#

  private func errors(_ text: String) -> [ScenarioError] {
    do {
      _ = try ScenarioReader().read(Array(text.utf8), as: .json)
      return []
    } catch {
      return error.errors
    }
  }

  @Test func jsonIsRead() throws {
    let text = #"{"scenario":"\ud83d\ude00","browser":{"settings":{"logRetention":{"maximumCount":2e3}}},\#(Self.steps)}"#
    #expect(try ScenarioReader().read(Array(text.utf8), as: .json).name == "😀")
  }

  @Test(arguments: [
    (#"{"scenario":"a",\#(steps),}"#, 41), (#"{"scenario":"a","steps":[{"at":"PT1H"},]}"#, 40), ("{'scenario':'a'}", 2),
    ("{scenario: a}", 2), ("scenario: a", 1), (#"{"scenario":"a", # comment"#, 18), (#"{"scenario":~}"#, 13),
  ])
  func yamlIsMalformed(_ text: String, _ column: Int) {
    #expect(errors(text) == [ScenarioError("expected JSON", at: SourcePlace(line: 1, column: column), code: .malformed)])
  }

  @Test(arguments: ["1.5", "1e400", "9223372036854775808", "0.1"])
  func aNumberThatIsNoIntegerIsNotText(_ number: String) throws {
    let error = try #require(errors(#"{"scenario":\#(number),\#(Self.steps)}"#).first)
    #expect(error.detail.hasPrefix("expected an integer of at most 64 bits"), "\(error)")
    #expect(error.place == SourcePlace(line: 1, column: 13))
  }

  @Test func aDuplicateMemberIsAnError() throws {
    let error = try #require(errors(#"{"scenario":"a","\u0073cenario":"b",\#(Self.steps)}"#).first)
    #expect(error.code == .duplicateMember, "\(error)")
  }
}
