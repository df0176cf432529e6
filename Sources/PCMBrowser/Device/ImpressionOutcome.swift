package import PCMCore
import PCMDevice

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
  /// The number of the ad.
  package let impression: Int64
  package let subject: ImpressionSubject
  package let interaction: InteractionType?
  package let reasons: [Reason]
  /// The smallest change with which the call would have an effect; nil for one that has.
  package let change: String?
  package let appleError: AppleError?
  /// The text that the ad network signed; nil if the call does not contain it.
  package let signedText: String?
  /// The conversion that a tap began.
  package var conversion: Int64?
  /// The URL with which an app opened.
  package var openedURL: String?
  package let sequence: Int64
  package let at: Instant

  init(
    _ kind: Kind, sequence: Int64, at: Instant, impression: Int64, subject: ImpressionSubject, interaction: InteractionType?,
    reasons: [Reason], change: String? = nil, appleError: AppleError? = nil, signedText: String?
  ) {
    self.kind = kind
    self.impression = impression
    self.subject = subject
    self.interaction = interaction
    self.reasons = reasons
    self.change = change
    self.appleError = appleError
    self.signedText = signedText
    self.sequence = sequence
    self.at = at
  }
}

extension ImpressionOutcome: OperationOutcome {
  package var json: JSON {
    [
      "id": .string(RecordName.impression(impression)), "at": .string(at.text), "outcome": .string(kind.rawValue),
      "reasons": .array(reasons.map(\.json)), "change": .string(change), "appleError": appleError?.json ?? .null,
      "framework": .string(subject.framework.rawValue), "bundleIdentifier": .string(subject.sourceApp),
      "adNetworkIdentifier": .string(subject.adNetworkIdentifier),
      "advertisedAppStoreItemIdentifier": .number(subject.advertisedAppStoreItemIdentifier),
      "interaction": .string(interaction?.rawValue), "signedText": .string(signedText),
      "conversionId": .string(conversion.map(RecordName.conversion)), "openedURL": .string(openedURL),
      "sequence": .number(sequence),
    ]
  }

  package var progress: CallProgress { CallProgress(outcome: kind.rawValue, reasons: reasons) }
}
