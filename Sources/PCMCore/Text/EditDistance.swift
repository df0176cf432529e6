/// The edit distance between two words, for suggestions.
package enum EditDistance {
  /// Returns the number of insertions, deletions, substitutions, and swaps of neighbors that turn one text into the
  /// other, or nil when it exceeds the limit.
  package static func between(_ one: [UInt8], _ other: [UInt8], atMost limit: Int) -> Int? {
    guard abs(one.count - other.count) <= limit else { return nil }
    var before: [Int] = []
    var row = Array(0...other.count)
    for (index, byte) in one.enumerated() {
      var next = [index + 1]
      for (column, candidate) in other.enumerated() {
        var best = min(row[column] + (byte == candidate ? 0 : 1), row[column + 1] + 1, next[column] + 1)
        if index > 0, column > 0, byte == other[column - 1], candidate == one[index - 1] {
          best = min(best, before[column - 1] + 1)
        }
        next.append(best)
      }
      // A swap needs the row before the previous one.
      guard next.contains(where: { $0 <= limit }) || row.contains(where: { $0 <= limit }) else { return nil }
      (before, row) = (row, next)
    }
    return row[other.count] <= limit ? row[other.count] : nil
  }

  /// Returns the values with the least distance, in order; none when all are too far.
  package static func nearest<Value>(of values: some Sequence<Value>, by distance: (Value) -> Int?) -> [Value] {
    let near = values.compactMap { value in distance(value).map { (value: value, distance: $0) } }
    let least = near.map(\.distance).min()
    return near.filter { $0.distance == least }.map(\.value)
  }
}

/// Finds the known name that is most similar to a misspelled name.
package enum NearestName {
  /// Returns `; did you mean "expect"?`, or an empty string.
  package static func hint(for name: String, among known: [String]) -> String {
    if let note = linkNotes[name.lowercased()], known.contains("attributionDestination") { return "; \(note)" }
    guard let nearest = nearest(to: name, among: known) else { return "" }
    return "; did you mean \"\(nearest)\"?"
  }

  /// Members that people give a link because HTML has them. The name `attributeon` is older than iOS 14.5.
  private static let linkNotes = [
    "attributeon": "WebKit no longer reads attributeon; did you mean \"attributionDestination\"?",
    "html": "give the attributes of the link as members, such as href and attributionSourceID",
  ]

  /// Returns the known name that is most similar to a misspelled name; nil when none is similar enough.
  package static func nearest(to name: String, among known: [String]) -> String? {
    guard name.utf8.count <= 64 else { return nil }
    let letters = simplified(name)
    return EditDistance.nearest(of: known) {
      EditDistance.between(letters, simplified($0), atMost: max(1, ($0.utf8.count + 1) / 3))
    }.first
  }

  /// Simplifies names so that `tokenKey` and `token_key` match `token-key`.
  private static func simplified(_ name: String) -> [UInt8] {
    name.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
  }
}
