import PCMCore
import PCMURL
import Testing

@Suite struct RandomTextTests {
  @Test("Normalizing a normalized URL does not change it", arguments: 0..<4)
  func normalFormIsStable(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let pieces = [
      "https", "http", "foo", "file", ":", "//", "/", "\\", "@", "?", "#", ".", "..", "%2e", "%", "%41", "a", "B", "ü", "1",
      "0x", "[", "]",
      "::1", ":8", "443", " ", "<", "'", "\t", "example.com", "127.1", "😀", "\u{3002}", "-", "_",
    ]
    for _ in 0..<2_000 {
      let start = ["https://", "http:", "foo:", "foo://", "file:", ""][random.below(6)]
      let text = (0..<random.below(9)).reduce(into: start) { text, _ in text += pieces[random.below(pieces.count)] }
      guard let url = try? parser.url(text) else { continue }
      let again = try parser.url(url.text)
      #expect(again.text == url.text, "\(text.debugDescription)")
      #expect(
        (again.host, again.path, again.query ?? "-") == (url.host, url.path, url.query ?? "-"), "\(text.debugDescription)")
      #expect(again.hasFragment == url.hasFragment, "\(text.debugDescription)")
      #expect(url.text.utf8.allSatisfy { $0 > 0x1F && $0 < 0x7F }, "\(text.debugDescription)")
    }
  }
}

extension SplitMix64 {
  fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
