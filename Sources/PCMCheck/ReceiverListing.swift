import PCMCore
import PCMDelivery
import PCMTokens

/// A page of what `pcm-browser receive` lists of the reports that it received.
struct ReceiverListing: Decodable {
  let items: [Item]
  let next: String?

  struct Item: Decodable {
    let host: String
    let body: String
    let verdict: String
  }
}

extension Inquiry {
  /// What the receiver made of the reports at this site that carry a token, in their order; nil when it was not to be
  /// learnt, because it cannot be asked or did not answer.
  func receiverVerdicts(of token: UnlinkableToken) -> [String]? {
    let text = Base64URL.encode(token.bytes)
    var verdicts: [String] = []
    let pages = observations[.listing]
    guard !pages.isEmpty else { return nil }
    for page in pages {
      guard page.exchange.isAccepted, let listing = JSONAnswer.decode(ReceiverListing.self, of: page.exchange) else {
        return nil
      }
      verdicts += listing.items.filter { $0.host == site.domain && $0.body.contains(text) }.map(\.verdict)
    }
    return verdicts
  }
}
