import BrowserSupport
import HTTPSupport
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMManifest
import PCMStore
import PCMURL
import Testing

@testable import PCMHTTP

/// Probes of a store that does not respond.
@Suite(.timeLimit(.minutes(10))) struct JoinedCallTests {
  private let gate = Gate()
  private let count = NIOLockedValueBox(0)

  private var call: JoinedCall<Int> {
    JoinedCall { [gate, count] in
      let number = count.withLockedValue { count in
        count += 1
        return count
      }
      await gate.wait()
      return number
    }
  }

  @Test("Callers share a call, and leave it after their pause; a call after its end begins another")
  func sharing() async throws {
    let call = call
    for _ in 1...3 { #expect(await call.outcome(on: nil) {} == nil) }
    while count.withLockedValue(\.self) == 0 { await Task.yield() }
    #expect(count.withLockedValue(\.self) == 1)
    async let joined = call.outcome(on: nil, within: Self.endless)
    gate.open()
    // It may start after the end of the first call, and then begins a new call.
    #expect(try await joined?.get() != nil)
    while try await call.outcome(on: nil, within: Self.endless)?.get() == 1 {}
    #expect(count.withLockedValue(\.self) >= 2)
  }

  @Test("A store that does not respond is not ready, and has no gauges")
  func probes() async throws {
    let store = SilentStore(base: MemoryStore(), gate: gate)
    defer { gate.open() }
    let pauses = NIOLockedValueBox<[Duration]>([])
    let sites = SiteParser(publicSuffixList: .builtIn())
    let metrics = Metrics(
      metricSet: MetricSet(), stores: [.durable: store, .ephemeral: MemoryStore()], version: "1.2.3", startedAt: Scene.start,
      wallClock: { Scene.start })
    let api = ControlAPI(
      browsers: try await Scene(store: store).browsers, manifests: ManifestReader(parseURL: { try? sites.url($0) }),
      metrics: metrics, probePauses: ProbePauses { pause in pauses.withLockedValue { $0.append(pause) } },
      checkReady: { try await store.checkWritable() })
    try await Application(router: api.router()).test(.router) { client in
      let api = API(client: client)
      for _ in 1...2 {
        let readiness = try await api.call(.get, "/readyz")
        #expect(readiness.status == 503)
        #expect(try readiness.member("code") == "unavailable")
        #expect(readiness.text.contains("the store does not respond"))
      }
      let text = try await api.call(.get, "/metrics").text
      #expect(text.contains("\npcm_build_info{"))
      #expect(!text.contains("storage=\"durable\"} "))
    }
    #expect(pauses.withLockedValue { $0.max() ?? .zero } < .seconds(2), "with the time for a response")
  }

  private static let endless: @Sendable () async throws -> Void = { try await ProbePauses.endless.pause(.zero) }
}

/// A store that does not respond to probes before a gate opens.
private struct SilentStore: ForwardingStore {
  let base: any Store
  let gate: Gate

  func checkWritable() async throws {
    await gate.wait()
    try await base.checkWritable()
  }

  func counts(at wallNow: Instant) async throws -> StoreCounts {
    await gate.wait()
    return try await base.counts(at: wallNow)
  }
}
