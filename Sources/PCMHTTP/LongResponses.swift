import HTTPTypes
import Hummingbird
import PCMBrowser

/// Limits the memory of long responses: a few are prepared at a time, and a limited number of other calls wait in order.
///
/// A response is in preparation until ``UnreadLimit`` counts its bytes, so all long responses together take at most as much as
/// the largest ones that are prepared at a time, and the unread ones. A call that is canceled while it waits gives up its place.
final class LongResponses: Sendable {
  let places: AsyncSemaphore
  private let unread: UnreadLimit
  private let limits: ServerLimits

  init(_ limits: ServerLimits) {
    self.limits = limits
    places = AsyncSemaphore(limits.preparedResponses, maximumQueue: limits.waitingResponses)
    unread = UnreadLimit(limits.unreadBytes)
  }

  /// - Throws: `Problem` when no response is to be prepared, because too many bytes are unread.
  func check() throws { try unread.check() }

  /// Counts the response of another call as unread if it is large.
  ///
  /// The response to a call that just took effect is sent in any case. Reads can be repeated, and so can a call whose response is
  /// kept.
  ///
  /// - Throws: `Problem` when too many bytes would be unread.
  func count(_ response: Response, to request: Request, in context: APIContext) throws {
    guard let size = response.body.contentLength, size > limits.partBytes else { return }
    try unread.reserve(response, in: context, canRefuse: [.get, .head].contains(request.method) || response.isReplayed)
  }

  /// Prepares a response when it is its turn.
  ///
  /// - Parameters:
  ///   - waiting: Runs the wait for the turn, and cancels it when the caller closes the connection.
  ///   - work: Prepares the response, which is counted as unread afterward.
  /// - Throws: `Problem` when too many calls wait, or too many bytes are unread.
  func prepare(
    in context: APIContext,
    waiting: (_ wait: @escaping @Sendable () async throws -> Void) async throws -> Void = { try await $0() },
    _ work: () async throws -> Response
  ) async throws -> Response {
    do {
      return try await places.withPermit(waiting: waiting) {
        try unread.check()
        let response = try await work()
        try unread.reserve(response, in: context)
        return response
      }
    } catch is AsyncSemaphore.QueueFullError {
      throw Problem.busy(
        "\(limits.preparedResponses) long responses are prepared, and \(limits.waitingResponses) other calls wait, the maximum; "
          + "try again later")
    }
  }
}
