/// The names of a browser's records in the log, the API, and reasons.
package enum RecordName {
  package static func click(_ id: Int64) -> String { "click-\(id)" }
  package static func attribution(_ id: Int64) -> String { "attribution-\(id)" }
  package static func report(_ id: Int64) -> String { "report-\(id)" }

  /// Returns the number in a name of any kind, or nil for other text.
  package static func number(in name: String) -> Int64? {
    Kind.allCases.lazy.compactMap { $0.number(name) }.first
  }

  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case click, attribution, report

    /// Returns the number in a name such as `click-12`, or nil for other text.
    package func number(_ name: String) -> Int64? {
      guard name.hasPrefix("\(rawValue)-"), let number = Int64(name.dropFirst(rawValue.utf8.count + 1)),
        name == "\(rawValue)-\(number)"
      else { return nil }
      return number
    }
  }
}
