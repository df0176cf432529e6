import PCMCore
import PCMCrypto
import PCMEndpoint

/// The steps of the demo of the device: from an ad for an app to a verified postback. Each step calls the running service and
/// prints its response.
struct DeviceDemoStory {
  let client: DemoClient

  static let device = "/v1/devices/demo"
  private static let network = "demo123.skadnetwork"
  private static let advertisedItem: Int64 = 525_463_029
  private static let sourceItem: Int64 = 1_108_187_390
  /// The time of the signature, and the start of the clock: 2026-11-20T10:00:00Z.
  private static let start = Instant(milliseconds: 1_795_168_800_000)
  private static let nonce = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"

  /// The hosts of the parties.
  static let networkHost = "network.example"

  private func say(_ line: String) throws { try client.say(line) }

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
    let device = try await client.call(
      "PUT", "", #"{"storage":"durable","seed":"demo","clock":{"mode":"manual","start":"\#(Self.start.text)"}}"#)
    try say("1. A device with its own clock, at \(device.text("clock", "now"))")
    try say("   PUT \(Self.device)")
    try say("   iOS \(device.text("device", "systemVersion")), country \(device.text("device", "country"))\n")
  }

  private func registerNetwork() async throws {
    let network = try await client.call(
      "PUT", "/ad-networks/\(Self.network)",
      #"{"publicKey":"\#(TestKeyPair.adNetwork.publicKey)","postbackURL":"https://\#(Self.networkHost)/.well-known/skadnetwork/report-attribution/"}"#
    )
    try say("2. An ad network registers with its public key: \(Self.network). Its key pair is published for tests.")
    try say("   PUT \(Self.device)/ad-networks/\(Self.network)")
    try say("   its postbacks go to \(network.text("postbackURL"))\n")
  }

  private func registerApps() async throws {
    _ = try await client.call(
      "PUT", "/apps/com.example.news",
      #"{"itemIdentifier":\#(Self.sourceItem),"infoPlist":{"SKAdNetworkItems":[{"SKAdNetworkIdentifier":"\#(Self.network)"}]}}"#
    )
    let game = try await client.call(
      "PUT", "/apps/com.example.game",
      #"{"itemIdentifier":\#(Self.advertisedItem),"infoPlist":{"NSAdvertisingAttributionReportEndpoint":"https://shop.example"}}"#
    )
    try say("3. The app that displays ads and the advertised app register with their Info.plists")
    try say("   PUT \(Self.device)/apps/com.example.news, …/apps/com.example.game")
    try say("   copies of winning postbacks go to \(game.text("adAttribution", "skAdNetworkCopyURL"))\n")
  }

  /// An ad network that signs the nonce in upper case makes the most common mistake.
  private func displayUpperCase() async throws {
    let outcome = try await client.call("POST", "/impressions", try ad(signing: Self.nonce.uppercased()))
    try say("4. The app displays an ad whose network signed the nonce in upper case")
    try say("   POST \(Self.device)/impressions")
    try client.sayOutcome(outcome)
    try say("   signed:   \(outcome.text("signedText"))   (| stands for U+2063)")
    try say("   change:   \(outcome.text("change"))\n")
  }

  private func display() async throws {
    let outcome = try await client.call("POST", "/impressions", try ad(signing: Self.nonce))
    try say("5. The network signs it in lower case")
    try say("   POST \(Self.device)/impressions")
    try client.sayOutcome(outcome)
    try say("   \(outcome.text("id")), a \(outcome.text("interaction"))\n")
  }

  private func install() async throws {
    _ = try await client.call("POST", "/clock/advance", #"{"by":"PT3H"}"#)
    let outcome = try await client.call("POST", "/installs", #"{"bundleIdentifier":"com.example.game"}"#)
    try say("6. Three hours later the user installs the advertised app")
    try say("   POST \(Self.device)/installs")
    try client.sayOutcome(outcome)
    try say("   winner:   \(outcome.text("winnerId")), which begins \(outcome.text("conversionId"))\n")
  }

  private func report() async throws {
    _ = try await client.call("POST", "/launches", #"{"bundleIdentifier":"com.example.game"}"#)
    let outcome = try await client.call(
      "POST", "/conversion-values", #"{"bundleIdentifier":"com.example.game","fineValue":42}"#)
    try say("7. The user opens the app, which reports the conversion value 42")
    try say("   POST \(Self.device)/launches, …/conversion-values")
    try client.sayOutcome(outcome)
    try say("")
  }

  private func jump() async throws {
    let advanced = try await client.call("POST", "/clock/advance", #"{"by":"P5D"}"#)
    try say("8. The clock advances by five days, to \(advanced.text("now")): the first window ends after two")
    try say("   POST \(Self.device)/clock/advance {\"by\":\"P5D\"}")
    for event in (advanced["events"] ?? []).items {
      let detail = [event["detail"]?["recipient"], event["detail"]?["url"], event["detail"]?["dueAt"]].compactMap { $0?.string }
      try say("   \(event.text("at"))  \(event.text("kind"))  \(detail.joined(separator: "  "))")
    }
    try say("")
  }

  private func showPostbacks() async throws {
    try say("9. The postbacks that arrived over TLS, verified with the published test key that stands for Apple's\n")
    try await client.showArrivals(of: .postback) { entry in
      try say("   \(entry.received.method) https://\(entry.received.host)\(entry.received.path)")
      try say("   \(String(decoding: entry.received.body, as: UTF8.self))")
      guard entry.verdict.outcome == .accepted || entry.verdict.outcome == .duplicate else {
        throw StartError(description: "the postback was not verified: \(entry.json.text)")
      }
      try say("   verdict: the signature is valid\n")
    }
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
}
