package import PCMCore

/// The outcome of a call about an ad.
package struct ImpressionOutcome: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The ad is displayed, and its view has not ended.
    case started
    case recorded
    /// The tap opened the app and began a conversion.
    case reengaged
    /// The tap opened the app.
    case opened
    case rejected
  }

  package let kind: Kind
  /// The ad, the reasons, and the error that the app receives.
  package let event: ImpressionDecided
  /// The smallest change with which the call would have an effect; nil for an effective call.
  package var change: String?
  /// The text that the ad network signed; nil if the call does not contain it.
  package let signedText: String?
  /// The conversion that a tap began.
  package var conversion: Int64?
  /// The URL with which an app opened.
  package var openedURL: String?
  package let sequence: Int64
  package let at: Instant

  /// The number of the ad.
  package var impression: Int64 { event.impression }
  package var reasons: [Reason] { event.reasons }
}

extension ImpressionOutcome: OperationOutcome {
  package var json: JSON {
    let ad = event.subject
    return [
      "id": .string(RecordName.impression(impression)), "at": .string(at.text), "outcome": .string(kind.rawValue),
      "reasons": .array(reasons.map(\.json)), "change": .string(change), "appleError": event.appleError,
      "framework": .string(ad.framework.rawValue), "bundleIdentifier": .string(ad.sourceApp),
      "adNetworkIdentifier": .string(ad.adNetworkIdentifier),
      "advertisedAppStoreItemIdentifier": .number(ad.advertisedAppStoreItemIdentifier),
      "interaction": .string(event.interaction?.rawValue), "signedText": .string(signedText),
      "conversionId": .string(conversion.map(RecordName.conversion)), "openedURL": .string(openedURL),
      "sequence": .number(sequence),
    ]
  }

  package var progress: CallProgress { CallProgress(outcome: kind.rawValue, reasons: reasons) }
}
