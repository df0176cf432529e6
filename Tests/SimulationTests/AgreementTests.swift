import BrowserSupport
import PCMBrowser
import PCMCore
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

  private static func simulate(_ plan: UserPlan, seed: String) throws -> SimulatedUser {
    var user = SimulatedUser(seed: seed, at: plan.events[0].at)
    for (index, event) in plan.events.enumerated() {
      user.perform(try action(event.call), line: Int64(index + 1), at: event.at)
    }
    user.finish()
    return user
  }

  private static func action(_ call: UserPlan.Call) throws -> SimulatedAction {
    switch call {
    case .link(let input): try SimulatedAction(input, sites: sites)
    case .tap(let input):
      try SimulatedAction(
        input, endpoint: sites.url("https://\(input.bundleIdentifier.dropFirst("com.example.".count))"), sites: sites)
    case .trigger(let input): try SimulatedAction(input, sites: sites)
    case .clear(let site): SimulatedAction(clearing: site)
    case .settings(let change): SimulatedAction(change)
    }
  }
}
