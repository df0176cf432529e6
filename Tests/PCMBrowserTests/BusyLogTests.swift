import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMStore
import Testing

/// Waits in a log that grows with each reading, so that there is always an unread event.
@Suite struct BusyLogTests {
  /// More readings than the seconds of any wait. The log then stops growing, so that a wait without an end fails.
  fileprivate static let mostReadings = 500

  fileprivate struct Machine {
    var browser: BrowserID?
    var readings = 0
    var now = Scene.start
  }

  /// A browser whose every reading adds an event and takes a second.
  private func busyScene() async throws -> (Scene, NIOLockedValueBox<Machine>) {
    let machine = NIOLockedValueBox(Machine())
    let rows = MemoryStore()
    let store = ObservedStore(
      rows,
      StoreObserver(willCall: { name in
        guard name.hasPrefix("read("), let browser = machine.withLockedValue({ $0.read() }) else { return }
        _ = rows.submit(browser) {
          try $0.append(ClickExpired(click: 900_000_000, expiredAt: Scene.start), at: Scene.start)
        }
      }))
    let scene = try await Scene(store: store, wallClock: { machine.withLockedValue { $0.now } })
    machine.withLockedValue { $0.browser = scene.browser.record.id }
    return (scene, machine)
  }

  @Test("a wait for an event ends with its time")
  func events() async throws {
    let (scene, machine) = try await busyScene()
    let selection = EventSelection(kinds: [.reportSent])
    let page = try await scene.browser.eventPage(after: 0, limit: 10, selection, waiting: .seconds(5))
    #expect(page.items.isEmpty)
    #expect((5...10).contains(machine.withLockedValue { $0.readings }))
    #expect(page.resumeAfter > 5)
  }

  @Test("a wait for a report ends with its time")
  func reports() async throws {
    let (scene, machine) = try await busyScene()
    let result = try await scene.browser.check(ExpectationInput(report: ExpectedReport(triggerData: 1), wait: .seconds(5)))
    #expect(!result.isMet)
    // The search for reports and the reasons of their absence are also readings.
    #expect((5...60).contains(machine.withLockedValue { $0.readings }))
  }
}

extension BusyLogTests.Machine {
  /// Notes a reading. Returns the browser whose log grows; nil when it does not grow.
  fileprivate mutating func read() -> BrowserID? {
    guard let browser, readings < BusyLogTests.mostReadings else { return nil }
    readings += 1
    now = now + .seconds(1)
    return browser
  }
}
