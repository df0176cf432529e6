import PCMCore
import Testing

@Suite struct OSVersionTests {
  @Test(
    "A version has one to three numbers, of which two count",
    arguments: [("17", OSVersion(17)), ("17.4", OSVersion(17, 4)), ("17.4.1", OSVersion(17, 4)), ("16.10", OSVersion(16, 10))])
  func reading(text: String, version: OSVersion) {
    #expect(OSVersion(text: text) == version)
  }

  @Test("Other text is no version", arguments: ["", ".", "17.", ".4", "17.4.1.2", "-17", "17.4b", "iOS 17", "17 .4", "99999"])
  func refusal(text: String) {
    #expect(OSVersion(text: text) == nil)
  }

  @Test("Versions are ordered by number and not by text")
  func order() {
    #expect(OSVersion(9) < OSVersion(14))
    #expect(OSVersion(16, 9) < OSVersion(16, 10))
    #expect(OSVersion(16, 10) < OSVersion(17))
    #expect(OSVersion(17, 4).text == "17.4")
  }
}
