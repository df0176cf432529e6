public import Foundation

/// A browser of the service: an isolated profile.
///
/// The value contains only a name and a connection, so any task can use it. Every call may throw `ServiceError`.
///
/// ```swift
/// let tap = try await browser.open(ad, from: app, tapVerified: true)
/// #expect(tap.outcome == .stored, "\(tap)")
/// try await browser.trigger(.pixel(of: "news.example", data: 12, on: "https://shop.example/thanks"))
/// try await browser.advance(by: .hours(48))
/// try await browser.expectReport(to: .source, on: "shop.example", triggerData: 12)
/// ```
public struct Browser: Sendable {
  /// The name of the browser.
  public let name: String
  let connection: Connection

  var path: String { "/v1/browsers/\(name.pathPart)" }

  /// Returns the browser's clock, seed, storage, and settings.
  public func state() async throws -> BrowserState {
    try await connection.call("GET", path)
  }

  /// Changes settings: `try await browser.change { $0.debugMode = true }`.
  ///
  /// - Returns: The new settings.
  @discardableResult
  public func change(_ edit: (inout BrowserSettings) -> Void) async throws -> BrowserSettings {
    var settings = try await state().settings
    edit(&settings)
    let state: BrowserState = try await connection.call("PATCH", path, ["settings": settings])
    return state.settings
  }

  /// Replaces all labels of the browser.
  public func setLabels(_ labels: [String: String]) async throws {
    let _: BrowserState = try await connection.call("PATCH", path, ["labels": labels])
  }

  /// Sets the time without any request after which the service removes the browser, from one minute to 30 days; nil for never.
  public func setIdleTimeout(_ timeout: Duration?) async throws {
    let _: BrowserState = try await connection.call("PATCH", path, ["idleTimeout": (timeout ?? .zero).wire])
  }

  /// Copies the browser with all its data. Both continue independently, and with the same calls in the same way.
  ///
  /// - Parameter name: The name of the copy; nil for a generated name.
  public func fork(_ name: String? = nil) async throws -> Browser {
    let copy: BrowserState = try await connection.call("POST", "\(path)/forks", name.map { ["name": $0] } ?? [:])
    return Browser(name: copy.name, connection: connection)
  }

  /// Deletes the browser and all its data.
  public func delete() async throws {
    try await connection.send("DELETE", path)
  }

  /// Removes the measurement data.
  ///
  /// - Parameter site: Removes only data that contains this registrable domain; nil removes everything.
  public func clearData(of site: String? = nil) async throws {
    try await connection.send("DELETE", "\(path)/data", query: site.map { ["site": $0] } ?? [:])
  }
}

extension Browser {
  /// The result of advancing the clock.
  public struct Advance: Hashable, Sendable {
    /// The new time of the clock.
    public let now: Date
    /// Whether no report is left to send.
    public let isIdle: Bool
    /// The events that the advance recorded, in order.
    public let events: [Event]
  }

  /// Advances a manual clock and returns when all due work, including sending reports, is done.
  @discardableResult
  public func advance(by duration: Duration) async throws -> Advance {
    try await advance(["by": duration])
  }

  /// Advances a manual clock to an instant that is not in its past and not after the year 9998.
  @discardableResult
  public func advance(to instant: Date) async throws -> Advance {
    try connection.checkInstantOfClock(instant, for: "POST", advancePath)
    return try await advance(["to": instant])
  }

  /// Advances a manual clock to the next instant at which something is due, and performs it.
  @discardableResult
  public func advanceToNextEvent() async throws -> Advance {
    try await advance(["toNextEvent": true])
  }

  /// Advances a manual clock until nothing is due.
  ///
  /// - Parameter duration: The maximum distance. Under `reliable`, a report that fails is retried for
  ///   30 days.
  @discardableResult
  public func advanceUntilIdle(within duration: Duration = .days(60)) async throws -> Advance {
    try await advance(["untilIdle": true, "within": duration]) { part, target in
      ["untilIdle": true, "within": Duration.seconds(target.timeIntervalSince(part.now))]
    }
  }

  /// Advances the clock, in as many calls as the service's limits require.
  ///
  /// - Parameter rest: Returns the rest of a move that stopped before its last instant.
  private func advance(
    _ move: Members, rest: (AdvancePart, Date) -> Members = { _, target in ["to": target] }
  ) async throws -> Advance {
    var (move, events) = (move, [Event]())
    while true {
      let part: AdvancePart = try await connection.call("POST", advancePath, move)
      events += part.events
      try await append(eventsOf: part, to: &events)
      if part.finished { return Advance(now: part.now, isIdle: part.idle, events: events) }
      if let target = part.target { move = rest(part, target) }
    }
  }

  /// Reads the events that did not fit in the answer.
  private func append(eventsOf part: AdvancePart, to events: inout [Event]) async throws {
    var (missing, position) = (part.eventCount - part.events.count, part.next)
    while missing > 0, let cursor = position {
      let query = ["cursor": cursor, "limit": String(min(missing, 1_000))]
      let page: Page<Event> = try await connection.call("GET", "\(path)/events", query: query)
      events += page.items
      (missing, position) = (missing - page.items.count, page.next)
    }
  }

  private var advancePath: String { "\(path)/clock/advance" }
}

/// The answer to one call of an advance, which may stop at a limit of the service.
private struct AdvancePart: Decodable {
  let now: Date
  /// The last instant of the advance; nil when an event ends it.
  let target: Date?
  let finished: Bool
  let idle: Bool
  let eventCount: Int
  let events: [Event]
  let next: String?
}
