import PCMCurl
import PCMNetwork

/// Reports through libcurl to a server on this machine, connections reused, 64 at a time.
enum SendingBenchmark {
  static func run(port: String, arguments: [String]) async throws {
    guard arguments.count == 2, let count = Int(arguments[1]) else { return print("usage: send PORT CA-FILE COUNT") }
    let route = NetworkRoute(resolve: ["report.example:\(port):127.0.0.1"], caFile: arguments[0], freshConnections: false)
    let url = "https://report.example:\(port)/.well-known/private-click-measurement/report-attribution/"
    let body =
      #"{"source_engagement_type":"click","source_site":"news.example","source_id":4,"attributed_on_site":"shop.example","trigger_data":12,"version":3}"#
    let request = BrowserRequest.report(url: url, body: body)
    let transport = try CurlTransport()
    let watch = Stopwatch()
    let delivered = await withTaskGroup(of: Int.self) { group in
      for worker in 0..<64 {
        group.addTask {
          var delivered = 0
          for _ in stride(from: worker, to: count, by: 64) {
            if await transport.send(request, route: route).httpStatus == 200 { delivered += 1 }
          }
          return delivered
        }
      }
      return await group.reduce(0, +)
    }
    let seconds = watch.seconds
    await transport.close()
    print("delivered \(delivered)")
    print("reports-per-second \(Int(Double(delivered) / seconds))")
  }
}
