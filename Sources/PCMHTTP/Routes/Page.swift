import PCMBrowser
import PCMCore
import PCMStore

/// One page of a list: the items, and the cursor of the next page, or null on the last page.
///
/// A page ends with the item that reaches ``PageSize/mostBytes``, because a caller that does not read a response makes the
/// service keep it.
enum Page {
  /// Renders the first of the items that follow a position.
  ///
  /// - Parameters:
  ///   - items: At least one more than `limit`, if there are so many.
  ///   - cursor: Returns the cursor after an item.
  static func json<Item>(
    _ items: some Sequence<Item>, limit: Int, cursor: (Item) -> String, json: (Item) throws -> JSON
  ) rethrows -> JSON {
    let found = Array(items.prefix(limit + 1))
    let page = found.prefix(limit)
    let next = found.count > limit ? page.last.map(cursor) : nil
    return .object(try members(page, next: next, cursor: cursor, json: json))
  }

  /// Returns the members of a page, for a list with further members.
  ///
  /// - Parameters:
  ///   - next: The cursor after all items; nil when no items follow.
  ///   - cursor: Returns the cursor after an item.
  static func members<Item>(
    _ items: some Collection<Item>, next: String?, cursor: (Item) -> String, json: (Item) throws -> JSON
  ) rethrows -> [JSON.Member] {
    var (rendered, byteCount) = ([JSON](), 0)
    for (index, item) in items.enumerated() {
      let text = try json(item).text
      rendered.append(.verbatim(text))
      byteCount += text.utf8.count
      guard byteCount < PageSize.mostBytes || index == items.count - 1 else {
        return members(rendered, next: cursor(item))
      }
    }
    return members(rendered, next: next)
  }

  private static func members(_ items: [JSON], next: String?) -> [JSON.Member] {
    [.init("items", .array(items)), .init("next", .string(next))]
  }
}

extension RecordPage {
  func json(_ cursors: ListCursors, of record: (Record) -> JSON) -> JSON {
    .object(
      Page.members(
        Array(zip(items, positions)), next: next.map(cursors.text), cursor: { cursors.text($0.1) }, json: { record($0.0) }))
  }
}
