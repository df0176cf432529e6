import AsyncHTTPClient
import Foundation
import NIOCore

/// A browser's log as it grows: `for try await event in browser.eventStream() { … }`.
///
/// It reads only as fast as it is asked. When the connection breaks, it is opened again behind the last event that was
/// handed out; when that brings nothing either, the stream ends or throws `ServiceError`.
public struct EventStream: AsyncSequence, Sendable {
  /// What it brings.
  public typealias Element = Event

  let connection: Connection
  let path: String
  let query: [String: String]
  let start: Int

  /// Reads from the start of the stream; each iterator has a connection of its own.
  public func makeAsyncIterator() -> Iterator {
    Iterator(stream: self)
  }

  /// Reads the stream.
  public struct Iterator: AsyncIteratorProtocol {
    private let stream: EventStream
    /// The last event that was handed out.
    private var position: Int
    private var chunks: HTTPClientResponse.Body.AsyncIterator?
    private var reader = ServerSentEvents()
    private var arrived: [Event] = []
    /// Connections in a row that brought nothing.
    private var fruitless = 0

    init(stream: EventStream) {
      self.stream = stream
      position = stream.start
    }

    /// The next event as soon as there is one; nil when the task is cancelled or the stream is at its end.
    public mutating func next() async throws -> Event? {
      while arrived.isEmpty {
        guard !Task.isCancelled, try await read() else { return nil }
      }
      let event = arrived.removeFirst()
      position = event.sequence
      return event
    }

    /// Takes what has come; false when there is nothing more to be had.
    private mutating func read() async throws -> Bool {
      if chunks == nil {
        reader = ServerSentEvents()
        let body = try await stream.connection.stream(stream.path, query: stream.query, after: position)
        chunks = body.makeAsyncIterator()
      }
      // A connection that breaks is the same to the reader as one that ends.
      guard let chunk = try? await chunks?.next(isolation: #isolation) else {
        chunks = nil
        fruitless += 1
        return fruitless < 2
      }
      fruitless = 0
      // Without an id it is a word of the service to its reader, not an event.
      for message in reader.read(chunk.readableBytesView) where message.id != nil {
        arrived.append(try Wire.decoder.decode(Event.self, from: message.data))
      }
      return true
    }
  }
}
