import PCMCore
import PCMCrypto
import SignatureSupport
import Testing

/// The forms in which people have public keys.
@Suite struct KeyFormTests {
  private static let names = ["skadnetwork-p192", "skadnetwork-p256", "ad-network"]

  private func key(_ name: String) throws -> PublicKey { try PublicKey(file: DeviceFixtures.bytes("keys/\(name).public.pem")) }

  private func jwk(_ key: PublicKey, _ members: [JSON.Member] = []) -> JSON {
    let coordinates = Array(key.spki.suffix(key.curve == .p192 ? 48 : 64))
    let (x, y) = (coordinates.prefix(coordinates.count / 2), coordinates.suffix(coordinates.count / 2))
    return .object(
      [
        .init("kty", "EC"), .init("crv", .string(key.curve.rawValue)), .init("x", .string(Base64URL.encode(Array(x)))),
        .init("y", .string(Base64URL.encode(Array(y)))),
      ] + members)
  }

  @Test("A key is the same in each form", arguments: names)
  func forms(_ name: String) throws {
    let key = try key(name)
    let pem = try DeviceFixtures.text("keys/\(name).public.pem")
    let base64 = Base64.encode(key.spki)
    let point = Array(key.spki.suffix(key.curve == .p192 ? 49 : 65))
    let hexadecimal = key.spki.map { String(0x100 | UInt($0), radix: 16).dropFirst() }.joined()
    let parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
    let texts = [
      parameters + pem, pem + parameters, pem.replacing("\n", with: "\r\n"), pem.replacing("\n", with: "\\n"),
      pem.replacing("\n", with: " "), pem.replacing("\n", with: "\n    "), "\"" + pem.replacing("\n", with: "\\n") + "\"",
      "\u{FEFF}" + pem, "-----BEGIN PUBLIC KEY-----\(base64)-----END PUBLIC KEY-----", base64, Base64URL.encode(key.spki),
      hexadecimal, hexadecimal.uppercased(), Base64.encode(point), jwk(key).text,
      (["keys": [jwk(key, [.init("kid", "a"), .init("use", "sig")]), ["kty": "RSA", "n": "AQAB"]]] as JSON).text,
      JSON.array([jwk(key)]).text,
    ]
    for text in texts { #expect(try PublicKey(file: Array(text.utf8)).spki == key.spki, "\(text)") }
    #expect(try PublicKey(file: point).spki == key.spki)
  }

  @Test("A set has its keys by their names, and is an error where one key is expected")
  func sets() throws {
    let set: JSON = ["keys": .array(try Self.names.map { jwk(try key($0), [.init("kid", .string($0))]) })]
    #expect(try PublicKey.keys(file: set.bytes).map(\.name) == Self.names)
    #expect(throws: KeyError.severalKeys(Self.names)) { try PublicKey(file: set.bytes) }
  }

  @Test("Other JSON is an error that names the member")
  func wrongJSONWebKeys() throws {
    let key = try key("ad-network")
    for (json, part) in [
      (["kty": "RSA"], #"kty is "RSA"; it must be "EC""#), (["kty": "EC", "crv": "P-384"], #"crv is "P-384""#),
      (["kty": "EC", "crv": "P-256", "x": "AA"], "x is not 32 bytes"), (jwk(key, [.init("d", "AA")]), "Remove its member d"),
      (["keys": []], "the set has no key"),
    ] as [(JSON, String)] {
      let error = #expect(throws: KeyError.self) { try PublicKey(file: json.bytes) }
      #expect(error?.detail.contains(part) == true, "\(error?.detail ?? "")")
    }
    let off = jwk(key).members.map {
      $0.name == "y" ? JSON.Member("y", .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))) : $0
    }
    #expect(throws: KeyError.pointNotOnCurve) { try PublicKey(file: JSON.object(off).bytes) }
  }

  @Test("A certificate and a private key say how to write the public key")
  func otherBlocks() throws {
    let certificate = "-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----\n"
    let error = #expect(throws: KeyError.self) { try PublicKey(file: Array(certificate.utf8)) }
    #expect(error?.detail.contains("openssl x509 -in FILE -noout -pubkey") == true)
  }

  @Test("A key in an unsupported form is named")
  func unreadForms() throws {
    let compressed = [2] + Array(try key("ad-network").spki.suffix(64).prefix(32))
    for (text, part) in [
      ("ecdsa-sha2-nistp256 AAAAE2VjZHNh ads@example", "ssh-keygen -e -m PKCS8"), (Base64.encode(compressed), "is compressed"),
      ("-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n", "labeled EC PARAMETERS"),
    ] {
      let error = #expect(throws: KeyError.self) { try PublicKey(file: Array(text.utf8)) }
      #expect(error?.detail.contains(part) == true, "\(error?.detail ?? "")")
    }
    #expect(KeyError.wrongCurve(objectIdentifier: "1.3.132.0.34").detail.contains("is P-384 (1.3.132.0.34)"))
  }
}
