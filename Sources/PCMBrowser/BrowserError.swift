package import PCMCore

/// An error in a call. Input that a browser silently ignores is not an error but an outcome.
package enum BrowserError: Error, Hashable, Sendable {
  /// Well-formed members with invalid values, each with a description of the error and its correction.
  case invalidInput([InputError])
  /// - Parameter wasIdle: Whether a browser of this name was removed because it was idle.
  case unknownBrowser(name: String, wasIdle: Bool = false)
  case unknownReport(id: String)
  case unknownApp(bundleIdentifier: String)
  case unknownAdNetwork(id: String)
  case unknownImpression(id: String)
  case unknownPostback(id: String)
  case unknownCard(id: String)
  case unknownSite(host: String)
  /// The subject of an explanation does not exist.
  case unknownSubject(kind: String, name: String)
  /// Another move of the clock is under way.
  case clockMoving
  /// Another instance moves the clock of the browser, or copies it, for longer than a call waits.
  case busy
  /// The request conflicts with the state of the browser.
  case conflict(String)
  /// The resource would be one more than the service keeps. The text has the limit and its remedy.
  case limitReached(String)
  /// The idempotency key belongs to another request.
  case keyReused(key: String)
  /// A request took effect, at least in part, and has no answer: an earlier request with the same idempotency key, or a move of the
  /// clock whose browser another instance has taken over.
  ///
  /// - Parameters:
  ///   - key: Nil for a request without a key.
  ///   - clock: The time of the manual clock; nil for a real clock, and when it is not known.
  case requestInterrupted(key: String?, since: Instant, clock: Instant?)
  /// The history cannot be replayed.
  case noHistory(MissingHistory)
}
