import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct AdNetworkTests {
  private func rejection(_ identifier: String, key: String = "ad-network", url: String = "https://ads.example/p") throws
    -> String?
  {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.adNetwork)
    let network = try AdNetwork(
      identifier: identifier, key: Sample.privateKey(key).publicKey, postbackURL: Sample.url(url))
    let rejection = network.decideRegistration(&evaluation)
    #expect(evaluation.failed?.reason == rejection?.reason)
    return rejection?.reason.code
  }

  @Test(
    "Lower-case identifiers of any ending are registered",
    arguments: ["a1.skadnetwork", "a1.adattributionkit", "com.example", "com.apple.test-1"])
  func accepted(identifier: String) throws {
    #expect(try rejection(identifier) == nil)
  }

  @Test(
    "An identifier with upper-case letters is refused", arguments: ["A1.skadnetwork", "a1.SKAdNetwork"])
  func upperCase(identifier: String) throws {
    #expect(try rejection(identifier) == "ad-network-id-not-lower-case")
  }

  @Test(
    "An identifier is 1 to 64 bytes of letters, digits, hyphens, periods, and underscores",
    arguments: ["", "a b", "a\u{0}.skadnetwork", "é.skadnetwork", String(repeating: "a", count: 65)])
  func invalid(identifier: String) throws {
    #expect(try rejection(identifier) == "ad-network-id-invalid")
  }

  @Test("An identifier has up to 64 bytes")
  func longest() throws {
    #expect(try rejection(String(repeating: "a", count: 64)) == nil)
  }

  @Test("A key on P-192 is refused")
  func wrongCurve() throws {
    #expect(try rejection("a1.skadnetwork", key: "skadnetwork-p192") == "ad-network-key-wrong-curve")
  }

  @Test("A postback URL without TLS is refused")
  func withoutTLS() throws {
    #expect(try rejection("a1.skadnetwork", url: "http://ads.example/p") == "postback-url-not-https")
  }

  @Test("Of two networks with the same identifier, the later one counts")
  func registry() throws {
    let key = try Sample.privateKey().publicKey
    let registry = AdNetworkRegistry(
      try ["https://one.example/p", "https://two.example/p"].map {
        try AdNetwork(identifier: "a1.skadnetwork", key: key, postbackURL: Sample.url($0))
      })
    #expect(registry["a1.skadnetwork"]?.postbackURL.text == "https://two.example/p")
    #expect(registry["A1.skadnetwork"] == nil)
  }
}
