import PCMBrowser
import PCMCore
import PCMCurl
import PCMNetwork
import PCMStore
import PCMStoreSQLite

/// Due reports of many browsers whose clocks advance at the same time, sent to a server on this machine: in memory, durable, and
/// each also with a connection per report; next to libcurl alone, with the same handshakes.
enum DueBenchmark {
  private static let browserCount = 100
  private static let conversionsEach = 50
  private static let reportCount = browserCount * conversionsEach * 2

  static func run(port: String, arguments: [String]) async throws {
    guard arguments.count == 2 else { return print("usage: due PORT CA-FILE FOLDER") }
    for fresh in [false, true] {
      let route = NetworkRoute(
        connectTo: ["::127.0.0.1:\(port)"], caFile: arguments[0], freshConnections: fresh)
      let kind = fresh ? "fresh" : "kept"
      print("ephemeral-\(kind) \(try await rate(route, storage: .ephemeral, folder: arguments[1]))")
      print("durable-\(kind) \(try await rate(route, storage: .durable, folder: arguments[1]))")
      print("libcurl-\(kind) \(try BareCurl.rate(port: port, caFile: arguments[0], count: reportCount, fresh: fresh))")
    }
  }

  /// Reports delivered per second, from the first advance to the end of the last.
  private static func rate(_ route: NetworkRoute, storage: StorageKind, folder: String) async throws -> Int {
    let transport = try CurlTransport()
    let name = "\(folder)/due-\(route.freshConnections).sqlite"
    let store: any Store = storage == .durable ? try SQLiteStore(path: name) : MemoryStore()
    let browsers = try await Bench.browsers(transport: transport, route: route, durable: store)
    var all: [Browser] = []
    for number in 0..<browserCount {
      let browser = try await Bench.browser(number, in: browsers, storage: .durable)
      try await Bench.convert(browser, count: conversionsEach)
      all.append(browser)
    }
    let watch = Stopwatch()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for browser in all { group.addTask { try await Bench.advance(browser) } }
      try await group.waitForAll()
    }
    let seconds = watch.seconds
    var delivered = 0
    for browser in all {
      let page = try await browser.reportPage(ReportSelection(states: [.delivered]), limit: reportCount, bytes: .max)
      delivered += page.items.count
    }
    if delivered != reportCount { print("delivered-only \(delivered)") }
    await transport.close()
    try await store.close()
    return Int(Double(delivered) / seconds)
  }
}
