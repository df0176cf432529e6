import Testing

@testable import PCMHTTP

/// The newest items that a view keeps.
@Suite struct NewestItemsTests {
  @Test(
    "the newest items up to a number and a size are kept",
    arguments: [
      ([1, 2, 3], [1, 2, 3]), ([1, 2, 3, 4], [2, 3, 4]), ([4, 4, 4], [4, 4]), ([1, 10], [10]), ([1, 11], []), ([11, 2], [2]),
      ([], []),
    ] as [([Int], [Int])])
  func kept(_ added: [Int], _ kept: [Int]) {
    var newest = NewestItems<Int>(count: 3, bytes: 10, size: { $0 })
    for item in added { newest.add(item) }
    #expect(newest.items == kept)
  }
}
