package import PCMCore
package import PCMCrypto

/// A postback that is sent after its delay: everything except Apple's signature.
package struct PlannedPostback: Hashable, Sendable {
  package enum Content: Hashable, Sendable {
    case skAdNetwork(SKAdNetworkPostback)
    case adAttributionKit(AdAttributionKitPostback)
  }

  package enum Recipient: Hashable, Sendable {
    case adNetwork(String)
    /// A copy, the same bytes at the same time, for the developer of the advertised app.
    case developer(Site)
  }

  package let conversion: Int64
  /// The ad for which the network receives the postback.
  package let impression: Int64
  package let content: Content
  /// The fields that the postback lacks, with the reasons.
  package let omissions: [PostbackOmission]
  package let recipient: Recipient
  package let url: String
  package let dueAt: Instant
  /// Whether the ad serves only for tests. AdAttributionKit signs its postbacks with a development key.
  package let isDevelopment: Bool

  /// The identifier of the postback, which copies share.
  package var identifier: String {
    switch content {
    case .skAdNetwork(let postback): postback.transactionIdentifier
    case .adAttributionKit(let postback): postback.postbackIdentifier
    }
  }
}

/// What follows from a window whose values are final.
package struct PostbackDecision: Hashable, Sendable {
  /// The winner's postback, its copy, and the runners-up's postbacks in their order.
  package let planned: [PlannedPostback]
  package let withheld: [WithheldPostback]
}

/// A postback that is not sent.
package struct WithheldPostback: Hashable, Sendable {
  package let impression: Int64
  package let reason: Violation

  static func lowestTier(impression: Int64, index: Int) -> WithheldPostback {
    let detail = "in tier 0, \(RecordName.impression(impression)) has no postback \(index + 1)"
    return WithheldPostback(
      impression: impression, reason: Violation("lowest-tier", detail, change: "set a tier of 1 or more"))
  }
}

/// The random values of one postback.
package struct PostbackDraw: Hashable, Sendable {
  /// A number in `0..<1`.
  package let delay: Double
  /// A UUID.
  package let identifier: String

  package init(delay: Double, identifier: String) {
    self.delay = delay
    self.identifier = identifier
  }
}
