package import PCMCore
package import PCMCrypto

/// The recipient and the content of postbacks that a developer creates in the settings, without an ad: Developer, Ad Attribution
/// Testing, Development Postbacks (AdAttributionKit reference, sections 10 and 13).
package struct DevelopmentPostback: Hashable, Codable, Sendable {
  package let url: String
  package let didWin: Bool
  /// The crowd of each window's postback. The last crowd also applies to later windows.
  package let crowds: [CrowdTiers]
  /// Whether the postbacks are due when the developer creates them. Such a conversion is not kept.
  package var isDueAtOnce = false

  package init(url: String, didWin: Bool, crowds: [CrowdTiers]) {
    (self.url, self.didWin, self.crowds) = (url, didWin, crowds)
  }

  package static let firstSystem = OSVersion(18, 4)
  package static let adNetworkIdentifier = "development.adattributionkit"

  func crowd(index: Int) -> CrowdTiers { crowds.dropFirst(index).first ?? crowds.last ?? .highest }

  /// The delay of a postback after the end of its window: a few minutes on every device.
  var delay: PostbackDelay {
    isDueAtOnce
      ? PostbackDelay(shortest: .minutes(0), range: .minutes(0)) : PostbackDelay(shortest: .minutes(5), range: .minutes(5))
  }
}

extension Conversion {
  /// Creates the conversion of development postbacks. All windows start with values, so each has a postback.
  ///
  /// - Parameters:
  ///   - ad: An ad that no app displayed.
  ///   - windowCount: 1 or 3.
  package init(
    id: Int64, type: ConversionType, of ad: KeptImpression, marketplace: String, country: String?, tag: String?,
    windowCount: Int, values: ReportedValues, _ development: DevelopmentPostback, on device: Device
  ) {
    let now = ad.impression.recordedAt
    let isShort = development.isDueAtOnce || device.isInDeveloperMode(at: now)
    let timing: ConversionTiming = isShort ? .developerMode : .production
    self.init(
      id: id, type: type, winner: ad, runnersUp: [], marketplace: marketplace, country: country,
      crowd: development.crowd(index: 0), convertedAt: now, tag: tag,
      timing: timing, windowStart: .firstUpdate,
      course: .windows(ConversionWindows(ends: timing.windowEnds.prefix(windowCount), values: values, startedAt: now)),
      development: development)
  }
}
