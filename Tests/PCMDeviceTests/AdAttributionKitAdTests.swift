import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct AdAttributionKitAdTests {
  private func decide(
    _ jws: String, _ interaction: AdAttributionKitAd.Interaction = .storeKitTap, in app: DeviceApp = Sample.sourceApp,
    device: Device = Device()
  ) throws -> ImpressionDecision {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.adAttributionKitAd)
    let ad = AdAttributionKitAd(jws, interaction, in: app, networks: try Sample.registry(), device: device, at: Sample.now)
    let decision = ad.decide(&evaluation)
    #expect(evaluation.failed?.reason == decision.rejection?.reason)
    #expect(evaluation.isBounded, "\(evaluation.inputs.map { "\($0.name): \($0.value.bytes.count)" })")
    return decision
  }

  private func expect(
    _ decision: ImpressionDecision, _ code: String, _ error: AdAttributionKitErrorName?,
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(decision.rejection?.reason.code == code, "\(decision)", sourceLocation: location)
    #expect(decision.rejection?.appleError == error.map { .adAttributionKit($0) }, sourceLocation: location)
  }

  @Test("A tap on an ad that StoreKit renders is a click")
  func storeKitTap() throws {
    let impression = try #require(decide(Sample.jws()).recorded)
    #expect(impression.interaction == .click)
    #expect(impression.signed == .adAttributionKit(Sample.adAttributionKitImpression()))
    #expect(impression.recordedAt == Sample.now)
  }

  @Test("Eligibility for re-engagement is read", arguments: [nil, false, true])
  func eligibility(isEligible: Bool?) throws {
    let recorded = try decide(Sample.jws { $0.isEligibleForReengagement = isEligible }).recorded
    #expect(recorded?.signed == .adAttributionKit(Sample.adAttributionKitImpression(isEligible: isEligible)))
  }

  @Test("An ad that StoreKit renders is viewed after two seconds")
  func storeKitView() throws {
    #expect(try decide(Sample.jws(), .storeKitView(displayed: .seconds(2))).recorded?.interaction == .view)
    expect(try decide(Sample.jws(), .storeKitView(displayed: Interval(milliseconds: 1_999))), "view-too-short", nil)
  }

  @Test("An ad that the app renders begins a view")
  func beginView() throws {
    let view = try #require(decide(Sample.jws(), .beginView).view)
    #expect(view.framework == .adattributionkit && view.interaction == .view && view.recordedAt == Sample.now)
    #expect(view.sourceApp == "com.example.news" && view.advertisedAppStoreItemIdentifier == Sample.item)
  }

  @Test("From iOS 26.2 on, one call records the view of an ad that the app renders")
  func handleView() throws {
    let device = Device(system: OSVersion(26, 2))
    #expect(try decide(Sample.jws(), .handleView, device: device).recorded?.interaction == .view)
    expect(try decide(Sample.jws(), .handleView, device: Device(system: OSVersion(26, 1))), "system-too-old", .unknown)
    #expect(try decide(Sample.jws(), .beginView, device: device).view != nil, "beginView() remains")
  }

  @Test("A tap on an ad that the app renders must be verified")
  func verifiedTap() throws {
    #expect(try decide(Sample.jws(), .tap(ImpressionTapInput(), createdAt: Sample.now)).recorded?.interaction == .click)
    var unverified = ImpressionTapInput()
    unverified.tapVerified = false
    expect(
      try decide(Sample.jws(), .tap(unverified, createdAt: Sample.now)), "tap-not-verified", .missingAttributionView)
  }

  @Test("A tap counts for 15 minutes after the creation of the impression")
  func tapLifetime() throws {
    let created = Sample.now - .minutes(15)
    #expect(try decide(Sample.jws(), .tap(ImpressionTapInput(), createdAt: created)).recorded != nil)
    expect(
      try decide(Sample.jws(), .tap(ImpressionTapInput(), createdAt: created - Sample.millisecond)), "app-impression-expired",
      .impressionExpired)
  }

  @Test("A tap before the creation of the impression is refused")
  func tapBeforeCreation() throws {
    expect(
      try decide(Sample.jws(), .tap(ImpressionTapInput(), createdAt: Sample.now + Sample.millisecond)),
      "app-impression-not-created", .unknown)
  }

  @Test("A negative time of display is none")
  func negativeDisplay() throws {
    let decision = try decide(Sample.jws(), .storeKitView(displayed: .seconds(-5)))
    #expect(decision.rejection?.change == "display the ad for 2 s longer")
  }

  @Test("An ad of any size has a reason of limited size")
  func bounds() throws {
    let long = JSON.string(String(repeating: "a\u{301}", count: 5_000))
    let members = try CompactJWS(Sample.jws()).payload.members
    let large = JSON.object([.init("x", long)] + members)
    let key = try Sample.privateKey("skadnetwork-p256")
    let decision = try decide(JWSSigner(adNetworkIdentifier: Sample.network, with: key).sign(large))
    expect(decision, "signature-invalid", .invalidImpressionJWSSignature)
    #expect((decision.rejection?.reason.detail.utf8.count ?? 0) < 1_000)
    let signer = try JWSSigner(adNetworkIdentifier: String(repeating: "a", count: 20_000), with: Sample.privateKey())
    let other = try decide(signer.sign(large))
    #expect((1...1_000).contains(other.rejection?.reason.detail.utf8.count ?? 0))
  }

  @Test("AdAttributionKit needs iOS 17.4, and its SDK")
  func system() throws {
    #expect(try decide(Sample.jws(), device: Device(system: OSVersion(17, 4))).recorded != nil)
    expect(try decide(Sample.jws(), device: Device(system: OSVersion(17, 3))), "system-too-old", .unknown)
    var app = Sample.sourceApp
    app.sdk = OSVersion(17, 3)
    expect(try decide(Sample.jws(), in: app), "sdk-too-old", .unknown)
    app.platform = .appClip
    expect(try decide(Sample.jws(), in: app), "platform-unsupported", .unknown)
  }

  @Test("Each part of the JSON Web Signature has an error")
  func malformed() throws {
    let parts = try Sample.jws().split(separator: ".").map(String.init)
    let none = Base64URL.encode(Array(#"{"alg":"none","kid":"example123.skadnetwork"}"#.utf8))
    let cases: [(String, String, AdAttributionKitErrorName)] = [
      ("", "jws-components-invalid", .invalidImpressionJWSComponents),
      (parts[0] + "." + parts[1], "jws-components-invalid", .invalidImpressionJWSComponents),
      ("!.\(parts[1]).\(parts[2])", "jws-header-invalid", .invalidImpressionJWSHeader),
      ("\(none).\(parts[1]).\(parts[2])", "jws-header-invalid", .invalidImpressionJWSHeader),
      ("\(parts[0]).!.\(parts[2])", "jws-payload-invalid", .invalidImpressionJWSPayload),
      ("\(parts[0]).\(parts[1]).AAAA", "signature-malformed", .invalidImpressionJWSSignature),
    ]
    for (text, code, error) in cases { expect(try decide(text), code, error) }
  }

  @Test("Each member of the payload is required and checked")
  func payload() throws {
    let signer = try JWSSigner(adNetworkIdentifier: Sample.network, with: Sample.privateKey())
    let payload = try CompactJWS(Sample.jws()).payload
    guard case .object(let members) = payload else { throw JWSError.notAnObject(.payload) }
    for member in members {
      let rest = JSON.object(members.filter { $0.name != member.name })
      expect(try decide(signer.sign(rest)), "jws-payload-invalid", .invalidImpressionJWSPayload)
      let text = JSON.object(members.map { $0.name == member.name ? JSON.Member($0.name, []) : $0 })
      expect(try decide(signer.sign(text)), "jws-payload-invalid", .invalidImpressionJWSPayload)
    }
  }

  @Test("kid names the network of the payload")
  func otherNetworkInPayload() throws {
    let signer = try JWSSigner(adNetworkIdentifier: Sample.otherNetwork, with: Sample.privateKey())
    let payload = try CompactJWS(Sample.jws()).payload
    expect(try decide(signer.sign(payload)), "jws-header-invalid", .invalidImpressionJWSHeader)
  }

  @Test(
    "A key identifier in kid is explained, whether or not an ad network can have it",
    arguments: ["apple-cas-identifier/1", "key-1", "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", "a b"])
  func keyIdentifier(_ identifier: String) throws {
    let signer = try JWSSigner(adNetworkIdentifier: identifier, with: Sample.privateKey())
    let decision = try decide(signer.sign(CompactJWS(Sample.jws()).payload))
    expect(decision, "jws-header-invalid", .invalidImpressionJWSHeader)
    let detail = decision.rejection?.reason.detail ?? ""
    #expect(detail.hasPrefix("kid is \"\(identifier)\". In an impression, kid names the ad network and not a key"), "\(detail)")
    #expect(decision.rejection?.change.contains("the identifier of the ad network as kid") == true)
  }

  @Test("Damage to a JSON Web Signature in transport is explained")
  func changedText() throws {
    let jws = try Sample.jws()
    for (text, code, part) in [
      ("\"\(jws)\"", "jws-header-invalid", "is in quotation marks"),
      ("\(jws.prefix(70))\n\(jws.dropFirst(70))", "jws-payload-invalid", "has line breaks"),
      (jws + "==", "signature-malformed", "parts in Base64"),
    ] {
      let reason = try decide(text).rejection?.reason
      #expect(reason?.code == code)
      #expect(reason?.detail.contains(part) == true, "\(reason?.detail ?? "")")
    }
  }

  @Test("A member that no device reads is named with the right member")
  func unknownMember() throws {
    let signer = try JWSSigner(adNetworkIdentifier: Sample.network, with: Sample.privateKey())
    let payload = try CompactJWS(Sample.jws()).payload.members + [JSON.Member("eligible-for-reengagement", .bool(true))]
    let decision = try decide(signer.sign(.object(payload)))
    #expect(decision.recorded?.signed == .adAttributionKit(Sample.adAttributionKitImpression()))
    #expect(decision.notes?.map(\.code) == ["payload-member-unknown"])
    #expect(decision.notes?.first?.detail.contains("The member is named eligible-for-re-engagement") == true)
  }

  @Test("An ad network must be written in lower case, declared in AdNetworkIdentifiers, and registered")
  func network() throws {
    let upper = try CompactJWS(Sample.jws()).payload.members.map { member in
      member.name == "ad-network-identifier" ? JSON.Member(member.name, "Example123.skadnetwork") : member
    }
    let signer = try JWSSigner(adNetworkIdentifier: "Example123.skadnetwork", with: Sample.privateKey())
    expect(try decide(signer.sign(.object(upper))), "ad-network-id-not-lower-case", .invalidImpressionJWSHeader)
    var app = Sample.sourceApp
    app.adAttribution.adNetworkIdentifiers = []
    expect(try decide(Sample.jws(), in: app), "ad-network-not-declared", .unknown)
    app.adAttribution.adNetworkIdentifiers = ["third.adattributionkit"]
    expect(
      try decide(Sample.jws { $0.adNetworkIdentifier = "third.adattributionkit" }, in: app), "ad-network-not-registered",
      .invalidImpressionJWSSignature)
  }

  @Test("A signature by another key is refused, with the header and the payload as JSON")
  func otherKey() throws {
    let decision = try decide(Sample.jws(key: "skadnetwork-p256"))
    expect(decision, "signature-invalid", .invalidImpressionJWSSignature)
    let detail = decision.rejection?.reason.detail ?? ""
    #expect(
      detail.contains(#"{"kid":"example123.skadnetwork","alg":"ES256"}.{"advertised-item-identifier":525463029,"#), "\(detail)")
  }

  @Test("The publisher is the app itself, or 0 in developer mode")
  func publisher() throws {
    let other = try Sample.jws { $0.publisherItemIdentifier = 5 }
    expect(try decide(other), "source-app-mismatch", .invalidImpressionJWSPayload)
    let zero = try Sample.jws { $0.publisherItemIdentifier = 0 }
    expect(try decide(zero), "source-app-mismatch", .invalidImpressionJWSPayload)
    let decision = try decide(zero, device: Device(developerModeSince: Sample.now))
    #expect(decision.recorded?.isDevelopment == true)
    #expect(decision.notes == [AdImpression.developmentNote])
  }
}
