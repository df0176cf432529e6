import PCMCore
import PCMReceiver
import PCMSignatures

/// The steps of the demo of the device: from an ad for an app to a verified postback. Each step calls the running service and
/// prints its response.
struct DeviceDemoStory {
  let client: DemoClient
  let arrivals: AsyncStream<Entry>
  let say: @Sendable (String) throws -> Void

  private static let device = "/v1/devices/demo"
  private static let network = "demo123.skadnetwork"
  private static let advertisedItem: Int64 = 525_463_029
  private static let sourceItem: Int64 = 1_108_187_390
  /// The time of the signature, and the start of the clock: 2026-11-20T10:00:00Z.
  private static let start = Instant(milliseconds: 1_795_168_800_000)
  private static let nonce = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"

  /// The hosts of the parties.
  static let networkHost = "network.example"

  func tell() async throws {
    try await createDevice()
    try await registerNetwork()
    try await registerApps()
    try await displayUpperCase()
    try await display()
    try await install()
    try await report()
    try await jump()
    try await showPostbacks()
  }

  private func createDevice() async throws {
    let device = try await call(
      "PUT", "", #"{"storage":"durable","seed":"demo","clock":{"mode":"manual","start":"\#(Self.start.text)"}}"#)
    try say("1. A device with its own clock, at \(text(device["clock"]?["now"]))")
    try say("   PUT \(Self.device)")
    try say("   iOS \(text(device["device"]?["systemVersion"])), country \(text(device["device"]?["country"]))\n")
  }

  private func registerNetwork() async throws {
    let network = try await call(
      "PUT", "/ad-networks/\(Self.network)",
      #"{"publicKey":"\#(TestKeyPair.adNetwork.publicKey)","postbackURL":"https://\#(Self.networkHost)/.well-known/skadnetwork/report-attribution/"}"#
    )
    try say("2. An ad network registers with its public key: \(Self.network). Its key pair is published for tests.")
    try say("   PUT \(Self.device)/ad-networks/\(Self.network)")
    try say("   its postbacks go to \(text(network["postbackURL"]))\n")
  }

  private func registerApps() async throws {
    _ = try await call(
      "PUT", "/apps/com.example.news",
      #"{"itemIdentifier":\#(Self.sourceItem),"infoPlist":{"SKAdNetworkItems":[{"SKAdNetworkIdentifier":"\#(Self.network)"}]}}"#
    )
    let game = try await call(
      "PUT", "/apps/com.example.game",
      #"{"itemIdentifier":\#(Self.advertisedItem),"infoPlist":{"NSAdvertisingAttributionReportEndpoint":"https://shop.example"}}"#
    )
    try say("3. The app that displays ads and the advertised app register with their Info.plists")
    try say("   PUT \(Self.device)/apps/com.example.news, …/apps/com.example.game")
    try say("   copies of winning postbacks go to \(text(game["adAttribution"]?["skAdNetworkCopyURL"]))\n")
  }

  /// An ad network that signs the nonce in upper case makes the most common mistake.
  private func displayUpperCase() async throws {
    let outcome = try await call("POST", "/impressions", try ad(signing: Self.nonce.uppercased()))
    try say("4. The app displays an ad whose network signed the nonce in upper case")
    try say("   POST \(Self.device)/impressions")
    try say(outcome)
    try say("   signed:   \(text(outcome["signedText"]))   (| stands for U+2063)")
    try say("   change:   \(text(outcome["change"]))\n")
  }

  private func display() async throws {
    let outcome = try await call("POST", "/impressions", try ad(signing: Self.nonce))
    try say("5. The network signs it in lower case")
    try say("   POST \(Self.device)/impressions")
    try say(outcome)
    try say("   \(text(outcome["id"])), a \(text(outcome["interaction"]))\n")
  }

  private func install() async throws {
    _ = try await call("POST", "/clock/advance", #"{"by":"PT3H"}"#)
    let outcome = try await call("POST", "/installs", #"{"bundleIdentifier":"com.example.game"}"#)
    try say("6. Three hours later the user installs the advertised app")
    try say("   POST \(Self.device)/installs")
    try say(outcome)
    try say("   winner:   \(text(outcome["winnerId"])), which begins \(text(outcome["conversionId"]))\n")
  }

  private func report() async throws {
    _ = try await call("POST", "/launches", #"{"bundleIdentifier":"com.example.game"}"#)
    let outcome = try await call("POST", "/conversion-values", #"{"bundleIdentifier":"com.example.game","fineValue":42}"#)
    try say("7. The user opens the app, which reports the conversion value 42")
    try say("   POST \(Self.device)/launches, …/conversion-values")
    try say(outcome)
    try say("")
  }

  private func jump() async throws {
    let advanced = try await call("POST", "/clock/advance", #"{"by":"P5D"}"#)
    try say("8. The clock advances by five days, to \(text(advanced["now"])): the first window ends after two")
    try say("   POST \(Self.device)/clock/advance {\"by\":\"P5D\"}")
    guard case .array(let events)? = advanced["events"] else { throw failure(advanced) }
    for event in events {
      let detail = [event["detail"]?["recipient"], event["detail"]?["url"], event["detail"]?["dueAt"]].compactMap { $0?.string }
      try say("   \(text(event["at"]))  \(text(event["kind"]))  \(detail.joined(separator: "  "))")
    }
    try say("")
  }

  private func showPostbacks() async throws {
    try say("9. The postbacks that arrived over TLS, verified with the published test key that stands for Apple's\n")
    var count = 0
    for await entry in arrivals where entry.received.kind == .postback {
      try say("   \(entry.received.method) https://\(entry.received.host)\(entry.received.path)")
      try say("   \(String(decoding: entry.received.body, as: UTF8.self))")
      guard entry.verdict.outcome == .accepted || entry.verdict.outcome == .duplicate else {
        throw StartError(description: "the postback was not verified: \(entry.json.text)")
      }
      try say("   verdict: the signature is valid\n")
      count += 1
      if count == 2 { break }
    }
    guard count == 2 else { throw StartError(description: "\(count) of 2 postbacks arrived") }
    try say("Both arrived at the same time, with the same bytes: the ad network's, and the developer's copy.")
    try say("GET \(Self.device)/postbacks has them with their attempts. pcm-browser verify explains a postback of yours.")
  }
}

extension DeviceDemoStory {
  /// Returns the body of an ad that is signed with the published key.
  ///
  /// - Parameter nonce: The nonce in the signed text.
  private func ad(signing nonce: String) throws -> String {
    let signed = SKAdNetworkImpression(
      version: .v4, adNetworkIdentifier: Self.network, campaign: .source("5239"), itemIdentifier: Self.advertisedItem,
      nonce: nonce, source: .app(Self.sourceItem), fidelity: .storeKitRendered, timestamp: Self.start.milliseconds)
    let body: JSON = [
      "bundleIdentifier": "com.example.news", "version": "4.0", "adNetworkIdentifier": .string(Self.network),
      "sourceIdentifier": 5239, "advertisedAppStoreItemIdentifier": .number(Self.advertisedItem),
      "adImpressionIdentifier": .string(Self.nonce),
      "sourceAppStoreItemIdentifier": .number(Self.sourceItem), "timestamp": .number(Self.start.milliseconds),
      "signature": .string(try signed.signature(by: TestKeys().adNetwork)),
    ]
    return body.text
  }

  private func call(_ method: String, _ path: String, _ body: String) async throws -> JSON {
    let response = try await client.call(method, Self.device + path, body)
    guard let json = JSON(parsing: response.body, keepingNumbers: true), (200..<300).contains(response.status) else {
      throw StartError(
        description: "\(method) \(path) returned \(response.status): \(String(decoding: response.body, as: UTF8.self))")
    }
    return json
  }

  private func say(_ outcome: JSON) throws {
    guard case .array(let reasons)? = outcome["reasons"] ?? .array([]) else { throw failure(outcome) }
    let lines = reasons.map { "\n             \(text($0["code"])): \(text($0["detail"]))" }
    try say("   outcome:  \(text(outcome["outcome"]))\(lines.joined())")
  }

  private func failure(_ response: JSON) -> StartError { StartError(description: "unexpected response: \(response.text)") }

  private func text(_ value: JSON?) -> String { value?.string ?? value?.text ?? "nothing" }
}
