import BrowserSupport
import Foundation
import HTTPSupport
import HTTPTypes
import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork
import Testing

/// With a seed and a manual clock the same calls give the same answers, byte for byte, whatever the machine's clock says
/// and however long the network takes.
@Suite struct DeterminismTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func twoHundredStepsAreReproducible(_ seed: UInt64) async throws {
    let first = try await answers(seed: seed, wallStart: Scene.start, slowness: 1)
    let second = try await answers(seed: seed, wallStart: Scene.start + .days(400), slowness: 7)
    #expect(first.count == 208)
    for (step, pair) in zip(first, second).enumerated() { #expect(pair.0 == pair.1, "step \(step)") }
    // So that it is no comparison of nothing: clicks were kept, events attributed and reports delivered.
    for outcome in [#""outcome":"stored""#, #""outcome":"attributed""#, #""kind":"report-delivered""#] {
      #expect(first.contains { $0.contains(outcome) })
    }
  }

  @Test func anotherSeedProducesOtherTimes() async throws {
    let first = try await answers(seed: 1, wallStart: Scene.start, slowness: 1, browserSeed: "a")
    let second = try await answers(seed: 1, wallStart: Scene.start, slowness: 1, browserSeed: "b")
    #expect(first != second)
  }

  /// Every answer of a random session, without the members of this run alone.
  private func answers(
    seed: UInt64, wallStart: Instant, slowness: Int64, browserSeed: String = "seed"
  ) async throws -> [String] {
    let wall = NIOLockedValueBox(wallStart)
    let transport = ScriptedTransport { _, number in
      let timings = Exchange.Timings(dns: slowness, connect: 2, tls: 3, firstByte: 4, total: 5 * slowness)
      return Exchange(httpStatus: number % 5 == 0 ? 503 : 200, remoteAddress: "127.0.0.\(slowness)", timings: timings)
    }
    let tick: @Sendable () -> Instant = {
      wall.withLockedValue { time in
        time = time + Interval(milliseconds: slowness)
        return time
      }
    }
    let collected = NIOLockedValueBox([String]())
    try await API.test(transport: transport, wallClock: tick) { api in
      var chance = StepChance(seed)
      let clock = #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00.000Z"},"seed":"\#(browserSeed)"}"#
      #expect(try await api.call(.delete, "/v1/browsers/test").status == 204)
      var texts = [try await api.call(.put, "/v1/browsers/test", clock).text, try await api.put(manifest: "news-reader").text]
      for _ in 0..<200 { texts.append(try await Self.step(api, &chance)) }
      for path in [
        "clicks?limit=1000", "triggering-events?limit=1000", "attributions?limit=1000", "reports?limit=1000",
        "events?limit=1000",
        "explain?about=shop.example",
      ] {
        texts.append(try await api.call(.get, "/v1/browsers/test/\(path)").text)
      }
      let ownToThisRun = /"(wallAt|remoteAddress|requestId|createdAt|incarnation|next|resumeAfter)":"[^"]*"|"timings":\{[^}]*\}/
      let answers = texts.map { $0.replacing(ownToThisRun, with: "") }
      collected.withLockedValue { $0 = answers }
    }
    return collected.withLockedValue { $0 }
  }

  private static func step(_ api: API, _ chance: inout StepChance) async throws -> String {
    let sites = ["shop.example", "store.example"]
    let site = sites[chance.next(2)]
    let path = "/v1/browsers/test"
    switch chance.next(12) {
    case 0...2: return try await api.tap(["sourceIdentifier": chance.next(300), "destinationURL": "https://\(site)/"]).text
    case 3: return try await api.tap(["tapVerified": chance.next(2) == 0, "presentation": "safariViewController"]).text
    case 4: return try await api.link(["attributionDestination": "https://\(site)"]).text
    case 5...7:
      let app = chance.next(4) == 0 ? "com.example.news" : nil
      return try await api.trigger(
        "1\(chance.next(7))/\(10 + chance.next(60))", page: "https://\(site)/thanks", app: app
      ).text
    case 8, 9:
      return try await api.call(.post, "\(path)/clock/advance", #"{"by":"PT\#(1 + chance.next(30))H"}"#).text
    case 10: return try await api.call(.post, "\(path)/clock/advance", #"{"toNextEvent":true}"#).text
    default:
      if chance.next(3) == 0 { return "\(try await api.call(.delete, "\(path)/data?site=\(site)").status)" }
      return try await api.call(.patch, path, #"{"settings":{"privateBrowsing":\#(chance.next(4) == 0)}}"#).text
    }
  }
}

/// Bounded by the remainder, which is even enough here and the same everywhere.
private struct StepChance {
  private var numbers: SplitMix64

  init(_ seed: UInt64) {
    numbers = SplitMix64(seed: seed)
  }

  mutating func next(_ bound: Int) -> Int { Int(numbers.next() % UInt64(bound)) }
}
