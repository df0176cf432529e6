import Foundation
import PCMCore
import PCMSites
import Testing

@testable import PCMApp

/// The text and the JSON of `pcm-browser manifest`.
@Suite struct ManifestExplanationTests {
  private static func explanation(_ fixture: String) throws -> ManifestExplanation {
    let folder = URL(filePath: #filePath).appending(path: "../../../Fixtures/manifests").standardized
    let file = folder.appending(path: "\(fixture)/Info.plist").path
    return ManifestExplanation(try ManifestFile.read(file, sites: SiteParser(publicSuffixList: .builtIn())))
  }

  @Test("The text has what a browser reads, what a device reads, and the findings")
  func advertiser() throws {
    let text = try Self.explanation("advertiser").text
    #expect(
      text == """
        app              com.example.shop
        report endpoint  https://shop.example
        click source     shop.example
        reports go to    https://shop.example/.well-known/private-click-measurement/report-attribution/
        SKAdNetwork
          ad networks    none (SKAdNetworkItems)
          copies go to   https://shop.example/.well-known/skadnetwork/report-attribution/
        AdAttributionKit
          ad networks    none (AdNetworkIdentifiers)
          copy endpoint  https://shop.example
          copies go to   https://shop.example/.well-known/appattribution/report-attribution/
          install window 14 d after a click, 3 d after a view
            a1b2c3d4e5.skadnetwork: 30 d after a click, 3 d after a view, views ignored
            b7k2m9x4q1.adattributionkit: 14 d after a click, 7 d after a view, clicks ignored
          cooldown       6 h after an install, 1 d 12 h after a re-engagement
          switches       overlapping conversions: yes, copies of re-engagement postbacks: yes
        info: AttributionCopyEndpoint, AdAttributionKitConfigurations, EligibleForAdAttributionKitOverlappingConversions, \
        EligibleForAdAttributionKitReengagementPostbackCopies configure AdAttributionKit and have no effect on clicks. \
        [ad-attribution-kit-keys]
        good: a browser keeps clicks from this app

        """)
  }

  @Test("The text shows ten ad networks, and what is missing")
  func publisher() throws {
    let lines = try Self.explanation("publisher").text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("  ad networks    12: a1b2c3d4e5.skadnetwork, ") && $0.hasSuffix(" and 2 more") })
    #expect(lines.contains("  cooldown       none after an install, none after a re-engagement"))
    let plain = try Self.explanation("no-endpoint").text
    #expect(plain.components(separatedBy: "  copies go to   nowhere\n").count == 3)
    #expect(plain.contains("  copy endpoint  none (AttributionCopyEndpoint)\n"))
  }

  @Test("The JSON has the values of the app in the API")
  func json() throws {
    let json = try Self.explanation("publisher").json
    let values = try #require(json["adAttribution"])
    #expect(values["adNetworkIdentifiers"]?.text.hasPrefix(#"["a1b2c3d4e5.adattributionkit","#) == true)
    #expect(
      values["adAttributionKitCopyURL"] == .string("https://postbacks.example/.well-known/appattribution/report-attribution/"))
  }
}
