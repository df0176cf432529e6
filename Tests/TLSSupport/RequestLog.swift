/// What a server has received, and those who wait for more of it.
actor RequestLog {
  private(set) var requests: [RecordedRequest] = []
  private var waiters: [(id: Int, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  private var nextID = 0

  func append(_ request: RecordedRequest) {
    requests.append(request)
    resume { $0.count <= requests.count }
  }

  /// Returns as soon as there are so many, or when the task is cancelled.
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
