import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct InstallTests {
  private func outcomes(
    _ impressions: [KeptImpression], _ install: Install = Sample.install()
  ) -> [String] {
    let decision = install.decide(among: impressions)
    for verdict in decision.candidates {
      #expect(verdict.evaluation.failed?.reason == verdict.rejection?.reason)
    }
    return decision.candidates.map { verdict in
      [verdict.outcome, verdict.place.map { "\($0)" }, verdict.rejection?.reason.code].compactMap { $0 }.joined(separator: " ")
    }
  }

  private func code(_ impression: KeptImpression, _ install: Install = Sample.install()) -> String? {
    let verdict = install.decide(among: [impression]).candidates[0]
    return verdict.place == nil ? verdict.rejection?.reason.code : nil
  }

  @Test("Without ads, there is no winner")
  func none() {
    let decision = Sample.install().decide(among: [])
    #expect(decision.winner == nil && decision.runnersUp.isEmpty && decision.compared.isEmpty)
  }

  @Test("A click wins over a newer view, of either framework", arguments: [.v22, .v3, .v4, nil] as [SKAdNetworkVersion?])
  func clickBeforeView(version: SKAdNetworkVersion?) {
    let view = Sample.kept(1, .v4, .view, network: "a.skadnetwork", age: .minutes(0))
    let click = Sample.kept(2, version, .click, age: .days(29))
    #expect(Sample.install().decide(among: [view, click]).winner?.id == 2)
  }

  @Test("Of the same interaction, the most recent wins, whatever the framework and the version")
  func mostRecent() {
    let versions: [SKAdNetworkVersion?] = [.v2, .v21, .v22, .v3, .v4, nil]
    for (newer, older) in zip(versions, versions.reversed()) {
      let kept = [Sample.kept(1, newer, age: .hours(1)), Sample.kept(2, older, age: .hours(1) + Sample.millisecond)]
      #expect(Sample.install().decide(among: kept).winner?.id == 1)
      #expect(Sample.install().decide(among: kept.reversed()).winner?.id == 1)
    }
  }

  @Test("Of ads with the same time, the later record wins")
  func tie() {
    let kept = [Sample.kept(1), Sample.kept(2, nil), Sample.kept(3)]
    #expect(Sample.install().decide(among: kept).winner?.id == 3)
    #expect(Sample.install().decide(among: kept.reversed()).winner?.id == 3)
  }

  @Test("Six ads are considered: the winner, and five runners-up of other networks")
  func six() {
    let kept = (1...8 as ClosedRange<Int64>).map { Sample.kept($0, network: "n\($0).skadnetwork", age: .minutes($0)) }
    #expect(
      outcomes(kept) == [
        "won 1", "runner-up 2", "runner-up 3", "runner-up 4", "runner-up 5", "runner-up 6", "lost 7 beyond-six",
        "lost 8 beyond-six",
      ])
    #expect(Sample.install().decide(among: kept).runnersUp.map(\.id) == [2, 3, 4, 5, 6])
    #expect(Sample.install().decide(among: kept).compared == kept.map(\.id))
  }

  @Test("A network receives one postback")
  func onePerNetwork() {
    let networks = ["a", "a", "b", "b", "c"]
    let kept = networks.enumerated().map { Sample.kept(Int64($0), network: $1, age: .minutes(Int64($0))) }
    #expect(
      outcomes(kept) == [
        "won 1", "lost 2 network-won", "runner-up 3", "lost 4 network-already-runner-up", "runner-up 5",
      ])
  }

  @Test("Only ads of version 3.0 and later, and of AdAttributionKit, are runners-up, from iOS 14.6 on")
  func runnerUpVersions() {
    let versions: [SKAdNetworkVersion?] = [.v4, .v22, .v3, .v4, nil]
    let kept = versions.enumerated().map { Sample.kept(Int64($0), $1, network: "n\($0)", age: .minutes(Int64($0))) }
    #expect(
      outcomes(kept) == [
        "won 1", "lost 2 runner-up-version", "runner-up 3", "runner-up 4", "runner-up 5",
      ])
    let old = [Sample.kept(1, .v22, network: "a"), Sample.kept(2, .v22, network: "b")]
    let install = Sample.install(device: Device(system: OSVersion(14, 5)))
    #expect(
      outcomes(old.map { sdk($0, OSVersion(14, 5)) }, install) == ["lost 2 system-too-old", "won 1"])
  }

  private func sdk(_ kept: KeptImpression, _ sdk: OSVersion) -> KeptImpression {
    let impression = kept.impression
    return KeptImpression(
      id: kept.id,
      impression: AdImpression(
        signed: impression.signed, interaction: impression.interaction, sourceApp: impression.sourceApp, sourceSDK: sdk,
        isDevelopment: impression.isDevelopment, recordedAt: impression.recordedAt))
  }

  @Test("Ads for other apps have no verdict")
  func otherApp() {
    var app = Sample.advertisedApp
    app.itemIdentifier = 7
    #expect(Sample.install(app).decide(among: [Sample.kept(1)]).candidates.isEmpty)
    app.itemIdentifier = nil
    #expect(Sample.install(app).decide(among: [Sample.kept(1)]).candidates.isEmpty)
  }

  static let windows: [(SKAdNetworkVersion?, InteractionType, Interval)] = [
    (.v4, .view, .hours(24)), (.v4, .click, .days(30)), (nil, .view, .hours(24)), (nil, .click, .days(30)),
  ]

  @Test("A view counts for 24 hours, and a click for 30 days", arguments: windows.indices)
  func window(index: Int) {
    let (version, interaction, window) = Self.windows[index]
    #expect(code(Sample.kept(1, version, interaction, age: window)) == nil)
    #expect(code(Sample.kept(1, version, interaction, age: window + Sample.millisecond)) == "impression-expired")
  }

  @Test("AttributionWindows change the windows of AdAttributionKit, and not of SKAdNetwork")
  func configuredWindows() {
    var app = Sample.advertisedApp
    (app.adAttribution.globalWindows.click, app.adAttribution.globalWindows.view) = (.days(2), .days(7))
    let install = Sample.install(app)
    #expect(code(Sample.kept(1, nil, .view, age: .days(7)), install) == nil)
    #expect(code(Sample.kept(1, nil, .view, age: .days(7) + Sample.millisecond), install) == "impression-expired")
    #expect(code(Sample.kept(1, nil, .click, age: .days(2) + Sample.millisecond), install) == "impression-expired")
    #expect(code(Sample.kept(1, .v4, .click, age: .days(29)), install) == nil)
  }

  @Test("ignoreInteractionType excludes interactions of one network", arguments: InteractionType.allCases)
  func ignored(interaction: InteractionType) {
    var app = Sample.advertisedApp
    var windows = AppAdAttribution.Windows()
    windows.ignoredInteraction = interaction
    app.adAttribution.networkWindows = [Sample.network: windows]
    let install = Sample.install(app)
    #expect(code(Sample.kept(1, nil, interaction), install) == "interaction-ignored")
    #expect(code(Sample.kept(1, nil, interaction == .view ? .click : .view), install) == nil)
    #expect(code(Sample.kept(1, nil, interaction, network: Sample.otherNetwork), install) == nil)
    #expect(code(Sample.kept(1, .v4, interaction), install) == nil)
    let before = Sample.install(app, device: Device(system: OSVersion(18, 3)))
    #expect(code(Sample.kept(1, nil, interaction), before) == nil)
    app.adAttribution.networkWindows = [:]
    app.adAttribution.globalWindows = windows
    #expect(code(Sample.kept(1, nil, interaction), Sample.install(app)) == nil, "only under a network")
  }

  @Test("A cooldown excludes the ads of AdAttributionKit until its end")
  func cooldown() {
    var app = Sample.advertisedApp
    app.adAttribution.cooldowns.install = .hours(10)
    func code(_ version: SKAdNetworkVersion?, since: Interval, reengagement: Bool = false) -> String? {
      let instant = Sample.now - since
      let past = reengagement ? PastConversions(reengagementAt: instant) : PastConversions(installAt: instant)
      return self.code(Sample.kept(1, version), Sample.install(app, past: past))
    }
    #expect(code(nil, since: .hours(10)) == nil)
    #expect(code(nil, since: .hours(10) - Sample.millisecond) == "cooldown")
    #expect(code(.v4, since: .hours(1)) == nil)
    #expect(code(nil, since: .hours(1), reengagement: true) == nil)
    app.adAttribution.cooldowns.reengagement = .hours(2)
    #expect(code(nil, since: .hours(1), reengagement: true) == "cooldown")
    #expect(code(nil, since: .hours(2), reengagement: true) == nil)
  }

  @Test("SKAdNetwork measures only the App Store")
  func marketplace() {
    let install = Sample.install(marketplace: "com.example.marketplace")
    #expect(code(Sample.kept(1), install) == "other-marketplace")
    #expect(code(Sample.kept(1, nil), install) == nil)
  }

  @Test("The version is checked again when the app is installed")
  func version() {
    #expect(code(Sample.kept(1), Sample.install(device: Device(system: OSVersion(16, 0)))) == "version-not-supported")
    #expect(code(Sample.kept(1, nil), Sample.install(device: Device(system: OSVersion(17, 3)))) == "system-too-old")
  }

  @Test("An app that is signed for development counts only for test ads in developer mode")
  func developmentSigned() {
    var app = Sample.advertisedApp
    app.signing = .development
    let device = Device(developerModeSince: Sample.now)
    #expect(code(Sample.kept(1), Sample.install(app, device: device)) == "app-not-from-store")
    #expect(code(Sample.kept(1, isDevelopment: true), Sample.install(app)) == "app-not-from-store")
    #expect(code(Sample.kept(1, isDevelopment: true), Sample.install(app, device: device)) == nil)
  }

  @Test("Test ads are not considered when another ad counts")
  func development() {
    let development = Sample.kept(1, network: "a", isDevelopment: true)
    #expect(outcomes([development]) == ["won 1"])
    #expect(
      outcomes([development, Sample.kept(2, .v4, .view, age: .hours(5))]) == [
        "not-considered development-impression-ignored", "won 1",
      ])
    let expired = Sample.kept(3, .v4, .view, age: .hours(25))
    #expect(outcomes([development, expired])[0] == "won 1", "an ad that does not count excludes no test ad")
  }

  @Test("A verdict lists the values of the rules, up to the failed rule")
  func evaluation() throws {
    let decision = Sample.install().decide(among: [Sample.kept(1), Sample.kept(2, age: .days(31))])
    let evaluation = try #require(decision.candidates.last?.evaluation)
    #expect(evaluation.failed?.rule == "install-is-in-the-window")
    #expect(evaluation.inputs.contains(JSON.Member("window", "PT720H")))
    #expect(!evaluation.inputs.contains { $0.name == "cooldownEndsAt" })
    #expect(evaluation.rules == DeviceRuleBook.installWinner)
    let runnerUp = Sample.install().decide(among: [Sample.kept(1), Sample.kept(2, age: .days(2))]).candidates[1].evaluation
    #expect(runnerUp.rules == DeviceRuleBook.installRunnerUp)
    #expect(runnerUp.inputs.contains(JSON.Member("place", 2)) && runnerUp.inputs.contains(JSON.Member("window", "PT720H")))
  }
}
