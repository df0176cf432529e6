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
  /// The move of the clock, whose body is not known.
  static let advancing = ScenarioStage.Call("POST", "\(PlayedBrowser.path)/clock/advance")

  init(registering network: Scenario.AdNetwork) {
    self.init("PUT", Self.path(ofNetwork: network.identifier), body: network.registration.bytes)
  }

  static func path(ofNetwork identifier: String) -> String {
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

  static func path(ofApp identifier: String) -> String {
    "\(PlayedBrowser.path)/apps/\(PercentEncoding.component.encode(identifier))"
  }
}

extension Scenario.Effect {
  /// The call whose response can be expected; nil for an effect without a call.
  var expectedCall: ScenarioStage.Call? {
    switch self {
    case .call(let call): call
    case .about(_, let call): call("impression-1")
    case .advance: .advancing
    case .sites, .restart: nil
    }
  }
}
