/// A version of iOS, or of the SDK with which an app was built.
package struct OSVersion: Hashable, Comparable, Codable, Sendable {
  package let major: Int64
  package let minor: Int64

  package init(_ major: Int64, _ minor: Int64 = 0) {
    self.major = major
    self.minor = minor
  }

  /// Reads `17`, `17.4`, or `17.4.1`; no rule depends on the third number. Returns nil for other text.
  package init?(text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part -> Int64? in
      let isNumber = (1...4).contains(part.count) && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      return isNumber ? Int64(Substring(part)) : nil
    }
    guard (1...3).contains(parts.count), numbers.count == parts.count else { return nil }
    self.init(numbers[0], numbers.count > 1 ? numbers[1] : 0)
  }

  package var text: String { "\(major).\(minor)" }

  package static func < (left: OSVersion, right: OSVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}
