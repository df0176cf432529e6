import PCMCore
import Testing

@testable import PCMCrypto

@Suite struct TokenPrivateKeyTests {
  @Test("A 4096-bit public key has 598 bytes and the prefix in the reference")
  func wireForm() throws {
    let spki = try #require(Base64URL.decode(TokenFixtures.signingKey(bits: 4096).publicKeyWire))
    #expect(spki.count == 598)
    let beginning =
      "30820252303d06092a864886f70d01010a3030a00d300b0609608648016503040202a11a301806092a864886f70d010108"
      + "300b0609608648016503040202a2030201300382020f00"
    #expect(Array(spki.prefix(72)) == bytes(beginning))
  }

  @Test("A public key equals a key that the test encodes", arguments: [2048, 3072, 4096])
  func writtenTwice(_ bits: Int) throws {
    let key = try TokenFixtures.signingKey(bits: bits)
    let written = WrittenKey { $0.modulus = key.publicKey.modulus }
    #expect(Base64URL.decode(key.publicKeyWire) == written.spki)
    #expect(key.publicKey.id == KeyID(spki: written.spki))
  }

  @Test("A generated key has the requested size and is unchanged after PEM", arguments: TokenPrivateKey.Size.allCases)
  func generated(_ size: TokenPrivateKey.Size) throws {
    let key = try TokenPrivateKey(generating: size)
    #expect(key.publicKey.modulusByteCount == size.rawValue / 8)
    #expect(key.publicKey.form == .rsassaPSS)
    let again = try TokenPrivateKey(pem: key.pem)
    #expect(again.publicKeyWire == key.publicKeyWire)
    #expect(again.pem == key.pem)
    let blinded = try UnlinkableToken(bytes: [UInt8](repeating: 7, count: 32)).blind(with: key.publicKey)
    let signed = try blinded.finalize(blindSignature: again.sign(blindedMessage: blinded.blindedMessage))
    #expect(signed.keyID == key.publicKey.id)
  }

  @Test("Generated keys differ")
  func differentKeys() throws {
    let names = try (0..<2).map { _ in try TokenPrivateKey(generating: .bits2048).publicKey.id }
    #expect(Set(names).count == 2)
  }

  @Test("A blinded message of the wrong size is an error")
  func wrongSizes() throws {
    let key = try TokenFixtures.signingKey(bits: 2048)
    for count in [0, 255, 257, 512] {
      #expect(throws: TokenError.wrongBlindedMessageSize(count, expected: 256)) {
        try key.sign(blindedMessage: [UInt8](repeating: 0, count: count))
      }
    }
  }

  @Test("A blinded message must be less than the modulus")
  func modulusAsLimit() throws {
    let key = try TokenFixtures.signingKey(bits: 2048)
    let modulus = key.publicKey.modulus
    var below = modulus
    below[255] -= 1
    #expect(try key.sign(blindedMessage: below) == below, "-1 to an odd power is -1")
    for above in [modulus, [UInt8](repeating: 0xFF, count: 256)] {
      #expect(throws: TokenError.blindedMessageNotBelowModulus) { try key.sign(blindedMessage: above) }
    }
  }

  @Test(
    "Text without a private key is an error",
    arguments: [
      "", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
      "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n", "MIIEvQ",
    ])
  func noPrivateKeys(_ text: String) {
    #expect(throws: TokenKeyError.notPrivateKey) { try TokenPrivateKey(pem: text) }
  }
}
