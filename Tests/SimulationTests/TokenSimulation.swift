import BrowserSupport
import PCMBrowser
import PCMCore
import PCMStore

/// One run of a plan about tokens, in a store in memory whose process dies now and then.
struct TokenSimulation {
  let plan: TokenPlan

  /// - Returns: The visible uses of tokens.
  func run() async throws -> [TokenEntry] {
    let (machine, store) = (Machine(), MemoryStore())
    let network = try TokenNetwork(machine: machine)
    let transport = ScriptedTransport { request, _ in network.answer(request) }
    func process() -> FaultyStore {
      FaultyStore(base: store, machine: machine, process: machine.startProcess(), mutation: nil)
    }
    var scene = try await Scene(
      settings: SettingsChange(deliveryPolicy: plan.policy), seed: String(plan.seed), store: process(), transport: transport)
    for operation in plan.operations + [.network(isFair: true), .advance(.days(5))] {
      do {
        if operation == .restart { throw ProcessIsDead() }
        try await operation.perform(on: scene, network, machine)
      } catch is ProcessIsDead {
        network.note(.death)
        network.dieAtRequest(after: nil)
        scene = try await Scene(restarting: process(), transport: transport)
      } catch let error as StoreError where error == FaultyStore.refusal {
        network.note(.death)
      }
    }
    return network.entries
  }
}

extension TokenOperation {
  fileprivate func perform(on scene: Scene, _ network: TokenNetwork, _ machine: Machine) async throws {
    switch self {
    case .click(let id, let source, let destination, let nonce):
      if let nonce { network.note(.played(nonce: nonce, host: source, party: .source)) }
      try await scene.click(id, from: source, to: destination, nonce: nonce)
    case .event(let data, let priority, let source, let destination, let nonce):
      if let nonce { network.note(.played(nonce: nonce, host: destination, party: .destination)) }
      let tail = [data, priority].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "/")
      let query = nonce.map { "?attributionDestinationNonce=\($0)" } ?? ""
      let outcome = try await scene.trigger(tail + query, from: source, on: destination)
      // Of one site, an event has to name its source, and is rejected before anything is asked for.
      guard source != destination else { return }
      network.note(
        .event(
          nonce: nonce, isRefusedForToken: outcome.reasons.map(\.code) == ["destination-token-failed"],
          showsToken: outcome.attribution.map { $0.destinationToken != nil }))
    case .rotate(let site): network.rotate(site)
    case .weather(let site, let weather): network.change(weather, at: site)
    case .network(let isFair): network.change(isFair: isFair)
    case .advance(let interval): try await scene.advance(interval)
    case .untilIdle: _ = try await scene.browser.advance(.untilIdle(within: .days(30)))
    case .crash(let point): machine.plan(point)
    case .storeFault(let fault): machine.plan(fault)
    case .dieAtRequest(let count): network.dieAtRequest(after: count)
    case .restart: break
    }
  }
}
