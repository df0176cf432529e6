import NIOConcurrencyHelpers
import PCMCore
import PCMEndpoint
import PCMNetwork
import Testing

@Suite struct LoadRunTests {
  private static let success = Exchange(
    httpStatus: 200, httpVersion: "2", timings: Exchange.Timings(dns: 1, connect: 2, tls: 3, firstByte: 4, total: 5))

  /// 1,000 requests in 10 seconds, where the endpoint answers nothing from second 1 to second 3. The requests of these seconds
  /// have latencies from 2 s down to 10 ms; all others have 1 ms.
  @Test("A stall is in the latencies of all requests that it affects")
  func stall() async throws {
    let options = try LoadStage.options()
    let network = VirtualNetwork(options) { number, _ in
      let plannedAt = options.instant(of: number)
      return (Self.success, (1_000_000..<3_000_000).contains(plannedAt) ? 3_000_000 - plannedAt : 1_000)
    }
    let measurements = try await LoadStage.measure(options, on: network)
    #expect(measurements.sent == 1_000 && measurements.unsent == 0 && measurements.failed == 0)
    #expect(measurements.latencies.percentile(50) == 1_000 && measurements.latencies.percentile(80) == 1_000)
    // Of 200 latencies with steps of 10 ms, 100 and 10 are larger.
    for (percent, expected) in [(90.0, 1_000_000), (99, 1_900_000), (100, 2_000_000)] as [(Double, Int64)] {
      #expect(abs(measurements.latencies.percentile(percent) - expected) <= expected / 500, "\(percent)")
    }
    #expect(!measurements.isSenderLate && abs(measurements.reachedRate - 100) < 0.01)
    let slow = measurements.intervals.filter { $0.latencies.percentile(50) > 1_000 }
    #expect(slow.map(\.start) == [1_000_000, 2_000_000] && slow.allSatisfy { $0.latencies.count == 100 })
  }

  @Test("Results are counted by status, cause, and form")
  func results() async throws {
    var options = try LoadStage.options()
    (options.duplicates, options.forged) = (0.1, 0.2)
    let network = VirtualNetwork(options) { number, _ in
      switch number {
      case 0..<50: (Exchange(httpStatus: 500, httpVersion: "1.1"), 1_000)
      case 50..<60: (Exchange(failure: TransportFailure(.timedOut, "no response in 60 s")), 60_000_000)
      default: (Self.success, 1_000)
      }
    }
    let measurements = try await LoadStage.measure(options, on: network)
    #expect(measurements.statuses.values.reduce(0, +) == 1_000)
    #expect(Set(measurements.failures.map(\.reason.code)) == ["http-status", "timed-out"])
    #expect(measurements.failed == measurements.failures.map(\.count).reduce(0, +))
    #expect(measurements.count(.forged) + measurements.count(.duplicate) + measurements.count(.ordinary) == 1_000)
    // A refused forged postback is no error.
    #expect(measurements.count(.forged, isAccepted: false) > 0)
    let refused = measurements.count(.ordinary, isAccepted: false) + measurements.count(.duplicate, isAccepted: false)
    #expect(measurements.failed == refused)
    #expect(measurements.connections == measurements.statuses["200"])
    #expect(Set(measurements.httpVersions.keys) == ["1.1", "2"])
  }

  @Test("A request that would wait with too many others is not sent, and counts as an error")
  func limit() async throws {
    let options = try LoadStage.options(rate: 10, for: .seconds(10))
    let (stream, gate) = AsyncStream.makeStream(of: Void.self)
    let opened = Task { for await _ in stream {} }
    var network = VirtualNetwork(options) { _, _ in
      await opened.value
      return (Self.success, 1_000)
    }
    network.onWait = { if $0 >= 9_900_000 { gate.finish() } }
    let measurements = try await LoadStage.measure(options, limit: 30, on: network)
    #expect(measurements.sent + measurements.unsent == 100 && measurements.sent >= 30 && measurements.unsent > 0)
    #expect(measurements.failed == measurements.unsent)
  }

  @Test("A late sender says so")
  func lateness() async throws {
    let options = try LoadStage.options()
    var network = VirtualNetwork(options) { _, _ in (Self.success, 1_000) }
    network.delay = 30_000
    let measurements = try await LoadStage.measure(options, on: network)
    #expect(measurements.isSenderLate)
    #expect(abs(measurements.lateness.percentile(99) - 30_000) < 100)
  }

  @Test("A canceled run keeps its results")
  func cancellation() async throws {
    let options = try LoadStage.options()
    let record = LoadRecord(options)
    let (stream, reached) = AsyncStream.makeStream(of: Void.self)
    var network = VirtualNetwork(options) { number, _ in
      guard number >= 50 else { return (Self.success, 1_000) }
      // Waits for the cancellation, as libcurl's transfer does.
      for await _ in AsyncStream<Void>.makeStream().stream {}
      return (Exchange(failure: TransportFailure(.transportClosed, "the send was canceled")), 0)
    }
    network.onWait = { if $0 >= 600_000 { reached.finish() } }
    let run = Task { [network] in
      try await LoadRun(options, network: network, record: record, limit: 1_000).run(LoadTraffic(options))
    }
    for await _ in stream {}
    run.cancel()
    try await run.value
    let measurements = record.measurements
    #expect(measurements.count(.ordinary) == 50 && measurements.failed == 0)
    #expect(measurements.unanswered == measurements.sent - 50 && measurements.unanswered > 0)
  }

  @Test(
    "Conditions",
    arguments: [
      ("p99<2s", true), ("p99 < 1.5s", false), ("p50<=1ms", true), ("p50<1ms", false), ("p99.9>900us", true),
      ("max>=1.9s", true),
      ("mean<1s", true), ("errors<0.1%", true), ("errors>0%", false), ("rate>99", true), ("rate>=101/s", false),
    ])
  func conditions(_ text: String, _ holds: Bool) async throws {
    let options = try LoadStage.options()
    let network = VirtualNetwork(options) { number, _ in (Self.success, number < 800 ? 1_000 : Int64(number - 799) * 10_000) }
    let measurements = try await LoadStage.measure(options, on: network)
    #expect(try LoadExpectation(text).result(measurements).holds == holds)
  }

  @Test(
    "A condition that cannot be read names the expected form",
    arguments: [
      ("p99", "comparison"), ("p99=5ms", "comparison"), ("p99<500", "unit"), ("p99<fast", "unit"), ("p101<5ms", "percentile"),
      ("latency<5ms", "percentile"), ("errors<1", "percent"), ("rate>fast", "number"), ("", "comparison"),
    ])
  func malformedConditions(_ text: String, _ part: String) throws {
    let error = try #require(throws: LoadExpectation.FormError.self) { try LoadExpectation(text) }
    #expect(error.expected.contains(part), "\(error.expected)")
  }
}
