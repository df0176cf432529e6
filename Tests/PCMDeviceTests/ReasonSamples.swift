import PCMCore
import PCMDevice
import PCMSignatures

/// One value of each case that has a reason.
enum ReasonSamples {
  static let all = violations.map(\.reason) + notes

  static let violations: [any RuleViolation] = {
    let groups: [[any RuleViolation]] = [
      parties, skAdNetwork.map { ImpressionRejection.skAdNetwork($0) }, webAd.map { ImpressionRejection.webAd($0) },
      adAttributionKit.map { ImpressionRejection.adAttributionKit($0) }, views.map { ImpressionRejection.view($0) }, installs,
      runnersUp, reengagements, updates, withheld,
    ]
    return groups.flatMap { $0 }
  }()

  private static let expectation = SourceAppExpectation(Sample.sourceApp, on: Device(), at: Sample.now)
  private static let key = OpenView.Key(framework: .skadnetwork, bundleIdentifier: "a", advertisedItemIdentifier: 1)

  private static let parties: [AdNetworkRejection] = [.notLowerCase("A"), .wrongCurve(.p192), .postbackURLNotHTTPS("http://a")]

  private static let skAdNetwork: [SKAdNetworkRejection] = [
    .unsupportedPlatform(.appClip, bundleIdentifier: "a"), .unsupportedPlatform(.macCatalyst, bundleIdentifier: "a"),
    .versionUnknown("9"), .viewThroughTooOld(.v2),
    .versionNotSupported(.v4, .sdkTooOld(OSVersion(14), needed: OSVersion(16, 1))),
    .versionNotSupported(.v4, .systemTooOld(OSVersion(14), needed: OSVersion(16, 1))),
    .versionNotSupported(.v1, .version1Ended(sdk: OSVersion(14), system: OSVersion(15))), .valueMissing(["nonce"]),
    .networkNotLowerCase("A"), .networkNotDeclared("a", bundleIdentifier: "b"), .networkNotRegistered("a"),
    .campaignOutOfRange(0), .sourceIdentifierOutOfRange(10_000), .advertisedAppInvalid(0), .sourceAppInvalid(-1),
    .sourceAppMismatch(5, expected: expectation), .nonceInvalid("a"), .timestampNotMilliseconds(5),
    .timestampNotMilliseconds(-5), .signatureMalformed, .signatureInvalid(SignedText(["a"]), fix: nil),
    .signatureInvalid(SignedText(["a"]), fix: "Sign it."),
  ]

  private static let webAd: [WebAdRejection] = [
    .systemTooOld(OSVersion(16)), .privateSession, .payloadStatus(404), .payloadContentType(nil), .payloadContentType("a/b"),
    .payloadNotObject, .payloadVersion("3.0"), .networkNotRegistered("a"), .payloadInvalid("a"),
    .payloadMismatch(member: "a", found: "b", expected: "c"), .payloadSignatureInvalid("a", fix: nil),
    .payloadSignatureInvalid("a", fix: "Sign it."),
  ]

  private static let adAttributionKit: [AdAttributionKitRejection] = [
    .unsupportedPlatform(bundleIdentifier: "a"), .systemTooOld(OSVersion(17)), .sdkTooOld(OSVersion(17)),
    .malformed(.components, "a"), .malformed(.header, "a"), .malformed(.payload, "a"), .malformed(.signature, "a"),
    .networkNotLowerCase("A"), .networkNotDeclared("a", bundleIdentifier: "b"), .networkNotRegistered("a"),
    .signatureInvalid("a", fix: nil), .publisherMismatch(5, expected: expectation), .tapNotVerified,
    .impressionExpired(age: .hours(1)), .viewTooShort(.seconds(1)),
  ]

  private static let views: [ViewRejection] = [.notStarted(key), .tooShort(.seconds(1), minimum: .seconds(2), .skadnetwork)]

  private static let installs: [InstallRejection] = [
    .otherApp(5), .appNotFromStore(bundleIdentifier: "a"), .otherMarketplace("a"), .systemTooOld(OSVersion(17)),
    .versionNotSupported(.v4, .sdkTooOld(OSVersion(14), needed: OSVersion(16, 1))), .interactionIgnored(.view, network: "a"),
    .expired(at: Sample.now, window: .days(1), .view, installedAt: Sample.now + .hours(1)), .cooldown(until: Sample.now),
    .developmentOnly,
  ]

  private static let runnersUp: [RunnerUpRejection] = [
    .beyondSix(place: 7), .systemTooOld(OSVersion(14)), .versionTooOld(.v2), .networkWon("a"), .networkRanUp("a"),
  ]

  private static let reengagements: [ReengagementRejection] = [
    .systemTooOld(OSVersion(17)), .notAClick, .notEligible, .otherApp(5), .cooldown(until: Sample.now),
  ]

  private static let updates: [UpdateRejection] = [
    .valueOutOfRange(64, .skadnetwork), .nothingPending(item: nil), .otherFramework, .noConversionOfType,
    .tagNotSupported(why: "a"), .tagUnknown("a"), .launchTooLate(deadline: Sample.now),
    .firstUpdateTooLate(deadline: Sample.now),
    .conversionEnded, .windowLocked(index: 0, until: Sample.now), .coarseMissing(index: 1), .valueNotGreater(1, kept: 63),
    .valueNotGreater(1, kept: 2), .alreadyRegistered,
  ]

  private static let withheld: [WithheldPostback] = [
    .lowestTier(impression: 1, index: 1), .networkNotRegistered(impression: 1, "a"),
  ]

  private static let notes: [Reason] =
    [ImpressionNote.development, .timestampOff(.days(2))].map(\.reason) + DropReason.allCases.map(\.reason)
    + [
      RemovalReason.tooManyViews(newest: 2, of: Sample.kept(1)), .replaced(by: 2, 1), .expired(at: Sample.now, 1),
      .used(conversion: 1, 2),
    ].map(\.reason)
}
