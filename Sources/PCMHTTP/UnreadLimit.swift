import Hummingbird
import NIOConcurrencyHelpers
import PCMStore

/// Limits the total size of the large responses that their callers have not accepted.
///
/// Callers that accept nothing lose their connections after ``ServerLimits/writeTime``. Until then, the limit is checked for
/// each long response: before it waits for its turn and before its work begins, when a page must still fit, and when its size is
/// known. From then on, the response counts in full until its connection has accepted it or is closed. ``LongResponses`` limits
/// the responses until then. Small responses and streams do not count: the number of connections bounds them.
final class UnreadLimit: Sendable {
  private let most: Int
  private let reserved = NIOLockedValueBox(0)

  init(_ most: Int) {
    self.most = most
  }

  /// - Throws: `Problem` when too many bytes are unread, or would be with another page.
  func check() throws {
    let isFull = reserved.withLockedValue { ($0 == 0 ? 0 : $0 + PageSize.mostBytes) > most }
    guard !isFull else { throw busy }
  }

  /// Counts a response until it has left.
  ///
  /// - Parameter canRefuse: Whether the response is refused when it does not fit. Another one is sent, and counts.
  /// - Throws: `Problem` when too many bytes would be unread. The response must then not be sent.
  func reserve(_ response: Response, in context: APIContext, canRefuse: Bool = true) throws {
    // A stream has small parts.
    guard let size = response.body.contentLength else { return }
    let isAdmitted = reserved.withLockedValue { reserved in
      guard reserved + size <= most || !canRefuse else { return false }
      reserved += size
      return true
    }
    guard isAdmitted else { throw busy }
    context.keepUntilSent(Reservation { [reserved] in reserved.withLockedValue { $0 -= size } })
  }

  private var busy: Problem {
    .busy("\(most) bytes of responses wait for callers that do not read them; try again later")
  }
}
