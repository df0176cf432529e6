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
    var (items, size, position): ([Postback], Int, Int64?) = ([], 0, id)
    while let after = position {
      // More than one postback shows whether the page is the last one. Small groups, because their texts may be long.
      let count = min(limit - items.count + 1, 50)
      let found = try (states.isEmpty ? [nil] : states.map(Optional.some)).flatMap {
        try postbacks(in: $0, after: after, limit: count)
      }
      let group = found.sorted { $0.id < $1.id }.prefix(count)
      for postback in group {
        guard items.count < limit, size < bytes else {
          return RecordPage(items: items, positions: items.map(\.id), next: items.last?.id)
        }
        items.append(postback)
        size += postback.size
      }
      position = group.count < count ? nil : group.last?.id
    }
    return RecordPage(items: items, positions: items.map(\.id), next: nil)
  }
}
