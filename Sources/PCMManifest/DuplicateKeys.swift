/// Keys that the outermost dictionary has more than once. A property list may not have them; readers take one of the
/// values and say nothing.
struct DuplicateKeys {
  private static let namedLimit = 5

  /// In alphabetical order.
  let keys: [String]

  init(_ keys: [String]) {
    var seen: Set<String> = []
    self.keys = Set(keys.filter { !seen.insert($0).inserted }).sorted()
  }

  var findings: [ManifestFinding] {
    guard !keys.isEmpty else { return [] }
    let named = keys.prefix(Self.namedLimit).map(\.asShown).joined(separator: ", ")
    let more = keys.count > Self.namedLimit ? " and \(keys.count - Self.namedLimit) more" : ""
    return [
      ManifestFinding(
        .duplicateKeys,
        "\(named)\(more): the manifest has more than one value for \(keys.count == 1 ? "this key" : "each of these keys"), and "
          + "only one counts. Keep the one that you mean.")
    ]
  }
}
