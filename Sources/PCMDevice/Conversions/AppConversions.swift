package import PCMCore
internal import PCMCrypto

/// The pending conversions of an advertised app: one of each framework, or several of AdAttributionKit if they may overlap.
///
/// A state machine without effects: each input changes the state and returns the actions to perform.
package struct AppConversions: Hashable, Codable, Sendable {
  /// The conversions in the order of their start. Finished conversions remain until ``removeFinished()``.
  package internal(set) var conversions: [Conversion] = []
  /// The past conversions, for the app's cooldowns.
  package internal(set) var past = PastConversions()

  package init() {}

  package subscript(id: Int64) -> Conversion? { conversions.first { $0.id == id } }

  /// The conversions whose values are not final.
  package var pending: [Conversion] { conversions.filter { !$0.isFinished } }

  /// The time of the next change without a call; nil if there is none.
  package var nextChange: Instant? { conversions.lazy.compactMap(\.nextChange).min() }

  /// Adds a conversion, which can end older conversions.
  package mutating func begin(_ conversion: Conversion, of app: DeviceApp, on device: Device) -> [ConversionAction] {
    let now = conversion.convertedAt
    let overlaps = Self.canOverlap(app, device)
    var actions = pass(to: now)
    for index in conversions.indices where conversion.ends(conversions[index], overlaps: overlaps) {
      actions += conversions[index].supersede(at: now)
    }
    conversions.append(conversion)
    // Development conversions do not start a cooldown.
    if conversion.winner.impression.framework == .adattributionkit, conversion.development == nil { note(conversion) }
    return actions
  }

  /// Handles a launch of the app.
  package mutating func launch(at now: Instant) -> [ConversionAction] {
    conversions.indices.flatMap { conversions[$0].launch(at: now) }
  }

  /// Advances the conversions to an instant.
  package mutating func pass(to now: Instant) -> [ConversionAction] {
    conversions.indices.flatMap { conversions[$0].pass(to: now) }
  }

  /// Applies a call that reports a value. A call is also a launch, even if it changes nothing.
  package mutating func update(
    _ update: ConversionValueInput, by app: DeviceApp, on device: Device, at now: Instant, keepsInputs: Bool = true
  ) -> UpdateOutcome {
    var actions = launch(at: now)
    var evaluation = RuleEvaluation(of: DeviceRuleBook.update, keepsInputs: keepsInputs)
    let call = UpdateCall(update: update, app: app, device: device, conversions: conversions, now: now)
    if let rejection = evaluation.firstViolation(of: UpdateCall.rules, to: call) {
      return UpdateOutcome(evaluation: evaluation, actions: actions + [.reject(conversion: nil, rejection)])
    }
    let targets = call.targets
    var evaluations: [Int64: RuleEvaluation] = [:]
    for index in conversions.indices where targets.contains(conversions[index].id) {
      var target = evaluation
      actions += conversions[index].update(update, system: device.system, at: now, &target)
      evaluations[conversions[index].id] = target
    }
    return UpdateOutcome(evaluation: evaluation, targets: evaluations, actions: actions)
  }

  /// Removes the conversions whose values are final. The newest install and the newest re-engagement remain, so that a late
  /// call is rejected with a reason.
  package mutating func removeFinished() {
    guard conversions.count > 1 else { return }
    let newest = [true, false].compactMap { isReengagement in
      conversions.last { $0.type.isReengagement == isReengagement }?.id
    }
    conversions.removeAll { $0.isFinished && !newest.contains($0.id) }
  }

  /// Removes all conversions whose values are final, for an install without an ad.
  package mutating func removeAllFinished() { conversions.removeAll(where: \.isFinished) }

  /// Removes and returns the conversions that a developer created in the settings.
  package mutating func removeDevelopment() -> [Conversion] {
    defer { conversions.removeAll { $0.development != nil } }
    return conversions.filter { $0.development != nil }
  }

  private mutating func note(_ conversion: Conversion) {
    if conversion.type.isReengagement {
      past.reengagementAt = conversion.convertedAt
    } else {
      past.installAt = conversion.convertedAt
    }
  }

  /// Returns whether several AdAttributionKit conversions of the app can be pending.
  static func canOverlap(_ app: DeviceApp, _ device: Device) -> Bool {
    app.adAttribution.hasOverlappingConversions && device.system >= ReengagementTap.firstSystemWithTags
  }
}

extension Conversion {
  /// Returns whether the conversion ends an older conversion. An install ends an install. In AdAttributionKit, each
  /// conversion ends the others unless they may overlap (AdAttributionKit reference, sections 4 and 13). SKAdNetwork has no
  /// re-engagement.
  fileprivate func ends(_ older: Conversion, overlaps: Bool) -> Bool {
    if !type.isReengagement, !older.type.isReengagement { return true }
    return !overlaps && [self, older].allSatisfy { $0.winner.impression.framework == .adattributionkit }
  }
}

/// The outcome of a call that reports a value.
package struct UpdateOutcome: Hashable, Sendable {
  /// The rules about the call, with the reason if it applies to no conversion.
  package let evaluation: RuleEvaluation
  /// The rules about the call and each conversion that it applies to, by the number of the conversion.
  package var targets: [Int64: RuleEvaluation] = [:]
  package let actions: [ConversionAction]
}

/// The times of an app's last AdAttributionKit conversions, for its cooldowns.
package struct PastConversions: Hashable, Codable, Sendable {
  package var installAt: Instant?
  package var reengagementAt: Instant?

  package init() {}
}
