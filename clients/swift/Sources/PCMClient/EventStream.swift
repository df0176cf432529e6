import Foundation

/// A browser's log as a stream, including future events: `for try await event in browser.eventStream() { … }`.
///
/// A connection buffers a limited number of unread events, and then ends. When a connection ends, the stream reconnects and
/// continues after the last returned event. If the new connection also delivers nothing, the stream ends or throws
/// `ServiceError`. It also ends when the browser is deleted, and never continues with the events of a later browser of the same
/// name.
///
/// ```swift
/// for try await event in browser.eventStream() {
///   print(event)
///   if event.kind == .reportDelivered { break }
/// }
/// ```
public struct EventStream: AsyncSequence, Sendable {
  /// The element of the stream.
  public typealias Element = Event

  let connection: Connection
  let path: String
  let query: [String: String]

  /// Returns an iterator that reads from the start of the stream on a separate connection.
  public func makeAsyncIterator() -> Iterator {
    Iterator(stream: self)
  }

  /// The iterator of an event stream.
  public struct Iterator: AsyncIteratorProtocol {
    private let stream: EventStream
    /// The identifier of the last returned event in the stream; nil before the first.
    private var lastEventID: String?
    private var body: HTTPTransport.Parts?
    private var reader = ServerSentEvents()
    private var arrived: [(event: Event, id: String)] = []
    /// The number of consecutive connections without data.
    private var fruitless = 0
    private var incarnation: String?
    private var isOver = false

    init(stream: EventStream) {
      self.stream = stream
    }

    /// Returns the next event as soon as it exists, or nil when the task is canceled or the stream ends.
    public mutating func next() async throws -> Event? {
      while arrived.isEmpty {
        guard !isOver, !Task.isCancelled, try await read() else { return nil }
      }
      let (event, id) = arrived.removeFirst()
      lastEventID = id
      return event
    }

    private struct Notice: Decodable {
      let kind: String
    }

    /// Reads the next chunk. Returns false when the stream is at its end.
    private mutating func read() async throws -> Bool {
      if body == nil {
        reader = ServerSentEvents()
        let answer = try await stream.connection.stream(stream.path, query: stream.query, after: lastEventID)
        guard incarnation == nil || incarnation == answer.incarnation else { return false }
        incarnation = answer.incarnation
        body = answer.body
      }
      // A broken connection is handled like an ended connection.
      guard case .bytes(let chunk)? = try? await body?.next() else {
        body = nil
        fruitless += 1
        return fruitless < 2
      }
      fruitless = 0
      for message in reader.read(chunk) {
        if let id = message.id {
          arrived.append((try Wire.decoder.decode(Event.self, from: message.data), id))
          continue
        }
        // A message without an id is a notice of the service, not an event.
        let notice = try? Wire.decoder.decode(Notice.self, from: message.data)
        isOver = isOver || notice?.kind == "browser-deleted"
      }
      return true
    }
  }
}
