import BrowserSupport
import PCMBrowser
import PCMCore
import PCMNetwork
import Testing

/// The delays' distribution, and that a seed replays everything.
@Suite struct ChanceTests {
  private static let count = 10_000

  private static func delays(seed: String) -> (source: [Double], destination: [Double]) {
    var streams = RandomStreams(seed: seed)
    let day = Double(Interval.hours(24).milliseconds)
    let times = (0..<count).map { _ in
      SendTimes(
        after: Instant(milliseconds: 0),
        draws: (source: streams.unit(.sourceDelay), destination: streams.unit(.destinationDelay)))
    }
    return (
      times.map { Double($0.source.milliseconds) / day - 1 }, times.map { Double($0.destination.milliseconds) / day - 1 }
    )
  }

  @Test("A stream continues from every position that a file may contain", arguments: [Int64.min, -1, .max])
  func storedPosition(_ position: Int64) {
    var streams = RandomStreams(seed: "s", positions: [RandomStreams.Stream.token.rawValue: position])
    #expect((0..<1).contains(streams.unit(.token)))
    #expect(streams.positions[RandomStreams.Stream.token.rawValue, default: 0] == position &+ 1)
  }

  @Test("case 85: 10,000 delays lie in 24 to 48 hours and pass a Kolmogorov-Smirnov test at the level of one percent")
  func uniform() {
    let (source, destination) = Self.delays(seed: "kolmogorov")
    for sample in [source, destination] {
      #expect(sample.allSatisfy { $0 >= 0 && $0 < 1 })
      #expect(Statistics.distanceFromUniform(sample) < 1.63 / Double(Self.count).squareRoot())
    }
  }

  @Test("the two recipients' delays are independent, and so are neighbours in one stream")
  func independent() {
    let (source, destination) = Self.delays(seed: "pearson")
    let bound = 2.58 / Double(Self.count).squareRoot()
    #expect(abs(Statistics.correlation(source, destination)) < bound)
    #expect(abs(Statistics.correlation(Array(source.dropLast()), Array(source.dropFirst()))) < bound)
    #expect(abs(Statistics.correlation(Array(source.dropFirst()), Array(destination.dropLast()))) < bound)
  }

  @Test func aStreamGoesOnWhereItsPositionSays() {
    var whole = RandomStreams(seed: "s")
    let numbers = (0..<10).map { _ in whole.unit(.spacing) }
    var first = RandomStreams(seed: "s")
    for _ in 0..<4 { _ = first.unit(.spacing) }
    var second = RandomStreams(seed: "s", positions: first.positions)
    #expect((4..<10).map { _ in second.unit(.spacing) } == Array(numbers[4...]))
  }

  @Test func drawsForOnePurposeShiftNoOther() {
    var (calm, busy) = (RandomStreams(seed: "s"), RandomStreams(seed: "s"))
    for _ in 0..<7 { _ = busy.unit(.spacing) }
    #expect(calm.unit(.sourceDelay) == busy.unit(.sourceDelay))
  }

  @Test("the first numbers equal an independent computation's, whatever the compiler")
  func fixedNumbers() {
    var streams = RandomStreams(seed: "seed")
    let bits = [streams.unit(.sourceDelay), streams.unit(.sourceDelay), streams.unit(.destinationDelay)].map(\.bitPattern)
    #expect(bits == [4_599_320_087_225_564_870, 4_604_254_213_651_420_916, 4_595_404_761_937_387_052])
  }
  @Test("the same seed and the same calls give the same events and times, whatever the machine's clock and the network do")
  func replay() async throws {
    func log(seed: String, wall: Instant = Scene.start, slowness: Int64 = 1) async throws -> [String] {
      let transport = ScriptedTransport { _, number in
        let timings = Exchange.Timings(dns: slowness, connect: 2, tls: 3, firstByte: 4, total: 5 * slowness)
        return Exchange(httpStatus: number % 5 == 0 ? 503 : 200, timings: timings)
      }
      let scene = try await Scene(seed: seed, transport: transport, wallClock: { wall })
      for step in 0..<20 {
        try await scene.click(step, to: "d\(step % 3).example")
        try await scene.trigger("0\(step % 7)/0\(step % 5)", on: "d\(step % 4).example")
        try await scene.advance(.hours(Int64(step)))
      }
      return try await scene.browser.events(after: 0, limit: 10_000).map { "\($0.sequence) \($0.at.text) \($0.kind.rawValue)" }
    }
    let first = try await log(seed: "one")
    #expect(try await log(seed: "one", wall: Scene.start + .days(400), slowness: 7) == first)
    #expect(try await log(seed: "two") != first)
  }
}
