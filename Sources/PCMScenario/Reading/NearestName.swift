/// What somebody may have meant who wrote a name that is not known.
enum NearestName {
  /// `; did you mean "expect"?`, or nothing.
  static func hint(for name: String, among known: [String]) -> String {
    guard let nearest = nearest(to: name, among: known) else { return "" }
    return "; did you mean \"\(nearest)\"?"
  }

  private static func nearest(to name: String, among known: [String]) -> String? {
    guard name.utf8.count <= 64 else { return nil }
    let distances = known.map { (name: $0, distance: distance(simplified(name), simplified($0))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, (best.name.utf8.count + 1) / 3) ? best.name : nil
  }

  /// So that `tokenKey` and `token_key` are near to `token-key`.
  private static func simplified(_ name: String) -> [UInt8] {
    name.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
  }

  /// Levenshtein's, with two letters in the wrong order as one mistake.
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
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
      (before, row) = (row, next)
    }
    return row[other.count]
  }
}
