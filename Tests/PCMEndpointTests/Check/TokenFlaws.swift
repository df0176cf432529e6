import Crypto
import Foundation
import PCMCore
import PCMNetwork
import PCMURL

@testable import PCMCrypto
@testable import PCMEndpoint

extension Flaw {
  static let ofKeys: [Flaw] = [
    Flaw("key-is-answered", where: \.isKey) { $0.fail(.connectionLost) },
    Flaw("key-is-answered", where: \.isKey) { $0.fail(.timedOut) },
    Flaw("key-is-served", where: \.isKey) { $0.httpStatus = 503 },
    Flaw("key-is-served") { checkup in
      checkup.options.tokens = .required
      checkup.change = { request, _, exchange in if request.isKey { exchange.httpStatus = 301 } }
    },
    Flaw("key-is-answered-within-2-seconds", where: \.isKey) { $0.take(seconds: 3) },
    Flaw("key-is-json", where: \.isKey) { $0.contentType = "text/html" },
    Flaw("key-is-json", where: \.isKey) { $0.contentType = nil },
    Flaw("key-is-json", where: \.isKey) { $0.say("[]") },
    Flaw("key-is-json", where: \.isKey) { $0.say(#"{"token_public_key":""}"#) },
    key("key-is-base64url-spki") { "AAAA" },
    key("key-is-base64url-spki") { "++//" },
    key("key-size-is-2048-to-4096") { try shortKey() },
    key("key-has-pss-parameters") {
      Base64URL.encode(Array(P256.Signing.PrivateKey().publicKey.derRepresentation))
    },
    // The private part of this key is unknown.
    Flaw("key-is-in-todays-form") { checkup in
      let wire = try TestFile.text("tokens/rsa-encryption-key.txt").trimmingCharacters(in: .whitespacesAndNewlines)
      checkup.options.nonces = .none
      checkup.change = { request, _, exchange in if request.isKey { exchange.say(#"{"token_public_key":"\#(wire)"}"#) } }
    },
    Flaw("key-is-the-same-for-everybody") { checkup in
      let wire = try TestFile.text("tokens/rsassa-pss-key.txt").trimmingCharacters(in: .whitespacesAndNewlines)
      checkup.change = { request, _, exchange in
        if request.isKey, !request.terms.offersHTTP2 { exchange.say(#"{"token_public_key":"\#(wire)"}"#) }
      }
    },
    Flaw("key-is-the-same-for-everybody") { checkup in
      checkup.change = { request, before, exchange in if request.isKey, before == 1 { exchange.fail(.connectionLost) } }
    },
  ]

  static let ofSigning: [Flaw] = [
    Flaw("sign-requests-are-answered", where: \.isSign) { $0.fail(.timedOut) },
    Flaw("sign-requests-are-not-redirected", where: \.isSign) { $0.httpStatus = 307 },
    Flaw("sign-requests-are-answered-within-2-seconds", where: \.isSign) { $0.take(seconds: 3) },
    Flaw("sign-path-is-served", where: \.isSign) { $0.httpStatus = 404 },
    Flaw("sign-path-is-served") { checkup in
      checkup.options.nonces = .none
      checkup.change = { request, _, exchange in if request.isSign { exchange.httpStatus = 405 } }
    },
    Flaw("valid-nonces-are-signed", where: \.isSign) { $0.httpStatus = 403 },
    Flaw("signature-is-json", where: { $0.isSign }, spoil: { $0.contentType = "text/plain" }),
    Flaw("signature-is-json", where: { $0.isSign }, spoil: { $0.say(#"{"unlinkable_token":"++//"}"#) }),
    Flaw("signature-is-as-long-as-the-key", where: \.isSign) { $0.say(#"{"unlinkable_token":"AAAA"}"#) },
    Flaw("signature-verifies", where: \.isSign) { exchange in
      exchange.say(#"{"unlinkable_token":"\#(Base64URL.encode([UInt8](repeating: 1, count: 256)))"}"#)
    },
    signing("used-nonces-are-refused") { $0.httpStatus == 409 },
    signing("unknown-nonces-are-refused") { $0.httpStatus == 403 },
    Flaw("malformed-nonces-are-refused", where: { $0.isSign && $0.text.contains("++++") }, spoil: { $0.httpStatus = 200 }),
    Flaw("empty-sign-requests-are-refused", where: { $0.isSign && $0.text == "{}" }, spoil: { $0.httpStatus = 500 }),
    Flaw(
      "blinded-messages-of-wrong-size-are-refused", where: { $0.text.contains("AgICAgICAgICAgICAgICAg") },
      spoil: { $0.httpStatus = 200 }),
    Flaw(
      "blinded-messages-above-the-modulus-are-refused", where: { $0.text.contains("AwMDAwMDAwMDAwMDAwMDAw") },
      spoil: { $0.httpStatus = 500 }),
  ]

  static let ofTokens: [Flaw] = [
    Flaw(
      "unpaired-tokens-are-refused", where: { $0.text.contains(#"_secret_token":"AAAA""#) }, spoil: { $0.httpStatus = 200 }),
    Flaw(
      "report-with-token-is-accepted", where: { $0.text.contains("_secret_token_signature") }, spoil: { $0.httpStatus = 400 }),
    Flaw("report-with-used-token-is-answered") { checkup in
      checkup.change = { request, before, exchange in
        if before == 1, request.text.contains("_secret_token_signature") { exchange.httpStatus = 500 }
      }
    },
    listing("token-is-counted", "accepted", "forged"),
    listing("repeated-token-is-counted-once", "duplicate", "accepted"),
    listing("forged-token-is-not-counted", "forged", "accepted"),
  ]

  static let ofPixels: [Flaw] = [
    Flaw("pixel-url-is-https") { checkup in
      checkup.options.pixel = try Checkup.parser.url("http://ads.example/pixel")
      checkup.change = { request, _, exchange in
        if request.url.hasSuffix("/pixel") { exchange.take(.redirect(302, "https://ads.example\(TriggerURL.pathPrefix)12")) }
      }
    },
    Flaw("pixel-is-answered", where: \.isPixel) { $0.fail(.connectionLost) },
    Flaw("pixel-is-answered", where: \.isPixel) { $0.fail(.timedOut) },
    Flaw("pixel-is-answered-within-2-seconds", where: \.isPixel) { $0.take(seconds: 3) },
    Flaw("pixel-redirects", where: \.isPixel) { $0.httpStatus = 200 },
    Flaw("pixel-redirects", where: \.isPixel) { $0.location = nil },
    Flaw("pixel-redirect-is-temporary", where: \.isPixel) { $0.httpStatus = 301 },
    Flaw("pixel-redirect-is-temporary", where: \.isPixel) { $0.httpStatus = 308 },
    pixel("pixel-redirects-to-a-trigger", "/elsewhere"),
    pixel("pixel-redirects-to-a-trigger", "https://:::/"),
    pixel("pixel-redirect-is-same-site", "https://other.example" + TriggerURL.pathPrefix + "12"),
    pixel("pixel-trigger-is-read", "http://ads.example" + TriggerURL.pathPrefix + "12"),
    pixel("pixel-trigger-is-read", TriggerURL.pathPrefix + "16"),
    pixel("pixel-trigger-is-read", TriggerURL.pathPrefix + "12?x=y"),
    pixel("pixel-trigger-keeps-to-the-grammar", TriggerURL.pathPrefix + "+5"),
    pixel("pixel-source-is-a-site", TriggerURL.pathPrefix + "12?attributionSource=https://a.example/path"),
    pixel("pixel-source-fits-the-role", TriggerURL.pathPrefix + "12?attributionSource=https://a.example"),
    Flaw("pixel-source-fits-the-role") { $0.options.role = .destination },
  ]

  private static func key(_ rule: String, _ wire: @escaping @Sendable () throws -> String) -> Flaw {
    Flaw(rule) { checkup in
      let wire = try wire()
      checkup.change = { request, _, exchange in if request.isKey { exchange.say(#"{"token_public_key":"\#(wire)"}"#) } }
    }
  }

  /// In order but for its 1024 bits.
  private static func shortKey() throws -> String {
    let modulus: [UInt8] = [0, 0x80] + [UInt8](repeating: 0, count: 126) + [1]
    return Base64URL.encode(try SubjectPublicKeyInfo.der(modulus: modulus[...], exponent: [1, 0, 1][...]))
  }

  /// Requests that are refused for a reason are signed.
  private static func signing(_ rule: String, _ isMeant: @escaping @Sendable (ProbeExchange) -> Bool) -> Flaw {
    Flaw(rule, where: \.isSign) { exchange in if isMeant(exchange) { exchange.httpStatus = 200 } }
  }

  /// The receiver says that it counted otherwise.
  private static func listing(_ rule: String, _ verdict: String, _ other: String) -> Flaw {
    Flaw(
      rule, where: { $0.path.hasPrefix("/admin/reports") },
      spoil: { exchange in exchange.replace(#""verdict":"\#(verdict)""#, by: #""verdict":"\#(other)""#) })
  }

  private static func pixel(_ rule: String, _ location: String) -> Flaw {
    Flaw(rule, where: \.isPixel) { $0.location = location }
  }
}
