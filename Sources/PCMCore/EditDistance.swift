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
}
