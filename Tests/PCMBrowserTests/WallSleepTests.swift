import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import Testing

/// The sleep until an instant of the machine's clock.
@Suite struct WallSleepTests {
  /// - Parameter jumps: How far the clock is set during each pause.
  private static func pauses(for interval: Interval, jumps: [Interval] = []) async throws -> [Interval] {
    let (machine, pauses) = (SetClock(), NIOLockedValueBox<[Interval]>([]))
    try await WallSleep.until(Scene.start + interval, wallClock: machine.wallClock) { pause in
      let number = pauses.withLockedValue { pauses in
        pauses.append(pause)
        return pauses.count
      }
      let jump = number <= jumps.count ? jumps[number - 1] : .seconds(0)
      machine.set(machine.now + pause + jump)
    }
    return pauses.withLockedValue { $0 }
  }

  @Test func aSleepReadsTheClockEveryMinute() async throws {
    #expect(try await Self.pauses(for: .seconds(150)) == [.minutes(1), .minutes(1), .seconds(30)])
    #expect(try await Self.pauses(for: .seconds(0)) == [])
    #expect(try await Self.pauses(for: .seconds(-1)) == [])
  }

  @Test func aClockThatIsSetForwardEndsTheSleepWithinAMinute() async throws {
    #expect(try await Self.pauses(for: .days(2), jumps: [.days(1_000)]) == [.minutes(1)])
    #expect(try await Self.pauses(for: .seconds(150), jumps: [.seconds(60)]) == [.minutes(1), .seconds(30)])
  }

  @Test func aClockThatIsSetBackDoesNotExtendTheSleep() async throws {
    let pauses = try await Self.pauses(for: .seconds(150), jumps: [.days(-1_000)])
    #expect(pauses == [.minutes(1), .minutes(1), .seconds(30)])
  }

  @Test func aCanceledSleepEndsWithTheErrorOfItsPause() async throws {
    await #expect(throws: CancellationError.self) {
      try await WallSleep.until(Scene.start + .days(1), wallClock: { Scene.start }, pause: { _ in throw CancellationError() })
    }
  }
}
