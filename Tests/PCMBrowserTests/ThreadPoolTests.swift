import BrowserSupport
import NIOConcurrencyHelpers
import NIOCore
import PCMCore
import PCMDelivery
import PCMSimulation
import Testing

@testable import PCMBrowser

/// Work of browsers in the thread pool for long work, which leaves a processor to brief calls.
@Suite struct ThreadPoolTests {
  /// Whether the current task prefers the thread pool.
  private static var isInPool: Bool {
    withUnsafeCurrentTask { $0?.unownedTaskExecutor } == longWork.asUnownedTaskExecutor()
  }

  /// A network that notes for each request whether it is sent in the thread pool.
  private struct Network {
    let places = NIOLockedValueBox<[Bool]>([])

    var transport: ScriptedTransport {
      ScriptedTransport { [places] _, _ in
        places.withLockedValue { $0.append(ThreadPoolTests.isInPool) }
        return Exchange(httpStatus: 200)
      }
    }
  }

  @Test("A move of a manual clock sends in the thread pool")
  func move() async throws {
    let network = Network()
    let scene = try await Scene(transport: network.transport)
    try await scene.click(3)
    try await scene.trigger("12")
    try await scene.advance(.days(3))
    #expect(network.places.withLockedValue { $0 } == [true, true])
  }

  /// A clock of the machine that adds a task to the thread pool.
  private struct ArmedClock: Sendable {
    private struct State {
      var count = 0
      /// The count at which the task is added; nil for none.
      var start: Int?
      var task: Task<Int, Never>?
    }

    private let state = NIOLockedValueBox(State())

    /// How often the clock was read.
    var count: Int { state.withLockedValue { $0.count } }
    /// The task, which returns the count when it is run.
    var task: Task<Int, Never>? { state.withLockedValue { $0.task } }

    /// Adds the task when the clock has been read some more times: within a move that begins now.
    func arm() { state.withLockedValue { $0.start = $0.count + 20 } }

    func now() -> Instant {
      state.withLockedValue { state in
        state.count += 1
        if state.count == state.start { state.task = Task(executorPreference: longWork) { count } }
      }
      return Scene.start
    }
  }

  @Test("Moves in memory let other tasks of the thread pool run")
  func turns() async throws {
    // More moves than the pool has threads. Each attempt reads the clock.
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
          _ = try await browser.follow(
            LinkClickInput(
              pageURL: "https://news.example/", attributionSourceID: "4", attributionDestination: "https://shop.example"))
          _ = try await browser.observe(
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
