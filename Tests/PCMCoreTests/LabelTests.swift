import PCMCore
import Testing

@Suite("Labels and idle timeouts")
struct LabelTests {
  private func errors(_ members: String) -> [String] {
    var found: [String] = []
    do throws(BodyError) {
      _ = try BrowserChange(json: Array("{\(members)}".utf8))
    } catch {
      if case .invalid(let errors) = error { found = errors.map { "/\($0.path.joined(separator: "/")) \($0.code)" } }
    }
    return found
  }

  @Test("Labels are read and written")
  func labels() throws {
    let json = #"{"ci.example/job_id-7":"tests/ads.py::ü = x","empty":""}"#
    let change = try BrowserChange(json: Array(#"{"labels":\#(json)}"#.utf8))
    #expect(change.labels?.values == ["ci.example/job_id-7": "tests/ads.py::ü = x", "empty": ""])
    #expect(change.labels?.json.text == json)
    #expect(change.labels.flatMap { Labels(json: $0.json) } == change.labels)
    let key = String(repeating: "k", count: 63)
    for value in [String(repeating: "v", count: 255), String(repeating: "ü", count: 127)] {
      #expect(try BrowserChange(json: Array(#"{"labels":{"\#(key)":"\#(value)"}}"#.utf8)).labels?.values == [key: value])
    }
    let most = (1...16).map { #""k\#($0)":"v""# }.joined(separator: ",")
    #expect(try BrowserChange(json: Array(#"{"labels":{\#(most)}}"#.utf8)).labels?.values.count == 16)
    #expect(try BrowserChange(json: Array(#"{"labels":{}}"#.utf8)).labels == Labels())
    #expect(try BrowserChange(json: Array("{}".utf8)).labels == nil)
  }

  @Test(
    "Invalid labels are errors with the place of the key",
    arguments: [
      (#""":"v""#, "/labels/ invalid-value"), (#""a b":"v""#, "/labels/a b invalid-value"),
      (#""ü":"v""#, "/labels/ü invalid-value"),
      (#""a":"x","a":"y""#, "/labels/a duplicate-member"), (#""a":1"#, "/labels/a wrong-type"),
      (#""a":null"#, "/labels/a wrong-type"), (#""a":{"b":"c"}"#, "/labels/a wrong-type"),
      (#""a":"\n""#, "/labels/a invalid-value"), (#""a":"\ud800""#, "/labels/a wrong-type"),
      (#""a":"\#(String(repeating: "v", count: 256))""#, "/labels/a out-of-range"),
      (#""a":"\#(String(repeating: "ü", count: 128))""#, "/labels/a out-of-range"),
      (#""\#(String(repeating: "k", count: 64))":"v""#, "/labels/\(String(repeating: "k", count: 64)) invalid-value"),
      ((1...17).map { #""k\#($0)":"v""# }.joined(separator: ","), "/labels out-of-range"),
    ])
  func invalidLabels(_ members: String, _ error: String) {
    #expect(errors(#""labels":{\#(members)}"#) == [error])
  }

  @Test("Labels are an object", arguments: ["[]", "7", #""a=b""#, "true"])
  func otherValues(_ value: String) {
    #expect(errors(#""labels":\#(value)"#) == ["/labels wrong-type"])
  }

  @Test(
    "An idle timeout is zero or from a minute to 30 days",
    arguments: [
      ("PT1M", nil), ("P30D", nil), ("PT0S", nil), ("PT1H30M", nil), ("PT59.999S", "out-of-range"),
      ("PT0.001S", "out-of-range"),
      ("P30DT0.001S", "out-of-range"), ("P1M", "invalid-value"), ("3600", "invalid-value"),
    ] as [(String, String?)])
  func idleTimeout(_ text: String, _ code: String?) {
    #expect(errors(#""idleTimeout":"\#(text)""#) == (code.map { ["/idleTimeout \($0)"] } ?? []))
  }

  @Test("A change replaces the members that it contains")
  func upkeep() {
    let before = BrowserUpkeep(labels: Labels(["a": "1"]), idleTimeout: .hours(1))
    #expect(before.changed(labels: nil, idleTimeout: nil) == before)
    #expect(before.changed(labels: Labels(["b": "2"]), idleTimeout: nil).labels == Labels(["b": "2"]))
    #expect(before.changed(labels: nil, idleTimeout: .minutes(5)).idleTimeout == .minutes(5))
    #expect(before.changed(labels: Labels(), idleTimeout: .seconds(0)) == BrowserUpkeep())
  }

  @Test(
    "A filter is a key, an equals sign, and a value",
    arguments: [("a=b", "a", "b"), ("a=", "a", ""), ("a=b=c", "a", "b=c")])
  func filter(_ text: String, _ key: String, _ value: String) throws {
    let label = try #require(Label(text))
    #expect((label.key, label.value) == (key, value))
    #expect(Labels([key: value, "other": "x"]).containsAll([label]))
    #expect(!Labels(["other": "x"]).containsAll([label]))
    #expect(!Labels([key: value + "x"]).containsAll([label]))
    #expect(Label("a") == nil && Label("=b") == nil && Label("") == nil)
  }
}
