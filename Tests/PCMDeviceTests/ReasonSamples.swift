import PCMCore
import PCMDevice
import PCMSignatures

/// One value of each case that has a reason.
struct ReasonSample {
  let value: any Sendable
  let reason: Reason

  init(_ violation: any RuleViolation) {
    (value, reason) = (violation, violation.reason)
  }

  init(_ value: any Sendable, _ reason: Reason) {
    (self.value, self.reason) = (value, reason)
  }
}

enum ReasonSamples {
  static let all: [ReasonSample] = {
    let groups: [[any RuleViolation]] = [
      parties, skAdNetwork, webAd, adAttributionKit, views, impressions, installs, runnersUp, reengagements, updates, withheld,
      absentFields, absences,
    ]
    return groups.flatMap { $0.map { ReasonSample($0) } } + notes
  }()

  private static let expectation = SourceAppExpectation(Sample.sourceApp, on: Device(), at: Sample.now)
  private static let key = OpenView.Key(framework: .skadnetwork, bundleIdentifier: "a", advertisedAppStoreItemIdentifier: 1)
  private static let remedy = SignatureRemedy(finding: "The nonce is signed in upper case.", instruction: "Sign it.")

  private static let parties: [AdNetworkRejection] = [
    .identifierInvalid(""), .notLowerCase("A"), .wrongCurve(.p192), .postbackURLNotHTTPS("http://a"),
  ]

  private static let impressions: [ImpressionRejection] = [
    .skAdNetwork(.signatureMalformed), .view(.notStarted(key)), .webAd(.privateSession), .adAttributionKit(.tapNotVerified),
  ]

  private static let skAdNetwork: [SKAdNetworkRejection] = [
    .unsupportedPlatform(.appClip, bundleIdentifier: "a"), .unsupportedPlatform(.macCatalyst, bundleIdentifier: "a"),
    .versionUnknown("9"), .viewThroughTooOld(.v2),
    .versionNotSupported(.v4, .sdkTooOld(OSVersion(14), needed: OSVersion(16, 1))),
    .versionNotSupported(.v4, .systemTooOld(OSVersion(14), needed: OSVersion(16, 1))),
    .versionNotSupported(.v1, .version1Ended(sdk: OSVersion(14), system: OSVersion(15))), .valueMissing(["nonce"]),
    .networkInvalid(""), .networkNotLowerCase("A"), .networkNotDeclared("a", bundleIdentifier: "b"), .networkNotRegistered("a"),
    .campaignOutOfRange(0), .sourceIdentifierOutOfRange(10_000), .advertisedAppInvalid(0), .sourceAppInvalid(-1),
    .sourceAppMismatch(5, expected: expectation), .nonceInvalid("a"), .timestampNotMilliseconds(5),
    .timestampNotMilliseconds(-5), .signatureMalformed, .signatureInvalid(SignedText(["a"]), nil),
    .signatureInvalid(SignedText(["a"]), remedy),
  ]

  private static let webAd: [WebAdRejection] = [
    .systemTooOld(OSVersion(16)), .privateSession, .advertisedAppInvalid(0), .payloadStatus(404), .payloadContentType(nil),
    .payloadContentType("a/b"),
    .payloadNotObject, .payloadVersion("3.0"), .networkNotRegistered("a"), .payloadInvalid("A nonce is signed in lower case."),
    .payloadMismatch(member: "a", found: "b", expected: "c"), .payloadSignatureInvalid("a", nil),
    .payloadSignatureInvalid("a", remedy), .tooManyImpressions(maximum: 1_000),
  ]

  private static let absences: [InstallAbsence] = [
    .itemUnknown(bundleIdentifier: "a"), .noImpression(item: 1), .noneConsidered(count: 1), .noneConsidered(count: 2),
  ]

  private static let adAttributionKit: [AdAttributionKitRejection] = [
    .unsupportedPlatform(bundleIdentifier: "a"), .systemTooOld(OSVersion(17)), .sdkTooOld(OSVersion(17)),
    .noHandleView(OSVersion(26, 1)),
    .malformed(.components, JWSError.tooLarge(limit: 5).detail), .malformed(.header, JWSError.missingAlgorithm.detail),
    .malformed(.payload, JWSError.notAnObject(.payload).detail),
    .malformed(.signature, JWSError.wrongSignatureSize(5, isDER: true).detail), .networkInvalid(""), .networkNotLowerCase("A"),
    .networkNotDeclared("a", bundleIdentifier: "b"), .networkNotRegistered("a"),
    .signatureInvalid("a", nil), .signatureInvalid("a", remedy), .publisherMismatch(5, expected: expectation), .tapNotVerified,
    .tapBeforeCreation(createdAt: Sample.now), .impressionExpired(age: .hours(1)), .viewTooShort(.seconds(1)),
  ]

  private static let views: [ViewRejection] = [.notStarted(key), .tooShort(.seconds(1), minimum: .seconds(2), .skadnetwork)]

  private static let installs: [InstallRejection] = [
    .appNotFromStore(bundleIdentifier: "a"), .otherMarketplace("a"), .systemTooOld(OSVersion(17)),
    .versionNotSupported(.v4, .sdkTooOld(OSVersion(14), needed: OSVersion(16, 1))), .interactionIgnored(.view, network: "a"),
    .expired(at: Sample.now, window: .days(1), .view, installedAt: Sample.now + .hours(1)), .cooldown(until: Sample.now),
    .developmentOnly,
  ]

  private static let runnersUp: [RunnerUpRejection] = [
    .beyondSix(place: 7), .systemTooOld(OSVersion(14)), .versionTooOld(.v2), .networkWon("a"), .alreadyRunnerUp("a"),
  ]

  private static let reengagements: [ReengagementRejection] = [
    .systemTooOld(OSVersion(17)), .notAClick, .notEligible, .otherApp(5), .appNotFromStore(bundleIdentifier: "a"),
    .cooldown(until: Sample.now),
  ]

  private static let updates: [UpdateRejection] = [
    .valueOutOfRange(64, .skadnetwork), .appNotFromStore(bundleIdentifier: "a"), .nothingPending(item: nil), .otherFramework,
    .registrationNotMirrored,
    .noConversionOfType,
    .tagNotSupported(why: "a"), .tagUnknown("a"), .launchTooLate(deadline: Sample.now),
    .firstUpdateTooLate(deadline: Sample.now),
    .conversionEnded, .windowsEndedUnused, .windowLocked(index: 0, until: Sample.now, hasNext: true),
    .windowLocked(index: 2, until: Sample.now, hasNext: false), .coarseMissing(index: 1), .valueNotGreater(1, kept: 63),
    .valueNotGreater(1, kept: 2), .alreadyRegistered,
  ]

  private static let withheld: [WithheldPostback] = [
    .lowestTier(impression: 1, index: 1), .networkNotRegistered(impression: 1, "a"),
  ]

  private static let absentFields: [FieldAbsence] = [
    .versionWithoutValues, .runnerUp, .valueNotReported(kind: nil, index: 0), .valueNotReported(kind: .coarse, index: 1),
    .coarseValueNotReported(.tier1), .belowThreshold, .valueTierTooLow(.tier0), .sourceTierTooLow(.tier2),
    .marketplaceTierTooLow(.tier0), .countryTierTooLow(.tier2), .countryUnknown,
    .countryNotSupported(OSVersion(17, 4)), .copyNotSupported(OSVersion(14)),
    .copyNotRequested, .copyEndpointMissing(.skadnetwork), .copyEndpointMissing(.adattributionkit),
  ]

  private static let notes: [ReasonSample] =
    [ImpressionNote.development, .timestampOff(.days(2)), .unknownMember("x is unknown, and a device ignores it.")].map {
      ReasonSample($0, $0.reason)
    }
    + DropReason.allCases.map { ReasonSample($0, $0.reason) }
    + [ReengagementNote.urlDropped("https://a.example/")].map { ReasonSample($0, $0.reason) }
    + [UpdateNote.fineIgnored(1, index: 1)].map { ReasonSample($0, $0.reason) }
    + [
      RemovalReason.tooManyViews(newest: 2, of: Sample.kept(1)), .replaced(by: 2, 1), .expired(at: Sample.now, 1),
      .notEnded(since: Sample.now, 1), .used(conversion: 1, 2),
    ].map { ReasonSample($0, $0.reason) }
}
