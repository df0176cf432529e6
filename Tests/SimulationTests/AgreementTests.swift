import BrowserSupport
import PCMBrowser
import PCMCore
import PCMRules
import PCMURL
import Testing

/// Generated users play through the service and through the engine of `simulate`. `PCM_SIMULATION_SEEDS=1-2000` has more of them.
@Suite struct AgreementTests {
  private static let sites = SiteParser(publicSuffixList: .builtIn())
  private static let batches = Seeds.batches(of: Seeds.chosen(orElse: 1...100), by: 25)

  @Test(arguments: batches)
  func aSimulatedUserHasTheReportsAndTheLossesOfABrowser(_ batch: Seeds.Batch) async throws {
    for number in batch.seeds {
      let plan = UserPlan(seed: number)
      let seed = SimulatedUser.seed("1", user: "user-\(number)")
      let service = try await UserOfService(plan, seed: seed, sites: Self.sites)
      let user = try Self.simulate(plan, seed: seed)
      let sent = user.reports.map {
        SentReport(recipient: $0.recipient, at: $0.at, body: $0.body.text, click: $0.click, trigger: $0.trigger)
      }
      let losses = user.losses.sorted { ($0.line, $0.subject.rawValue) < ($1.line, $1.subject.rawValue) }
      #expect(try await sent == service.reports(), "the user \(number)")
      let expected = try await service.losses()
      #expect(losses == expected, "the user \(number): \(Set(losses).symmetricDifference(expected))")
    }
  }

  @Test func theGeneratedUsersMeetEveryKindOfLoss() throws {
    var (reasons, reportCount): (Set<String>, Int) = ([], 0)
    for number in 1...UInt64(100) {
      let user = try Self.simulate(UserPlan(seed: number), seed: "seed")
      reasons.formUnion(user.losses.map(\.reason))
      reportCount += user.reports.count
    }
    #expect(reportCount > 200, "\(reportCount) reports")
    let expected: Set = [
      "already-reported", "attribute-missing", "click-expired", "click-replaced", "cleared", "data-invalid", "ephemeral",
      "held-click-mismatch", "held-click-replaced", "landing-site-mismatch", "lower-or-equal-priority",
      "measurement-disabled", "no-held-click",
      "navigation-did-not-commit", "no-click", "other-app", "other-destination", "priority-invalid", "same-site",
      "same-site-needs-source", "source-id-not-a-number", "source-id-too-large", "stored", "superseded", "tap-not-verified",
    ]
    #expect(expected.subtracting(reasons).isEmpty, "\(expected.subtracting(reasons).sorted()) of \(reasons.sorted())")
  }

  @Test func theSeedOfAUserIsADigest() {
    // printf '1\0anna' | sha256sum
    #expect(SimulatedUser.seed("1", user: "anna") == "53b0b489fb3d69aef4a3bc3e774cf85e43119f9699327b6620a3b9491e4b0513")
  }

  @Test(arguments: batches)
  func aSimulatedUserHasThePostbacksAndTheLossesOfADevice(_ batch: Seeds.Batch) async throws {
    for number in batch.seeds { try await Self.compare(UserPlan(appAds: number), "the user \(number)") }
  }

  @Test func aHundredConversionsAreTheLimitOfBoth() async throws {
    var (plan, ad, install) = (UserPlan(appAds: 1), SignedAdInput(), InstallInput())
    (ad.bundleIdentifier, ad.framework, ad.eligibleForReengagement) = (UserPlan.sourceApps[0].name, .adattributionkit, true)
    install.bundleIdentifier = UserPlan.advertisedApps[0].name
    let (start, tap) = (plan.events[0].at, UserPlan.Call.adTap(ImpressionTapInput()))
    let calls = [.ad(ad), tap, .install(install)] + (0..<101).flatMap { _ in [.ad(ad), tap] }
    plan.device = DeviceChange()
    plan.events = calls.enumerated().map { (start + .seconds(Int64($0.offset)), $0.element) }
    // The taps at the limit have drawn nothing.
    var value = ConversionValueInput()
    (value.bundleIdentifier, value.fineValue) = (install.bundleIdentifier, 7)
    for call in [.ad(ad), tap, UserPlan.Call.value(value)] { plan.events.append((start + .days(70), call)) }
    let losses = try await Self.compare(plan, "the user of a hundred conversions")
    #expect(losses.count { $0.reason == "limit-reached" } == 2)
  }

  /// Compares a device of the service with a simulated one, and returns the losses.
  @discardableResult
  private static func compare(_ plan: UserPlan, _ name: Comment) async throws -> [SimulatedLoss] {
    let seed = SimulatedUser.seed("1", user: "user-\(plan.seed)")
    let service = try await UserOfService(plan, seed: seed, sites: sites, hasAppAds: true)
    let user = try simulate(plan, seed: seed, AppAdParties.world(of: plan, sites: sites))
    let sent = user.reports.map {
      SentReport(recipient: $0.recipient, at: $0.at, body: $0.body.text, click: $0.click, trigger: $0.trigger)
    }
    #expect(try await sent == service.reports(), name)
    let (postbacks, expected) = (user.postbacks.map { SentPostback($0) }, try await service.postbacks())
    #expect(postbacks == expected, name)
    let losses = user.losses.sorted { $0.order < $1.order }
    let expectedLosses = try await (service.losses() + service.deviceLosses()).sorted { $0.order < $1.order }
    #expect(losses == expectedLosses, "\(name): \(losses.difference(from: expectedLosses))")
    return losses
  }

  @Test func theGeneratedUsersMeetMostLossesOfDevices() throws {
    var (reasons, postbacks): (Set<String>, [SimulatedPostback]) = ([], [])
    for number in 1...UInt64(100) {
      let plan = UserPlan(appAds: number)
      let user = try Self.simulate(plan, seed: "seed", AppAdParties.world(of: plan, sites: Self.sites))
      reasons.formUnion(user.losses.filter { $0.subject != .click && $0.subject != .trigger }.map(\.reason))
      postbacks += user.postbacks
    }
    for framework in AdFramework.allCases {
      for index in 0...2 {
        #expect(postbacks.contains { $0.framework == framework && $0.sequenceIndex == index }, "\(framework) \(index)")
      }
      #expect(postbacks.contains { $0.framework == framework && !$0.didWin && $0.recipient == .adNetwork })
      #expect(postbacks.contains { $0.framework == framework && $0.recipient == .developer })
    }
    let expected: Set = [
      "ad-network-not-declared", "app-not-installed", "cleared", "conflict", "impression-expired", "lowest-tier",
      "network-won", "never-updated", "no-impression", "no-update-in-window", "not-found", "recorded", "too-many-views",
      "tier-too-low", "value-not-reported", "value-replaced", "view-not-started", "view-replaced", "view-too-short",
    ]
    #expect(expected.subtracting(reasons).isEmpty, "\(expected.subtracting(reasons).sorted()) of \(reasons.sorted())")
  }

  /// `pcm-browser rules` explains each code that a row of losses can have.
  @Test func theRulesAndReasonsOfAllLossesAreInTheCatalog() throws {
    var losses: Set<[String]> = []
    for number in 1...UInt64(100) {
      let (web, apps) = (UserPlan(seed: number), UserPlan(appAds: number))
      for user in [
        try Self.simulate(web, seed: "seed"),
        try Self.simulate(apps, seed: "seed", AppAdParties.world(of: apps, sites: Self.sites)),
      ] {
        losses.formUnion(user.losses.map { [$0.rule, $0.reason] })
      }
    }
    let rules = RuleCatalog.topics.flatMap(\.rules)
    let known = Set(rules.flatMap { rule in rule.title.reasons.map { [rule.name, $0.code ?? ""] } })
    let codes = Set(SimulatedLoss.Code.allCases.map(\.rawValue))
    for loss in losses {
      #expect(loss[0].isEmpty ? codes.contains(loss[1]) : known.contains(loss), "\(loss)")
    }
  }

  private static func simulate(_ plan: UserPlan, seed: String, _ world: SimulatedWorld? = nil) throws -> SimulatedUser {
    var user = SimulatedUser(seed: seed, world: world, at: plan.events[0].at)
    for (index, event) in plan.events.enumerated() {
      user.perform(try action(event.call, in: world), line: Int64(index + 1), at: event.at)
    }
    user.finish()
    return user
  }

  private static func action(_ call: UserPlan.Call, in world: SimulatedWorld?) throws -> SimulatedAction {
    let world = world ?? SimulatedWorld(sites: sites)
    return switch call {
    case .link(let input): try SimulatedAction(input, sites: sites)
    case .tap(let input):
      try SimulatedAction(
        input, endpoint: sites.url("https://\(input.bundleIdentifier.dropFirst("com.example.".count))"), sites: sites)
    case .trigger(let input): try SimulatedAction(input, sites: sites)
    case .clear(let site): SimulatedAction(clearing: site)
    case .settings(let change): SimulatedAction(change)
    case .ad(let input): try ad(input, in: world)
    case .adEnd: SimulatedAction(ImpressionEndInput())
    case .adTap(let input): try SimulatedAction(input, in: world)
    case .install(let input): try SimulatedAction(input, in: world)
    case .launch(let input): try SimulatedAction(input, in: world)
    case .value(let input): try SimulatedAction(input, in: world)
    }
  }

  /// Returns an ad that was read with another source identifier, if ads that differ only in it share their action.
  private static func ad(_ input: SignedAdInput, in world: SimulatedWorld) throws -> SimulatedAction {
    guard let identifier = input.sourceIdentifier else { return try SimulatedAction(input, in: world) }
    var other = input
    other.sourceIdentifier = 9_999 - identifier
    let shared = try SimulatedAction(other, in: world).ad(withSourceIdentifier: Int(identifier))
    #expect((shared == nil) == (input.framework == .adattributionkit))
    return try shared ?? SimulatedAction(input, in: world)
  }
}
