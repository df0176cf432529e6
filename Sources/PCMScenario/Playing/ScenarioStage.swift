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
    case .play(let play, let body): self.init("POST", "\(browser)/\(play.resource)", body: body.json.bytes)
    case .settings(let settings):
      let body: JSON = ["settings": settings.json]
      self.init("PATCH", browser, body: body.bytes)
    case .register(let app): self.init(registering: app)
    case .removeApp(let name): self.init("DELETE", "\(browser)/apps/\(PercentEncoding.component.encode(name))")
    case .clear(let site):
      self.init("DELETE", "\(browser)/data" + (site.map { "?site=\(PercentEncoding.component.encode($0))" } ?? ""))
    case .advance, .sites, .restart: return nil
    }
  }

  init(registering app: Scenario.App) {
    self.init("PUT", "\(PlayedBrowser.path)/apps", body: app.manifest, mediaType: "application/x-plist")
  }
}
