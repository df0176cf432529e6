import PCMCrypto
import Testing

@testable import PCMCore
@testable import PCMDevice

@Suite struct WebAdTests {
  private static let donation = AppStoreDonation(
    itemID: UInt64(Sample.item), adNetwork: Site("ads.example"), impressionID: "t8naKxXHTzuTJhNfljADPQ",
    source: Site("blog.example"))
  private static let nonce = "b7c9da2b-15c7-4f3b-9326-135f9630033d"

  private func click(
    _ donation: AppStoreDonation = donation, device: Device = Device(), isPrivateSession: Bool = false
  ) -> (decision: WebAdClick.Decision, evaluation: RuleEvaluation) {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.webAdClick)
    let click = WebAdClick(donation, isPrivateSession: isPrivateSession, device: device, at: Sample.now)
    let decision = click.decide(&evaluation)
    return (decision, evaluation)
  }

  private func payloadRequest(
    _ donation: AppStoreDonation = donation, device: Device = Device()
  ) throws -> SignedPayloadRequest {
    guard case .request(let request) = click(donation, device: device).decision else { throw NoRequest() }
    return request
  }

  private struct NoRequest: Error {}

  private func payload(
    key: String = "ad-network", _ change: (inout SKAdNetworkImpression) -> Void = { _ in }
  ) throws -> [JSON.Member] {
    var impression = Sample.impression(.v4)
    (impression.nonce, impression.source) = (Self.nonce, .site("blog.example"))
    change(&impression)
    guard case .object(let members) = try impression.webAdResponse(signature: impression.signature(by: Sample.privateKey(key)))
    else { return [] }
    return members
  }

  private func respond(
    _ members: [JSON.Member], to donation: AppStoreDonation = donation, status: Int = 200,
    contentType: String? = "application/json", device: Device = Device()
  ) throws -> ImpressionDecision {
    try respond(JSON.object(members).bytes, to: donation, status: status, contentType: contentType, device: device)
  }

  private func respond(
    _ body: [UInt8], to donation: AppStoreDonation = donation, status: Int = 200,
    contentType: String? = "application/json", device: Device = Device()
  ) throws -> ImpressionDecision {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.signedPayload)
    let response = SignedPayloadResponse(
      to: try payloadRequest(donation, device: device), status: status, contentType: contentType, body: body,
      networks: try Sample.registry(),
      device: device)
    let decision = response.decide(&evaluation)
    #expect(evaluation.failed?.reason == decision.rejection?.reason)
    #expect(decision.rejection?.appleError == nil)
    #expect(evaluation.isBounded, "\(evaluation.inputs.map { "\($0.name): \($0.value.bytes.count)" })")
    return decision
  }

  @Test("A click requests the signed values at the ad network's registrable domain")
  func request() throws {
    let request = try payloadRequest()
    #expect(request.url == "https://ads.example/.well-known/skadnetwork/get-signed-payload")
    #expect(
      request.body.text
        == #"{"source_domain":"blog.example","source_engagement_type":"click_to_App_Store","#
        + #""source_nonce":"t8naKxXHTzuTJhNfljADPQ","version":"4.0"}"#)
    #expect(request.nonce == Self.nonce)
  }

  @Test("The nonce of a link may be padded, as WebKit reads it", arguments: ["=", "==", "==="])
  func paddedNonce(padding: String) throws {
    let padded = AppStoreDonation(
      itemID: Self.donation.itemID, adNetwork: Self.donation.adNetwork, impressionID: Self.donation.impressionID + padding,
      source: Self.donation.source)
    #expect(try payloadRequest(padded).nonce == Self.nonce)
    #expect(try respond(payload(), to: padded).recorded != nil)
  }

  @Test("The linked app has an identifier that an ad can sign", arguments: [0, UInt64.max])
  func linkedApp(item: UInt64) {
    let donation = AppStoreDonation(
      itemID: item, adNetwork: Self.donation.adNetwork, impressionID: Self.donation.impressionID, source: Self.donation.source)
    guard case .reject(let rejection) = click(donation).decision else {
      Issue.record("item \(item) is accepted")
      return
    }
    #expect(rejection.reason.code == "advertised-app-invalid")
  }

  @Test("A setting makes source_domain the ad network's")
  func sourceDomain() throws {
    let device = Device(settings: DeviceSettings(sourceDomain: .adNetwork))
    #expect(try payloadRequest(device: device).sourceDomain == "ads.example")
    let decision = try respond(payload { $0.source = .site("ads.example") }, device: device)
    #expect(decision.recorded?.source == .site("ads.example"))
    #expect(try respond(payload(), device: device).rejection?.reason.code == "payload-mismatch")
  }

  @Test("A private session, and a system before iOS 16.1, do not measure web ads")
  func refusedClick() {
    #expect(click(isPrivateSession: true).evaluation.failed?.reason.code == "private-session")
    let old = OSVersion(16, 0)
    let (decision, evaluation) = click(device: Device(system: old))
    #expect(evaluation.failed?.reason.code == "system-too-old")
    if case .request = decision { Issue.record("a request on iOS 16.0") }
    #expect(evaluation.failed?.rule == "system-supports-web-ads")
    guard case .request = click(device: Device(system: OSVersion(16, 1))).decision else {
      Issue.record("no request on iOS 16.1")
      return
    }
  }

  @Test("Signed values are recorded as a click at the time of the click")
  func recorded() throws {
    let impression = try #require(try respond(payload()).recorded)
    #expect(impression.interaction == .click)
    #expect(impression.source == .site("blog.example"))
    #expect(impression.recordedAt == Sample.now)
    #expect(impression.sourceSDK == nil)
    #expect(!impression.isDevelopment)
  }

  @Test("In developer mode, a web ad serves only for tests")
  func developerMode() throws {
    let device = Device(developerModeSince: Sample.now)
    #expect(try respond(payload(), device: device).recorded?.isDevelopment == true)
  }

  @Test("The status must be 200", arguments: [201, 204, 301, 404, 500])
  func status(status: Int) throws {
    #expect(try respond(payload(), status: status).rejection?.reason.code == "payload-status")
  }

  @Test(
    "The content type must be JSON",
    arguments: [
      ("application/json", true), ("Application/JSON; charset=utf-8", true), ("application/json ;a=b", true),
      ("text/json", false),
      ("application/jsonp", false), (nil, false),
    ] as [(String?, Bool)])
  func contentType(type: String?, isAccepted: Bool) throws {
    let code = try respond(payload(), contentType: type).rejection?.reason.code
    #expect(code == (isAccepted ? nil : "payload-content-type"))
  }

  @Test("The body must be a JSON object", arguments: ["", "[]", "\"a\"", "{", "null"])
  func body(text: String) throws {
    #expect(try respond(Array(text.utf8)).rejection?.reason.code == "payload-not-an-object")
  }

  @Test("Each member is required")
  func missingMember() throws {
    for member in try payload() {
      let rejection = try respond(payload().filter { $0.name != member.name }).rejection
      let code = rejection?.reason.code ?? ""
      #expect(["payload-version", "ad-network-not-registered", "payload-invalid"].contains(code), "\(member.name): \(code)")
    }
  }

  @Test("The version is 4.0 as a string", arguments: ["3.0", "4", ""])
  func version(version: String) throws {
    let members = try payload().map { $0.name == "version" ? JSON.Member("version", .string(version)) : $0 }
    #expect(try respond(members).rejection?.reason.code == "payload-version")
  }

  @Test("The values must equal the click's")
  func mismatch() throws {
    let other = "431a2487-3302-4ee7-9eb5-4243d4607672"
    func detail(_ change: (inout SKAdNetworkImpression) -> Void) throws -> String? {
      try respond(payload(change)).rejection?.reason.detail
    }
    #expect(try detail { $0.itemIdentifier = 7 } == "itunes_item_id is 7, and the click is for \(Sample.item)")
    #expect(try detail { $0.nonce = other } == "nonce is \(other), and the click is for \(Self.nonce)")
    let site = try detail { $0.source = .site("other.example") }
    #expect(site == "source_domain is other.example, and the click is for blog.example")
  }

  @Test("The signature must verify with the registered key")
  func signature() throws {
    let rejection = try respond(payload(key: "skadnetwork-p256")).rejection
    #expect(rejection?.reason.code == "signature-invalid")
    #expect(
      rejection?.reason.detail.contains("4.0|\(Sample.network)|5239|\(Sample.item)|\(Self.nonce)|blog.example|1|") == true)
  }

  @Test("A response is read as an impression, whatever other members it has")
  func otherMembers() throws {
    #expect(try respond(payload() + [.init("transaction-id", .string(Self.nonce))]).recorded != nil)
    let postback: JSON = [
      "postback-identifier": .string(Self.nonce), "postback-sequence-index": 0,
      "ad-network-identifier": .string(Sample.network), "source-identifier": "5239",
      "advertised-item-identifier": .number(Sample.item), "impression-type": "app-impression",
      "conversion-type": "download", "did-win": .bool(true),
    ]
    let jws = try JWSSigner(adNetworkIdentifier: Sample.network, with: Sample.privateKey()).sign(postback)
    let unsigned = try payload().filter { $0.name != "signature" } + [.init("jws-string", .string(jws))]
    #expect(try respond(unsigned).rejection?.reason.code == "payload-invalid")
  }

  @Test("A signature without the source domain is found")
  func unsignedSourceDomain() throws {
    var impression = Sample.impression(.v4)
    (impression.nonce, impression.source) = (Self.nonce, nil)
    let signature = try impression.signature(by: Sample.privateKey())
    impression.source = .site("blog.example")
    let rejection = try respond(impression.webAdResponse(signature: signature).members).rejection
    #expect(rejection?.reason.detail.hasSuffix(": the source domain is not part of the signed text") == true)
    #expect(rejection?.change == "sign the source domain as it is in the item")
  }

  @Test("Text of any size has a reason of limited size")
  func bounds() throws {
    let long = String(repeating: "a\u{301}", count: 10_000)
    func replacing(_ name: String, _ value: JSON) throws -> [JSON.Member] {
      try payload().map { $0.name == name ? JSON.Member(name, value) : $0 }
    }
    var rejections = [try respond(payload(), contentType: long).rejection]
    for name in ["version", "ad_network_id", "nonce", "source_domain", "itunes_item_id", "signature"] {
      rejections += [try respond(replacing(name, .string(long))).rejection]
    }
    for rejection in rejections { #expect((1...1_000).contains(rejection?.reason.detail.utf8.count ?? 0)) }
  }

  @Test("A nonce in upper case is a finding about the payload")
  func upperCaseNonce() throws {
    #expect(try respond(payload { $0.nonce = Self.nonce.uppercased() }).rejection?.reason.code == "payload-invalid")
  }
}
