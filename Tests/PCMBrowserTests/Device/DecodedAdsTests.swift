import Testing

@testable import PCMBrowser

@Suite struct DecodedAdsTests {
  private struct Unreadable: Error {}

  @Test("A text is decoded once")
  func once() {
    let texts = DecodedTexts<Int>(capacity: 2)
    var count = 0
    for _ in 1...3 {
      let value = texts.value(of: "one") {
        count += 1
        return 1
      }
      #expect(value == 1)
    }
    #expect(count == 1)
  }

  @Test("A text with other bytes is another one, also when it is canonically equivalent")
  func bytes() {
    let texts = DecodedTexts<Int>(capacity: 9)
    for (number, text) in ["\u{E9}", "e\u{301}", "a\u{301}\u{323}", "a\u{323}\u{301}"].enumerated() {
      #expect(texts.value(of: text) { number } == number)
    }
  }

  @Test("An error is not kept")
  func error() {
    let texts = DecodedTexts<Int>(capacity: 9)
    #expect(throws: Unreadable.self) { try texts.value(of: "one") { throw Unreadable() } }
    #expect(texts.value(of: "one") { 1 } == 1)
  }

  @Test("The values are limited to twice the capacity, and the recently used ones stay")
  func capacity() {
    let texts = DecodedTexts<Int>(capacity: 10)
    for number in 0..<1_000 {
      _ = texts.value(of: "\(number)") { number }
      #expect(texts.value(of: "0") { -1 } == 0)
      #expect(texts.count <= 20)
    }
    #expect(texts.value(of: "990") { -1 } == 990)
    #expect(texts.value(of: "1") { -1 } == -1)
  }
}
