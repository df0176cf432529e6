import PCMCore

/// The control API for a scenario, without a port. The composition root creates a stage for each run, with a separate
/// browser and process from the scenario's point of view.
package struct ScenarioStage: Sendable {
  /// Sends a call with a path below the service's root, a body, and a media type.
  package let call: @Sendable (_ call: Call) async throws -> Response
  /// Restarts the service with the same data.
  package let restart: @Sendable () async throws -> Void

  package struct Call: Sendable {
    package let method: String
    /// The path with its query, such as `/v1/browsers/scenario/events?after=3`.
    package let path: String
    package let body: [UInt8]
    package let mediaType: String

    package init(_ method: String, _ path: String, body: [UInt8] = [], mediaType: String = "application/json") {
      self.method = method
      self.path = path
      self.body = body
      self.mediaType = mediaType
    }
  }

  package struct Response: Sendable {
    package let status: Int
    package let body: [UInt8]

    package init(status: Int, body: [UInt8]) {
      self.status = status
      self.body = body
    }
  }

  package init(
    call: @escaping @Sendable (Call) async throws -> Response, restart: @escaping @Sendable () async throws -> Void
  ) {
    self.call = call
    self.restart = restart
  }
}

extension ScenarioStage.Call {
  /// Creates the API call of an action; nil for an action without a call.
  init?(_ action: Scenario.Action) {
    let browser = PlayedBrowser.path
    switch action {
    case .play(let play, let body):
      self.init("POST", "\(play.isOfDevice ? PlayedBrowser.devicePath : browser)/\(play.resource)", body: body.json.bytes)
    case .device(let properties):
      let body: JSON = ["device": properties.json]
      self.init("PATCH", browser, body: body.bytes)
    case .registerNetwork(let network): self.init(registering: network)
    case .removeNetwork(let identifier): self.init("DELETE", Self.path(ofNetwork: identifier))
    case .impression(let body, _): self.init("POST", "\(PlayedBrowser.devicePath)/impressions", body: body.bytes)
    case .settings(let settings):
      let body: JSON = ["settings": settings.json]
      self.init("PATCH", browser, body: body.bytes)
    case .register(let app): self.init(registering: app)
    case .removeApp(let name): self.init("DELETE", "\(browser)/apps/\(PercentEncoding.component.encode(name))")
    case .clear(let site):
      self.init("DELETE", "\(browser)/data" + (site.map { "?site=\(PercentEncoding.component.encode($0))" } ?? ""))
    case .followUp, .advance, .sites, .restart: return nil
    }
  }

  /// The move of the clock, whose body is not known.
  static let advancing = ScenarioStage.Call("POST", "\(PlayedBrowser.path)/clock/advance")

  /// Creates the call with the method and the path of an action, for what its response contains; nil for an action without a call.
  init?(expecting action: Scenario.Action) {
    switch action {
    case .followUp(let followUp, _, let node): self.init(followUp, "impression-1", node.json)
    case .advance: self = .advancing
    default: self.init(action)
    }
  }

  /// Creates the call about an ad with an identifier of the API.
  init(_ followUp: Scenario.FollowUp, _ impression: String, _ body: JSON) {
    let own = ["step", "impressionId"]
    let members = body.members.filter { !own.contains($0.name) }
    self.init(
      "POST", "\(PlayedBrowser.devicePath)/impressions/\(PercentEncoding.component.encode(impression))/\(followUp.resource)",
      body: followUp == .end ? [] : JSON.object(members).bytes)
  }

  init(registering network: Scenario.AdNetwork) {
    self.init("PUT", Self.path(ofNetwork: network.identifier), body: network.registration.bytes)
  }

  private static func path(ofNetwork identifier: String) -> String {
    "\(PlayedBrowser.devicePath)/ad-networks/\(PercentEncoding.component.encode(identifier))"
  }

  init(registering app: Scenario.App) {
    switch app {
    case .registration(let identifier, let body): self.init("PUT", Self.path(ofApp: identifier), body: body.bytes)
    case .plist(let bytes, let identifier?):
      self.init("PUT", Self.path(ofApp: identifier), body: bytes, mediaType: "application/x-plist")
    case .plist(let bytes, nil):
      self.init("PUT", "\(PlayedBrowser.path)/apps", body: bytes, mediaType: "application/x-plist")
    }
  }

  private static func path(ofApp identifier: String) -> String {
    "\(PlayedBrowser.path)/apps/\(PercentEncoding.component.encode(identifier))"
  }
}
