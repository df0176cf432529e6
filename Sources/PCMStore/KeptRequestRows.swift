import PCMCore

/// Kept requests in memory, by key, and ordered by their arrival and key.
struct KeptRequestRows {
  private var rows: [String: KeptRequest] = [:]
  private var order = OrderedIndex<Place>()
  private var byteCount = 0

  private struct Place: Comparable {
    let receivedAt: Instant
    let key: String

    init(_ request: KeptRequest) {
      receivedAt = request.receivedAt
      key = request.key
    }

    static func < (left: Place, right: Place) -> Bool {
      left.receivedAt == right.receivedAt ? left.key < right.key : left.receivedAt < right.receivedAt
    }
  }

  /// A change of one row, for its inverse.
  struct Change {
    let key: String
    let before: KeptRequest?
  }

  subscript(key: String) -> KeptRequest? { rows[key] }

  /// Adds a request, or replaces the one with its key, and then removes the oldest others until none exceeds a limit.
  /// Returns the changes in order.
  mutating func keep(_ request: KeptRequest, within limits: KeptRequestLimits) -> [Change] {
    var changes = [set(request, for: request.key)]
    while let oldest = order.elements.first(where: { $0.key != request.key }),
      limits.areExceeded(by: KeptRequestTotal(count: rows.count, byteCount: byteCount, oldest: oldest.receivedAt))
    {
      changes.append(set(nil, for: oldest.key))
    }
    return changes
  }

  mutating func undo(_ changes: [Change]) {
    for change in changes.reversed() { _ = set(change.before, for: change.key) }
  }

  private mutating func set(_ request: KeptRequest?, for key: String) -> Change {
    let old = rows[key]
    if let old {
      order.remove(Place(old))
      byteCount -= old.byteCount
    }
    rows[key] = request
    if let request {
      order.insert(Place(request))
      byteCount += request.byteCount
    }
    return Change(key: key, before: old)
  }
}
