import PCMCore
import PCMManifest
import Testing

/// The manifests in `Fixtures/manifests/cases`.
@Suite struct CaseTests {
  typealias Verdict = Judgment.Verdict

  @Test(
    "Each part that an app takes in a measurement is judged",
    arguments: [
      ("m02-nested-postbackcopyurl.plist", [.good, .unused, .good, .unused, .bad, .unused]),
      ("m03-nested-copyendpoint-optin.plist", [.unused, .unused, .unused, .unused, .bad, .unused]),
      ("m11-wwdc25.plist", [.unused, .unused, .unused, .unused, .good, .unused]),
      ("m17-only-skan.plist", [.unused, .good, .unused, .unused, .unused, .unused]),
      ("m20-optin-top-level.plist", [.good, .unused, .good, .unused, .bad, .unused]),
      ("m26-optional-endpoint-aak-only.plist", [.unused, .unused, .unused, .good, .good, .unused]),
      ("web-m08c-workers.plist", [.good, .unused, .good, .unused, .unused, .unused]),
      ("web-m09-http-nobundle.plist", [.bad, .unused, .bad, .unused, .unused, .unused]),
      ("web-m10-source-form.plist", [.good, .unused, .good, .unused, .unused, .unused]),
      ("web-m12-bom-180-ids.plist", [.good, .good, .good, .unused, .unused, .unused]),
      ("web-m12c-array-of-strings.plist", [.good, .bad, .good, .unused, .unused, .unused]),
      ("web-m15-flutter-Runner.plist", [.bad, .unused, .bad, .unused, .unused, .unused]),
    ] as [(String, [Verdict])])
  func judgments(_ name: String, _ verdicts: [Verdict]) throws {
    let review = try reader.review(Fixture.bytes("cases/\(name)"))
    #expect(review.judgments.map(\.participation) == Participation.allCases)
    #expect(review.judgments.map(\.verdict) == verdicts, "\(review.findings.map(\.detail))")
  }

  @Test(
    "Each nested or invented key is named with its right key",
    arguments: [
      ("m02-nested-postbackcopyurl.plist", [("AdAttributionKit/PostbackCopyURL", "AttributionCopyEndpoint")]),
      (
        "m03-nested-copyendpoint-optin.plist",
        [
          ("AdAttributionKit/AttributionCopyEndpoint", "AttributionCopyEndpoint"),
          (
            "AdAttributionKit/OptInForReengagementPostbackCopies", "EligibleForAdAttributionKitReengagementPostbackCopies"
          ),
        ]
      ),
      (
        "m20-optin-top-level.plist",
        [("OptInForReengagementPostbackCopies", "EligibleForAdAttributionKitReengagementPostbackCopies")]
      ),
      ("m11-wwdc25.plist", [("/reengagement-cooldown-hours", "re-engagement-cooldown-hours")]),
    ])
  func rightKeys(_ name: String, _ keys: [(written: String, right: String)]) throws {
    let details = try reader.review(Fixture.bytes("cases/\(name)")).findings.map(\.detail)
    for key in keys {
      let names = details.contains { $0.contains(key.written) && $0.contains(" \(key.right)") }
      #expect(names, "\(key): \(details)")
    }
  }

  @Test("One number of ad networks for a list: its recognized identifiers")
  func networks() throws {
    for (name, count) in [("web-m12-bom-180-ids.plist", 182), ("web-m12c-array-of-strings.plist", 0)] {
      let review = try reader.review(Fixture.bytes("cases/\(name)"))
      #expect(review.adAttribution.skAdNetworkIdentifiers.count == count)
      let note = review.findings.first { $0.code == .skAdNetworkItems }
      #expect(note?.detail.hasPrefix("SKAdNetworkItems lists \(count) ad networks.") == true, "\(note?.detail ?? "")")
      let publisher = review.judgments.first { $0.participation == .skAdNetworkPublisher }
      #expect(publisher?.detail == (count == 0 ? "see the errors" : "\(count) ad networks"))
    }
  }

  @Test(
    "A file that a preprocessor cut, or that one has yet to read, has its line, its column, and the cause",
    arguments: [
      ("web-m02-preprocessed-cut.plist", XMLProblem(line: 8, column: 16, .cutAtSlashes(scheme: "https"))),
      ("web-m11-ifdef.plist", XMLProblem(line: 9, column: 1, .directive("#ifdef"))),
      ("web-m11b-ifdef-endpoint.plist", XMLProblem(line: 8, column: 1, .directive("#if"))),
    ])
  func preprocessed(_ name: String, _ problem: XMLProblem) throws {
    #expect(throws: ManifestError.malformedXML(problem)) { try reader.review(Fixture.bytes("cases/\(name)")) }
    let detail = ManifestError.malformedXML(problem).detail
    #expect(detail.hasPrefix("Line \(problem.line), column \(problem.column ?? 0): ") && detail.contains("preprocessor"))
  }

  @Test("At a hosting service, only a domain of your own helps")
  func hosting() throws {
    let review = try reader.review(Fixture.bytes("cases/web-m08c-workers.plist"))
    #expect(review.findings.map(\.code) == [.endpointSubdomainIgnored])
    #expect(review.findings.first?.detail.hasSuffix("only a domain of your own helps.") == true)
  }

  @Test(
    "A build setting as a value is unknown, neither good nor bad",
    arguments: [
      ("<key>NSAdvertisingAttributionReportEndpoint</key><string>$(ENDPOINT)</string>", Participation.clicks),
      ("<key>AttributionCopyEndpoint</key><string>https://${HOST}</string>", .adAttributionKitAdvertiser),
      ("<key>AdNetworkIdentifiers</key><array><string>$(NETWORK)</string></array>", .adAttributionKitPublisher),
      (
        "<key>SKAdNetworkItems</key><array><dict><key>SKAdNetworkIdentifier</key><string>$(N)</string></dict></array>",
        .skAdNetworkPublisher
      ),
      ("<key>NSUserTrackingUsageDescription</key><string>$(TRACKING_TEXT)</string>", .tracking),
    ])
  func unknown(_ keys: String, _ part: Participation) throws {
    let review = try reader.review(propertyList(keys))
    #expect(review.judgments.first { $0.participation == part }?.verdict == .unknown)
    #expect(!review.findings.contains { $0.severity == .error && $0.participations.contains(part) }, "\(review.findings)")
    #expect(review.clickEndpoint != .missing || part != .clicks)
  }

  @Test("A manifest without any key is meant for clicks")
  func noKey() throws {
    let review = try reader.review(propertyList(""))
    #expect(review.findings.map(\.code) == [.endpointMissing])
    #expect(review.judgments.map(\.verdict) == [.bad, .unused, .unused, .unused, .unused, .unused])
  }
}
