import BrowserSupport
import PCMCore
import PCMDevice
import PCMSignatures
import Testing

@testable import PCMBrowser

/// The distribution of the delays of postbacks, as of those of reports.
@Suite struct PostbackChanceTests {
  private static let count = 10_000

  /// The delays of the postbacks of one window in many conversions, as parts of their range.
  ///
  /// - Parameter place: 0 for the winner, 1 to 5 for the runners-up.
  private static func delays(
    seed: String = "kolmogorov", _ timing: ConversionTiming = .production, window: Int = 0,
    version: SKAdNetworkVersion? = .v4, place: Int = 0
  ) -> [Double] {
    let context = DeviceContext(
      now: Scene.start, device: Device(), networks: AdNetworkRegistry([]), draws: RandomStreams(seed: seed).named)
    let delay = timing.delay(index: window, version: version)
    return (0..<count).compactMap { conversion in
      let order = PostbackOrder(
        conversion: Int64(conversion), index: window, windowEnd: Scene.start, values: ReportedValues())
      guard let draws = context.postbackDraws(order) else { return nil }
      let draw = ([draws.winner] + draws.runnersUp)[place].delay
      return Double((delay.interval(draw) - delay.shortest).milliseconds) / Double(delay.range.milliseconds)
    }
  }

  struct Window: Sendable, CustomTestStringConvertible {
    let timing: ConversionTiming
    let index: Int
    let version: SKAdNetworkVersion?

    init(_ timing: ConversionTiming, _ index: Int, _ version: SKAdNetworkVersion?) {
      (self.timing, self.index, self.version) = (timing, index, version)
    }

    var testDescription: String { "\(timing.rawValue) \(index) \(version?.rawValue ?? "AdAttributionKit")" }
  }

  @Test(
    "10,000 delays of each window lie in their range and pass a Kolmogorov-Smirnov test at the level of one percent",
    arguments: [
      Window(.production, 0, .v3), Window(.production, 0, .v4), Window(.production, 1, .v4), Window(.production, 2, nil),
      Window(.developerMode, 0, nil), Window(.testingProfile, 0, .v3),
    ], [0, 1, 5])
  func uniform(_ window: Window, place: Int) {
    let sample = Self.delays(window.timing, window: window.index, version: window.version, place: place)
    #expect(sample.count == Self.count)
    #expect(sample.allSatisfy { $0 >= 0 && $0 < 1 })
    #expect(Statistics.distanceFromUniform(sample) < 1.63 / Double(Self.count).squareRoot())
  }

  @Test("The delays of two windows, of two places, of neighbors, and of two seeds are independent")
  func independent() {
    let winner = Self.delays(seed: "pearson")
    let others = [
      Self.delays(seed: "pearson", window: 1), Self.delays(seed: "pearson", window: 2),
      Self.delays(seed: "pearson", place: 1), Self.delays(seed: "another"),
    ]
    let bound = 2.58 / Double(Self.count).squareRoot()
    for other in others { #expect(abs(Statistics.correlation(winner, other)) < bound) }
    #expect(abs(Statistics.correlation(Array(winner.dropLast()), Array(winner.dropFirst()))) < bound)
  }
}
