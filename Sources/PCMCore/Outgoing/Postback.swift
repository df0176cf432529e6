/// One postback to one recipient: the ad network, or the developer of the advertised app. It is kept after it ends, for reading.
package struct Postback: OutgoingRecord {
  package static let kind = RecordName.Kind.postback

  package enum Recipient: String, Hashable, Sendable, CaseIterable {
    case adNetwork = "ad-network"
    /// A copy for the developer.
    case developer
  }

  package let id: Int64
  package let conversion: Int64
  /// The ad for which the network receives the postback.
  package let impression: Int64
  package let framework: AdFramework
  /// The number of its conversion window: 0 to 2.
  package let sequenceIndex: Int
  package let didWin: Bool
  package let recipient: Recipient
  package let adNetworkIdentifier: String
  /// The bundle identifier of the advertised app.
  package let bundleIdentifier: String
  package let url: String
  package let body: String
  package var message: OutgoingMessage
  package var attempts: [KeptAttempt]

  package init(
    id: Int64, conversion: Int64, impression: Int64, framework: AdFramework, sequenceIndex: Int, didWin: Bool,
    recipient: Recipient, adNetworkIdentifier: String, bundleIdentifier: String, url: String, body: String,
    message: OutgoingMessage, attempts: [KeptAttempt] = []
  ) {
    self.id = id
    self.conversion = conversion
    self.impression = impression
    self.framework = framework
    self.sequenceIndex = sequenceIndex
    self.didWin = didWin
    self.recipient = recipient
    self.adNetworkIdentifier = adNetworkIdentifier
    self.bundleIdentifier = bundleIdentifier
    self.url = url
    self.body = body
    self.message = message
    self.attempts = attempts
  }
}
