/// What an advertised app reported about an install. No framework signs it.
package enum ConversionValue: Hashable, Sendable {
  /// A number of ``fineValues``, in the first postback only.
  case fine(Int64)
  case coarse(Coarse)

  package static let fineValues: ClosedRange<Int64> = 0...63

  package enum Coarse: String, Hashable, Sendable, CaseIterable {
    case low
    case medium
    case high
  }
}
