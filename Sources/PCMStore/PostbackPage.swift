package import PCMCore

extension BrowserReader {
  /// Returns a page of the postbacks after `id`. The position of a postback is its number.
  ///
  /// - Parameters:
  ///   - states: The states of the postbacks; empty for all.
  ///   - bytes: The size of bodies and attempts with which the page ends.
  package func postbackPage(
    in states: Set<Postback.State>, after id: Int64, limit: Int, bytes: Int = .max
  ) throws -> RecordPage<Postback> {
    var queues = (states.isEmpty ? [nil] : states.map { $0 }).map { PostbackQueue(state: $0, position: id) }
    var (items, size) = ([Postback](), 0)
    func page(next: Int64?) -> RecordPage<Postback> { RecordPage(items: items, positions: items.map(\.id), next: next) }
    while true {
      for index in queues.indices { try queues[index].fill(from: self) }
      guard let index = queues.indices.filter({ queues[$0].first != nil }).min(by: { queues[$0].isBefore(queues[$1]) })
      else { return page(next: nil) }
      guard items.count < limit, size < bytes else { return page(next: items.last?.id) }
      guard let postback = queues[index].removeFirst() else { return page(next: nil) }
      items.append(postback)
      size += postback.size
    }
  }
}

/// The postbacks in one state, or in all, in their order, read in small groups.
private struct PostbackQueue {
  private static let groupCount = 50

  private let state: Postback.State?
  private var position: Int64
  private var waiting: ArraySlice<Postback> = []
  private var isComplete = false

  init(state: Postback.State?, position: Int64) {
    (self.state, self.position) = (state, position)
  }

  var first: Postback? { waiting.first }

  func isBefore(_ other: PostbackQueue) -> Bool { first?.id ?? .max < other.first?.id ?? .max }

  /// Reads the next group when no postback waits.
  mutating func fill(from reader: some BrowserReader) throws {
    guard waiting.isEmpty, !isComplete else { return }
    waiting = try reader.postbacks(in: state, after: position, limit: Self.groupCount)[...]
    isComplete = waiting.count < Self.groupCount
    position = waiting.last?.id ?? position
  }

  mutating func removeFirst() -> Postback? { waiting.popFirst() }
}
