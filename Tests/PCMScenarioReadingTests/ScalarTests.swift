import PCMCore
import PCMScenario
import Testing

@Suite struct ScalarTests {
  @Test(
    "A plain scalar is null, a Boolean, an integer, or text",
    arguments: [
      ("", "null"), ("~", "null"), ("null", "null"), ("Null", #""Null""#), ("NULL", #""NULL""#), ("'null'", #""null""#),
      ("\"~\"", #""~""#), ("true", "true"), ("false", "false"), ("True", #""True""#), ("yes", #""yes""#), ("no", #""no""#),
      ("on", #""on""#), ("OFF", #""OFF""#), ("y", #""y""#), ("'true'", #""true""#), ("0", "0"), ("-1", "-1"), ("-0", "0"),
      ("255", "255"), ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
      ("+5", #""+5""#), ("05", #""05""#), ("0o17", #""0o17""#), ("0x1F", #""0x1F""#), ("0b1", #""0b1""#),
      ("1_000", #""1_000""#),
      ("190:20:30", #""190:20:30""#), ("1.5", #""1.5""#), ("1e3", #""1e3""#), (".inf", #"".inf""#), (".nan", #"".nan""#),
      ("--1", #""--1""#), ("'12'", #""12""#), ("\"12\"", #""12""#), ("2026-11-20", #""2026-11-20""#), ("=", #""=""#),
      ("2026-11-20T10:00:00Z", #""2026-11-20T10:00:00Z""#), ("a b  c", #""a b  c""#), ("|\n  12\n", #""12\n""#),
    ])
  func plain(_ word: String, _ value: String) throws {
    #expect(try scenarioJSON("a: \(word)\n").text == #"{"a":\#(value)}"#, "\(word)")
  }

  @Test("The deepest and longest valid files are accepted, and no larger ones")
  func limits() throws {
    let list = { (depth: Int) in "a: " + String(repeating: "[", count: depth) + "x" + String(repeating: "]", count: depth) }
    #expect(try scenarioJSON(list(30)).text.contains("\"x\""))
    #expect(throws: ScenarioErrors.self) { try scenarioJSON(list(31)) }
    let long = "a: b #" + String(repeating: "c", count: 262_144 - 6)
    #expect(try scenarioJSON(long).text == #"{"a":"b"}"#)
    #expect(throws: ScenarioErrors.self) { try scenarioJSON(long + "c") }
  }

  @Test(
    "Surrogate pairs in JSON are converted, and YAML text is unchanged",
    arguments: [
      (##"{"a":"\ud83d\uDE00!"}"##, #"{"a":"😀!"}"#), (##"{"a":"\\ud83d\\ude00"}"##, ##"{"a":"\\ud83d\\ude00"}"##),
      (##"a: '\ud83d\ude00'"##, ##"{"a":"\\ud83d\\ude00"}"##), (##"a: "\U0001F600""##, #"{"a":"😀"}"#),
    ])
  func surrogates(_ text: String, _ expected: String) throws {
    #expect(try scenarioJSON(text).text == expected)
  }

  @Test("Places count characters from 1")
  func places() {
    let found = errors("scenario: a\nsteps:\n  - { expect: { ä: 1, \"😀é\": 2,   outcom: 3 } }\n")
    #expect(found.map(\.place.column) == [17, 23, 34])
    #expect(found.map(\.pointer) == ["/steps/0/expect/ä", "/steps/0/expect/😀é", "/steps/0/expect/outcom"])
  }
}
