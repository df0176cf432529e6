import PCMCore
import Testing

/// Random sequences of clicks and events with nonces, before sites that sign, or not, or change their keys.
@Suite struct TokenSimulationTests {
  @Test("random exchanges break no promise about tokens", arguments: Seeds.batches(of: Seeds.chosen(orElse: 1...60), by: 10))
  func seeds(_ batch: Seeds.Batch) async throws {
    for seed in batch.seeds {
      let plan = TokenPlan(seed: seed)
      let entries = try await TokenSimulation(plan: plan).run()
      do {
        var referee = try TokenReferee(policy: plan.policy)
        try referee.judge(entries)
      } catch let breach as TokenBreach {
        let story = plan.operations.map { "  \($0)" }.joined(separator: "\n")
        let replay = "PCM_SIMULATION_SEED=\(seed) scripts/test --filter TokenSimulationTests"
        Issue.record(
          "\(breach.promise.rawValue)\n\(breach.detail)\nseed \(seed), \(plan.policy)\n\(story)\nreplay: \(replay)")
      }
    }
  }

  @Test("the plans reach reports with no, one and two tokens, and exchanges that succeed and fail")
  func coverage() async throws {
    var met: [String: Int] = [:]
    for seed in 1...20 as ClosedRange<UInt64> {
      let plan = TokenPlan(seed: seed)
      var referee = try TokenReferee(policy: plan.policy)
      try referee.judge(try await TokenSimulation(plan: plan).run())
      met.merge(referee.coverage) { $0 + $1 }
    }
    for what in [
      "report with 0 tokens", "report with 1 tokens", "report with 2 tokens", "signed", "not signed", "event refused",
      "event taken",
    ] {
      #expect((met[what] ?? 0) >= 3, "\(what) in \(met)")
    }
  }

  /// A record that was falsified, and the promise that it breaks.
  struct Forgery: Sendable, CustomTestStringConvertible {
    let promise: TokenPromise
    let falsify: @Sendable ([TokenEntry]) -> [TokenEntry]

    var testDescription: String { promise.rawValue }
  }

  /// Where the first report with a source's token is in a record.
  private static func firstReport(in entries: [TokenEntry]) -> Int {
    entries.firstIndex { if case .report(_, let body, _) = $0 { body.contains("source_secret") } else { false } } ?? 0
  }

  static let forgeries: [Forgery] = [
    Forgery(promise: .ownSite) { entries in
      entries.map { entry in
        guard case .played(let nonce, _, let party) = entry else { return entry }
        return .played(nonce: nonce, host: "other.example", party: party)
      }
    },
    Forgery(promise: .singleUse) { entries in
      entries.flatMap { if case .signature = $0 { [$0, $0] } else { [$0] } }
    },
    Forgery(promise: .askedBefore) { entries in
      let index = firstReport(in: entries)
      return entries.enumerated().filter { $0.offset != index - 1 }.map(\.element)
    },
    Forgery(promise: .keyStands) { entries in
      var entries = entries
      let index = firstReport(in: entries) - 1
      if case .key(let host, let served?) = entries[index] { entries[index] = .key(host: host, served: served ^ 1) }
      return entries
    },
    Forgery(promise: .oneStory) { entries in
      let index = firstReport(in: entries)
      guard case .report(let host, let body, let isDelivered) = entries[index] else { return entries }
      let other = TokenEntry.report(
        host: host, body: body.replacing(#""source_id":"#, with: #""source_id":1"#), isDelivered: isDelivered)
      return Array(entries[...index]) + [entries[index - 1], other]
    },
    Forgery(promise: .oncePerRecipient) { entries in
      let index = firstReport(in: entries)
      return Array(entries[...index] + entries[(index - 1)...index])
    },
    Forgery(promise: .unlinkable) { entries in
      let index = firstReport(in: entries)
      return entries.enumerated().map { offset, entry in
        guard offset < index, case .signature(let host, let body, _, let isGood) = entry,
          case .report(_, let shown, _) = entries[index]
        else { return entry }
        return .signature(host: host, body: body, secrets: [shown], isGood: isGood)
      }
    },
    Forgery(promise: .eventNeedsToken) { entries in
      entries.map { entry in
        guard case .event(let nonce, let isRefused, let showsToken) = entry else { return entry }
        return .event(nonce: nonce, isRefusedForToken: !isRefused, showsToken: showsToken)
      }
    },
  ]

  @Test("the referee finds the fault of a falsified record", arguments: forgeries)
  func referee(_ forgery: Forgery) async throws {
    let plan = try #require(try await Self.shortStory())
    var honest = try TokenReferee(policy: plan.policy)
    let entries = try await TokenSimulation(plan: plan).run()
    try honest.judge(entries)
    var referee = try TokenReferee(policy: plan.policy)
    let breach = #expect(throws: TokenBreach.self) { try referee.judge(forgery.falsify(entries)) }
    #expect(breach?.promise == forgery.promise, "\(breach?.detail ?? "nothing was found")")
  }

  @Test("every promise has a falsified record")
  func everyPromise() {
    #expect(Self.forgeries.map(\.promise) == TokenPromise.allCases)
  }

  /// The first plan under `webkit` in whose record a report with the source's token alone comes right behind its key.
  private static func shortStory() async throws -> TokenPlan? {
    for seed in 1...60 as ClosedRange<UInt64> {
      let plan = TokenPlan(seed: seed)
      guard plan.policy == .webkit else { continue }
      let entries = try await TokenSimulation(plan: plan).run()
      let index = firstReport(in: entries)
      guard index > 1, case .report(_, let body, _) = entries[index], !body.contains("destination_secret") else { continue }
      if entries[..<index].contains(where: { if case .event = $0 { true } else { false } }) { return plan }
    }
    return nil
  }
}
