import Foundation
import PCMClient
import PCMCore
import PCMCrypto
import TLSSupport
import Testing

/// Clicks and triggering events with nonces, against a site that signs.
@Suite struct TokenTests {
  private static let nonce = "ABCDEFabcdef0123456789"

  private func withSigner(_ body: (Browser, TokenPublicKey) async throws -> Void) async throws {
    let key = try String(contentsOf: Self.fixtures.appendingPathComponent("signing-key-2048.pem"), encoding: .utf8)
    let site = SigningSite(key: try TokenPrivateKey(pem: key))
    try await Stage.withEndpoint(answer: site.answer) { service, _ in
      try await body(try await PCM.browser("tokens", clock: .manual, on: service), site.key.publicKey)
    }
  }

  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/tokens")

  private func expect(_ signature: String?, of token: String?, by key: TokenPublicKey) throws {
    let bytes = try #require(token.flatMap(Base64URL.decode))
    #expect(key.verifies(try #require(signature.flatMap(Base64URL.decode)), over: try UnlinkableToken(bytes: bytes)))
  }

  @Test("both tokens appear with their keys in the log and with their signatures in the report")
  func bothTokens() async throws {
    try await withSigner { browser, key in
      try await browser.follow(
        AttributionLink(sourceIdentifier: "4", destination: "https://shop.example", sourceNonce: Self.nonce),
        on: "https://news.example/")
      #expect(try await browser.clicks(in: [.stored]).map(\.click?.sourceToken?.keyID) == [key.id.text])
      let outcome = try await browser.trigger(
        .pixel(of: "news.example", data: 12, destinationNonce: Self.nonce, on: "https://shop.example/thanks"))
      let attribution = try #require(outcome.attribution, "\(outcome)")
      #expect(attribution.sourceToken?.keyID == key.id.text && attribution.destinationToken?.keyID == key.id.text)
      #expect(try await browser.attributions() == [attribution])
      let body = try #require(try await browser.reports().first).body
      try expect(body.sourceSecretTokenSignature, of: body.sourceSecretToken, by: key)
      try expect(body.destinationSecretTokenSignature, of: body.destinationSecretToken, by: key)
      #expect(body.sourceSecretToken != body.destinationSecretToken)
    }
  }

  @Test("an app's click can have a nonce, an extension; without one, no token is signed")
  func appNonce() async throws {
    try await withSigner { browser, key in
      let app = try await browser.registerNews()
      try await browser.open(Stage.click, from: app)
      #expect(try await browser.clicks(in: [.stored]).map(\.click?.sourceToken) == [nil])
      var click = Stage.click
      click.sourceNonce = Self.nonce
      try await browser.open(click, from: app)
      #expect(try await browser.clicks(in: [.stored]).map(\.click?.sourceToken?.keyID) == [key.id.text])
      let attribution = try #require(try await browser.trigger(Stage.purchase).attribution)
      #expect(attribution.destinationToken == nil)
      let body = try #require(try await browser.reports().first).body
      try expect(body.sourceSecretTokenSignature, of: body.sourceSecretToken, by: key)
      #expect(body.destinationSecretToken == nil && body.destinationSecretTokenSignature == nil)
    }
  }
}
