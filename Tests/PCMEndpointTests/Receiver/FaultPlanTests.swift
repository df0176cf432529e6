import PCMEndpoint
import Testing

/// The times and hosts of faults.
@Suite struct FaultPlanTests {
  @Test func aFaultOccursTheSpecifiedNumberOfTimes() {
    var plan = FaultPlan([
      FaultRule(InjectedFault(.status), on: .report, times: 2), FaultRule(InjectedFault(.delay), on: .report, times: 1),
    ])
    #expect(plan.next(for: .key, at: "a.example") == nil)
    let kinds = (0..<4).map { _ in plan.next(for: .report, at: "a.example")?.kind }
    #expect(kinds == [.status, .status, .delay, nil])
    #expect(plan.rules.map(\.times) == [0, 0])
  }

  @Test func aFaultAppliesToItsHost() {
    var plan = FaultPlan([FaultRule(InjectedFault(.status), host: "a.example")])
    #expect(plan.next(for: .report, at: "b.example") == nil)
    #expect(plan.next(for: .report, at: "a.example")?.status == 503)
  }

  @Test func forgeriesApplyToKeysAndSignatures() {
    var plan = FaultPlan([FaultRule(InjectedFault(.wrongKey)), FaultRule(InjectedFault(.forgedSignature))])
    #expect(plan.next(for: .report, at: "a.example") == nil)
    #expect(plan.next(for: .key, at: "a.example")?.kind == .wrongKey)
    #expect(plan.next(for: .sign, at: "a.example")?.kind == .forgedSignature)
    #expect(plan.next(for: .signedPayload, at: "a.example")?.kind == .forgedSignature)
  }

  @Test(arguments: [InjectedFault.Kind.wrongNonce, .wrongSourceDomain, .wrongVersion])
  func wrongValuesApplyToWebAds(_ kind: InjectedFault.Kind) {
    var plan = FaultPlan([FaultRule(InjectedFault(kind))])
    for other in ReceivedRequest.Kind.allCases where other != .signedPayload {
      #expect(plan.next(for: other, at: "a.example") == nil)
    }
    #expect(plan.next(for: .signedPayload, at: "a.example")?.kind == kind)
  }

  private func draws(_ seed: UInt64, probability: Double) -> [Bool] {
    var plan = FaultPlan([FaultRule(InjectedFault(.status), probability: probability)], seed: seed)
    return (0..<1_000).map { _ in plan.next(for: .report, at: "a.example") != nil }
  }

  @Test func probabilitiesUseTheSeed() {
    #expect(draws(1, probability: 0.25) == draws(1, probability: 0.25))
    #expect(draws(1, probability: 0.25) != draws(2, probability: 0.25))
    #expect((200...300).contains(draws(1, probability: 0.25).filter { $0 }.count))
    #expect(draws(1, probability: 0).allSatisfy { !$0 })
    #expect(draws(1, probability: 1).allSatisfy { $0 })
  }

  @Test func aPixelRedirectsToItsTrigger() throws {
    #expect(
      try ReceivedTrigger(data: "3", priority: "7").location(source: nil, nonce: nil).hasSuffix("/trigger-attribution/03/07"))
    let location = try ReceivedTrigger(data: "12", priority: nil).location(
      source: "https://news.example", nonce: ReceiverFixture.nonce)
    #expect(
      location
        == "\(ReceivedTrigger.prefix)12?attributionSource=https%3A%2F%2Fnews.example&attributionDestinationNonce=\(ReceiverFixture.nonce)"
    )
    #expect(throws: RequestError.self) { try ReceivedTrigger(data: "16", priority: nil) }
    #expect(throws: RequestError.self) { try ReceivedTrigger(data: "1", priority: "64") }
    #expect(throws: RequestError.self) { try ReceivedTrigger(data: "", priority: nil) }
  }
}
