import PCMCore
import PCMCrypto
import PCMVerify
import Testing

@testable import PCMDevice

/// From an ad to its postbacks, as an engine calls the rules.
@Suite struct JourneyTests {
  private let device = Device()

  private func draw(_ place: Int) -> PostbackDraw {
    PostbackDraw(delay: 0.5, identifier: "00000000-0000-4000-8000-00000000000\(place)")
  }

  /// Records a click of SKAdNetwork 4.0, a view of AdAttributionKit, and a click of version 3.0.
  private func table(_ networks: AdNetworkRegistry) throws -> ImpressionTable {
    var table = ImpressionTable()
    var evaluation = RuleEvaluation()
    let click = SKAdNetworkDisplay(
      try Sample.ad(), as: .storeKitRendered, in: Sample.sourceApp, networks: networks, device: device, at: Sample.now)
    _ = table.record(KeptImpression(id: 1, impression: try #require(click.decide(&evaluation).recorded)))

    let jws = try Sample.jws { $0.adNetworkIdentifier = Sample.otherNetwork }
    let start = AdAttributionKitAd(jws, .beginView, in: Sample.sourceApp, networks: networks, device: device, at: Sample.now)
    let view = try #require(start.decide(&evaluation).view)
    let end = ViewEnd(ViewKey(view), of: view, device: device, at: Sample.now + .seconds(3))
    _ = table.record(KeptImpression(id: 2, impression: try #require(end.decide(&evaluation).recorded)))
    return table
  }

  @Test("A click leads to an install, three windows, and postbacks of both networks")
  func install() throws {
    let networks = try Sample.registry()
    var table = try table(networks)
    let install = Install(Sample.advertisedApp, country: "DE", device: device, at: Sample.now + .hours(2))
    let decision = install.decide(among: table.kept)
    #expect(decision.candidates.map(\.outcome) == ["won", "runner-up"])
    let conversion = try #require(Conversion(id: 3, decision))
    #expect(table.remove(decision.compared, after: conversion.id).count == 2)

    var app = AppConversions()
    _ = app.begin(conversion, of: Sample.advertisedApp, on: device)
    _ = app.launch(at: Sample.now + .hours(3))
    let update = ConversionValueInput(.skadnetwork, fine: 12, coarse: .medium)
    _ = app.update(update, by: Sample.advertisedApp, on: device, at: Sample.now + .hours(4))
    let end = try #require(app.nextChange)
    #expect(end == Sample.now + .hours(51))
    guard case .schedule(let order)? = app.pass(to: end).first else {
      Issue.record("no postback is scheduled")
      return
    }
    let postbacks = try #require(app[order.conversion]).postbacks(
      for: order, app: Sample.advertisedApp, networks: networks, device: device, draw: draw)
    #expect(
      postbacks.planned.map(\.party) == [
        Sample.network, "shop.example", Sample.otherNetwork,
      ])
    #expect(postbacks.planned.map(\.dueAt) == Array(repeating: end + .hours(36), count: 3))
    guard case .skAdNetwork(let winner) = postbacks.planned[0].content,
      case .adAttributionKit(let runnerUp) = postbacks.planned[2].content
    else {
      Issue.record("\(postbacks.planned)")
      return
    }
    #expect(winner.conversionValue == .fine(12) && winner.countryCode == "DE" && winner.didWin == true)
    #expect(!runnerUp.didWin && runnerUp.interactionType == .view && runnerUp.conversionValue == nil)
    let key = try Sample.privateKey("skadnetwork-p256")
    let verifier = try SignatureVerifier(.given([NamedKey(name: "device", use: "a test key", key: key.publicKey)]))
    #expect(verifier.verdict(on: try winner.body(signedBy: key)).outcome == .valid)
  }
}
