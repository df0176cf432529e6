/// How an ad was displayed (reference, section 2).
package enum Fidelity: Int64, Hashable, Sendable, CaseIterable {
  case viewThrough = 0
  /// An ad that StoreKit renders, or a web ad.
  case storeKitRendered = 1

  /// The other one.
  var swapped: Fidelity { self == .viewThrough ? .storeKitRendered : .viewThrough }
}
