import PCMCore

/// The browser of a scenario, controlled through the API.
struct PlayedBrowser: Sendable {
  static let name = "scenario"
  static let path = "/v1/browsers/\(name)"
  /// The path of the browser's device.
  static let devicePath = "/v1/devices/\(name)"

  let stage: ScenarioStage
  /// The start of the scenario, which times are relative to.
  let start: Instant

  /// A response of the API.
  struct Response: Sendable {
    let status: Int
    /// Null for a response without a body.
    let json: JSON

    var isAccepted: Bool { (200..<300).contains(status) }
  }

  /// An unexpected error response.
  struct CallError: Error {
    let response: Response
  }

  func call(_ call: ScenarioStage.Call) async throws -> Response {
    let response = try await stage.call(call)
    return Response(status: response.status, json: JSON(parsing: response.body) ?? .null)
  }

  /// - Throws: ``CallError``.
  @discardableResult
  func require(_ call: ScenarioStage.Call) async throws -> Response {
    let response = try await self.call(call)
    guard response.isAccepted else { throw CallError(response: response) }
    return response
  }

  func create(_ setup: Scenario.Setup, seed: String) async throws {
    let body: JSON = [
      "storage": .string(setup.isDurable ? "durable" : "ephemeral"), "seed": .string(seed),
      "clock": ["mode": "manual", "start": .string(setup.start.text)], "settings": setup.settings, "device": setup.device,
    ]
    try await require(ScenarioStage.Call("PUT", Self.path, body: body.bytes))
  }

  /// Advances the clock to a time after the start.
  func advance(to time: Interval) async throws -> Response {
    try await advance(["to": .string((start + time).text)])
  }

  /// Advances the clock, in as many calls as the service's limits require.
  ///
  /// - Parameter body: The body of the first call.
  /// - Throws: ``CallError`` when the advance does not end within a number of calls.
  func advance(_ body: JSON) async throws -> Response {
    var body = body
    for _ in 0..<Self.maximumAdvances {
      let response = try await call(ScenarioStage.Call("POST", "\(Self.path)/clock/advance", body: body.bytes))
      guard response.isAccepted, response.json["finished"] == .bool(false) else { return response }
      // The rest of `untilIdle` is the same call again.
      if body["untilIdle"] == nil, let target = response.json["target"] { body = ["to": target] }
    }
    let detail: JSON = "the advance did not end: a report is retried again and again; advance by less, or until less is due"
    throw CallError(response: Response(status: 200, json: ["detail": detail]))
  }

  private static let maximumAdvances = 10

  /// Returns the log events after a sequence number.
  func events(after sequence: Int64) async throws -> [JSON] {
    try await items(of: "events", where: "after=\(sequence)")
  }

  /// Returns the complete reports.
  func reports() async throws -> [JSON] { try await items(of: "reports", where: "include=body&include=response") }

  /// Returns the reports in any of these states, without their bodies and the responses.
  func reports(in states: [String]) async throws -> [JSON] {
    try await items(of: "reports", where: states.map { "state=\($0)" }.joined(separator: "&"))
  }

  /// Returns the stored clicks, the attributions with pending reports, and the ephemeral click.
  func measurements() async throws -> JSON {
    let unattributed = try await items(of: "clicks", where: "state=stored").map { $0["click"] ?? .null }
    let attributed = try await items(of: "attributions", where: "state=pending")
    let ephemeral = try await items(of: "clicks", where: "state=ephemeral").first?["click"]
    return ["unattributed": .array(unattributed), "attributed": .array(attributed), "ephemeral": ephemeral ?? .null]
  }

  /// Returns the complete postbacks of the device.
  func postbacks() async throws -> [JSON] {
    try await items(of: "postbacks", where: "include=body&include=response", at: Self.devicePath)
  }

  /// Returns the postbacks in any of these states, without their bodies and the responses.
  func postbacks(in states: [String]) async throws -> [JSON] {
    try await items(of: "postbacks", where: states.map { "state=\($0)" }.joined(separator: "&"), at: Self.devicePath)
  }

  /// Returns the recorded ads and the displayed ads.
  func impressions() async throws -> [JSON] { try await items(of: "impressions", at: Self.devicePath) }

  /// Returns the installed apps with their pending conversions.
  func installs() async throws -> [JSON] { try await items(of: "installs", at: Self.devicePath) }

  /// - Parameter subject: The name of the subject, such as `click-12`.
  func explanation(of subject: String) async throws -> Response {
    try await call(ScenarioStage.Call("GET", "\(Self.path)/explain?about=\(PercentEncoding.component.encode(subject))"))
  }

  /// Returns the items of all pages of a list.
  private func items(of list: String, where filter: String = "", at path: String = Self.path) async throws -> [JSON] {
    var items: [JSON] = []
    var cursor: String?
    repeat {
      let query = "limit=1000" + (filter.isEmpty ? "" : "&\(filter)") + (cursor.map { "&cursor=\($0)" } ?? "")
      let page = try await require(ScenarioStage.Call("GET", "\(path)/\(list)?\(query)")).json
      items += page["items"]?.items ?? []
      cursor = page["next"]?.string
    } while cursor != nil
    return items
  }
}
