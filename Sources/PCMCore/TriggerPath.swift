/// Comparison of a redirect target's path with the well-known trigger path.
package enum TriggerPath {
  /// Check 1 of section 4.2 of the reference: compares the path byte by byte without decoding it.
  package static let rules: [Rule<WebURL, RejectionReason>] = [
    Rule("path-is-the-trigger-path", inputs: ["triggerURL": { .string($0.text) }]) { url in
      TriggerURL.isTrigger(url) ? nil : .pathNotATrigger(path: url.path, intended: intended(by: url.path))
    }
  ]

  /// Returns the trigger path that a misspelled path most likely means, or nil.
  package static func intended(by path: String) -> String? {
    let decoded = PercentEncoding.decoded(path.prefix(512).utf8, plusIsSpace: false)
    let segments = decoded.lowercased().split(separator: "/").suffix(mostSegments).map { Array($0.utf8) }
    guard segments.contains(where: { segment in names.contains { resembles(segment, $0) } }) else { return nil }
    let tail = segments.suffix(2).reversed().prefix { $0.count <= 2 }.reversed().map { String(decoding: $0, as: UTF8.self) }
    return TriggerURL.pathPrefix + (tail.isEmpty ? "DD" : tail.joined(separator: "/"))
  }

  private static let names = ["private-click-measurement", "trigger-attribution"].map { Array($0.utf8) }
  private static let mostSegments = 8

  /// Whether at most one letter in three differs.
  private static func resembles(_ text: [UInt8], _ name: [UInt8]) -> Bool {
    EditDistance.between(text, name, atMost: name.count / 3) != nil
  }
}
