/// A received request.
package struct RecordedRequest: Hashable, Sendable {
  /// The number of the connection, starting with 1.
  package let connection: Int
  /// `1.1` or `2`.
  package let version: String
  package let method: String
  /// The path and query as sent.
  package let target: String
  /// The headers in the order received, with names as sent. HTTP/2 includes the pseudo-headers.
  package let headers: [Header]
  /// The bytes up to and including the empty line with HTTP/1.1; empty with HTTP/2.
  package let head: [UInt8]
  package var body: [UInt8]
  /// Whether the client offered to resume an earlier TLS session on this connection, which reveals to the server that it
  /// has been here before.
  package let offersResumption: Bool

  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The values of a header, regardless of case.
  package subscript(name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

/// The requests that a server received, and the tasks that wait for more.
actor RequestLog {
  private(set) var requests: [RecordedRequest] = []
  private var waiters: [(id: Int, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  private var nextID = 0

  func append(_ request: RecordedRequest) {
    requests.append(request)
    resume { $0.count <= requests.count }
  }

  /// Returns when this number of requests has arrived, or when the task is canceled.
  func requests(count: Int) async -> [RecordedRequest] {
    let id = nextID
    nextID += 1
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if requests.count >= count || Task.isCancelled {
          continuation.resume()
        } else {
          waiters.append((id, count, continuation))
        }
      }
    } onCancel: {
      Task { await self.resume { $0.id == id } }
    }
    return requests
  }

  private func resume(_ isMeant: ((id: Int, count: Int, continuation: CheckedContinuation<Void, Never>)) -> Bool) {
    for waiter in waiters where isMeant(waiter) { waiter.continuation.resume() }
    waiters.removeAll(where: isMeant)
  }
}
