/// The versions of SKAdNetwork, in ascending order.
package enum SKAdNetworkVersion: String, Hashable, Codable, Sendable, CaseIterable, Comparable {
  case v1 = "1.0"
  case v2 = "2.0"
  case v21 = "2.1"
  case v22 = "2.2"
  case v3 = "3.0"
  case v4 = "4.0"

  package static func < (first: Self, second: Self) -> Bool {
    allCases.firstIndex(of: first) ?? 0 < allCases.firstIndex(of: second) ?? 0
  }

  /// The curve of Apple's key for the postbacks of this version (reference, section 8). Ad networks sign with P-256 in every
  /// version.
  package var postbackCurve: Curve { self < .v21 ? .p192 : .p256 }
}
