import PCMCore

/// The part of an action that last-click attribution reads: whether it is a click or a triggering event, of which pair of sites.
package enum SimulatedTouch: Hashable, Sendable {
  /// - Parameters:
  ///   - pair: A hash of the source and the destination; nil if one of them has no site.
  ///   - sourceID: Nil unless it is from 0 to 255.
  case click(pair: UInt64?, sourceID: UInt8?)
  case trigger(pair: UInt64?)

  init(_ link: LinkClick) {
    self = .click(pair: Self.pair(link.page?.site, link.destination?.site), sourceID: link.sourceID)
  }

  /// Creates the value of a redirect, which may name the source of its click.
  init(_ redirect: ObservedRedirect, _ reading: TriggerURL.Reading) {
    var evaluation = RuleEvaluation(keepsInputs: false)
    let named = (try? TriggerURL.parse(reading, &evaluation).get())?.attributionSource
    self = .trigger(pair: Self.pair(named ?? redirect.to.site, redirect.firstPartySite))
  }

  /// Returns a hash of two sites (FNV-1a); nil if one of them is no site.
  static func pair(_ source: Site?, _ destination: Site?) -> UInt64? {
    guard let source, let destination else { return nil }
    let text = "\(source.domain) \(destination.domain)"
    return SplitMix64.mix(text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
  }
}
