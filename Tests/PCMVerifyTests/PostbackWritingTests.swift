import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

@Suite struct PostbackWritingTests {
  @Test("A written postback of each version is valid with its key only", arguments: SKAdNetworkVersion.allCases)
  func written(_ version: SKAdNetworkVersion) throws {
    let body = try SKAdNetworkPostback.sample(version).body(signedBy: DeviceFixtures.skadnetworkKey(version))
    let verdict = try DeviceFixtures.verifier(version).verdict(on: body)
    #expect(verdict.outcome == .valid, "\(verdict.faults)")
    #expect(verdict.version == version.rawValue)
    #expect(try SignatureVerifier(.apple).verdict(on: body).check == .fails)
  }

  @Test("A written postback has the members of the reference, in their order and with their types")
  func members() throws {
    func shape(_ version: SKAdNetworkVersion) throws -> String {
      let members = try SKAdNetworkPostback.signedSample(version).setting("attribution-signature", "…")
      return JSON.object(members).text
    }
    let campaign = #""ad-network-id":"example123.skadnetwork","campaign-id":42,"#
    let rest = #""transaction-id":"6aafb7a5-0170-41b5-bbe4-fe71dedf1e28","app-id":525463029,"redownload":true"#
    let source = #","source-app-id":1234567891"#
    let end = #""conversion-value":20,"attribution-signature":"…"}"#
    #expect(try shape(.v1) == #"{"version":"1.0","# + campaign + rest + #","attribution-signature":"…"}"#)
    #expect(try shape(.v2) == #"{"version":"2.0","# + campaign + rest + source + "," + end)
    #expect(try shape(.v21) == #"{"version":"2.1","# + campaign + rest + source + "," + end)
    #expect(try shape(.v22) == #"{"version":"2.2","# + campaign + rest + source + #","fidelity-type":1,"# + end)
    #expect(
      try shape(.v3) == #"{"version":"3.0","# + campaign + rest + source + #","fidelity-type":1,"did-win":true,"# + end)
    #expect(
      try shape(.v4)
        == #"{"version":"4.0","ad-network-id":"example123.skadnetwork","source-identifier":"0239","app-id":525463029,"#
        + #""transaction-id":"6aafb7a5-0170-41b5-bbe4-fe71dedf1e28","redownload":true,"source-app-id":1234567891,"#
        + #""fidelity-type":1,"did-win":true,"conversion-value":20,"postback-sequence-index":0,"country-code":"US","#
        + #""attribution-signature":"…"}"#)
  }

  @Test("Slashes in the signature are escaped, as by a device, unless they are to be plain")
  func escapedSlashes() throws {
    for item in 0..<100 as Range<Int64> {
      var postback = SKAdNetworkPostback.sample(.v4)
      postback.itemIdentifier = item
      let body = try postback.body(signedBy: DeviceFixtures.skadnetworkKey(.v4))
      let text = String(decoding: body, as: UTF8.self)
      guard text.contains("/") else { continue }
      #expect(!text.replacing("\\/", with: "").contains("/"))
      let plain = try postback.body(signedBy: DeviceFixtures.skadnetworkKey(.v4), slashes: .plain)
      #expect(!String(decoding: plain, as: UTF8.self).contains("\\"))
      #expect(try DeviceFixtures.verifier(.v4).verdict(on: plain).outcome == .valid)
      return
    }
    Issue.record("no signature had a slash")
  }

  @Test("An absent value is left out of the text together with its separator")
  func absentValues() {
    var postback = SKAdNetworkPostback.sample(.v4)
    postback.source = nil
    #expect(
      postback.signedText.visible
        == "4.0|example123.skadnetwork|0239|525463029|6aafb7a5-0170-41b5-bbe4-fe71dedf1e28|true|1|true|0")
    postback.source = .app(0)
    #expect(postback.signedText.values.contains("0"))
    #expect(postback.signedText.bytes.count { $0 == 0xE2 } == 9)
  }

  @Test("A key on the wrong curve does not sign", arguments: SKAdNetworkVersion.allCases)
  func wrongCurve(_ version: SKAdNetworkVersion) throws {
    let key = try DeviceFixtures.privateKey(version.postbackCurve == .p192 ? "skadnetwork-p256" : "skadnetwork-p192")
    #expect(throws: SigningError.wrongCurve(key.curve, expected: version.postbackCurve)) {
      try SKAdNetworkPostback.sample(version).body(signedBy: key)
    }
  }

  @Test("Values that no device sends are not signed")
  func invalidValues() throws {
    let key = try DeviceFixtures.skadnetworkKey(.v4)
    let changes: [(inout SKAdNetworkPostback) -> Void] = [
      { $0.sequenceIndex = 3 }, { $0.sequenceIndex = 1 }, { $0.sequenceIndex = nil }, { $0.didWin = false },
      { $0.campaign = .source("5") }, { $0.campaign = .campaign(5) }, { $0.conversionValue = .fine(64) },
      { $0.transactionIdentifier = "1" }, { $0.fidelity = nil }, { $0.countryCode = "usa" }, { $0.version = .v3 },
      { $0.adNetworkIdentifier = "a\u{2063}b" },
    ]
    for (index, change) in changes.enumerated() {
      var postback = SKAdNetworkPostback.sample(.v4)
      change(&postback)
      #expect(throws: SigningError.self, "change \(index)") { try postback.body(signedBy: key) }
    }
  }
}
