package import PCMCore
package import PCMSimulatedSites

/// A sequence of steps and the expected behavior of a browser. `Fixtures/scenarios/README.md` describes the format.
package struct Scenario: Sendable {
  package let name: String
  /// The source of the expectation.
  package let rule: String?
  package let browser: Setup
  package let apps: [App]
  /// The ad networks that are registered before the first step.
  package var adNetworks: [AdNetwork] = []
  /// The sites that do not behave like a good endpoint, by host.
  package let sites: [String: SiteBehavior]
  package let steps: [Step]
  /// The file's values with their places; nil for a scenario that was created in code.
  package var source: SourceNode?

  package struct Setup: Sendable {
    package let seed: String
    package let isDurable: Bool
    /// The time of the clock at the first step.
    package let start: Instant
    /// The settings as a JSON object of the control API.
    package let settings: JSON
    /// The properties of the device as a JSON object of the control API.
    package var device: JSON = [:]

    package static let defaultStart = "2026-11-20T10:00:00.000Z"
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
  }

  /// The action of a step.
  package struct Action: Sendable {
    /// The member of the step.
    package let name: String
    package let effect: Effect
    /// The value of the member.
    let node: SourceNode
    /// The members of the call's body that enclose the value; nil when the body is not the value.
    let enclosing: [String]?
  }

  package enum Effect: Sendable {
    /// A call of the API.
    case call(ScenarioStage.Call)
    /// A call about an ad, by the identifier of the ad.
    case about(DisplayedAd, call: @Sendable (String) -> ScenarioStage.Call)
    /// Advances the clock. The value is the body of the API's first call.
    case advance(JSON)
    /// Nil restores the behavior of a good endpoint.
    case sites([String: SiteBehavior?])
    case restart
  }
}
