import PCMApp
import PCMCore
import PCMNetwork
import PCMSimulatedSites
import PCMURL

@testable import PCMScenario

/// Scenarios in code: the app of the examples, and steps by their actions and expectations.
struct Story {
  var settings: JSON = [:]
  var isDurable = false
  var sites: [String: SiteBehavior] = [:]
  var steps: [Scenario.Step] = []

  static let start = "2026-11-20T10:00:00.000Z"

  init(settings: JSON = [:], isDurable: Bool = false, sites: [String: SiteBehavior] = [:]) {
    self.settings = settings
    self.isDurable = isDurable
    self.sites = sites
  }

  /// Adds a step; it stands in the line of its number.
  mutating func step(_ action: Scenario.Action? = nil, at: String? = nil, expect: JSON? = nil) {
    let number = steps.count + 1
    steps.append(
      Scenario.Step(
        number: number, name: "step \(number)", place: SourcePlace(line: number, column: 1),
        at: at.flatMap(Interval.init(text:)), action: action, expectation: expect.map(Node.of)))
  }

  /// A tapped ad for a shop, with or without a nonce.
  static func tap(_ more: JSON.Member..., to shop: String = "shop.example") -> Scenario.Action {
    let body: [JSON.Member] = [
      .init("bundleIdentifier", "com.example.news"), .init("sourceIdentifier", 4),
      .init("destinationURL", .string("https://\(shop)/")),
    ]
    return action("event-attribution", .object(body + more))
  }

  static func trigger(_ tail: String = "12", on shop: String = "shop.example") -> Scenario.Action {
    action(
      "triggering-event",
      [
        "firstPartyURL": .string("https://\(shop)/thanks"),
        "redirect": [
          "from": "https://news.example/pixel",
          "to": .string("https://news.example/.well-known/private-click-measurement/trigger-attribution/\(tail)"),
        ],
      ])
  }

  /// An action as in a file with durable storage.
  static func action(_ name: String, _ value: JSON) -> Scenario.Action {
    let setup = Scenario.Setup(seed: "story", isDurable: true, start: .earliest, settings: [:])
    var reading = StepReading(browser: setup, readFile: nil)
    let place = SourcePlace(line: 1, column: 1)
    reading.read(SourceNode(.object([SourceMember(name, at: place, Node.of(value))]), at: place), index: 0)
    guard let action = reading.steps[0].action, reading.errors.isEmpty else { fatalError("\(name): \(reading.errors)") }
    return action
  }

  static let nonce = "ABEiM0RVZneImaq7zN3u_w"

  func play(
    seed: String? = nil, network: ScenarioStages.Network = .simulated, writeLimit: Int? = nil
  ) async throws -> ScenarioResult {
    guard let start = Instant(text: Self.start) else { throw CancellationError() }
    let scenario = Scenario(
      name: "story", rule: nil,
      browser: Scenario.Setup(seed: "story", isDurable: isDurable, start: start, settings: settings),
      apps: [.registration(bundleIdentifier: "com.example.news", ["reportEndpoint": "https://news.example"])], sites: sites,
      steps: steps)
    let stages = ScenarioStages(
      sites: SiteParser(publicSuffixList: .builtIn()), network: network, writeLimit: writeLimit)
    return try await stages.play(scenario, seed: seed)
  }
}
