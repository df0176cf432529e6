import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import PCMHTTP

/// Bodies that end before they are complete.
@Suite struct RequestReadingTests {
  /// A body that breaks off, as when the connection closes or the task that reads it is canceled.
  private struct BrokenBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    func makeAsyncIterator() -> Self { self }

    mutating func next() async throws -> ByteBuffer? { throw ChannelError.inputClosed }
  }

  private static let request = Request(
    head: HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/"), body: RequestBody(asyncSequence: BrokenBody()))

  @Test("A body that breaks off is an error of the caller")
  func broken() async throws {
    let problem = try await #require(throws: Problem.self) { try await Self.request.bytes(upTo: 10) }
    #expect(problem.status == .badRequest)
  }

  @Test("A body that a canceled task reads is a cancellation, and no error of the caller")
  func canceled() async throws {
    let reading = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Self.request.bytes(upTo: 10)
    }
    await #expect(throws: CancellationError.self) { try await reading.value }
  }
}
