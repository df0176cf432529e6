import PCMCore
import PCMNetwork

/// An action of a step: the member of the step, and what it does.
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

  /// An operation, whose body is the value.
  private static func operation<Input: OperationInput>(_ input: Input.Type, _ description: String) -> Self {
    let path = input.path.replacing(":browser", with: PlayedBrowser.name).replacing(":device", with: PlayedBrowser.name)
    return post(input.name, input, path, description)
  }

  /// A call whose body is the value.
  private static func post<Body: JSONBody>(_ name: String, _ body: Body.Type, _ path: String, _ description: String) -> Self {
    Self(name, .body(body), description, enclosing: []) { step, _ in
      .call(ScenarioStage.Call("POST", path, body: step.node.json.bytes))
    }
  }

  /// A change of a member of the browser.
  private static func patch<Body: JSONBody>(_ name: String, _ body: Body.Type, _ description: String) -> Self {
    Self(name, .named(name, .body(body)), description, enclosing: [name]) { step, _ in
      .call(ScenarioStage.Call("PATCH", browser, body: JSON.object([.init(name, step.node.json)]).bytes))
    }
  }

  /// A call about an ad that an earlier step displayed.
  private static func about(
    _ name: String, _ shape: Shape, _ path: String, _ description: String, body: @escaping @Sendable (JSON) -> [UInt8]
  ) -> Self {
    Self(name, shape, description, enclosing: []) { step, _ in
      .about(AdReading.displayedAd(step.node)) { impression in
        let ad = "\(device)/impressions/\(PercentEncoding.component.encode(impression))"
        return ScenarioStage.Call("POST", "\(ad)/\(path)", body: body(step.node.json))
      }
    }
  }

  /// A button of the settings, Development Postbacks.
  private static func settingsButton(_ action: String, _ description: String) -> Self {
    Self("\(action)-development-postbacks", .object(ObjectShape("No members.", [])), description) { _, _ in
      .call(ScenarioStage.Call("POST", "\(device)/development-postbacks/\(action)"))
    }
  }

  private static let (browser, device) = (PlayedBrowser.path, PlayedBrowser.devicePath)

  static let all: [ActionFormat] =
    [
      .operation(EventAttributionInput.self, "Opens a URL with a `UIEventAttribution` from an app"),
      .operation(LinkClickInput.self, "Follows a link"),
      .operation(TriggeringEventInput.self, "Handles a redirected request of a page"),
      .operation(LoadInput.self, "Sends a request of a page"),
      ActionFormat(
        "advance", .oneOf([.text(.duration), .body(ClockAdvance.self)]), "Advances the clock", enclosing: []
      ) { step, _ in .advance(step.node.text == nil ? step.node.json : ["by": step.node.json]) },
      .patch("settings", SettingsChange.self, "Changes settings"),
    ] + registrations + [
      ActionFormat("impression", AdFormat.impression, "Displays an ad in an app", enclosing: []) { step, reading in
        reading.impression(step.node).map { .call(ScenarioStage.Call("POST", "\(device)/impressions", body: $0.bytes)) }
      },
      .about("impression-end", AdFormat.impressionEnd, "end", "Ends the view of an ad") { _ in [] },
      .about("impression-tap", AdFormat.impressionTap, "tap", "Taps an ad of AdAttributionKit") { value in
        JSON.object(value.members.filter { !AdFormat.displayedAd.map(\.name).contains($0.name) }).bytes
      },
      .operation(InstallInput.self, "Installs an app"),
      .operation(LaunchInput.self, "Opens an installed app"),
      .operation(ConversionValueInput.self, "Reports a conversion value from an app"),
      .post(
        "development-postback", DevelopmentPostbackInput.self, "\(device)/development-postbacks",
        "Creates postbacks in the settings"),
      settingsButton("send", "Sends the postbacks of the settings whose windows ended or that the app locked"),
      settingsButton("clear", "Clears the postbacks of the settings"),
    ] + conditions

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
      return .call(ScenarioStage.Call("DELETE", "\(browser)/data" + (site ?? "")))
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
