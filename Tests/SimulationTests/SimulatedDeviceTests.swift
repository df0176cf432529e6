import BrowserSupport
import PCMBrowser
import PCMCore
import PCMURL
import Testing

/// Properties of simulated devices that a device of the service does not have, or that take long there.
@Suite struct SimulatedDeviceTests {
  private static let sites = SiteParser(publicSuffixList: .builtIn())
  private let plan = UserPlan(appAds: 1)

  private func world(signsPostbacks: Bool) throws -> SimulatedWorld {
    var plan = plan
    plan.device = DeviceChange()
    return try AppAdParties.world(of: plan, sites: Self.sites, signsPostbacks: signsPostbacks)
  }

  private func ad(_ framework: AdFramework) -> SignedAdInput {
    var ad = SignedAdInput()
    (ad.bundleIdentifier, ad.framework) = (UserPlan.sourceApps[0].name, framework)
    ad.presentation = "storekit-rendered"
    return ad
  }

  private func install() -> InstallInput {
    var install = InstallInput()
    install.bundleIdentifier = UserPlan.advertisedApps[0].name
    return install
  }

  private func value(_ fine: Int64) -> ConversionValueInput {
    var value = ConversionValueInput()
    (value.bundleIdentifier, value.fineValue) = (UserPlan.advertisedApps[0].name, fine)
    return value
  }

  /// Plays an ad, an install, and three values, of which the second one is the last that counts.
  private func converted(_ framework: AdFramework, signsPostbacks: Bool) throws -> SimulatedUser {
    let (world, start) = (try world(signsPostbacks: signsPostbacks), Scene.start)
    var user = SimulatedUser(seed: "seed", world: world, at: start)
    var actions = [try SimulatedAction(ad(framework), in: world)]
    if framework == .adattributionkit { actions.append(try SimulatedAction(ImpressionTapInput(), in: world)) }
    actions.append(try SimulatedAction(install(), in: world))
    for fine in [3, 42, 64] as [Int64] { actions.append(try SimulatedAction(value(fine), in: world)) }
    for (index, action) in actions.enumerated() {
      user.perform(action, line: Int64(index + 1), at: start + .seconds(Int64(index)))
    }
    user.finish()
    return user
  }

  @Test(arguments: AdFramework.allCases)
  func aPostbackLeadsToTheLinesOfItsAdItsInstallAndItsValue(_ framework: AdFramework) throws {
    let postback = try #require(try converted(framework, signsPostbacks: false).postbacks.first)
    let line: Int64 = framework == .adattributionkit ? 2 : 1
    #expect(postback.impression == line && postback.conversion == line + 1 && postback.update == line + 3)
  }

  @Test(arguments: AdFramework.allCases)
  func aValueThatALaterOneReplacesIsLost(_ framework: AdFramework) throws {
    let losses = try converted(framework, signsPostbacks: false).losses.filter { $0.subject == .conversionValue }
    let first: Int64 = framework == .adattributionkit ? 4 : 3
    #expect(
      losses.sorted { $0.line < $1.line } == [
        SimulatedLoss(subject: .conversionValue, line: first, rule: "value-replaced", reason: "value-replaced"),
        SimulatedLoss(
          subject: .conversionValue, line: first + 2, rule: "value-is-in-range", reason: "conversion-value-out-of-range"),
      ])
  }

  @Test(arguments: AdFramework.allCases)
  func aBodyWithoutASignatureHasTheSameOtherMembers(_ framework: AdFramework) throws {
    let signed = try #require(try converted(framework, signsPostbacks: true).postbacks.first?.body.text)
    let body = try #require(try converted(framework, signsPostbacks: false).postbacks.first?.body)
    #expect(body["conversion-value"] == 42)
    let members = try #require(JSON(parsing: Array(signed.utf8)))
    if framework == .skadnetwork {
      #expect(body.members == members.members.filter { $0.name != "attribution-signature" })
    } else {
      let payload = try #require(members["jws-string"]?.string?.split(separator: ".").dropFirst().first)
      let decoded = try #require(Base64URL.decode(String(payload)).flatMap { JSON(parsing: $0) })
      #expect(body.members == decoded.members + members.members.filter { $0.name != "jws-string" })
    }
  }

  /// The service clears the device with the browser, whatever its settings are. A user without Safari differs in clicks alone.
  @Test func aUserWithoutSafariClearsTheDevice() throws {
    let world = try world(signsPostbacks: false)
    func play(usesSafari: Bool) throws -> SimulatedUser {
      var user = SimulatedUser(seed: "seed", usesSafari: usesSafari, world: world, at: Scene.start)
      let actions = [
        try SimulatedAction(ad(.skadnetwork), in: world), try SimulatedAction(install(), in: world),
        try SimulatedAction(value(42), in: world), try SimulatedAction(ad(.skadnetwork), in: world),
        SimulatedAction(clearing: nil), try SimulatedAction(value(43), in: world),
      ]
      for (index, action) in actions.enumerated() {
        user.perform(action, line: Int64(index + 1), at: Scene.start + .seconds(Int64(index)))
      }
      user.finish()
      return user
    }
    let (user, other) = (try play(usesSafari: true), try play(usesSafari: false))
    #expect(user.postbacks.isEmpty && other.postbacks.isEmpty)
    #expect(user.losses == other.losses)
    let cleared = SimulatedLoss(subject: .conversionValue, line: 3, rule: "report-still-counts", reason: "cleared")
    #expect(user.losses.contains(cleared) && user.losses.contains { $0.line == 6 && $0.reason == "app-not-installed" })
  }

  @Test func aCallAtTheLimitOfAdsChangesNothing() throws {
    let world = try world(signsPostbacks: false)
    var user = SimulatedUser(seed: "seed", world: world, at: Scene.start)
    let action = try SimulatedAction(ad(.skadnetwork), in: world)
    for line in 1...1_002 as ClosedRange<Int64> { user.perform(action, line: line, at: Scene.start) }
    #expect(user.losses.map(\.line) == [1_001, 1_002] && user.losses.allSatisfy { $0.reason == "limit-reached" })
    user.perform(try SimulatedAction(install(), in: world), line: 1_003, at: Scene.start)
    user.finish()
    // Of the others, one wins, and has no postback, because the app is never launched.
    #expect(user.losses.count { $0.subject == .impression } == 2 + 1_000)
    #expect(user.losses.count { $0.subject == .impression && $0.reason == "never-launched" } == 1)
  }

  @Test func inputThatIsWrongForEveryUserThrows() throws {
    let world = try world(signsPostbacks: false)
    var input = ad(.skadnetwork)
    input.bundleIdentifier = "com.example.unknown"
    #expect(throws: BrowserError.self) { try SimulatedAction(input, in: world) }
    var other = install()
    other.country = "Germany"
    #expect(throws: BrowserError.self) { try SimulatedAction(other, in: world) }
    #expect(throws: BrowserError.self) { try SimulatedAction(ConversionValueInput(), in: world) }
  }
}
