import Testing

@testable import PCMStore

@Suite struct OrderedIndexTests {
  @Test(
    "An index holds the same elements as a sorted array, whatever the order of insertion",
    arguments: [1, 2, 3] as [UInt64])
  func agreesWithSortedArray(seed: UInt64) {
    var state = seed
    var index = OrderedIndex<UInt64>()
    var model: Set<UInt64> = []
    for round in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let element = (state >> 33) % 4_000
      if (state >> 40) % (round < 10_000 ? 4 : 2) == 0 {
        index.remove(element)
        model.remove(element)
      } else if model.insert(element).inserted {
        index.insert(element)
      }
    }
    let sorted = model.sorted()
    #expect(Array(index.elements) == sorted)
    for bound in [0, 1, 1_999, 2_000, 3_999, 4_000] as [UInt64] {
      #expect(Array(index.elements { $0 < bound }) == sorted.filter { $0 >= bound })
    }
    for element in sorted { index.remove(element) }
    #expect(Array(index.elements).isEmpty)
  }

  @Test("Elements that come in order or in reverse order come back in order", arguments: [true, false])
  func ordered(isReversed: Bool) {
    var index = OrderedIndex<Int>()
    for element in isReversed ? Array((0..<5_000).reversed()) : Array(0..<5_000) { index.insert(element) }
    #expect(Array(index.elements) == Array(0..<5_000))
    #expect(Array(index.elements { $0 < 4_990 }.prefix(3)) == [4_990, 4_991, 4_992])
  }

  @Test("An element that is not there is not removed, nor one beside it")
  func removesOnlyWhatIsThere() {
    var index = OrderedIndex<Int>()
    index.remove(1)
    for element in [1, 3] { index.insert(element) }
    for element in [0, 2, 4] { index.remove(element) }
    #expect(Array(index.elements) == [1, 3])
  }
}
