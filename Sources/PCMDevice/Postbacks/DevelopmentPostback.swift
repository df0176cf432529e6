package import PCMCore
package import PCMSignatures

/// A postback that a developer creates in the settings, without an ad: Developer, Ad Attribution Testing, Development Postbacks
/// (AdAttributionKit reference, sections 10 and 13).
package struct DevelopmentPostback: Sendable {
  /// The advertised app, which is installed.
  package let app: DeviceApp
  package let url: WebURL
  package let device: Device
  package let now: Instant
  package var type = ConversionType.download
  package var interaction = InteractionType.click
  package var sourceIdentifier: Int64 = 1_234
  package var publisherItemIdentifier: Int64 = 0
  /// The bundle identifier of the marketplace.
  package var marketplace = Install.appStore
  package var country: String?
  package var didWin = true
  /// The number of the window, 0 to 2.
  package var sequenceIndex = 0
  package var values = ReportedValues()
  package var crowd = CrowdTiers.highest

  package init(of app: DeviceApp, to url: WebURL, on device: Device, at now: Instant) {
    self.app = app
    self.url = url
    self.device = device
    self.now = now
  }

  package static let firstSystem = OSVersion(18, 4)
  package static let adNetworkIdentifier = "development.adattributionkit"

  /// Returns the postback, which is sent at once; nil for a second or third one in tier 0.
  ///
  /// - Parameters:
  ///   - conversion: The number of the conversion that the postback is about.
  ///   - impression: The number of its ad.
  package func planned(conversion: Int64, impression: Int64, draw: PostbackDraw) -> PlannedPostback? {
    let kept = KeptImpression(
      id: impression,
      impression: AdImpression(
        signed: .adAttributionKit(signed(draw)), interaction: interaction, sourceApp: nil, sourceSDK: nil,
        isDevelopment: true, recordedAt: now))
    let timing = ConversionTiming.developerMode
    let conversion = Conversion(
      id: conversion, type: type, winner: kept, runnersUp: [], marketplace: marketplace, country: country, convertedAt: now,
      tag: nil, timing: timing, windowStart: .firstUpdate, course: .windows(ConversionWindows(ends: timing.windowEnds)))
    let plan = PostbackPlan(
      conversion: conversion,
      order: PostbackOrder(conversion: conversion.id, index: sequenceIndex, windowEnd: now, values: values), kept: kept,
      didWin: didWin, crowd: crowd, draw: draw, system: device.system)
    guard let content = plan.content else { return nil }
    return PlannedPostback(
      conversion: conversion.id, impression: impression, content: content,
      omissions: plan.omissions(in: content, copy: nil), recipient: .developer(url.site), url: url.text, dueAt: now,
      isDevelopment: true)
  }

  /// The app in the App Store; 0 for one that is signed for development.
  package var advertisedItemIdentifier: Int64 { app.signing == .store ? app.itemIdentifier ?? 0 : 0 }

  private func signed(_ draw: PostbackDraw) -> AdAttributionKitImpression {
    AdAttributionKitImpression(
      impressionIdentifier: draw.identifier, publisherItemIdentifier: publisherItemIdentifier,
      adNetworkIdentifier: Self.adNetworkIdentifier, sourceIdentifier: sourceIdentifier,
      advertisedItemIdentifier: advertisedItemIdentifier, timestamp: now.milliseconds)
  }
}
