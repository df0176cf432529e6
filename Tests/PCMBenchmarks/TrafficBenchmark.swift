import PCMCore
import PCMEndpoint
import PCMURL

/// The number of messages that one core generates and signs a second for a load test.
enum TrafficBenchmark {
  static func run() throws {
    for kind in TrafficKind.allCases {
      var options = LoadOptions(endpoint: try SiteParser(publicSuffixList: .builtIn()).url("https://news.example/"))
      (options.kind, options.rate) = (kind, 20_000)
      var traffic = try LoadTraffic(options)
      let watch = Stopwatch()
      let count = try traffic.next(20_000).count
      print("messages-per-second-\(kind.rawValue) \(Int(Double(count) / watch.seconds))")
    }
  }
}
