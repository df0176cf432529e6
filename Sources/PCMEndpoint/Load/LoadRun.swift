package import PCMCrypto
package import PCMNetwork

/// The network and the clock of a load test.
package protocol LoadNetwork: Sendable {
  /// The time since the start, in microseconds.
  func now() -> Int64
  /// Waits until a time since the start. Returns early when the task is canceled.
  func wait(until instant: Int64) async
  /// Sends a request, and returns its exchange and the time of its end.
  func send(_ request: OutgoingRequest) async -> (exchange: Exchange, endedAt: Int64)
}

/// Sends the messages of a load test at their planned instants. A slow response delays no later message (an open model).
///
/// A closed model would send the next message after a response, so a stalled endpoint would receive fewer messages, and the latencies
/// of the missing ones would be omitted.
package struct LoadRun: Sendable {
  private let options: LoadOptions
  private let network: any LoadNetwork
  private let record: LoadRecord
  /// The number of requests that wait for responses at the same time. A message beyond it is not sent.
  private let limit: Int

  package init(_ options: LoadOptions, network: any LoadNetwork, record: LoadRecord, limit: Int) {
    self.options = options
    self.network = network
    self.record = record
    self.limit = limit
  }

  /// Sends all messages and waits for their responses. After cancellation, it sends nothing more, and requests without a response count
  /// as unanswered.
  package func run(_ traffic: LoadTraffic) async throws(SigningError) {
    // The next part is generated and signed while the network sends the current one.
    var next = Part(traffic, count: partSize)
    let error: SigningError? = await withDiscardingTaskGroup { group in
      var start: Int64?
      while !Task.isCancelled {
        let (messages, traffic): ([LoadMessage], LoadTraffic)
        do throws(SigningError) { (messages, traffic) = try await next.value() } catch { return error }
        // The first part is signed before the clock starts.
        let begunAt = start ?? network.now()
        start = begunAt
        // The requests that wait for responses end first.
        guard !messages.isEmpty else { return nil }
        next = Part(traffic, count: partSize)
        for message in messages {
          let plannedAt = options.instant(of: message.number)
          if network.now() < begunAt + plannedAt { await network.wait(until: begunAt + plannedAt) }
          guard !Task.isCancelled else { return nil }
          guard record.begin(message, plannedAt: plannedAt, at: network.now() - begunAt, limit: limit) else { continue }
          group.addTask {
            let (exchange, endedAt) = await network.send(message.request)
            record.end(message, exchange, plannedAt: plannedAt, endedAt: endedAt - begunAt, isCanceled: Task.isCancelled)
          }
        }
      }
      group.cancelAll()
      return nil
    }
    if let error { throw error }
  }

  /// A quarter of a second's messages, within bounds.
  private var partSize: Int { min(max(options.rate / 4, 1), 1_024) }
}

/// Messages that are being generated.
private struct Part: Sendable {
  private let task: Task<Result<([LoadMessage], LoadTraffic), SigningError>, Never>

  init(_ traffic: LoadTraffic, count: Int) {
    task = Task.detached {
      var traffic = traffic
      do throws(SigningError) { return .success((try traffic.next(count), traffic)) } catch { return .failure(error) }
    }
  }

  func value() async throws(SigningError) -> ([LoadMessage], LoadTraffic) { try await task.value.get() }
}
