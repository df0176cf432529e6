import PCMCore
import Testing

@Suite struct InstantTextTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_795_168_800_000, "2026-11-20T10:00:00.000Z"),
      (951_782_399_999, "2000-02-28T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func anInstantIsWrittenInUTCAndReadBack(_ milliseconds: Int64, _ text: String) {
    #expect(Instant(milliseconds: milliseconds).text == text)
    #expect(Instant(text: text) == Instant(milliseconds: milliseconds))
  }

  @Test(
    "an instant outside 1970 to 9999 has a text, although none is read",
    arguments: [
      (-1, "1969-12-31T23:59:59.999Z"), (-315_619_200_000, "1960-01-01T00:00:00.000Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
      (253_402_300_800_000, "+10000-01-01T00:00:00.000Z"), (317_396_188_800_000, "+12027-11-20T00:00:00.000Z"),
      (.max, "+292278994-08-17T07:12:55.807Z"), (.min, "-292275055-05-16T16:47:04.192Z"),
    ] as [(Int64, String)])
  func everyInstantHasAText(_ milliseconds: Int64, _ text: String) {
    #expect(Instant(milliseconds: milliseconds).text == text)
    #expect(Instant(text: text) == nil)
  }

  @Test(arguments: [
    ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00.000Z"), ("2026-11-20t12:00:00.5+02:00", "2026-11-20T10:00:00.500Z"),
    ("2026-11-20T04:30:00.123456789-05:30", "2026-11-20T10:00:00.123Z"),
    ("1970-01-01T01:00:00+01:00", "1970-01-01T00:00:00.000Z"),
  ])
  func offsetsAndFractionsAreRead(_ text: String, _ expected: String) {
    #expect(Instant(text: text)?.text == expected)
  }

  @Test(arguments: [
    "", "2026-11-20", "2026-11-20T10:00:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-20T24:00:00Z",
    "2026-11-20T10:60:00Z", "2026-11-20T10:00:60Z", "1969-12-31T23:59:59Z", "2026-11-20T10:00:00.Z", "2026-11-20T10:00:00Zx",
    "2026-11-20 10:00:00Z", "2026-11-20T10:00:00+24:00", "1970-01-01T00:00:00+01:00", "2026-11-20T10:00:00\u{0}Z",
  ])
  func anInvalidInstantIsNotRead(_ text: String) {
    #expect(Instant(text: text) == nil)
  }
}

@Suite struct IntervalTextTests {
  @Test(
    arguments: [
      ("PT48H", 172_800_000), ("P7D", 604_800_000), ("PT0.5S", 500), ("P1DT2H3M4.25S", 93_784_250), ("P2W", 1_209_600_000),
      ("PT0S", 0), ("PT90M", 5_400_000), ("P1W1D", 691_200_000), ("PT1.9999S", 1_999),
    ] as [(String, Int64)])
  func aDurationIsRead(_ text: String, _ milliseconds: Int64) {
    #expect(Interval(text: text)?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    "", "P", "PT", "48H", "P1Y", "P1M", "-PT1H", "PT1H2H", "PT1S1H", "PT.5S", "P1.5D", "PT1.5H", "PT5", "P99999999D", "PT1Hx",
  ])
  func anInvalidDurationIsNotRead(_ text: String) {
    #expect(Interval(text: text) == nil)
  }

  @Test(
    arguments: [
      (172_800_000, "PT48H"), (500, "PT0.5S"), (0, "PT0S"), (93_784_250, "PT26H3M4.25S"), (61_000, "PT1M1S"),
      (-61_000, "-PT1M1S"), (.max, "PT2562047788015H12M55.807S"), (.min, "-PT2562047788015H12M55.808S"),
    ] as [(Int64, String)])
  func aDurationIsWrittenInHoursMinutesAndSeconds(_ milliseconds: Int64, _ text: String) {
    #expect(Interval(milliseconds: milliseconds).text == text)
  }

  @Test(
    arguments: [
      (11_520_000, "3 h 12 min"), (-11_520_000, "3 h 12 min"), (0, "0 ms"), (.min, "106751991167 d 7 h"),
    ] as [(Int64, String)])
  func words(_ milliseconds: Int64, _ words: String) {
    #expect(Interval(milliseconds: milliseconds).words == words)
  }
}

@Suite struct JSONTextTests {
  @Test func jsonIsCompactAndKeepsTheOrderOfMembers() {
    let json: JSON = ["b": 1, "a": [.null, .bool(true), "x"], "v": .verbatim(#"{"k":0}"#)]
    #expect(json.text == #"{"b":1,"a":[null,true,"x"],"v":{"k":0}}"#)
  }

  @Test func stringsContainTheEscapesThatJSONRequires() {
    #expect(
      JSON.string("\"\\/\u{8}\n\r\t\u{1F}\u{7F}é\u{1F984}").text == "\"\\\"\\\\/\\u0008\\n\\r\\t\\u001f\u{7F}é\u{1F984}\"")
  }
}
