import PCMCore

extension ScenarioStage.Call {
  /// The API's call that a step makes; nil for what is no call.
  init?(_ action: Scenario.Action) {
    let browser = PlayedBrowser.path
    switch action {
    case .play(let play, let body): self.init("POST", "\(browser)/\(play.resource)", body: body.json.bytes)
    case .advance(let move):
      let body: JSON = if case .text = move.value { ["by": move.json] } else { move.json }
      self.init("POST", "\(browser)/clock/advance", body: body.bytes)
    case .settings(let settings):
      let body: JSON = ["settings": settings.json]
      self.init("PUT", browser, body: body.bytes)
    case .register(let app): self.init(registering: app)
    case .removeApp(let name): self.init("DELETE", "\(browser)/apps/\(PercentEncoding.component.encode(name))")
    case .clear(let site):
      self.init("DELETE", "\(browser)/data" + (site.map { "?site=\(PercentEncoding.component.encode($0))" } ?? ""))
    case .sites, .restart: return nil
    }
  }

  init(registering app: Scenario.App) {
    self.init("PUT", "\(PlayedBrowser.path)/apps", body: app.manifest, mediaType: "application/x-plist")
  }
}
