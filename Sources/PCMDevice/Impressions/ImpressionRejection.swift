package import PCMCore

/// Why a device does not record an ad.
package enum ImpressionRejection: Hashable, RuleViolation {
  case skAdNetwork(SKAdNetworkRejection)
  case view(ViewRejection)
  case webAd(WebAdRejection)
  case adAttributionKit(AdAttributionKitRejection)

  package var reason: Reason { violation.reason }
  package var change: String { violation.change }

  /// The error that the app receives; nil if Apple's API reports none.
  package var appleError: AppleError? {
    switch self {
    case .skAdNetwork(let rejection): rejection.appleError
    case .view(let rejection): rejection.appleError
    case .webAd: nil
    case .adAttributionKit(let rejection): rejection.appleError
    }
  }

  private var violation: any RuleViolation {
    switch self {
    case .skAdNetwork(let rejection): rejection
    case .view(let rejection): rejection
    case .webAd(let rejection): rejection
    case .adAttributionKit(let rejection): rejection
    }
  }
}
