/// The newest items that a view keeps, up to a number and a size.
struct NewestItems<Item> {
  /// The items, oldest first.
  private(set) var items: [Item] = []
  /// The newest item that is not kept; nil when all are.
  private(set) var lastOmitted: Item?
  private let mostItems: Int
  private let mostBytes: Int
  private let size: (Item) -> Int
  private var byteCount = 0

  /// - Parameters:
  ///   - mostItems: The maximum number of items.
  ///   - mostBytes: The maximum size of all items.
  ///   - size: Returns the size of an item in bytes.
  init(count mostItems: Int, bytes mostBytes: Int, size: @escaping (Item) -> Int) {
    (self.mostItems, self.mostBytes, self.size) = (mostItems, mostBytes, size)
  }

  /// Adds an item that is newer than all others.
  mutating func add(_ item: Item) { add([item]) }

  /// Adds items that are newer than all others, oldest first.
  mutating func add(_ newer: [Item]) {
    items += newer
    byteCount += newer.reduce(0) { $0 + size($1) }
    var omittedCount = 0
    while items.count - omittedCount > mostItems || byteCount > mostBytes {
      byteCount -= size(items[omittedCount])
      omittedCount += 1
    }
    guard omittedCount > 0 else { return }
    lastOmitted = items[omittedCount - 1]
    items.removeFirst(omittedCount)
  }
}
