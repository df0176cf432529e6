public import Foundation
import PCMCore

/// A browser of the service: a profile of its own, of which nothing crosses to another.
///
/// A value that holds a name, so it may be handed to any task. Every call may throw `ServiceError`.
public struct Browser: Sendable {
  /// What it is called.
  public let name: String
  let connection: Connection

  var path: String { "/v1/browsers/\(name.pathPart)" }

  /// The browser as the service describes it now: clock, seed, storage, settings.
  public func state() async throws -> BrowserState {
    try await connection.call("GET", path)
  }

  /// Changes settings: `try await browser.change { $0.debugMode = true }`.
  ///
  /// - Returns: The settings from now on.
  @discardableResult
  public func change(_ edit: (inout BrowserSettings) -> Void) async throws -> BrowserSettings {
    var settings = try await state().settings
    edit(&settings)
    let state: BrowserState = try await connection.call("PUT", path, ["settings": settings])
    return state.settings
  }

  /// Deletes the browser and all that is its own.
  public func delete() async throws {
    try await connection.send("DELETE", path)
  }

  /// Forgets what was measured.
  ///
  /// - Parameter site: The registrable domain that must occur in it; nil forgets everything.
  public func clearData(of site: String? = nil) async throws {
    try await connection.send("DELETE", "\(path)/data", query: site.map { ["site": $0] } ?? [:])
  }
}

extension Browser {
  /// What an advance of the clock brought about.
  public struct Advance: Hashable, Sendable, Decodable {
    /// What the clock shows now.
    public let now: Date
    /// What happened on the way, in order.
    public let events: [Event]
  }

  /// Moves a manual clock. Returns when everything that became due is done, reports sent included.
  @discardableResult
  public func advance(by duration: Duration) async throws -> Advance {
    try await advance(ClockAdvance(by: Interval(milliseconds: Int64(duration.milliseconds))))
  }

  /// Moves a manual clock to an instant that is not in its past.
  @discardableResult
  public func advance(to instant: Date) async throws -> Advance {
    try await advance(ClockAdvance(to: Instant(milliseconds: instant.milliseconds)))
  }

  /// Moves a manual clock to the next instant at which something is due, and does it.
  @discardableResult
  public func advanceToNextEvent() async throws -> Advance {
    try await advance(.toNextEvent)
  }

  /// Moves a manual clock until nothing is due any more.
  @discardableResult
  public func advanceUntilIdle() async throws -> Advance {
    try await advance(.untilIdle)
  }

  private func advance(_ move: ClockAdvance) async throws -> Advance {
    try await connection.call("POST", "\(path)/clock/advance", move)
  }
}
