import PCMCore
import PCMNetwork
import PCMPages
import PCMSimulatedSites

extension ExampleAds {
  /// The time of the signatures in milliseconds, the signature of the ad that StoreKit renders, and the signed ad that the app
  /// renders.
  static func signed(at now: Instant) -> JSON {
    [
      "timestamp": .number(now.milliseconds),
      "signature": .string(TestAdNetwork.signature(of: ad(renderedImpression, at: now), signedAs: .null)),
      "jws": .string(TestAdNetwork.jws(of: ad(displayedImpression, at: now), signedAs: .null)),
    ]
  }

  private static func ad(_ impression: String, at now: Instant) -> JSON {
    [
      "version": "4.0",
      "adNetworkIdentifier": .string(adNetwork),
      "sourceIdentifier": .number(sourceIdentifier),
      "advertisedAppStoreItemIdentifier": .number(advertisedItem),
      "sourceAppStoreItemIdentifier": .number(sourceItem),
      "adImpressionIdentifier": .string(impression),
      "timestamp": .number(now.milliseconds),
    ]
  }
}
