import PCMCore
import Testing

@testable import PCMTelemetry

/// Incremental counts of waiting and overdue reports.
@Suite struct DueCounterTests {
  private func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

  @Test func aReportIsOverdueFromItsDueTime() {
    var counter = DueCounter()
    counter.apply(DueChange(due: at(100), amount: 1))
    counter.apply(DueChange(due: at(200), amount: 1))
    #expect(counter.overdue(at: at(99)) == 0)
    #expect(counter.overdue(at: at(100)) == 1)
    #expect(counter.overdue(at: at(300)) == 2)
    #expect(counter.scheduled == 2)
    counter.apply(DueChange(due: at(100), amount: -1))
    #expect(counter.overdue(at: at(300)) == 1)
    #expect(counter.scheduled == 1)
  }

  @Test func aReportThatLeavesEarlyIsNeverOverdue() {
    var counter = DueCounter()
    counter.apply(DueChange(due: at(100), amount: 1))
    counter.apply(DueChange(due: at(100), amount: -1))
    #expect(counter.overdue(at: at(200)) == 0)
    #expect(counter.scheduled == 0)
  }

  @Test func aPastDueTimeIsOverdueImmediately() {
    var counter = DueCounter()
    #expect(counter.overdue(at: at(500)) == 0)
    counter.apply(DueChange(due: at(100), amount: 1))
    #expect(counter.overdue(at: at(500)) == 1)
    #expect(counter.overdue(at: at(1)) == 1, "a counter does not go back")
  }

  @Test func aCounterIsAheadOfAClockThatWasSetBackByMoreThanAMinute() {
    var counter = DueCounter()
    #expect(!counter.isAhead(of: at(0)))
    _ = counter.overdue(at: at(100_000))
    #expect(!counter.isAhead(of: at(40_000)))
    #expect(counter.isAhead(of: at(39_999)))
  }

  @Test(arguments: [1, 7, 23, 99] as [UInt64])
  func theCountsEqualThoseOfAFullCount(_ seed: UInt64) {
    var (counter, waiting, state) = (DueCounter(), [Instant](), seed)
    func draw(_ bound: UInt64) -> Int64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64((state >> 33) % bound)
    }
    for step in 0..<20_000 {
      // Most reports are due much later and leave early, so the counter must remove them.
      if waiting.count > 40 || (!waiting.isEmpty && draw(3) == 0) {
        let gone = waiting.remove(at: Int(draw(UInt64(waiting.count))))
        counter.apply(DueChange(due: gone, amount: -1))
      } else {
        let due = at(Int64(step) + draw(50_000))
        waiting.append(due)
        counter.apply(DueChange(due: due, amount: 1))
      }
      guard step % 50 == 0 else { continue }
      #expect(counter.overdue(at: at(Int64(step))) == waiting.count { $0 <= at(Int64(step)) })
      #expect(counter.scheduled == waiting.count)
    }
  }
}
