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
    case .removeApp(let name): self.init("DELETE", "\(browser)/apps/\(Self.encoded(name))")
    case .clear(let site): self.init("DELETE", "\(browser)/data" + (site.map { "?site=\(Self.encoded($0))" } ?? ""))
    case .sites, .restart: return nil
    }
  }

  init(registering app: Scenario.App) {
    self.init("PUT", "\(PlayedBrowser.path)/apps", body: app.manifest, mediaType: "application/x-plist")
  }

  /// What has no meaning of its own in a path or a query as it is, everything else as `%XX` (RFC 3986, section 2.3).
  static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { encoded, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
  }
}
