import BrowserSupport
import PCMCore
import PCMCrypto
import PCMDevice
import Testing

@testable import PCMBrowser

/// The distribution of the delays of postbacks and reports.
@Suite struct PostbackChanceTests {
  private static let count = 10_000

  /// The delays of the postbacks of one window in many conversions, as parts of the documented range.
  ///
  /// - Parameter place: 0 for the winner, 1 to 5 for the runners-up.
  private static func delays(
    seed: String = "kolmogorov", _ window: Window = .first, place: Int = 0, count: Int = count
  ) -> [Double] {
    let context = DeviceContext(
      now: Scene.start, device: Device(), networks: AdNetworkRegistry([]),
      draws: RandomStreams(seed: seed).named)
    let delay = window.timing.delay(index: window.index, version: window.version)
    let range = window.range
    return (0..<count).map { conversion in
      let order = PostbackPlan(
        conversion: Int64(conversion), index: window.index, windowEnd: Scene.start, values: ReportedValues())
      let draw = context.postbackDraw(order, place: place).delay
      return Double((delay.interval(draw) - range.lowerBound).milliseconds)
        / Double((range.upperBound - range.lowerBound).milliseconds)
    }
  }

  /// A window, and the range of the delays after its end, as the references document it.
  struct Window: Sendable, CustomTestStringConvertible {
    let timing: ConversionTiming
    let index: Int
    let version: SKAdNetworkVersion?
    let range: Range<Interval>

    init(_ timing: ConversionTiming, _ index: Int, _ version: SKAdNetworkVersion?, _ range: Range<Interval>) {
      (self.timing, self.index, self.version, self.range) = (timing, index, version, range)
    }

    static let first = Window(.production, 0, .v4, .hours(24) ..< .hours(48))

    var testDescription: String { "\(timing.rawValue) \(index) \(version?.rawValue ?? "AdAttributionKit")" }

    /// The versions with one postback.
    static let single = SKAdNetworkVersion.allCases.filter { $0 != .v4 }

    static let all: [Window] =
      single.map { Window(.production, 0, $0, .hours(0) ..< .hours(24)) }
      + [.v4, nil].flatMap { version in
        [Window(.production, 0, version, .hours(24) ..< .hours(48))]
          + [1, 2].map { Window(.production, $0, version, .hours(24) ..< .hours(144)) }
      } + (0...2).map { Window(.developerMode, $0, nil, .minutes(5) ..< .minutes(10)) }
      + (single + [.v4]).map { Window(.testingProfile, 0, $0, .minutes(0) ..< .minutes(5)) }
  }

  @Test("10,000 delays lie in their range and pass a Kolmogorov-Smirnov test at the level of one percent")
  func uniform() { expectUniform(Self.delays(), count: Self.count) }

  @Test("1,000 delays of each window lie in their range and pass the same test", arguments: Window.all, [0, 1, 5])
  func uniform(_ window: Window, place: Int) {
    // Runners-up have no later postbacks.
    guard window.index == 0 || place == 0 else { return }
    expectUniform(Self.delays(window, place: place, count: 1_000), count: 1_000)
  }

  private func expectUniform(_ sample: [Double], count: Int) {
    #expect(sample.count == count)
    #expect(sample.allSatisfy { $0 >= 0 && $0 < 1 })
    #expect(Statistics.distanceFromUniform(sample) < 1.63 / Double(count).squareRoot())
  }

  @Test("The delays of two windows, of two places, of neighbors, and of two seeds are independent")
  func independent() {
    let winner = Self.delays(seed: "pearson")
    let later: Range<Interval> = .hours(24) ..< .hours(144)
    let others = [
      Self.delays(seed: "pearson", Window(.production, 1, .v4, later)),
      Self.delays(seed: "pearson", Window(.production, 2, .v4, later)),
      Self.delays(seed: "pearson", place: 1), Self.delays(seed: "another"),
    ]
    let bound = 2.58 / Double(Self.count).squareRoot()
    for other in others { #expect(abs(Statistics.correlation(winner, other)) < bound) }
    #expect(abs(Statistics.correlation(Array(winner.dropLast()), Array(winner.dropFirst()))) < bound)
  }
}
