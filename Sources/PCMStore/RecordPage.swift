/// A page of a list of records, ordered by position.
package struct RecordPage<Record: Hashable & Sendable>: Hashable, Sendable {
  package let items: [Record]
  /// The position of each record.
  package let positions: [Int64]
  /// The position after which the next page begins; nil on the last page. A page may have fewer records than the limit, even
  /// none, and a next page, because the work for one page is bounded.
  package let next: Int64?

  package init(items: [Record], positions: [Int64], next: Int64?) {
    self.items = items
    self.positions = positions
    self.next = next
  }
}
