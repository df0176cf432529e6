import PCMCore
import PCMNetwork
import PCMSimulatedSites

/// An action of a step: the member of the step, and its action.
struct ActionFormat: Sendable {
  let member: ObjectShape.Member
  /// The members of the call's body that enclose the member's value; nil when the body is not the value.
  let enclosing: [String]?
  /// Returns the effect of the member; nil after an error.
  let effect: @Sendable (SourceMember, inout StepReading) -> Scenario.Effect?

  private init(
    _ name: String, _ shape: Shape, _ description: String, enclosing: [String]? = nil,
    _ effect: @escaping @Sendable (SourceMember, inout StepReading) -> Scenario.Effect?
  ) {
    member = .optional(name, shape, description)
    self.enclosing = enclosing
    self.effect = effect
  }

  /// An operation whose value is not its body.
  private init(
    _ input: any OperationInput.Type, _ shape: Shape,
    _ effect: @escaping @Sendable (SourceMember, inout StepReading) -> Scenario.Effect?
  ) {
    self.init(input.name, shape, input.summary, enclosing: [], effect)
  }

  /// The step of an operation. Its value is the body with the parameters of the path, except for the operations about ads.
  private static func operation(_ input: any OperationInput.Type) -> Self {
    ads.first { $0.member.name == input.name }
      ?? Self(input, shape(of: input)) { step, reading in
        let names = input.parameterMembers
        let subject = names.compactMap { step.node[$0]?.text }.joined(separator: "/")
        let value = input == CardFeedInput.self ? reading.feed(step.node, in: subject) : step.node.json
        let body = names.isEmpty ? value : .object(value.members.filter { !names.contains($0.name) })
        return .call(
          ScenarioStage.Call(input.method, input.path(in: PlayedBrowser.name, on: subject), body: body.bytes))
      }
  }

  private static func shape(of input: any OperationInput.Type) -> Shape {
    guard case .object(let body) = Shape.body(input), !input.parameters.isEmpty else { return .body(input) }
    let texts = ["bundleIdentifier": "The bundle identifier of the app", "idString": "The `idString` of the card"]
    let names = input.parameterMembers.map { ObjectShape.Member.required($0, .text, texts[$0] ?? "") }
    return .object(ObjectShape(body.description, names + body.members))
  }

  /// A change of a member of the browser.
  private static func patch<Body: JSONBody>(_ name: String, _ body: Body.Type, _ description: String) -> Self {
    Self(name, .named(name, .body(body)), description, enclosing: [name]) { step, _ in
      .call(ScenarioStage.Call("PATCH", PlayedBrowser.path, body: JSON.object([.init(name, step.node.json)]).bytes))
    }
  }

  /// A call about an ad that an earlier step displayed.
  private static func about(
    _ input: any OperationInput.Type, _ shape: Shape, body: @escaping @Sendable (JSON) -> [UInt8]
  ) -> Self {
    Self(input, shape) { step, _ in
      .about(AdReading.displayedAd(step.node)) { impression in
        ScenarioStage.Call("POST", input.path(in: PlayedBrowser.name, on: impression), body: body(step.node.json))
      }
    }
  }

  static let all: [ActionFormat] =
    OperationCatalog.web.map(operation) + [
      ActionFormat(
        "advance", .oneOf([.text(.duration), .body(ClockAdvance.self)]), "Advances the clock", enclosing: []
      ) { step, _ in .advance(step.node.text == nil ? step.node.json : ["by": step.node.json]) },
      .patch("settings", SettingsChange.self, "Changes settings"),
    ] + registrations + OperationCatalog.device.map(operation) + conditions

  /// The operations about ads: a step signs the ad, or refers to an ad that an earlier step displayed.
  private static let ads: [ActionFormat] = [
    ActionFormat(ImpressionInput.self, AdFormat.impression) { step, reading in
      reading.impression(step.node).map {
        .call(ScenarioStage.Call("POST", ImpressionInput.path(in: PlayedBrowser.name), body: $0.bytes))
      }
    },
    .about(ImpressionEndInput.self, AdFormat.impressionEnd) { _ in [] },
    .about(ImpressionTapInput.self, AdFormat.impressionTap) { value in
      JSON.object(value.members.filter { !AdFormat.displayedAd.map(\.name).contains($0.name) }).bytes
    },
  ]

  private static let registrations: [ActionFormat] = [
    ActionFormat("app", AdFormat.registration, "Registers an app") { step, reading in
      reading.app(step.node).map { .call(ScenarioStage.Call(registering: $0)) }
    },
    ActionFormat("remove-app", .text, "Removes the app with this bundle identifier") { step, _ in
      step.node.text.map { .call(ScenarioStage.Call("DELETE", ScenarioStage.Call.path(ofApp: $0))) }
    },
    .patch("device", DeviceChange.self, "Changes properties of the device"),
    ActionFormat("ad-network", AdFormat.namedAdNetwork, "Registers an ad network", enclosing: []) { step, _ in
      let identifier = step.node["adNetworkIdentifier"]?.text ?? TestAdNetwork.identifier
      let network = AdReading.network(step.node, identifier, at: step.node.place)
      return .call(ScenarioStage.Call(registering: network))
    },
    ActionFormat("remove-ad-network", .text, "Removes the ad network with this identifier") { step, _ in
      step.node.text.map { .call(ScenarioStage.Call("DELETE", ScenarioStage.Call.path(ofNetwork: $0))) }
    },
  ]

  private static let conditions: [ActionFormat] = [
    ActionFormat(
      "sites", .map(.host, .nullable(SiteFormat.site)),
      "Changes the behavior of these sites; null removes a site's behavior, and other sites remain unchanged"
    ) { step, _ in .sites(SiteReading.changes(step.node)) },
    ActionFormat(
      "clear",
      .object(
        ObjectShape(
          "The data to clear.",
          [.optional("site", .text, "Clears only data that contains this site; all measurement data when absent")])),
      "Clears measurement data"
    ) { step, _ in
      let site = step.node["site"]?.text.map { "?site=\(PercentEncoding.component.encode($0))" }
      return .call(ScenarioStage.Call("DELETE", "\(PlayedBrowser.path)/data" + (site ?? "")))
    },
    ActionFormat(
      "restart", .object(ObjectShape("No members.", [])), "Restarts the browser's process with the same data"
    ) { step, reading in
      if !reading.browser.isDurable {
        reading.add("expected browser.storage to be durable; data in memory is lost in a restart", at: step.namePlace)
      }
      return .restart
    },
  ]
}
