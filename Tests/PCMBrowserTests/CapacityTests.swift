import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMDelivery
import PCMStore
import Testing

/// Requests of one purpose, or of one browser, that take up the network.
@Suite struct CapacityTests {
  /// A network that never answers `stuck.example`, and counts its requests.
  private struct Network: Sendable {
    let gate = Gate()
    let stuck = NIOLockedValueBox(0)

    var transport: ScriptedTransport {
      ScriptedTransport { [gate, stuck] request, _ in
        guard request.url.contains("stuck.example") else { return Exchange(httpStatus: 200) }
        stuck.withLockedValue { $0 += 1 }
        await gate.wait()
        return Exchange(httpStatus: 204)
      }
    }
  }

  private static let load = LoadInput(firstPartyURL: "https://shop.example/", url: "https://stuck.example/")

  @Test("Loads of one browser are limited, and reports are sent meanwhile")
  func loads() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    try await scene.click(3)
    try await scene.trigger("12")
    let (other, _) = try await scene.browsers.put("other", BrowserSpecification(clockMode: .manual))
    try await withThrowingTaskGroup { group in
      for _ in 0..<200 { group.addTask { try await scene.browser.load(Self.load) } }
      while network.stuck.withLockedValue({ $0 }) < 32 { await Task.yield() }
      for _ in 0..<1_000 { await Task.yield() }
      #expect(network.stuck.withLockedValue { $0 } == 32)
      try await scene.advance(.days(3))
      #expect(try await scene.reports(.delivered).count == 2)
      group.addTask { try await other.load(Self.load) }
      while network.stuck.withLockedValue({ $0 }) < 33 { await Task.yield() }
      network.gate.open()
      for try await outcome in group { #expect(outcome.hops.first?.status == 204) }
    }
  }

  @Test("A load whose task is canceled ends, and its request is canceled", arguments: [1, 40])
  func canceledLoad(_ count: Int) async throws {
    let canceled = NIOLockedValueBox(0)
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    let transport = ScriptedTransport { _, _ in
      request.yield()
      await withTaskCancellationHandler {
        for await _ in AsyncStream.makeStream(of: Never.self).stream {}
      } onCancel: {
        canceled.withLockedValue { $0 += 1 }
      }
      return Exchange(failure: TransportFailure(.transportClosed, "canceled"))
    }
    let scene = try await Scene(transport: transport)
    let loads = (0..<count).map { _ in Task { try await scene.browser.load(Self.load) } }
    for await _ in requests { break }
    for load in loads { load.cancel() }
    for load in loads {
      guard case .success(let outcome) = await load.result else { continue }
      #expect(outcome.error?.code == "transport-closed")
    }
    #expect((1...min(count, 32)).contains(canceled.withLockedValue { $0 }))
  }
}
