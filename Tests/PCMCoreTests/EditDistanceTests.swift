import PCMCore
import Testing

@Suite struct EditDistanceTests {
  @Test(arguments: [
    ("", "", 0), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ab", 1), ("abc", "xabc", 1), ("abc", "acb", 1),
    ("kitten", "sitting", 3), ("ca", "abc", 3), ("", "abc", 3),
  ])
  func distance(_ one: String, _ other: String, _ expected: Int) {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    #expect(EditDistance.between(one, other, atMost: 10) == expected)
    #expect(EditDistance.between(other, one, atMost: expected) == expected)
    #expect(EditDistance.between(one, other, atMost: expected - 1) == nil)
  }
}
