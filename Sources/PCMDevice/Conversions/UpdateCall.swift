package import PCMCore
internal import PCMSignatures

/// A call that reports a value, and the conversions of the app.
package struct UpdateCall: Sendable {
  package let update: ConversionUpdate
  package let app: DeviceApp
  package let device: Device
  /// The open conversions. If there are none, those whose values are final, so that the rules about a conversion can say why.
  package let pending: [Conversion]
  package let now: Instant

  package init(update: ConversionUpdate, app: DeviceApp, device: Device, conversions: [Conversion], now: Instant) {
    self.update = update
    self.app = app
    self.device = device
    self.now = now
    let open = conversions.filter { !$0.isFinished }
    pending = open.isEmpty ? conversions : open
  }

  package static let rules: [Rule<UpdateCall, UpdateRejection>] = [
    Rule("value-is-in-range", inputs: ["fineValue": { .number($0.update.fine) }]) { call in
      guard let fine = call.update.fine, !ConversionValue.fineValues.contains(fine) else { return nil }
      return .valueOutOfRange(fine, call.update.framework)
    },
    Rule(
      "app-is-signed-by-a-store",
      inputs: [
        "framework": { .string($0.update.framework.rawValue) }, "registration": { .bool($0.update.isRegistration) },
        "signing": { .string($0.app.signing.rawValue) }, "testConversion": { .bool($0.hasTestConversion) },
      ]
    ) { call in
      // A registration reports no error to the app.
      guard call.update.framework == .skadnetwork, !call.update.isRegistration, call.app.signing == .development,
        !call.hasTestConversion
      else { return nil }
      return .appNotFromStore(bundleIdentifier: call.app.bundleIdentifier)
    },
    Rule("conversion-is-pending", inputs: ["pending": { .shown($0.pending.map { .string(RecordName.conversion($0.id)) }) }]) {
      call in
      call.pending.isEmpty ? .nothingPending(item: call.app.itemIdentifier) : nil
    },
    Rule(
      "call-reaches-framework",
      inputs: [
        "framework": { .string($0.update.framework.rawValue) },
        "registration": { .bool($0.update.isRegistration) },
        "pendingFrameworks": { .shown($0.pending.map { .string($0.winner.impression.framework.rawValue) }) },
      ]
    ) { call in
      guard call.reached.isEmpty else { return nil }
      return call.update.framework == .skadnetwork ? .registrationNotMirrored : .otherFramework
    },
    Rule(
      "conversion-tag-is-supported",
      inputs: [
        "conversionTag": { .shown($0.update.tag) }, "systemVersion": { .string($0.device.system.text) },
        "allowsOverlappingConversions": { .bool($0.app.adAttribution.hasOverlappingConversions) },
      ]
    ) { call in
      guard call.update.tag != nil else { return nil }
      if call.device.system < ReengagementTap.firstSystemWithTags {
        return .tagNotSupported(
          why: "conversion tags need iOS \(ReengagementTap.firstSystemWithTags.text), and the device runs iOS "
            + call.device.system.text)
      }
      if call.app.adAttribution.hasOverlappingConversions { return nil }
      return .tagNotSupported(
        why: "the app's Info.plist lacks EligibleForAdAttributionKitOverlappingConversions, without which there are no tags")
    },
    Rule(
      "conversion-tag-is-known",
      inputs: ["conversionTag": { .shown($0.update.tag) }, "tags": { .shown($0.reached.map { .string($0.tag) }) }]
    ) { call in
      guard let tag = call.update.tag, !call.reached.contains(where: { $0.tag == tag }) else { return nil }
      return .tagUnknown(tag)
    },
    Rule(
      "conversion-type-is-pending",
      inputs: [
        "conversionTypes": { call in call.update.types.map { .array($0.map(\.rawValue).sorted().map { .string($0) }) } ?? .null
        },
        "pendingTypes": { .shown($0.reached.map { .string($0.type.rawValue) }) },
      ]
    ) { call in
      call.targets.isEmpty ? .noConversionOfType : nil
    },
  ]

  /// The pending conversions that a call of the framework reaches: the updates of SKAdNetwork are mirrored into
  /// AdAttributionKit, and neither its registrations nor the calls of AdAttributionKit.
  private var reached: [Conversion] {
    pending.filter { conversion in
      let framework = conversion.winner.impression.framework
      return framework == update.framework || (framework == .adattributionkit && !update.isRegistration)
    }
  }

  /// Whether a conversion by an ad for tests is pending in developer mode, in which builds for development measure, too.
  private var hasTestConversion: Bool {
    device.isInDeveloperMode(at: now) && pending.contains { $0.winner.impression.isDevelopment }
  }

  /// The numbers of the conversions that the call updates: the one with the tag, or without a tag the most recent one of each
  /// framework.
  var targets: Set<Int64> {
    let candidates = reached.filter { conversion in update.types.map { $0.contains(conversion.type.kind) } ?? true }
    if let tag = update.tag { return Set(candidates.filter { $0.tag == tag }.map(\.id)) }
    return Set(
      AdFramework.allCases.compactMap { framework in
        candidates.last { $0.winner.impression.framework == framework }?.id
      })
  }
}
