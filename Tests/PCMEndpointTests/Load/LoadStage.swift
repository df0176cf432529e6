import NIOConcurrencyHelpers
import PCMCore
import PCMEndpoint
import PCMNetwork
import PCMURL

/// A load test whose network and clock a test describes.
enum LoadStage {
  static func options(
    _ kind: TrafficKind = .skadnetwork, rate: Int = 100, for duration: Interval = .seconds(10),
    _ url: String = "https://news.example/"
  ) throws -> LoadOptions {
    var options = LoadOptions(endpoint: try SiteParser(publicSuffixList: .builtIn()).url(url))
    (options.kind, options.rate, options.duration, options.seed) = (kind, rate, duration, 7)
    return options
  }

  static func measure(
    _ options: LoadOptions, limit: Int = 10_000, on network: any LoadNetwork
  ) async throws -> LoadMeasurements {
    let record = LoadRecord(options)
    try await LoadRun(options, network: network, record: record, limit: limit).run(LoadTraffic(options))
    return record.measurements
  }

  /// The number of a postback, which is in its identifier.
  static func number(of request: OutgoingRequest) -> Int {
    let text = JSON(parsing: request.body ?? [])?["transaction-id"]?.string ?? ""
    return Int(text.suffix(8), radix: 16) ?? -1
  }
}

/// A network without delay, on a clock that moves only when the run waits.
struct VirtualNetwork: LoadNetwork {
  private let time = NIOLockedValueBox<Int64>(0)
  /// Returns the exchange with a request, and its duration in microseconds, from the number of the postback.
  let answer: @Sendable (Int, OutgoingRequest) async -> (Exchange, Int64)
  /// The delay of each wait, as of a busy machine.
  var delay: Int64 = 0
  let options: LoadOptions
  /// Called with each instant that the run waits for.
  var onWait: @Sendable (Int64) -> Void = { _ in }

  init(_ options: LoadOptions, _ answer: @escaping @Sendable (Int, OutgoingRequest) async -> (Exchange, Int64)) {
    (self.options, self.answer) = (options, answer)
  }

  func now() -> Int64 { time.withLockedValue { $0 } }

  func wait(until instant: Int64) async {
    time.withLockedValue { $0 = instant + delay }
    onWait(instant)
  }

  func send(_ request: OutgoingRequest) async -> (exchange: Exchange, endedAt: Int64) {
    let number = LoadStage.number(of: request)
    let (exchange, duration) = await answer(number, request)
    return (exchange, options.instant(of: max(number, 0)) + duration)
  }
}
