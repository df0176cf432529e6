import PCMCore
import Testing

/// Random sequences of ads, installs, and values, compared with the references.
@Suite struct DeviceSimulationTests {
  @Test(
    "random journeys go as the references say and break no promise",
    arguments: Seeds.batches(of: Seeds.chosen(orElse: 1...150), by: 15))
  func seeds(_ batch: Seeds.Batch) async throws {
    for seed in batch.seeds {
      let plan = DevicePlan(seed: seed)
      do {
        try DeviceReferee.judge(try await DeviceSimulation(plan: plan).run())
      } catch let difference as DeviceDifference {
        record("\(difference.operation): \(difference.detail)", plan)
      } catch let breach as DeviceBreach {
        record("\(breach.promise.rawValue)\n\(breach.detail)", plan)
      }
    }
  }

  private func record(_ text: String, _ plan: DevicePlan) {
    let story = plan.operations.map { "  \($0)" }.joined(separator: "\n")
    let replay = "PCM_SIMULATION_SEED=\(plan.seed) scripts/test --filter DeviceSimulationTests"
    Issue.record("\(text)\nseed \(plan.seed)\n\(story)\nreplay: \(replay)")
  }

  @Test("a service that follows the references differs from a model with one other rule", arguments: DeviceMutation.allCases)
  func mutants(_ mutation: DeviceMutation) async throws {
    for seed in 1...400 as ClosedRange<UInt64> {
      do {
        _ = try await DeviceSimulation(plan: DevicePlan(seed: seed), mutation: mutation).run()
      } catch is DeviceDifference {
        return
      }
    }
    Issue.record("400 plans do not meet the rule")
  }

  @Test("the same seed gives the same postbacks twice, byte for byte", arguments: [1, 2, 20] as [UInt64])
  func sameSeed(_ seed: UInt64) async throws {
    let postbacks = try await DeviceSimulation(plan: DevicePlan(seed: seed)).run()
    #expect(try await DeviceSimulation(plan: DevicePlan(seed: seed)).run() == postbacks)
  }

  @Test("the plans reach postbacks of all kinds")
  func coverage() async throws {
    var met: [String: Int] = [:]
    for seed in 1...60 as ClosedRange<UInt64> {
      for postback in try await DeviceSimulation(plan: DevicePlan(seed: seed)).run() {
        met["\(postback.didWin ? "won" : "lost") \(postback.index) \(postback.recipient)", default: 0] += 1
        met["\(postback.state)", default: 0] += 1
        met[postback.body.contains("jws-string") ? "AdAttributionKit" : "SKAdNetwork", default: 0] += 1
        if postback.sentAt.count > 1, postback.state == .delivered { met["repeated", default: 0] += 1 }
      }
    }
    for what in [
      "won 0 adNetwork", "won 0 developer", "won 1 adNetwork", "won 2 developer", "lost 0 adNetwork", "delivered", "failed",
      "AdAttributionKit", "SKAdNetwork", "repeated",
    ] {
      #expect((met[what] ?? 0) >= 3, "\(what) in \(met)")
    }
  }

  /// Postbacks that were falsified, and the promise that they break.
  struct Forgery: Sendable, CustomTestStringConvertible {
    enum Kind: Sendable { case winner, copy, runnerUp }

    let promise: DevicePromise
    private let kind: Kind
    private let isAdded: Bool
    private let change: @Sendable (inout SeenPostback) -> Void

    var testDescription: String { promise.rawValue }

    /// - Parameter isAdded: Whether the changed postback is added to the original postbacks.
    init(
      _ promise: DevicePromise, of kind: Kind = .winner, isAdded: Bool = false,
      _ change: @escaping @Sendable (inout SeenPostback) -> Void
    ) {
      (self.promise, self.kind, self.isAdded, self.change) = (promise, kind, isAdded, change)
    }

    /// Changes the first postback of the kind.
    func falsify(_ postbacks: [SeenPostback]) -> [SeenPostback] {
      let index = postbacks.firstIndex { postback in
        switch kind {
        case .winner: postback.didWin && postback.recipient == .adNetwork
        case .copy: postback.recipient == .developer
        case .runnerUp: !postback.didWin
        }
      }
      guard let index else { return postbacks }
      var changed = postbacks[index]
      change(&changed)
      return Array(postbacks[..<index]) + (isAdded ? [postbacks[index], changed] : [changed]) + postbacks[(index + 1)...]
    }
  }

  static let forgeries: [Forgery] = [
    Forgery(.delay) { $0.scheduledAt = $0.dueAt - .days(7) },
    Forgery(.copy, of: .copy) { $0.dueAt = $0.dueAt - .seconds(1) },
    Forgery(.indexes, isAdded: true) { _ in },
    Forgery(.oneWinner, of: .copy) { $0.impression = 0 },
    Forgery(.oncePerNetwork, of: .runnerUp, isAdded: true) { $0.impression += 1_000 },
    Forgery(.runnersUp, of: .runnerUp) { $0.recipient = .developer },
    Forgery(.signature) { $0.body = $0.body.replacing("525463029", with: "525463028") },
    Forgery(.notEarly) { $0.sentAt[0] = $0.dueAt - .seconds(1) },
    Forgery(.attempts) { $0.sentAt += Array(repeating: $0.sentAt[0], count: 9) },
    Forgery(.settled) { $0.state = .scheduled },
  ]

  @Test("the referee finds the faults of falsified postbacks", arguments: forgeries)
  func referee(_ forgery: Forgery) async throws {
    var postbacks: [SeenPostback] = []
    for seed in 1...100 as ClosedRange<UInt64> {
      postbacks = try await DeviceSimulation(plan: DevicePlan(seed: seed)).run()
      let winner = postbacks.first { $0.didWin }
      if postbacks.contains(where: { !$0.didWin }), winner?.index == 0, winner?.body.contains("\"version\":\"4.0\"") == true {
        break
      }
    }
    try DeviceReferee.judge(postbacks)
    let breach = #expect(throws: DeviceBreach.self) { try DeviceReferee.judge(forgery.falsify(postbacks)) }
    #expect(breach?.promise == forgery.promise, "\(breach?.detail ?? "nothing was found")")
  }

  @Test("every promise has postbacks that break it")
  func everyPromise() { #expect(Set(Self.forgeries.map(\.promise)) == Set(DevicePromise.allCases)) }
}
