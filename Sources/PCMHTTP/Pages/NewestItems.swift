/// The newest items that a view keeps, up to a number and a size.
struct NewestItems<Item> {
  /// The items, oldest first.
  private(set) var items: [Item] = []
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
  mutating func add(_ item: Item) {
    items.append(item)
    byteCount += size(item)
    while items.count > mostItems || byteCount > mostBytes { byteCount -= size(items.removeFirst()) }
  }
}
