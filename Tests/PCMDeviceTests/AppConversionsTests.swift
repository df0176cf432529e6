import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

/// Calls that concern several conversions, or none.
@Suite struct AppConversionsTests {
  private static let overlapping: DeviceApp = {
    var app = Sample.advertisedApp
    app.adAttribution.hasOverlappingConversions = true
    return app
  }()

  private func reengagement(_ id: Int64, tag: String, after: Interval = .hours(0), app: DeviceApp = Sample.advertisedApp)
    -> Conversion
  {
    let impression = Sample.kept(id, nil, isEligible: true).impression
    let tap = ReengagementTap(
      impression, of: app, url: nil, tag: tag, past: PastConversions(), country: "US",
      device: Device(), at: Sample.now + after)
    return Conversion(id: id, impression: id, tap)
  }

  private func outcome(
    _ state: inout AppConversions, _ update: ConversionValueInput, after: Interval = .hours(1),
    app: DeviceApp = Sample.advertisedApp,
    system: OSVersion = OSVersion(18, 6)
  ) -> UpdateOutcome {
    state.update(update, by: app, on: Device(system: system), at: Sample.now + after)
  }

  /// The conversions in which an update counts.
  private func accepted(_ actions: [ConversionAction]) -> [Int64] {
    actions.compactMap { if case .accept(let id, _, _, _) = $0 { id } else { nil } }
  }

  @Test("Without a conversion, a call changes nothing, and the app learns nothing of it")
  func nothingPending() {
    var state = AppConversions()
    let outcome = outcome(&state, ConversionValueInput(.skadnetwork, fine: 1))
    #expect(outcome.actions.map(\.code) == ["nothing-pending"])
    #expect(outcome.evaluation.failed?.rule == "conversion-is-pending")
    #expect(outcome.actions.first?.rejection?.appleError == nil)
  }

  @Test("Calls of SKAdNetwork reach both frameworks, calls of AdAttributionKit only their own")
  func bridging() {
    for (version, framework, isReached) in [
      (.v4, .skadnetwork, true), (nil, .skadnetwork, true), (nil, .adattributionkit, true), (.v4, .adattributionkit, false),
      (.v3, .adattributionkit, false),
    ] as [(SKAdNetworkVersion?, AdFramework, Bool)] {
      var state = AppConversions()
      _ = state.begin(Sample.conversion(Sample.kept(1, version)), of: Sample.advertisedApp, on: Device())
      let actions = outcome(&state, ConversionValueInput(framework, fine: 1)).actions
      #expect(accepted(actions) == (isReached ? [100] : []))
      if !isReached { #expect(actions.map(\.code) == ["other-framework"]) }
    }
  }

  @Test("A registration reaches SKAdNetwork only")
  func registration() {
    var state = AppConversions()
    _ = state.begin(Sample.conversion(Sample.kept(1, nil)), of: Sample.advertisedApp, on: Device())
    let outcome = outcome(&state, ConversionValueInput(.skadnetwork, fine: nil))
    #expect(accepted(outcome.actions) == [])
    #expect(outcome.evaluation.failed?.reason.code == "registration-not-mirrored")
    #expect(state.conversions.first?.isRegistered == false)
  }

  @Test("A call is a launch of the app, even if it changes nothing")
  func callIsLaunch() {
    var state = AppConversions()
    _ = state.begin(Sample.conversion(Sample.kept(1, nil)), of: Sample.advertisedApp, on: Device())
    _ = outcome(&state, ConversionValueInput(.skadnetwork, fine: 64))
    #expect(state.conversions.first?.firstLaunchAt == Sample.now + .hours(1))
  }

  @Test("An invalid value is an error, and an earlier value stays")
  func invalidValue() {
    var state = AppConversions()
    _ = state.begin(Sample.conversion(), of: Sample.advertisedApp, on: Device())
    _ = outcome(&state, ConversionValueInput(.skadnetwork, fine: 5))
    let before = state
    let errors: [(AdFramework, AppleError)] = [
      (.skadnetwork, .skan(.invalidConversionValue)), (.adattributionkit, .adAttributionKit(.unknown)),
    ]
    for (framework, error) in errors {
      let actions = outcome(&state, ConversionValueInput(framework, fine: 64)).actions
      #expect(actions.map(\.code) == ["conversion-value-out-of-range"] && actions[0].rejection?.appleError == error)
      #expect(state == before)
    }
  }

  @Test("A re-engagement locks the pending install: its postback with a value is scheduled at once")
  func installIsLocked() {
    var state = AppConversions()
    _ = state.begin(Sample.conversion(Sample.kept(1, nil)), of: Sample.advertisedApp, on: Device())
    #expect(accepted(outcome(&state, ConversionValueInput(.adattributionkit, fine: 5)).actions) == [100])
    let actions = state.begin(reengagement(2, tag: "a", after: .hours(6)), of: Sample.advertisedApp, on: Device())
    #expect(
      actions == [
        .schedule(PostbackPlan(conversion: 100, index: 0, windowEnd: Sample.now + .hours(6), values: ReportedValues(fine: 5))),
        .drop(conversion: 100, index: 1, .superseded), .drop(conversion: 100, index: 2, .superseded),
      ])
    #expect(accepted(outcome(&state, ConversionValueInput(.adattributionkit, fine: 6), after: .hours(7)).actions) == [2])
    let update = ConversionValueInput(.adattributionkit, fine: 7, types: ["install"])
    #expect(outcome(&state, update, after: .hours(8)).actions.map(\.code) == ["no-conversion-of-type"])
  }

  @Test("A postback that the app locked before stays as it was scheduled, and windows without a call are dropped")
  func lockedBefore() {
    var state = AppConversions()
    _ = state.begin(Sample.conversion(Sample.kept(1, nil)), of: Sample.advertisedApp, on: Device())
    _ = outcome(&state, ConversionValueInput(.adattributionkit, fine: 5, locks: true))
    let actions = state.begin(reengagement(2, tag: "a", after: .hours(6)), of: Sample.advertisedApp, on: Device())
    #expect(actions == [.drop(conversion: 100, index: 1, .superseded), .drop(conversion: 100, index: 2, .superseded)])
  }

  @Test(
    "A re-engagement leaves the install of an SKAdNetwork ad, whose calls reach both", arguments: [SKAdNetworkVersion.v3, .v4])
  func otherFrameworkStays(version: SKAdNetworkVersion) {
    var state = AppConversions()
    _ = state.begin(Sample.conversion(Sample.kept(1, version)), of: Sample.advertisedApp, on: Device())
    #expect(state.begin(reengagement(2, tag: "a"), of: Sample.advertisedApp, on: Device()).isEmpty)
    #expect(accepted(outcome(&state, ConversionValueInput(.skadnetwork, fine: 1)).actions) == [100, 2])
    #expect(accepted(outcome(&state, ConversionValueInput(.adattributionkit, fine: 2)).actions) == [2])
  }

  @Test("With the permission, an install and a re-engagement are pending together; conversionTypes selects one")
  func types() {
    var state = AppConversions()
    let app = Self.overlapping
    _ = state.begin(Sample.conversion(Sample.kept(1, nil)), of: app, on: Device())
    #expect(state.begin(reengagement(2, tag: "a", app: app), of: app, on: Device()).isEmpty)
    func targets(_ types: [String]?) -> [Int64] {
      accepted(outcome(&state, ConversionValueInput(.adattributionkit, fine: 1, types: types), app: app).actions)
    }
    #expect(targets(nil) == [2] && targets(["install", "reengagement"]) == [2], "the most recent one")
    #expect(targets(["install"]) == [100])
    #expect(targets(["reengagement"]) == [2])
    var install = AppConversions()
    _ = install.begin(Sample.conversion(Sample.kept(1, nil)), of: Sample.advertisedApp, on: Device())
    #expect(
      outcome(&install, ConversionValueInput(.adattributionkit, fine: 1, types: ["reengagement"])).actions.map(\.code)
        == ["no-conversion-of-type"])
  }

  @Test("A call of SKAdNetwork with a value fails in a build for development, unless a test conversion is pending")
  func developmentBuild() {
    var app = Sample.advertisedApp
    app.signing = .development
    for framework in AdFramework.allCases {
      var state = AppConversions()
      let outcome = outcome(&state, ConversionValueInput(framework, fine: 1), app: app)
      #expect(outcome.evaluation.failed?.reason.code == (framework == .skadnetwork ? "app-not-from-store" : "nothing-pending"))
      let error = outcome.actions.first?.rejection?.appleError
      #expect(framework == .skadnetwork ? error == .skan(.unknown) && error?.number == 10 : error == nil)
    }
    var state = AppConversions()
    #expect(
      outcome(&state, ConversionValueInput(.skadnetwork, fine: nil), app: app).actions.map(\.code)
        == ["nothing-pending"], "a registration has no error")
    let device = Device(developerModeSince: Sample.now)
    let test = Sample.conversion(Sample.kept(1, .v4, isDevelopment: true), device: device)
    _ = state.begin(test, of: app, on: device)
    let update = ConversionValueInput(.skadnetwork, fine: 1)
    #expect(accepted(state.update(update, by: app, on: device, at: Sample.now).actions) == [100])
    #expect(state.update(update, by: app, on: Device(), at: Sample.now).evaluation.failed?.rule == "app-is-signed-by-a-store")
  }

  @Test("A re-engagement starts its windows with the tap, and its first update counts for two days")
  func reengagementTimes() {
    var state = AppConversions()
    _ = state.begin(reengagement(2, tag: "a"), of: Sample.advertisedApp, on: Device())
    var late = state
    #expect(
      accepted(outcome(&state, ConversionValueInput(.adattributionkit, fine: 1, coarse: .low), after: .days(2)).actions) == [2])
    let actions = outcome(
      &late, ConversionValueInput(.adattributionkit, fine: 1, coarse: .low), after: .days(2) + Sample.millisecond
    ).actions
    #expect(
      actions.dropLast() == [
        .drop(conversion: 2, index: 0, .noUpdate), .drop(conversion: 2, index: 1, .neverUpdated),
        .drop(conversion: 2, index: 2, .neverUpdated),
      ])
    #expect(actions.last?.code == "first-update-too-late")
  }

  @Test("A re-engagement replaces an older one: postbacks with a value are scheduled at once, others are dropped")
  func superseding() {
    var state = AppConversions()
    _ = state.begin(reengagement(2, tag: "a"), of: Sample.advertisedApp, on: Device())
    _ = outcome(&state, ConversionValueInput(.adattributionkit, fine: 6))
    let actions = state.begin(reengagement(3, tag: "b", after: .hours(2)), of: Sample.advertisedApp, on: Device())
    #expect(
      actions == [
        .schedule(PostbackPlan(conversion: 2, index: 0, windowEnd: Sample.now + .hours(2), values: ReportedValues(fine: 6))),
        .drop(conversion: 2, index: 1, .superseded), .drop(conversion: 2, index: 2, .superseded),
      ])
    #expect(accepted(outcome(&state, ConversionValueInput(.adattributionkit, fine: 7), after: .hours(3)).actions) == [3])
    state.removeFinished()
    #expect(state.conversions.map(\.id) == [3])
  }

  @Test(
    "Of the conversions whose values are final, the newest install and the newest re-engagement stay, to explain a late call")
  func kept() {
    var state = AppConversions()
    _ = state.begin(reengagement(2, tag: "a"), of: Sample.advertisedApp, on: Device())
    _ = outcome(&state, ConversionValueInput(.adattributionkit, fine: 6, coarse: .low))
    _ = state.pass(to: Sample.now + .days(60))
    state.removeFinished()
    #expect(state.pending.isEmpty && state.conversions.count == 1)
    let late = outcome(&state, ConversionValueInput(.adattributionkit, fine: 7), after: .days(61))
    #expect(late.actions == [.reject(conversion: 2, .conversionEnded)])
    #expect(late.targets[2]?.failed?.rule == "conversion-is-open")
    _ = state.begin(reengagement(3, tag: "b", after: .days(62)), of: Sample.advertisedApp, on: Device())
    state.removeFinished()
    #expect(state[2] == nil && state.pending.map(\.id) == [3])
    _ = state.pass(to: Sample.now + .days(120))
    state.removeAllFinished()
    #expect(state.conversions.isEmpty)
  }

  @Test("A new install replaces an older one, and a re-engagement unless the app has the permission to overlap")
  func newInstall() {
    for (app, pending) in [(Sample.advertisedApp, [101]), (Self.overlapping, [2, 101])] as [(DeviceApp, [Int64])] {
      var state = AppConversions()
      _ = state.begin(Sample.conversion(Sample.kept(1, .v3)), of: app, on: Device())
      _ = state.begin(reengagement(2, tag: "a", app: app), of: app, on: Device())
      let actions = state.begin(Sample.conversion(Sample.kept(4, nil), id: 101), of: app, on: Device())
      #expect(actions.first == .drop(conversion: 100, index: 0, .superseded))
      #expect(state.conversions.filter { !$0.isFinished }.map(\.id) == pending)
    }
  }

  @Test("Overlapping re-engagements are distinguished by their tags; without a tag, the most recent one is updated")
  func overlapping() {
    var state = AppConversions()
    let app = Self.overlapping
    _ = state.begin(Sample.conversion(Sample.kept(1, nil)), of: app, on: Device())
    #expect(state.begin(reengagement(2, tag: "a", app: app), of: app, on: Device()).isEmpty)
    #expect(state.begin(reengagement(3, tag: "b", app: app), of: app, on: Device()).isEmpty)
    func targets(_ tag: String?) -> [ConversionAction] {
      outcome(&state, ConversionValueInput(.adattributionkit, fine: 1, tag: tag), app: app).actions
    }
    #expect(accepted(targets("a")) == [2])
    #expect(accepted(targets("b")) == [3])
    #expect(accepted(targets(nil)) == [3])
    #expect(targets("c").map(\.code) == ["conversion-tag-unknown"])
    #expect(targets("c")[0].rejection?.appleError == .adAttributionKit(.invalidConversionTag))
  }

  @Test("Without the permission, or before iOS 18.4, re-engagements do not overlap, and a tag is an error")
  func noOverlapping() {
    for (app, system) in [(Sample.advertisedApp, OSVersion(18, 4)), (Self.overlapping, OSVersion(18, 3))] {
      var state = AppConversions()
      _ = state.begin(reengagement(2, tag: "a"), of: app, on: Device(system: system))
      #expect(state.begin(reengagement(3, tag: "b"), of: app, on: Device(system: system)).count == 3)
      let outcome = outcome(&state, ConversionValueInput(.adattributionkit, fine: 1, tag: "b"), app: app, system: system)
      #expect(outcome.evaluation.failed?.reason.code == "conversion-tag-not-supported")
      #expect(accepted(outcome.actions).isEmpty)
      #expect(outcome.actions.last?.rejection?.appleError == .adAttributionKit(.conversionTagNotSupported))
    }
  }

  @Test("Conversions of AdAttributionKit begin the app's cooldowns")
  func past() {
    var state = AppConversions()
    _ = state.begin(Sample.conversion(Sample.kept(1, .v4)), of: Sample.advertisedApp, on: Device())
    #expect(state.past == PastConversions())
    _ = state.begin(Sample.conversion(Sample.kept(1, nil), id: 101), of: Sample.advertisedApp, on: Device())
    _ = state.begin(reengagement(2, tag: "a", after: .hours(1)), of: Sample.advertisedApp, on: Device())
    #expect(state.past == PastConversions(installAt: Sample.now, reengagementAt: Sample.now + .hours(1)))
  }

  @Test("Each conversion that a call concerns has an evaluation")
  func evaluations() {
    var state = AppConversions()
    _ = state.begin(Sample.conversion(Sample.kept(1, .v3)), of: Sample.advertisedApp, on: Device())
    _ = state.begin(reengagement(2, tag: "a"), of: Sample.advertisedApp, on: Device())
    _ = outcome(&state, ConversionValueInput(.skadnetwork, fine: 5))
    let second = outcome(&state, ConversionValueInput(.skadnetwork, fine: 4))
    #expect(second.evaluation.failed == nil)
    #expect(second.targets[100]?.failed?.reason.code == "value-not-greater")
    #expect(second.targets[2]?.failed == nil)
    #expect(second.targets.count == 2)
  }
}
