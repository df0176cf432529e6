import PCMCore
import Testing

@Suite struct ShownTextTests {
  @Test(
    "A longer text is truncated at a number of Unicode scalars",
    arguments: [
      ("", ""), ("abc", "abc"), ("abcd", "abc…"), ("äöü", "äöü"), ("a\u{301}\u{301}", "a\u{301}\u{301}"),
      ("a\u{301}\u{301}\u{301}", "a\u{301}\u{301}…"), ("👩‍👩‍👧", "👩‍👩…"),
    ])
  func truncation(text: String, shown: String) {
    #expect(text.truncated(to: 3).unicodeScalars.elementsEqual(shown.unicodeScalars))
  }

  @Test("A truncated text has no user information")
  func userInformation() {
    let text = "https://user:secret@a.example/"
    #expect(text.truncated(to: 80) == "https://removed@a.example/")
    #expect(text.asShown(upTo: 18) == "https://removed@a.…")
  }

  @Test("The bytes of a truncated text are limited")
  func bytes() {
    let text = "a" + String(repeating: "\u{1F3FD}", count: 100_000)
    #expect(text.truncated(to: 200).utf8.count <= 803)
    #expect(text.asShown(upTo: 200).utf8.count <= 803)
  }

  @Test(
    "Characters that control a terminal or are invisible are replaced in a sentence",
    arguments: ["\u{1B}", "\n", "\u{0}", "\u{202E}", "\u{2063}", "\u{2028}", "\u{E000}", "\u{378}"])
  func invisible(character: String) {
    #expect("a\(character)b c".asShown(upTo: 80) == "a\u{FFFD}b c")
    #expect(character.unicodeScalars.allSatisfy { !$0.isVisible })
  }

  @Test("A range is shown with its bounds")
  func range() {
    #expect((0...63 as ClosedRange<Int64>).words == "0 to 63")
  }
}
