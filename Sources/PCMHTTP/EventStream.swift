import NIOCore
import PCMBrowser
import PCMCore
import PCMStore

/// A browser's log as server-sent events: the events after a position, then new events.
///
/// The stream holds one page and reads the next after the reader has received the last, so a slow reader costs no memory.
/// A reader that caught up and then falls more than 10,000 events behind receives a final message of the kind
/// `reader-too-slow`, and the stream ends. When the browser is deleted, the final message is of the kind `browser-deleted`.
/// Every message has the default event type, so that `onmessage` receives all.
struct EventStream: AsyncSequence, Sendable {
  let browser: Browser
  let start: Int64
  var selection = EventSelection.all
  var includesDecisions = false
  /// The use of the browser by the reader.
  var use: UseToken?

  func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }

  struct Iterator: AsyncIteratorProtocol {
    private let browser: Browser
    private var position: Int64
    private let selection: EventSelection
    private let includesDecisions: Bool
    private let use: UseToken?
    private let cursors: ListCursors
    private var hasCaughtUp = false
    private var hasEnded = false

    /// The interval of heartbeat comments while there are no events.
    private static let heartbeat = Interval.seconds(15)
    static let largestLag: Int64 = 10_000

    init(_ stream: EventStream) {
      browser = stream.browser
      position = stream.start
      selection = stream.selection
      includesDecisions = stream.includesDecisions
      use = stream.use
      cursors = .events(of: stream.browser)
    }

    /// Returns the next page.
    mutating func next() async throws -> ByteBuffer? {
      do {
        return try await nextPage()
      } catch StoreError.unknownBrowser {
        return end(with: "browser-deleted", ["incarnation": .string(browser.record.incarnation)])
      }
    }

    private mutating func nextPage() async throws -> ByteBuffer? {
      guard !hasEnded, !Task.isCancelled else { return nil }
      if selection != .all, let messages = try await history() { return messages }
      let page = try await browser.nextEvents(after: position, within: Self.heartbeat)
      guard let last = page.events.last else { return Task.isCancelled ? nil : ByteBuffer(string: ": no events\n\n") }
      let lag = page.logEnd - position
      if hasCaughtUp, lag > Self.largestLag {
        return end(with: "reader-too-slow", ["behind": .number(lag), "resumeAfter": .string(cursors.text(position))])
      }
      position = last.sequence
      hasCaughtUp = hasCaughtUp || lag <= Int64(page.events.count)
      let matching = try page.events.filter(selection.contains)
      // A page without matching events is a heartbeat.
      return matching.isEmpty ? ByteBuffer(string: ": no matching events\n\n") : try await messages(of: matching)
    }

    /// Returns a page of the existing selected events; nil after the last page.
    private mutating func history() async throws -> ByteBuffer? {
      while !hasCaughtUp, !Task.isCancelled {
        let page = try await browser.eventPage(
          after: position, limit: Browser.waitingPage, bytes: Browser.waitingPageBytes, selection)
        position = page.resumeAfter
        let messages = try await messages(of: page.items)
        hasCaughtUp = page.next == nil && position == page.resumeAfter
        if !page.items.isEmpty { return messages }
      }
      return nil
    }

    /// Returns the messages of events, and sets the position to the last of them if not all are in a page.
    private mutating func messages(of events: [LogEvent]) async throws -> ByteBuffer {
      var messages: [UInt8] = []
      let decisions = try await browser.decisions(of: events, includesDecisions)
      for event in events {
        messages.append(contentsOf: "id: \(cursors.text(event.sequence))\ndata: ".utf8)
        event.json(with: decisions).write(into: &messages)
        messages.append(contentsOf: "\n\n".utf8)
        // Verdicts are longer than the decisions from which they follow.
        if messages.count >= 2 * Browser.waitingPageBytes, event.sequence < events.last?.sequence ?? 0 {
          position = event.sequence
          break
        }
      }
      return ByteBuffer(bytes: messages)
    }

    /// Ends the stream with a message. It has no ID, so that a reader that reconnects resumes at its last event.
    private mutating func end(with kind: String, _ detail: JSON) -> ByteBuffer {
      hasEnded = true
      let message: JSON = ["kind": .string(kind), "detail": detail]
      return ByteBuffer(string: "data: \(message.text)\n\n")
    }
  }
}
