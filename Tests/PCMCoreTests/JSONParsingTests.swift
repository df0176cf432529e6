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
      "", " ", "{", "[", "\"", "\"\\", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]", "1.5", "1e3", "--1", "tru", "nul",
      "{a:1}", "1 1", "\"\u{1}\"", "\"\\x\"", "[1}", String(repeating: "[", count: 100_000),
      "9223372036854775808",
    ])
  func invalidJSONIsNotParsed(_ text: String) {
    #expect(JSON(parsing: Array(text.utf8)) == nil, "\(text.prefix(40))")
  }

  @Test func invalidUTF8IsNotParsed() {
    #expect(JSON(parsing: [0x22, 0xFF, 0x22]) == nil)
    #expect(JSON(parsing: [0x22, 0x5C, 0x6E, 0xFF, 0x22]) == nil)
  }
}
