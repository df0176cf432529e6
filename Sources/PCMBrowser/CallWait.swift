/// Runs the wait of a call, such as in a task that another event cancels, and returns or throws after it.
package typealias CallWait = (_ wait: @escaping @Sendable () async throws -> Void) async throws -> Void

/// Waits in the task of the call.
package func waitInTask(_ wait: @escaping @Sendable () async throws -> Void) async throws { try await wait() }

/// The limits of the calls that wait for browsers: until the clock of one has moved, or until earlier calls have created or
/// deleted it.
struct BrowserWaits: Sendable {
  /// The maximum number of calls that wait for one clock, and for one name.
  let perBrowser: Int
  let total: Int
  /// A semaphore without a queue. Its permits are the places of all calls that wait.
  private let places: AsyncSemaphore

  init(perBrowser: Int = 64, total: Int = 256) {
    (self.perBrowser, self.total) = (perBrowser, total)
    places = AsyncSemaphore(total, maximumQueue: 0)
  }

  /// The number of calls that wait.
  var count: Int { places.holderCount }

  /// The error of a call that would exceed the limit of one browser.
  var browserIsBusy: BrowserError {
    .busy("\(perBrowser) calls wait for this browser, the maximum; nothing was changed, try again later")
  }

  /// The error of a call that would exceed the limit of all browsers.
  var allAreBusy: BrowserError {
    .busy("\(total) calls wait for browsers, the maximum; nothing was changed, try again later")
  }

  /// Runs a wait within `waiting`, in one of the places.
  func run(_ waiting: CallWait, _ wait: @escaping @Sendable () async throws -> Void) async throws {
    do {
      try await places.withPermit { try await waiting(wait) }
    } catch is AsyncSemaphore.QueueFullError {
      throw allAreBusy
    }
  }
}
