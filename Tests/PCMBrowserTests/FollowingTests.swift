import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMStore
import PCMURL
import Testing

@testable import PCMBrowser

/// Two instances over one store: tasks of one instance wait for a log, which the other instance extends.
@Suite struct FollowingTests {
  private let second = Second()

  @Test("A wait of one instance ends with an event of the other", arguments: [false, true])
  func wait(_ isLost: Bool) async throws {
    try await withInstances(isLost: isLost) { one, other in
      let page = Task { try await other.eventPage(after: Self.last, limit: 9, .all, waiting: .hours(1)) }
      try await Self.click(in: one, after: other)
      if isLost { second.pass() }
      #expect(try await page.value.items.map(\.kind) == [.clickStored])
    }
  }

  @Test("A wait ends in the next second with an event whose report was lost, also when another task has read it")
  func secondReader() async throws {
    try await withInstances(isLost: true) { one, other in
      let waiting = Task { try await other.nextEvents(after: Self.last, within: .hours(1)) }
      try await Self.click(in: one, after: other)
      // Another task reads the event. The waiting one does not know of it.
      #expect(try await other.eventPage(after: Self.last, limit: 9, .all).items.count == 1)
      second.pass()
      #expect(try await waiting.value.events.count == 1)
      let next = Task { try await other.nextEvents(after: Self.last + 1, within: .hours(1)) }
      try await Self.click(in: one, after: other)
      second.pass()
      #expect(try await next.value.events.first?.sequence == Self.last + 2)
    }
  }

  @Test("An expectation of one instance is met by a report of the other", arguments: [false, true])
  func expectation(_ isLost: Bool) async throws {
    try await withInstances(isLost: isLost) { one, other in
      let met = Task { try await other.check(ExpectationInput(report: Self.scheduled, wait: .hours(1))) }
      try await Self.click(in: one, after: other)
      _ = try await one.perform(
        TriggeringEventInput(
          firstPartyURL: "https://shop.example/", redirectFrom: "https://news.example/p",
          redirectTo: "https://news.example\(TriggerURL.pathPrefix)12"))
      if isLost { second.pass() }
      #expect(try await met.value.isMet)
    }
  }

  @Test("A deletion by one instance ends the waits of the other", arguments: [false, true])
  func deletion(_ isLost: Bool) async throws {
    try await withInstances(isLost: isLost) { one, other in
      let waiting = Task { try await other.nextEvents(after: Self.last, within: .hours(1)) }
      await Self.untilFollowed(other)
      try await one.store.delete(one.record.id)
      if isLost { second.pass() }
      await #expect(throws: StoreError.unknownBrowser) { try await waiting.value }
    }
  }

  @Test("A log is followed while a task waits for it")
  func followers() async throws {
    try await withInstances(isLost: true) { _, other in
      #expect(!other.logSignal.isFollowed)
      let waiting = Task { try await other.nextEvents(after: Self.last, within: .hours(1)) }
      await Self.untilFollowed(other)
      waiting.cancel()
      let page = try await waiting.value
      #expect(page.events.isEmpty)
      #expect(!other.logSignal.isFollowed)
    }
  }

  @Test("A store with one owner has nothing to follow")
  func oneOwner() async throws {
    try await Scene().browsers.followChanges()
  }

  // MARK: Stage

  /// The number of the event that the stage begins with: an app is registered.
  private static let last: Int64 = 1

  private static let scheduled = ExpectedReport(state: .scheduled)

  /// Runs a test with a browser in two instances. The second one follows the changes of the first.
  private func withInstances(isLost: Bool, _ body: (Browser, Browser) async throws -> Void) async throws {
    let (store, otherStore) = InstanceStore.pair(isSilent: isLost)
    let one = try await Scene(store: store)
    let others = try await Scene(store: MemoryStore(), sleep: second.sleep).anew(otherStore, maximumCount: 10)
    try await others.load()
    let other = try await others.browser(Scene.name)
    let following = Task { await others.followChanges() }
    let result: Result<Void, any Error>
    do { result = .success(try await body(one.browser, other)) } catch { result = .failure(error) }
    following.cancel()
    await following.value
    try result.get()
  }

  /// Clicks in a browser when a task of the other instance waits for it.
  private static func click(in browser: Browser, after other: Browser) async throws {
    await untilFollowed(other)
    _ = try await browser.perform(
      LinkClickInput(
        pageURL: "https://news.example/", attributionSourceID: "4", attributionDestination: "https://shop.example"))
  }

  private static func untilFollowed(_ browser: Browser) async {
    while !browser.logSignal.isFollowed { await Task.yield() }
  }
}

/// A machine on which a second passes when a test says so.
private final class Second: Sendable {
  private struct State {
    var passed = 0
    var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
    var count = 0
  }

  private let state = NIOLockedValueBox(State())

  /// Ends the sleeps of a second at most, or the next one.
  func pass() {
    let sleepers = state.withLockedValue { state in
      defer { state.sleepers = [:] }
      if state.sleepers.isEmpty { state.passed += 1 }
      return Array(state.sleepers.values)
    }
    for sleeper in sleepers { sleeper.resume() }
  }

  var sleep: @Sendable (Instant) async throws -> Void {
    { [self] instant in
      // No hour passes.
      guard instant <= Scene.start + .seconds(1) else { return try await Scene.endlessSleep(instant) }
      let number = state.withLockedValue { state in
        state.count += 1
        return state.count
      }
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { sleeper in
          let isOver = state.withLockedValue { state in
            guard state.passed == 0, !Task.isCancelled else { return true }
            state.sleepers[number] = sleeper
            return false
          }
          if isOver { end(sleeper) }
        }
      } onCancel: {
        state.withLockedValue { $0.sleepers.removeValue(forKey: number) }?.resume(throwing: CancellationError())
      }
    }
  }

  private func end(_ sleeper: CheckedContinuation<Void, any Error>) {
    guard !Task.isCancelled else { return sleeper.resume(throwing: CancellationError()) }
    state.withLockedValue { $0.passed -= 1 }
    sleeper.resume()
  }
}
