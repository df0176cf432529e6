import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The requests of the process: with `URLSession`, and on Linux, for plain HTTP, with sockets.
struct HTTPTransport: Sendable {
  /// A part of a response.
  enum Part: Sendable {
    case head(HTTPURLResponse)
    case bytes(Data)
  }

  /// The parts of a response. The end of the iteration, also by cancellation, ends the request.
  typealias Parts = AsyncThrowingStream<Part, any Error>

  static let ofProcess = HTTPTransport()

  private let session: URLSession
  private let receiver = Receiver()

  private init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 1_000
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    // Calls have a deadline, and streams have none.
    configuration.timeoutIntervalForRequest = 7 * 86_400
    session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
  }

  /// Sends a request and returns the parts of its response as they arrive.
  ///
  /// - Parameters:
  ///   - limit: The number of parts to keep for a slow reader. Beyond it, the response ends early.
  ///   - deadline: The time for the whole exchange; nil for no limit.
  func parts(of request: URLRequest, keeping limit: Parts.Continuation.BufferingPolicy, within deadline: Duration?) -> Parts {
    Parts(bufferingPolicy: limit) { continuation in
      let alarm = deadline.map { deadline in
        Task {
          try await Task.sleep(nanoseconds: UInt64(max(0, deadline.microseconds)) * 1_000)
          continuation.finish(throwing: URLError(.timedOut))
        }
      }
      let cancel = start(request, continuation)
      continuation.onTermination = { _ in
        cancel()
        alarm?.cancel()
      }
    }
  }

  /// Starts a request, and returns the function that cancels it.
  private func start(_ request: URLRequest, _ reader: Parts.Continuation) -> @Sendable () -> Void {
    #if canImport(Glibc)
      if request.url?.scheme?.lowercased() == "http" {
        let exchange = SocketExchange()
        Thread.detachNewThread {
          do {
            try exchange.run(request) { reader.deliver($0) }
            reader.finish()
          } catch {
            reader.finish(throwing: error)
          }
        }
        return { exchange.cancel() }
      }
    #endif
    let task = session.dataTask(with: request)
    receiver.expect(task, reader)
    task.resume()
    return { task.cancel() }
  }

  /// Sends a request and returns the whole response.
  func response(to request: URLRequest, within deadline: Duration) async throws -> (status: Int, bytes: Data) {
    var (status, bytes) = (Int?.none, Data())
    for try await part in parts(of: request, keeping: .unbounded, within: deadline) {
      switch part {
      case .head(let head): status = head.statusCode
      case .bytes(let data): bytes.append(data)
      }
      guard bytes.count <= Self.largestResponse else { throw URLError(.dataLengthExceedsMaximum) }
    }
    try Task.checkCancellation()
    guard let status else { throw URLError(.badServerResponse) }
    return (status, bytes)
  }

  private static let largestResponse = 256 << 20
}

extension HTTPTransport.Parts {
  /// Returns the next part, or nil at the end of the response and after a cancellation.
  func next() async throws -> HTTPTransport.Part? {
    var iterator = makeAsyncIterator()
    return try await iterator.next()
  }
}

extension HTTPTransport.Parts.Continuation {
  /// Hands a part to the reader. Ends the response when the reader is too slow.
  fileprivate func deliver(_ part: HTTPTransport.Part) {
    if case .dropped = yield(part) { finish() }
  }
}

/// Distributes the session's data to the readers.
private final class Receiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  /// Guards `readers`, the only state.
  private let lock = NSLock()
  /// The readers of the responses, and whether each has the head.
  private var readers: [ObjectIdentifier: (reader: HTTPTransport.Parts.Continuation, hasHead: Bool)] = [:]

  func expect(_ task: URLSessionTask, _ reader: HTTPTransport.Parts.Continuation) {
    lock.withLock { readers[ObjectIdentifier(task)] = (reader, false) }
  }

  /// Returns the reader of a response, after it received the head.
  private func reader(of task: URLSessionTask) -> HTTPTransport.Parts.Continuation? {
    lock.withLock {
      guard let (reader, hasHead) = readers[ObjectIdentifier(task)] else { return nil }
      if !hasHead, let head = task.response as? HTTPURLResponse { reader.deliver(.head(head)) }
      readers[ObjectIdentifier(task)]?.hasHead = true
      return reader
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    reader(of: dataTask)?.deliver(.bytes(data))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    reader(of: task)?.finish(throwing: error)
    lock.withLock { _ = readers.removeValue(forKey: ObjectIdentifier(task)) }
  }

  /// A redirect is the response: the service has none, and a proxy's redirect is an error.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
