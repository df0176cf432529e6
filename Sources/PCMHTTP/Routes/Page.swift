import PCMBrowser
import PCMCore
import PCMStore

/// One page of a list: the items, and the cursor of the next page, or null on the last page.
///
/// A page ends with the item that reaches ``PageSize/mostBytes``, because a caller that does not read a response makes the
/// service keep it.
enum Page {
  /// - Parameters:
  ///   - next: The cursor after all items; nil when no items follow.
  ///   - cursor: Returns the cursor after an item.
  static func json<Item>(
    _ items: some Collection<Item>, next: String?, cursor: (Item) -> String, json: (Item) throws -> JSON
  ) rethrows -> JSON {
    .object(try members(items, next: next, cursor: cursor, json: json))
  }

  /// Returns the members of a page, for a list with further members.
  static func members<Item>(
    _ items: some Collection<Item>, next: String?, cursor: (Item) -> String, json: (Item) throws -> JSON
  ) rethrows -> [JSON.Member] {
    var (rendered, size) = ([JSON](), 0)
    for (index, item) in items.enumerated() {
      let text = try json(item).text
      rendered.append(.verbatim(text))
      size += text.utf8.count
      guard size < PageSize.mostBytes || index == items.count - 1 else {
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
    Page.json(
      Array(zip(items, positions)), next: next.map(cursors.text), cursor: { cursors.text($0.1) }, json: { record($0.0) })
  }
}
