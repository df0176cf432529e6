import Testing

@testable import PCMApp

@Suite struct TrimScheduleTests {
  private static let step = TrimSchedule.step
  private var schedule = TrimSchedule(resident: 100 * step)

  /// Performs the trims of some intervals, and returns the interval of each.
  ///
  /// - Parameter trimmed: The resident memory after each trim.
  private mutating func trims(in intervals: Range<Int>, resident: Int, trimmed: Int) -> [Int] {
    intervals.filter { _ in
      guard schedule.shouldTrim(resident: resident) else { return false }
      schedule.note(resident: resident, afterTrim: trimmed)
      return true
    }
  }

  @Test mutating func noTrimWithoutGrowth() {
    #expect(trims(in: 0..<100, resident: 101 * Self.step, trimmed: 0) == [])
  }

  @Test mutating func growthIsTrimmedOnce() {
    #expect(trims(in: 0..<1, resident: 200 * Self.step, trimmed: 100 * Self.step) == [0])
    #expect(trims(in: 1..<100, resident: 100 * Self.step, trimmed: 0) == [])
  }

  @Test("Memory that is in use during a trim is returned by a later trim, after its use")
  mutating func busyMinute() {
    #expect(trims(in: 0..<4, resident: 200 * Self.step, trimmed: 200 * Self.step) == [0, 2])
    #expect(trims(in: 4..<7, resident: 200 * Self.step, trimmed: 101 * Self.step) == [6])
    #expect(trims(in: 7..<100, resident: 101 * Self.step, trimmed: 0) == [])
  }

  @Test("Trims without an effect become rare, but do not end")
  mutating func rareTrims() {
    let found = trims(in: 0..<100, resident: 200 * Self.step, trimmed: 200 * Self.step)
    #expect(Array(found.prefix(5)) == [0, 2, 6, 14, 30])
    #expect(zip(found, found.dropFirst()).map { $1 - $0 }.max() == 16)
    #expect(found.last.map { $0 >= 84 } == true)
  }

  @Test("A trim with an effect begins the intervals anew")
  mutating func effect() {
    _ = trims(in: 0..<31, resident: 200 * Self.step, trimmed: 200 * Self.step)
    #expect(trims(in: 31..<60, resident: 200 * Self.step, trimmed: 110 * Self.step).first == 46)
    schedule = TrimSchedule(resident: 100 * Self.step)
    #expect(trims(in: 0..<3, resident: 200 * Self.step, trimmed: 110 * Self.step) == [0, 1, 2])
  }

  @Test("The least memory after a trim is the measure, not that at the start")
  mutating func measure() {
    _ = trims(in: 0..<1, resident: 200 * Self.step, trimmed: 50 * Self.step)
    #expect(trims(in: 1..<2, resident: 52 * Self.step, trimmed: 50 * Self.step) == [1])
  }
}
