import Crypto
import PCMCore
import PCMCrypto

/// The bodies of a check of an AdAttributionKit endpoint.
struct AdAttributionKitBodies {
  private let signer: JWSSigner
  private let developmentSigner: JWSSigner
  private let impostor: JWSSigner
  private let stranger: JWSSigner
  private let seed: UInt64

  init(seed: UInt64) throws(SigningError) {
    let keys = try TestKeys()
    signer = try keys.signer(.production)
    developmentSigner = try keys.signer(.development0)
    impostor = try JWSSigner(impersonating: .production, with: keys.adNetwork)
    stranger = try JWSSigner(adNetworkIdentifier: "unknown.adattributionkit", with: keys.adNetwork)
    self.seed = seed
  }

  func all(trustsTestKeys: Bool) throws(SigningError) -> [Probe: [ProbeBody]] {
    let valid = try testSigned
    let development = ProbeBody("Apple's example, which is signed for development", AppleExamples.development)
    return [
      .postback: trustsTestKeys ? Array(valid.prefix(1)) : [development],
      .postbackVariants: [
        trustsTestKeys
          ? ProbeBody("signed with Apple's development key", AppleExamples.development)
          : ProbeBody("signed with a test key", valid[0].bytes)
      ],
      .testPostbacks: trustsTestKeys ? Array(valid.dropFirst()) : [],
      .forgedPostbacks: try forged + (trustsTestKeys ? [development] : Array(valid.prefix(1))),
      .invalidPostbacks: try invalid,
      .malformedPostbacks: ProbeBody.shapeless + misshapen,
      .oversizedPostback: [ProbeBody.oversized],
    ]
  }

  /// A winning postback.
  private var plain: AdAttributionKitPostback {
    AdAttributionKitPostback(
      postbackIdentifier: seed.postbackIdentifier(0), sequenceIndex: 0, adNetworkIdentifier: "example.adattributionkit",
      sourceIdentifier: "5239", advertisedItemIdentifier: 10_738_027_756, conversionType: .download, didWin: true,
      publisherItemIdentifier: 5_838_492, marketplaceIdentifier: "com.apple.AppStore", conversionValue: .fine(24),
      interactionType: .click, countryCode: "US")
  }

  private var testSigned: [ProbeBody] {
    get throws(SigningError) {
      var later = plain
      (later.sourceIdentifier, later.publisherItemIdentifier, later.sequenceIndex) = ("39", nil, 1)
      later.conversionValue = .coarse(.medium)
      var last = later
      last.sequenceIndex = 2
      var loser = plain
      (loser.didWin, loser.publisherItemIdentifier, loser.conversionValue) = (false, nil, nil)
      var (again, reengagement, view) = (plain, plain, plain)
      again.conversionType = .redownload
      reengagement.conversionType = .reengagement
      view.interactionType = .view
      let named: [(String, AdAttributionKitPostback)] = [
        ("a test-signed postback", plain), ("a test-signed postback with the sequence index 1", later),
        ("a test-signed postback with the sequence index 2", last), ("a test-signed postback with did-win false", loser),
        ("a test-signed postback of a redownload", again), ("a test-signed postback of a re-engagement", reengagement),
        ("a test-signed postback of a view", view),
      ]
      var bodies: [ProbeBody] = []
      for (index, (name, postback)) in named.enumerated() {
        var postback = postback
        postback.postbackIdentifier = seed.postbackIdentifier(index)
        bodies.append(ProbeBody(name, try postback.body(signedBy: signer)))
      }
      return bodies
    }
  }

  /// Postbacks with signatures by other keys, and with other algorithms.
  private var forged: [ProbeBody] {
    get throws(SigningError) {
      let (header, payload, signature) = (parts[0], parts[1], parts[2])
      let changed = Base64URL.encode(self.payload(30).bytes)
      func jws(_ name: String, _ header: String, _ payload: String, _ signature: String) -> ProbeBody {
        ProbeBody(name, AppleExamples.wrapped([header, payload, signature].joined(separator: ".")))
      }
      func encoded(algorithm: String) -> String {
        Base64URL.encode(JSON.object([.init("kid", "apple-cas-identifier/0"), .init("alg", .string(algorithm))]).bytes)
      }
      let (none, hmac) = (encoded(algorithm: "none"), encoded(algorithm: "HS256"))
      return [
        jws("a postback with a changed payload", header, changed, signature),
        jws("a postback with a changed signature", header, payload, String(repeating: "A", count: 86)),
        jws("a postback with the algorithm none and no signature", none, changed, ""),
        jws("a postback with the algorithm none", none, changed, signature),
        jws("a postback with the algorithm HS256", hmac, changed, Self.hmac(hmac + "." + changed)),
        ProbeBody("a postback of two parts", AppleExamples.wrapped(header + "." + payload)),
        ProbeBody("a postback of an unknown key", AppleExamples.wrapped(try stranger.sign(self.payload(31)))),
        ProbeBody(
          "a postback under Apple's key identifier with another key", AppleExamples.wrapped(try impostor.sign(self.payload(32)))
        ),
        ProbeBody(
          "a postback of a test key for development", AppleExamples.wrapped(try developmentSigner.sign(self.payload(33)))),
      ]
    }
  }

  /// Returns an HMAC with Apple's public key as the secret. Verifiers accept it if they use the algorithm in the header.
  private static func hmac(_ input: String) -> String {
    let secret = SymmetricKey(data: Array(AppleKey.production.base64.utf8))
    return Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: Array(input.utf8), using: secret)))
  }

  private var invalid: [ProbeBody] {
    get throws(SigningError) {
      func signed(_ index: Int, _ changes: [JSON.Member], _ wrapper: [JSON.Member] = []) throws(SigningError) -> [UInt8] {
        let jws = JSON.Member("jws-string", .string(try signer.sign(payload(index, changes))))
        return JSON.object([jws] + wrapper).bytes
      }
      let (fine, coarse) = (JSON.Member("conversion-value", 24), JSON.Member("coarse-conversion-value", "low"))
      let index = "postback-sequence-index"
      return [
        ProbeBody("a postback with a fine and a coarse value", try signed(20, [], [fine, coarse])),
        ProbeBody(
          "a fine value with the sequence index 1",
          try signed(21, [.init(index, 1), .init("source-identifier", "39")], [fine])),
        ProbeBody("a postback with the sequence index 3", try signed(22, [.init(index, 3)])),
        ProbeBody("a source-identifier of one digit", try signed(23, [.init("source-identifier", "5")])),
        ProbeBody("a source-identifier of five digits", try signed(24, [.init("source-identifier", "52391")])),
        ProbeBody("a payload with a number for source-identifier", try signed(25, [.init("source-identifier", 5239)])),
        ProbeBody("a payload with text for did-win", try signed(26, [.init("did-win", "true")])),
        ProbeBody("a payload with text for the sequence index", try signed(27, [.init(index, "0")])),
        ProbeBody("an unknown conversion-type", try signed(28, [.init("conversion-type", "reengagement")])),
        ProbeBody("a conversion-value of 64", try signed(29, [], [.init("conversion-value", 64)])),
      ]
    }
  }

  /// Bodies without a usable `jws-string`.
  private var misshapen: [ProbeBody] {
    let example = AppleExamples.development
    return [
      ProbeBody("a postback without jws-string", example.settingMember("jws-string", nil)),
      ProbeBody("a postback with a number for jws-string", example.settingMember("jws-string", 7)),
      ProbeBody("a postback whose jws-string has one part", example.settingMember("jws-string", "AAAA")),
    ]
  }

  private var parts: [String] { AppleExamples.developmentParts }

  /// Returns a payload with other values for some members.
  private func payload(_ index: Int, _ changes: [JSON.Member] = []) -> JSON {
    let members: [JSON.Member] = [
      .init("postback-identifier", .string(seed.postbackIdentifier(index))), .init("impression-type", "app-impression"),
      .init("ad-network-identifier", "example.adattributionkit"), .init("did-win", .bool(true)),
      .init("postback-sequence-index", 0), .init("conversion-type", "download"), .init("source-identifier", "5239"),
      .init("advertised-item-identifier", 10_738_027_756),
    ]
    return .object(members.map { member in changes.first { $0.name == member.name } ?? member })
  }
}
