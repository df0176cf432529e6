package import PCMCore
package import PCMSimulation

/// A sequence of steps and the expected behavior of a browser. `Fixtures/scenarios/README.md` describes the format.
package struct Scenario: Sendable {
  package let name: String
  /// The source of the expectation.
  package let rule: String?
  package let browser: Setup
  package let apps: [App]
  /// The ad networks that are registered before the first step.
  package let adNetworks: [AdNetwork]
  /// The sites that do not behave like a good endpoint, by host.
  package let sites: [String: SiteBehavior]
  package let steps: [Step]
  /// The file's values with their places; nil for a scenario that was created in code.
  package let source: SourceNode?

  package struct Setup: Sendable {
    package let seed: String
    package let isDurable: Bool
    /// The time of the clock at the first step.
    package let start: Instant
    /// The settings as a JSON object of the control API.
    package let settings: JSON
    /// The properties of the device as a JSON object of the control API.
    package let device: JSON

    package static let defaultStart = "2026-11-20T10:00:00.000Z"

    package init(seed: String, isDurable: Bool, start: Instant, settings: JSON, device: JSON = [:]) {
      self.seed = seed
      self.isDurable = isDurable
      self.start = start
      self.settings = settings
      self.device = device
    }
  }

  /// An app's manifest.
  package enum App: Sendable {
    /// The bytes of a property list, with the bundle identifier if they lack it.
    case plist([UInt8], bundleIdentifier: String?)
    /// The body of the API's call.
    case registration(bundleIdentifier: String, JSON)
  }

  package struct Step: Sendable {
    /// The number of the step, starting with 1.
    package let number: Int
    package let name: String
    package let place: SourcePlace
    /// The time since the start.
    package let at: Interval?
    package let action: Action?
    /// An object of the checked shape, or nil.
    package let expectation: SourceNode?

    package init(
      number: Int, name: String, place: SourcePlace, at: Interval?, action: Action?, expectation: SourceNode?
    ) {
      self.number = number
      self.name = name
      self.place = place
      self.at = at
      self.action = action
      self.expectation = expectation
    }
  }

  package enum Action: Sendable {
    /// A call of the API for a click, a triggering event, or a load.
    case play(Play, SourceNode)
    /// The body of the API's call, or a duration as a string.
    case advance(SourceNode)
    case settings(SourceNode)
    case register(App)
    case removeApp(String)
    /// The properties of the device to change.
    case device(SourceNode)
    case registerNetwork(AdNetwork)
    case removeNetwork(String)
    /// The body of the API's call, and the value that it was created from.
    case impression(JSON, SourceNode)
    /// The end of an ad's view, or a tap on the ad.
    case followUp(FollowUp, DisplayedAd, SourceNode)
    /// Nil restores the behavior of a good endpoint.
    case sites([String: SiteBehavior?])
    /// Clears all measurement data, or only data that contains a site.
    case clear(site: String?)
    case restart
  }

  /// The calls whose body a step contains unchanged. The raw values are the members of a step; with an `s`, they are the
  /// last component of the API's paths.
  package enum Play: String, Sendable, CaseIterable {
    case eventAttribution = "event-attribution"
    case linkClick = "link-click"
    case triggeringEvent = "triggering-event"
    case load
    case install
    case launch
    case conversionValue = "conversion-value"
    case developmentPostback = "development-postback"

    package var resource: String { self == .launch ? "launches" : rawValue + "s" }

    var isOfDevice: Bool { [.install, .launch, .conversionValue, .developmentPostback].contains(self) }
  }

  package init(
    name: String, rule: String?, browser: Setup, apps: [App], adNetworks: [AdNetwork] = [], sites: [String: SiteBehavior],
    steps: [Step], source: SourceNode? = nil
  ) {
    self.name = name
    self.rule = rule
    self.browser = browser
    self.apps = apps
    self.adNetworks = adNetworks
    self.sites = sites
    self.steps = steps
    self.source = source
  }
}
