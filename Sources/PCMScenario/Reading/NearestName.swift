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
    return best.distance <= max(1, best.name.utf8.count / 3) ? best.name : nil
  }

  /// So that `tokenKey` and `token_key` are near to `token-key`.
  private static func simplified(_ name: String) -> [UInt8] {
    name.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
  }

  /// Levenshtein's.
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (index, byte) in one.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, candidate) in other.enumerated() {
        let substituted = diagonal + (byte == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substituted, row[column + 1] + 1, row[column] + 1)
      }
    }
    return row[other.count]
  }
}
