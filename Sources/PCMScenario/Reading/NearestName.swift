import PCMCore

/// The known name that a misspelled one most likely stands for.
enum NearestName {
  /// `; did you mean "expect"?`, or nothing.
  static func hint(for name: String, among known: [String]) -> String {
    guard let nearest = nearest(to: name, among: known) else { return "" }
    return "; did you mean \"\(nearest)\"?"
  }

  private static func nearest(to name: String, among known: [String]) -> String? {
    guard name.utf8.count <= 64 else { return nil }
    let near = known.compactMap { known in
      EditDistance.between(simplified(name), simplified(known), atMost: max(1, (known.utf8.count + 1) / 3))
        .map { (name: known, distance: $0) }
    }
    return near.min { $0.distance < $1.distance }?.name
  }

  /// So that `tokenKey` and `token_key` are near to `token-key`.
  private static func simplified(_ name: String) -> [UInt8] {
    name.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
  }
}
