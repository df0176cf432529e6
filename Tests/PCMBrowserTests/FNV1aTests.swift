import PCMBrowser
import PCMCore
import Testing

@Suite struct FNV1aTests {
  /// The vectors of the authors' program `test_fnv.c`.
  @Test(
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)])
  func aTextHasTheHashOfTheReference(_ text: String, _ hash: UInt64) {
    #expect(FNV1a.hash(text.utf8) == hash)
    #expect(FNV1a.mixedHash(text.utf8) == SplitMix64.mix(hash))
  }
}
