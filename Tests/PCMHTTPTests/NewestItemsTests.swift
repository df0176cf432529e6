import Testing

@testable import PCMHTTP

/// The newest items that a view keeps.
@Suite struct NewestItemsTests {
  @Test(
    "the newest items up to a number and a size are kept",
    arguments: [
      ([1, 2, 3], [1, 2, 3], nil), ([1, 2, 3, 4], [2, 3, 4], 1), ([4, 4, 4], [4, 4], 4), ([1, 10], [10], 1), ([1, 11], [], 11),
      ([11, 2], [2], 11), ([], [], nil),
    ] as [([Int], [Int], Int?)])
  func kept(_ added: [Int], _ kept: [Int], _ lastOmitted: Int?) {
    var single = NewestItems<Int>(count: 3, bytes: 10, size: { $0 })
    var together = single
    for item in added { single.add(item) }
    together.add(added)
    for newest in [single, together] {
      #expect(newest.items == kept)
      #expect(newest.lastOmitted == lastOmitted)
    }
  }
}
