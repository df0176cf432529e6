import BrowserSupport
import NIOConcurrencyHelpers
import NIOCore
import PCMBrowser
import PCMCore
import PCMNetwork
import Testing

/// The turns of moves of a manual clock.
@Suite struct MoveTurnTests {
  /// A clock of the machine that starts a task.
  private struct ArmedClock: Sendable {
    private struct State {
      var count = 0
      /// The count at which the task starts; nil for none.
      var start: Int?
      var task: Task<Int, Never>?
    }

    private let state = NIOLockedValueBox(State())

    /// How often the clock was read.
    var count: Int { state.withLockedValue { $0.count } }
    /// The task, which returns the count when it runs.
    var task: Task<Int, Never>? { state.withLockedValue { $0.task } }

    /// Starts the task when the clock has been read some more times: within a move that begins now.
    func arm() { state.withLockedValue { $0.start = $0.count + 20 } }

    func now() -> Instant {
      state.withLockedValue { state in
        state.count += 1
        if state.count == state.start { state.task = Task { count } }
      }
      return Scene.start
    }
  }

  @Test("Moves in memory let other tasks run")
  func turns() async throws {
    // As many moves as there are threads. Each attempt reads the clock.
    let clocks = (0..<System.coreCount).map { _ in ArmedClock() }
    try await withThrowingTaskGroup { group in
      for clock in clocks {
        group.addTask {
          let specification = BrowserSpecification(
            storage: .ephemeral, clockMode: .manual, settings: SettingsChange(deliveryPolicy: .reliable))
          let (browser, _) = try await Scene(wallClock: clock.now).browsers.put("memory", specification)
          try await browser.use(.simulated)
          var unavailable = SiteBehavior.Response.good
          unavailable.status = 503
          _ = try await browser.put(SiteBehavior(report: [unavailable]), at: "news.example")
          _ = try await browser.perform(
            LinkClickInput(
              pageURL: "https://news.example/", attributionSourceID: "4", attributionDestination: "https://shop.example"))
          _ = try await browser.perform(
            TriggeringEventInput(firstPartyURL: "https://shop.example/", pixelOf: "news.example", triggerData: 12))
          clock.arm()
          return try await browser.advance(.to(.latestOfClock))
        }
      }
      for try await moved in group { #expect(moved.isFinished) }
    }
    for clock in clocks {
      let count = try await #require(clock.task).value
      #expect(clock.count > 100)
      #expect(count < clock.count)
    }
  }
}
