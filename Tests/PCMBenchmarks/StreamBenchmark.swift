import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1
import PCMApp
import ServiceLifecycle

/// Ten readers of the event stream while a thousand events a second are written, by HTTP on both sides.
enum StreamBenchmark {
  private static let readers = 10
  private static let writers = 8
  private static let events = 5_000
  /// The shared client opens eight connections to a host, and each reader needs a separate connection.
  private static let client: HTTPClient = {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = readers + writers
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }()

  static func run(folder: String) async throws {
    let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
    let (ports, announce) = AsyncStream.makeStream(of: Int.self)
    let service = try await Composition(ServiceSettings(port: 0, dataDirectory: folder), logger: logger) { announce.yield($0) }
    let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: service.services, logger: logger))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      var iterator = ports.makeAsyncIterator()
      guard let port = await iterator.next() else { return }
      try await measure("http://127.0.0.1:\(port)/v1/browsers/default")
      await group.triggerGracefulShutdown()
      try await client.shutdown()
      try await tasks.waitForAll()
    }
  }

  private static func measure(_ api: String) async throws {
    try await withThrowingTaskGroup(of: (lost: Int, twice: Int, seconds: Double).self) { tasks in
      let watch = Stopwatch()
      for _ in 0..<readers {
        tasks.addTask {
          let ids = try await read(api)
          return (events - Set(ids).count, ids.count - Set(ids).count, watch.seconds)
        }
      }
      try await write(api)
      let written = watch.seconds
      let results = try await tasks.reduce(into: []) { $0.append($1) }
      print("events-per-second \(Int(Double(events) / written))")
      print("lost \(results.map(\.lost).reduce(0, +))")
      print("twice \(results.map(\.twice).reduce(0, +))")
      print("last-reader-behind-writer-ms \(Int(((results.map(\.seconds).max() ?? 0) - written) * 1_000))")
    }
  }

  /// One event each millisecond, or as fast as it goes when that is slower. Several callers, because each waits until its
  /// event is on the disk.
  private static func write(_ api: String) async throws {
    let clock = ContinuousClock()
    let start = clock.now
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for writer in 0..<writers {
        tasks.addTask {
          for number in stride(from: writer, to: events, by: writers) {
            try await clock.sleep(until: start + .milliseconds(number))
            try await click(api, number)
          }
        }
      }
      try await tasks.waitForAll()
    }
  }

  private static func click(_ api: String, _ number: Int) async throws {
    var request = HTTPClientRequest(url: "\(api)/link-clicks")
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.body = .bytes(
      ByteBuffer(
        string:
          #"{"pageURL":"https://news.example/","attributionSourceID":"1","attributionDestination":"https://d\#(number).example"}"#
      ))
    let answer = try await client.execute(request, timeout: .minutes(1))
    if answer.status != .created { print("unexpected \(answer.status)") }
    _ = try await answer.body.collect(upTo: 65_536)
  }

  private static func read(_ api: String) async throws -> [Int] {
    var request = HTTPClientRequest(url: "\(api)/events")
    request.headers.add(name: "Accept", value: "text/event-stream")
    let answer = try await client.execute(request, timeout: .minutes(5))
    var (ids, rest) = ([Int](), "")
    for try await chunk in answer.body {
      rest += String(buffer: chunk)
      var lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
      rest = String(lines.removeLast())
      ids += lines.compactMap { $0.firstMatch(of: /^data: {"sequence":([0-9]+),/).flatMap { Int($0.1) } }
      if ids.count >= events { break }
    }
    return ids
  }
}
