package import PCMCore

/// A call of `requestTrackingAuthorization`, and the state of the app (consent reference, section A2).
package struct TrackingRequest: Sendable {
  let input: TrackingRequestInput
  let app: DeviceApp
  let tracking: AppTracking
  let system: TrackingSystem
  let device: Device

  package init(
    _ input: TrackingRequestInput, by app: DeviceApp, _ tracking: AppTracking, _ system: TrackingSystem, on device: Device
  ) {
    self.input = input
    self.app = app
    self.tracking = tracking
    self.system = system
    self.device = device
  }

  package enum Decision: Hashable, Sendable {
    /// The system displays the prompt.
    case prompt
    /// The app receives the status at once.
    case answer(Violation)
    /// The app receives the status at once, and the request counts as the answer "Ask App Not to Track".
    case deny(Violation)
    /// There is no prompt, and the call is not queued.
    case ignore(Violation)
    /// The system terminates the app.
    case end(Violation)

    package var violation: Violation? {
      switch self {
      case .prompt: nil
      case .answer(let violation), .deny(let violation), .ignore(let violation), .end(let violation): violation
      }
    }
  }

  package func decide(_ evaluation: inout RuleEvaluation) -> Decision {
    if let violation = evaluation.firstViolation(of: Self.faults, to: self) { return .end(violation) }
    if let violation = evaluation.firstViolation(of: Self.answers, to: self) { return .answer(violation) }
    if let violation = evaluation.firstViolation(of: Self.denials, to: self) { return .deny(violation) }
    return evaluation.firstViolation(of: Self.obstacles, to: self).map { .ignore($0) } ?? .prompt
  }

  static let rules = faults + answers + denials + obstacles

  /// The first system with App Tracking Transparency.
  package static let firstSystem = OSVersion(14)

  private static let faults: [Rule<TrackingRequest>] = [
    Rule(
      "system-has-tracking-transparency",
      "The system has App Tracking Transparency. It exists from iOS \(firstSystem.text) on.",
      .apple("App Tracking Transparency"), reasons: ["system-too-old": "change systemVersion to \(firstSystem.text) or later"],
      inputs: ["systemVersion": { .string($0.device.system.text) }]
    ) { request in
      guard request.device.system < firstSystem else { return nil }
      return Violation(
        "system-too-old",
        "App Tracking Transparency needs iOS \(firstSystem.text), and the device runs iOS "
          + "\(request.device.system.text)", change: "change systemVersion to \(firstSystem.text) or later")
    },
    Rule(
      "usage-description-is-present",
      "The app's Info.plist contains NSUserTrackingUsageDescription. Without this text, the call ends the app.",
      .assumption("Apple requires NSUserTrackingUsageDescription; that the call ends the app is reported, and not documented"),
      reasons: [
        "usage-description-missing":
          "add NSUserTrackingUsageDescription with a sentence about the use, and register the app again"
      ], inputs: ["usageDescription": { .shown($0.app.adAttribution.trackingUsageDescription) }]
    ) { request in
      guard request.app.adAttribution.trackingUsageDescription == nil else { return nil }
      return Violation(
        "usage-description-missing",
        "the Info.plist of \(request.app.bundleIdentifier) has no NSUserTrackingUsageDescription, so the system ends the app")
    },
  ]

  private static let answers: [Rule<TrackingRequest>] = [
    Rule(.trackingIsNotRestricted, inputs: ["system": { .string($0.system.setting.rawValue) }]) { request in
      request.system.setting == .restricted ? .trackingRestricted : nil
    },
    Rule(
      "app-has-no-answer",
      "The app has no answer. The system asks once, and keeps the answer until the app is removed. A request while apps may not ask "
        + "has an answer, too.",
      .requestTracking, reasons: ["already-answered": "install the app again, or change the app's switch in the settings"],
      inputs: ["choice": { .string($0.tracking.choice.name) }]
    ) { request in
      guard request.tracking.choice != .notDetermined else { return nil }
      return Violation(
        "already-answered",
        "\(request.app.bundleIdentifier) already has an answer, and its status is \(request.tracking.choice.name)")
    },
  ]

  private static let denials: [Rule<TrackingRequest>] = [
    Rule(
      "apps-may-ask",
      "The system-wide setting allows apps to ask. While it is off, the status of an app without an answer is 2, and a request "
        + "counts as the answer: the app stays denied when the setting is on again.",
      .assumption("Apple Support 102420, If an app asks to track your activity; the note of iOS 14.5.1 can be read otherwise"),
      reasons: [
        "tracking-requests-off":
          "change the setting of the device to allowed before the app asks, or the app's switch in the settings afterward"
      ],
      inputs: ["system": { .string($0.system.setting.rawValue) }]
    ) { request in
      guard request.system.setting == .off else { return nil }
      return Violation(
        "tracking-requests-off",
        "apps may not ask to track on this device, so the request counts as an answer, and the status is denied")
    }
  ]

  private static let obstacles: [Rule<TrackingRequest>] = [
    Rule(
      "app-is-active", "The app is active. In another state, the call displays no prompt.", .requestTracking,
      reasons: ["app-not-active": "ask when the app is active, such as in applicationDidBecomeActive"],
      inputs: ["active": { .bool($0.input.isActive) }]
    ) { request in
      guard !request.input.isActive else { return nil }
      return Violation(
        "app-not-active", "\(request.app.bundleIdentifier) is not active, so the call displays no prompt")
    },
    Rule(
      "caller-is-no-extension", "The caller is the app. An extension displays no prompt.", .requestTracking,
      reasons: ["called-by-extension": "ask in the app"],
      inputs: ["extension": { .bool($0.input.isExtension) }]
    ) { request in
      guard request.input.isExtension else { return nil }
      return Violation("called-by-extension", "an extension displays no prompt")
    },
    Rule(
      "no-prompt-is-displayed", "No other prompt is displayed. Such a call is not queued.", .requestTracking,
      reasons: ["prompt-pending": "ask after the prompt is answered"],
      inputs: [
        "otherPrompt": { .bool($0.input.hasOtherPrompt) }, "promptingApp": { .string($0.system.promptingApp) },
      ]
    ) { request in
      guard request.input.hasOtherPrompt || request.system.promptingApp != nil else { return nil }
      let other = request.system.promptingApp.map { "the prompt of \($0)" } ?? "a prompt for another permission"
      return Violation(
        "prompt-pending", "\(other) is displayed, and the call is not queued")
    },
  ]
}

/// A user's answer to the prompt of an app, or a change of the app's switch in the settings.
package struct TrackingAnswer: Sendable {
  let tracking: AppTracking
  let system: TrackingSystem

  package init(_ tracking: AppTracking, _ system: TrackingSystem) {
    self.tracking = tracking
    self.system = system
  }

  package static let promptRules: [Rule<TrackingAnswer>] = [
    Rule(
      "prompt-of-app-is-displayed", "The app's prompt is displayed. It is displayed until the user answers.",
      .requestTracking, reasons: ["no-prompt": "let the app ask first"],
      inputs: ["promptingApp": { .string($0.system.promptingApp) }]
    ) { answer in
      guard answer.system.promptingApp != answer.tracking.bundleIdentifier else { return nil }
      return Violation(
        "no-prompt", "no prompt of \(answer.tracking.bundleIdentifier) is displayed")
    }
  ]

  package static let settingRules: [Rule<TrackingAnswer>] = [
    Rule(.trackingIsNotRestricted, inputs: ["system": { .string($0.system.setting.rawValue) }]) { answer in
      answer.system.setting == .restricted ? .trackingRestricted : nil
    },
    Rule(
      "app-has-an-answer", "The user has answered the app's prompt. The settings list the app from then on.",
      .assumption("the settings list the apps that have asked"),
      reasons: ["never-answered": "let the app ask, and answer the prompt"],
      inputs: ["choice": { .string($0.tracking.choice.name) }]
    ) { answer in
      guard answer.tracking.choice == .notDetermined else { return nil }
      return Violation(
        "never-answered", "the settings do not list \(answer.tracking.bundleIdentifier), because its prompt has no answer")
    },
  ]
}

extension RuleTitle {
  fileprivate static let trackingIsNotRestricted = RuleTitle(
    "tracking-is-not-restricted",
    "Tracking is not restricted on the device. With supervision, or for a child account, the status is 1 without a prompt.",
    .authorizationStatus, reasons: ["tracking-restricted": "change the setting of the device to allowed"])
}

extension Violation {
  fileprivate static let trackingRestricted = Violation(
    "tracking-restricted", "tracking is restricted on this device, so the status is restricted without a prompt")
}
