import PCMCore
import Testing

@testable import PCMDevice

/// The rules of the prompt (consent reference, sections A1 to A3).
@Suite struct TrackingRequestTests {
  private static let app: DeviceApp = {
    var app = Sample.advertisedApp
    app.adAttribution.trackingUsageDescription = "We measure which ads lead to a purchase."
    return app
  }()

  private struct Situation {
    var input = TrackingRequestInput()
    var app = TrackingRequestTests.app
    var tracking = AppTracking(TrackingRequestTests.app.bundleIdentifier)
    var system = TrackingSystem()
    var device = Device()

    func decide() -> (TrackingRequest.Decision, RuleEvaluation) {
      var evaluation = RuleEvaluation(of: DeviceRuleBook.trackingRequest)
      return (TrackingRequest(input, by: app, tracking, system, on: device).decide(&evaluation), evaluation)
    }
  }

  private func decision(_ change: (inout Situation) -> Void = { _ in }) -> TrackingRequest.Decision {
    var situation = Situation()
    change(&situation)
    return situation.decide().0
  }

  @Test("The prompt is displayed when all rules pass")
  func prompt() {
    #expect(decision() == .prompt)
    #expect(Situation().decide().1.inputs.count == 8)
  }

  @Test("Without a usage description, or before iOS 14, the app ends")
  func faults() {
    #expect(decision { $0.app.adAttribution.trackingUsageDescription = nil }.fault == "usage-description-missing")
    #expect(decision { $0.device.system = OSVersion(13, 7) }.fault == "system-too-old")
    #expect(decision { $0.device.system = OSVersion(14) } == .prompt)
  }

  @Test("The app receives a known status at once")
  func knownStatus() {
    #expect(decision { $0.system.setting = .restricted }.answer == "tracking-restricted")
    #expect(decision { $0.system.setting = .off }.denial == "tracking-requests-off")
    for choice in [TrackingStatus.denied, .authorized] {
      #expect(decision { $0.tracking.choice = choice }.answer == "already-answered", "\(choice)")
    }
  }

  @Test("An answer that was given counts before a setting that was switched off, and after a restriction")
  func order() {
    let answered = decision { ($0.tracking.choice, $0.system.setting) = (.authorized, .off) }
    #expect(answered.answer == "already-answered")
    let restricted = decision { ($0.tracking.choice, $0.system.setting) = (.authorized, .restricted) }
    #expect(restricted.answer == "tracking-restricted")
    // The system ends an app without a usage description before it looks at the status.
    let fault = decision { ($0.app.adAttribution.trackingUsageDescription, $0.system.setting) = (nil, .restricted) }
    #expect(fault.fault == "usage-description-missing")
  }

  @Test("Without a prompt, the call is ignored, and nothing is queued")
  func obstacles() {
    #expect(decision { $0.input.isActive = false }.obstacle == "app-not-active")
    #expect(decision { $0.input.isExtension = true }.obstacle == "called-by-extension")
    #expect(decision { $0.input.hasOtherPrompt = true }.obstacle == "prompt-pending")
    for app in ["com.example.other", Self.app.bundleIdentifier] {
      #expect(decision { $0.system.promptingApp = app }.obstacle == "prompt-pending", "\(app)")
    }
  }

  @Test(
    "The status that an app reads (section A1)",
    arguments: [
      (.notDetermined, .allowed, .notDetermined), (.notDetermined, .off, .denied), (.notDetermined, .restricted, .restricted),
      (.denied, .allowed, .denied), (.denied, .off, .denied), (.denied, .restricted, .restricted),
      (.authorized, .allowed, .authorized), (.authorized, .off, .authorized), (.authorized, .restricted, .restricted),
    ] as [(TrackingStatus, SystemTrackingSetting, TrackingStatus)])
  func status(_ choice: TrackingStatus, _ setting: SystemTrackingSetting, _ expected: TrackingStatus) {
    var tracking = AppTracking("a")
    tracking.choice = choice
    #expect(tracking.status(under: setting) == expected)
  }

  @Test("The codes and the names of Apple (section A1)")
  func codes() {
    let names = TrackingStatus.allCases.map { "\($0.rawValue) \($0.name)" }
    #expect(names == ["0 notDetermined", "1 restricted", "2 denied", "3 authorized"])
  }

  @Test("The identifier is zeros unless tracking is authorized (section A3)", arguments: TrackingStatus.allCases)
  func identifier(_ status: TrackingStatus) {
    let device = "6d92078a-8246-4ba4-ae5b-76104861e7dc"
    let expected = status == .authorized ? "6D92078A-8246-4BA4-AE5B-76104861E7DC" : "00000000-0000-0000-0000-000000000000"
    #expect(AdvertisingIdentifier.value(with: status, device: device) == expected)
  }

  @Test("An answer needs the app's prompt, and a switch in the settings an answer")
  func choices() {
    func rejection(_ rules: [Rule<TrackingAnswer>], _ change: (inout AppTracking, inout TrackingSystem) -> Void) -> String? {
      var (tracking, system, evaluation) = (AppTracking("a"), TrackingSystem(), RuleEvaluation())
      change(&tracking, &system)
      return evaluation.firstViolation(of: rules, to: TrackingAnswer(tracking, system))?.reason.code
    }
    #expect(rejection(TrackingAnswer.promptRules) { _, _ in } == "no-prompt")
    #expect(rejection(TrackingAnswer.promptRules) { $1.promptingApp = "b" } == "no-prompt")
    #expect(rejection(TrackingAnswer.promptRules) { $1.promptingApp = "a" } == nil)
    #expect(rejection(TrackingAnswer.settingRules) { _, _ in } == "never-answered")
    #expect(rejection(TrackingAnswer.settingRules) { tracking, _ in tracking.choice = .denied } == nil)
    #expect(
      rejection(TrackingAnswer.settingRules) { ($0.choice, $1.setting) = (.denied, .restricted) } == "tracking-restricted")
  }
}

extension TrackingRequest.Decision {
  fileprivate var fault: String? { if case .end(let violation) = self { violation.reason.code } else { nil } }
  fileprivate var answer: String? { if case .answer(let violation) = self { violation.reason.code } else { nil } }
  fileprivate var denial: String? { if case .deny(let violation) = self { violation.reason.code } else { nil } }
  fileprivate var obstacle: String? { if case .ignore(let violation) = self { violation.reason.code } else { nil } }
}
