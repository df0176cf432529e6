package import PCMCore
internal import PCMCrypto

/// A call that reports a value, and the conversions of the app.
package struct UpdateCall: Sendable {
  package let update: ConversionValueInput
  package let app: DeviceApp
  package let device: Device
  /// The open conversions. If there are none, the finished conversions, so that the rules about a conversion can state the
  /// reason.
  package let pending: [Conversion]
  /// The pending conversions that a call of the framework applies to. Updates of SKAdNetwork also apply to AdAttributionKit.
  /// Registrations of SKAdNetwork and calls of AdAttributionKit apply only to their framework.
  private let reached: [Conversion]
  /// The numbers of the conversions that the call updates: the conversion with the tag, or without a tag, the most recent
  /// conversion of each framework.
  let targets: [Int64]
  package let now: Instant

  package init(update: ConversionValueInput, app: DeviceApp, device: Device, conversions: [Conversion], now: Instant) {
    self.update = update
    self.app = app
    self.device = device
    self.now = now
    let open = conversions.all { !$0.isFinished }
    pending = open.isEmpty ? conversions : open
    reached = pending.all { conversion in
      let framework = conversion.winner.impression.framework
      return framework == update.framework || (framework == .adattributionkit && !update.isRegistration)
    }
    targets = Self.targets(of: update, among: reached)
  }

  private static func targets(of update: ConversionValueInput, among reached: [Conversion]) -> [Int64] {
    let candidates = reached.all { conversion in update.conversionTypes?.contains(conversion.type.updateName) ?? true }
    if let tag = update.conversionTag { return candidates.lazy.filter { $0.tag == tag }.map(\.id) }
    return AdFramework.allCases.compactMap { framework in
      candidates.last { $0.winner.impression.framework == framework }?.id
    }
  }

  static let rules: [Rule<UpdateCall>] = callRules + tagRules

  private static let callRules: [Rule<UpdateCall>] = [
    Rule(
      "value-is-in-range", "The fine value is from \(ConversionValue.fineValues.words). The earlier value is kept.",
      .valueUpdate, reasons: ["conversion-value-out-of-range": "report a value from \(ConversionValue.fineValues.words)"],
      inputs: ["fineValue": { .number($0.update.fineValue) }]
    ) { call in
      guard let fine = call.update.fineValue, !ConversionValue.fineValues.contains(fine) else { return nil }
      return Violation(
        "conversion-value-out-of-range", "the conversion value \(fine) is not from \(ConversionValue.fineValues.words)",
        call.update.framework == .skadnetwork ? .skan(.invalidConversionValue) : .adAttributionKit(.unknown))
    },
    Rule(
      .appIsSignedByAStore,
      inputs: [
        "framework": { .string($0.update.framework.rawValue) }, "registration": { .bool($0.update.isRegistration) },
        "signing": { .string($0.app.signing.rawValue) }, "testConversion": { .bool($0.hasTestConversion) },
      ]
    ) { call in
      // The app receives no error for a registration.
      guard call.update.framework == .skadnetwork, !call.update.isRegistration, call.app.signing == .development,
        !call.hasTestConversion
      else { return nil }
      return .appNotFromStore(
        call.app.bundleIdentifier,
        change:
          "ignore the error in builds of Xcode and TestFlight, or switch on developer mode and install the app after an ad "
          + "whose source app is 0", .skan(.unknown))
    },
    Rule(
      "conversion-is-pending",
      "A conversion of the app is pending. Without one, the call is ignored, and the app does not learn whether there is one.",
      .interoperability, reasons: ["nothing-pending": "install the app after an ad for it was displayed"],
      inputs: ["pending": { .shown($0.pending.map { .string(RecordName.conversion($0.id)) }) }]
    ) { call in
      guard call.pending.isEmpty else { return nil }
      let item = call.app.itemIdentifier.map(String.init) ?? "without an identifier"
      return Violation(
        "nothing-pending", "no conversion of app \(item) waits for a value")
    },
    Rule(
      "call-reaches-framework",
      "The call reaches the framework of the conversion. SKAdNetwork calls with a value are mirrored into AdAttributionKit. "
        + "Registrations, and the calls of AdAttributionKit, are not mirrored.", .interoperability,
      reasons: [
        "registration-not-mirrored": "report a value with updatePostbackConversionValue",
        "other-framework": "call updatePostbackConversionValue of SKAdNetwork, which reaches both frameworks",
      ],
      inputs: [
        "framework": { .string($0.update.framework.rawValue) },
        "registration": { .bool($0.update.isRegistration) },
        "pendingFrameworks": { .shown($0.pending.map { .string($0.winner.impression.framework.rawValue) }) },
      ]
    ) { call in
      guard call.reached.isEmpty else { return nil }
      return call.update.framework == .skadnetwork
        ? Violation(
          "registration-not-mirrored",
          "an AdAttributionKit ad won, and only calls with a value are mirrored into AdAttributionKit")
        : Violation(
          "other-framework", "an SKAdNetwork ad won, and the calls of AdAttributionKit do not reach SKAdNetwork")
    },
  ]

  private static let tagRules: [Rule<UpdateCall>] = [
    Rule(
      "conversion-tag-is-supported",
      "The app may use conversion tags. iOS \(ReengagementTap.firstSystemWithTags.text), and "
        + "EligibleForAdAttributionKitOverlappingConversions in the Info.plist.", .conversionTags,
      reasons: ["conversion-tag-not-supported": "leave out the conversion tag"],
      inputs: [
        "conversionTag": { .shown($0.update.conversionTag) }, "systemVersion": { .string($0.device.system.text) },
        "allowsOverlappingConversions": { .bool($0.app.adAttribution.hasOverlappingConversions) },
      ]
    ) { call in
      let (first, system) = (ReengagementTap.firstSystemWithTags, call.device.system)
      guard call.update.conversionTag != nil, system < first || !call.app.adAttribution.hasOverlappingConversions else {
        return nil
      }
      return Violation(
        "conversion-tag-not-supported",
        system < first
          ? "conversion tags need iOS \(first.text), and the device runs iOS \(system.text)"
          : "the app's Info.plist lacks EligibleForAdAttributionKitOverlappingConversions, without which there are no tags",
        .adAttributionKit(.conversionTagNotSupported))
    },
    Rule(
      "conversion-tag-is-known",
      "A pending re-engagement has the conversion tag. The app receives it in the URL with which it opens.",
      .conversionTags,
      reasons: ["conversion-tag-unknown": "use the value of \(ReengagementURL.parameter) in the URL with which the app opened"],
      inputs: ["conversionTag": { .shown($0.update.conversionTag) }, "tags": { .shown($0.reached.map { .string($0.tag) }) }]
    ) { call in
      guard let tag = call.update.conversionTag, !call.reached.contains(where: { $0.tag == tag }) else { return nil }
      return Violation(
        "conversion-tag-unknown", "no pending re-engagement has the tag \"\(tag.shown)\"",
        .adAttributionKit(.invalidConversionTag))
    },
    Rule(
      "conversion-type-is-pending",
      "A conversion of one of the types is pending. conversionTypes selects the conversions.",
      .apple("AdAttributionKit: PostbackUpdate"),
      reasons: ["no-conversion-of-type": "name the type of a pending conversion, or leave out conversionTypes"],
      inputs: [
        "conversionTypes": { call in
          call.update.conversionTypes.map { .array(Set($0).sorted().map { .string($0) }) } ?? .null
        },
        "pendingTypes": { .shown($0.reached.map { .string($0.type.rawValue) }) },
      ]
    ) { call in
      guard call.targets.isEmpty else { return nil }
      return Violation(
        "no-conversion-of-type", "no pending conversion has one of the conversionTypes")
    },
  ]

  /// Whether a conversion attributed to a development ad is pending in developer mode, in which development builds are also
  /// measured.
  private var hasTestConversion: Bool {
    device.isInDeveloperMode(at: now) && pending.contains { $0.winner.impression.isDevelopment }
  }
}

extension Array {
  /// Returns the elements that satisfy a condition. If all of them do, the result shares their storage.
  fileprivate func all(_ isIncluded: (Element) -> Bool) -> [Element] { allSatisfy(isIncluded) ? self : filter(isIncluded) }
}
