import PCMCore
import Testing

@Suite struct JSONParsingTests {
  @Test(
    arguments: [
      #"{"b":1,"a":[true,false,null,-7,"x"],"":{}}"#, "[]", "{}", "0", #""a\"\\\n\u00e9\ud83d\ude00""#, #""é""#,
      " { \"a\" : [ 1 , 2 ] , \"b\" : { } } ", "[[],[[]]]", #""\\""#,
    ])
  func parsingAWrittenValueReturnsTheValue(_ text: String) throws {
    let value = try #require(JSON(parsing: Array(text.utf8)), "\(text)")
    #expect(JSON(parsing: value.bytes) == value, "\(text)")
  }

  @Test func membersKeepTheirOrder() {
    #expect(JSON(parsing: Array(#"{"b":1,"a":"\u0041"}"#.utf8)) == ["b": 1, "a": "A"])
  }

  @Test(
    arguments: [
      "", " ", "{", "[", "\"", "\"\\", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]", "1.5", "--1", "tru", "nul",
      "{a:1}", "'a'", "[1,]", "[,1]", "{,}", "01", "+1", ".5", "1.", "NaN", "// a\n1", "1 1", "\"\u{1}\"", "\"\\x\"", "[1}",
      String(repeating: "[", count: 100_000),
      "9223372036854775808", "1e400", "0.1", "4.5e0", #"{"a":1,"a":1}"#,
      #"{"a":1,"\u0061":2}"#, #"[{"b":{"c":1,"d":2,"c":3}}]"#,
    ])
  func invalidJSONIsNotParsed(_ text: String) {
    #expect(JSON(parsing: Array(text.utf8)) == nil, "\(text.prefix(40))")
  }

  @Test func membersAreComparedByTheirBytes() {
    let value = JSON(parsing: Array(#"{"\u212A":1,"K":2,"é":3,"e\u0301":4}"#.utf8))
    #expect(value?.members.count == 4)
    #expect(value?["K"] == 2)
  }

  @Test(arguments: [(1, true), (64, true), (65, false), (10_000, false)])
  func theNestingHasALimit(_ depth: Int, _ isAllowed: Bool) {
    let arrays = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    let objects = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    for text in [arrays, objects] { #expect(JSON.isTooDeep(Array(text.utf8)) == !isAllowed) }
    for text in [arrays, objects] { #expect((JSON(parsing: Array(text.utf8)) != nil) == isAllowed, "\(text.prefix(40))") }
  }

  @Test(arguments: [("4.0", 4), ("4e0", 4), ("40e-1", 4), ("1e3", 1_000), ("-0", 0), ("-9223372036854775808", Int64.min)])
  func anIntegerInAnotherNotationIsTheInteger(_ text: String, _ value: Int64) {
    #expect(JSON(parsing: Array(text.utf8)) == .number(value))
    #expect(JSON.integer(text) == value)
  }

  @Test(arguments: ["1e400", "0.1", "1e-400", "9223372036854775808"])
  func otherNumbersAreKeptAsTheyAreWritten(_ text: String) {
    #expect(JSON(parsing: Array(text.utf8), keepingNumbers: true) == .verbatim(text))
  }

  @Test func duplicateMembersAreKeptOnRequest() {
    let text = #"{"a":1,"a":2}"#
    #expect(JSON(parsing: Array(text.utf8), keepingDuplicates: true)?.text == text)
  }

  @Test(arguments: [("{\"a\":1,}", 7), ("[1,]", 3), ("", 0), ("{} x", 3), ("\"\u{1}\"", 1)])
  func theFirstErrorHasAnOffset(_ text: String, _ offset: Int) {
    #expect(JSON.firstError(in: Array(text.utf8)) == offset)
  }

  @Test func invalidUTF8IsNotParsed() {
    // JSON in UTF-16, which Foundation accepts.
    #expect(JSON(parsing: [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00]) == nil)
    #expect(JSON(parsing: [0x00, 0x7B, 0x00, 0x7D]) == nil)
    #expect(JSON(parsing: [0x7B, 0x00, 0x7D, 0x00]) == nil)
    #expect(JSON(parsing: [0xFE, 0xFF, 0x00, 0x7B, 0x00, 0x7D]) == nil)
    #expect(JSON(parsing: [0x22, 0xFF, 0x22]) == nil)
    #expect(JSON(parsing: [0x22, 0x5C, 0x6E, 0xFF, 0x22]) == nil)
  }
}
