/// What an advertised app reported about an install. No framework signs it.
package enum ConversionValue: Hashable, Sendable {
  /// 0 to 63, in the first postback only.
  case fine(Int64)
  case coarse(Coarse)

  package enum Coarse: String, Hashable, Sendable, CaseIterable {
    case low
    case medium
    case high
  }
}
