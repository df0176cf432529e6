import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct PostbackDelayTests {
  struct Row: Sendable {
    let timing: ConversionTiming
    let index: Int
    let version: SKAdNetworkVersion?
    let bounds: ClosedRange<Interval>
  }

  static let rows = [
    Row(timing: .production, index: 0, version: .v2, bounds: .hours(0) ... .hours(24)),
    Row(timing: .production, index: 0, version: .v3, bounds: .hours(0) ... .hours(24)),
    Row(timing: .production, index: 0, version: .v4, bounds: .hours(24) ... .hours(48)),
    Row(timing: .production, index: 0, version: nil, bounds: .hours(24) ... .hours(48)),
    Row(timing: .production, index: 1, version: .v4, bounds: .hours(24) ... .hours(144)),
    Row(timing: .production, index: 2, version: nil, bounds: .hours(24) ... .hours(144)),
    Row(timing: .developerMode, index: 0, version: nil, bounds: .minutes(5) ... .minutes(10)),
    Row(timing: .developerMode, index: 2, version: .v4, bounds: .minutes(5) ... .minutes(10)),
    Row(timing: .testingProfile, index: 0, version: .v3, bounds: .minutes(0) ... .minutes(5)),
    Row(timing: .testingProfile, index: 0, version: .v4, bounds: .minutes(0) ... .minutes(5)),
  ]

  @Test("A delay begins at its lower bound, and stays below the upper one", arguments: rows)
  func bounds(row: Row) {
    let delay = row.timing.delay(index: row.index, version: row.version)
    #expect(delay.interval(0) == row.bounds.lowerBound)
    #expect(delay.interval(1.0.nextDown) == row.bounds.upperBound - Sample.millisecond)
    let middle = (row.bounds.lowerBound + row.bounds.upperBound).milliseconds / 2
    #expect(delay.interval(0.5) == Interval(milliseconds: middle))
  }

  @Test("Delays are uniform: a tenth of the draws falls into each tenth of the range", arguments: rows)
  func uniformity(row: Row) {
    let delay = row.timing.delay(index: row.index, version: row.version)
    var random = SplitMix64(seed: 7)
    var counts = [Int](repeating: 0, count: 10)
    for _ in 0..<20_000 {
      let offset = delay.interval(random.unit()) - row.bounds.lowerBound
      counts[Int(offset.milliseconds * 10 / delay.range.milliseconds)] += 1
    }
    #expect(counts.allSatisfy { (1_850...2_150).contains($0) }, "\(counts)")
  }

  @Test("A failed postback is sent nine times within nine days, a day apart", arguments: [0, 0.5, 0.999])
  func retries(jitter: Double) {
    let policy = RetryPolicy.postback
    var (attempts, now) = ([Sample.now], Sample.now)
    while let next = policy.nextAttempt(after: attempts.count, at: now, dueAt: Sample.now, jitter: jitter) {
      #expect(next - now >= .days(1))
      attempts.append(next)
      now = next
    }
    #expect(attempts.count == 9)
    #expect(now - Sample.now <= .days(9))
  }
}
