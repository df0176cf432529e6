import PCMCore
import Testing

@testable import PCMCrypto

@Suite struct TokenPublicKeyTests {
  @Test("A key is valid with and without padding, and its identifier depends on its bytes")
  func padding() throws {
    let spki = WrittenKey { $0.exponent = [3] }.spki
    let text = Base64URL.encode(spki)
    let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    #expect(padded != text)
    #expect(try TokenPublicKey(wire: text).id == KeyID(spki: spki))
    #expect(try TokenPublicKey(wire: padded).id == KeyID(spki: spki))
  }

  @Test(
    arguments: [
      ("", .empty), ("not+base64", .notBase64URL), ("MIIC IjAN", .notBase64URL), ("-----BEGIN PUBLIC KEY-----", .notBase64URL),
      ("ABCD", .notSubjectPublicKeyInfo), ("null", .notSubjectPublicKeyInfo), ("MAA", .notSubjectPublicKeyInfo),
    ] as [(String, TokenKeyError)])
  func textWithoutAKeyIsAnError(_ text: String, _ error: TokenKeyError) {
    #expect(throws: error) { try TokenPublicKey(wire: text) }
  }

  @Test("A NULL after the hash identifier, as OpenSSL writes it, is a separate form")
  func formWithNull() throws {
    let hash = der(0x30, WrittenKey.sha384, WrittenKey.null)
    let key = WrittenKey {
      $0.hash = der(0xA0, hash)
      $0.mask = der(0xA1, der(0x30, WrittenKey.mgf1, hash))
    }
    let read = try TokenPublicKey(spki: key.spki)
    #expect(read.form == .rsassaPSSWithNull)
    #expect(read.form != .rsaEncryption)
  }

  static let badParameters: [(WrittenKey, TokenKeyError.PSSField)] = [
    (WrittenKey { $0.parameters = [] }, .all),
    (WrittenKey { $0.parameters = WrittenKey.null }, .all),
    (WrittenKey { $0.parameters = der(0x30, [0x02, 0x01, 48]) }, .all),
    (WrittenKey { $0.hash = [] }, .hash),
    (WrittenKey { $0.hash = der(0xA0, der(0x30, WrittenKey.sha256)) }, .hash),
    (WrittenKey { $0.hash = der(0xA0, der(0x30, WrittenKey.sha384, [0x02, 0x01, 0x00])) }, .hash),
    (WrittenKey { $0.mask = [] }, .maskGeneration),
    (WrittenKey { $0.mask = der(0xA1, der(0x30, WrittenKey.mgf1)) }, .maskGeneration),
    (WrittenKey { $0.mask = der(0xA1, der(0x30, WrittenKey.mgf1, der(0x30, WrittenKey.sha256))) }, .maskGeneration),
    (WrittenKey { $0.mask = der(0xA1, der(0x30, WrittenKey.sha384, der(0x30, WrittenKey.sha384))) }, .maskGeneration),
    (WrittenKey { $0.salt = [] }, .saltLength),
    (WrittenKey { $0.salt = der(0xA2, der(0x02, [0])) }, .saltLength),
    (WrittenKey { $0.salt = der(0xA2, der(0x02, [32])) }, .saltLength),
    (WrittenKey { $0.salt = der(0xA2, der(0x02, [0xFF])) }, .saltLength),
    (WrittenKey { $0.salt = der(0xA2, der(0x02, [UInt8](repeating: 0x30, count: 20))) }, .saltLength),
    (WrittenKey { $0.trailer = der(0xA3, der(0x02, [1])) }, .trailer),
    (WrittenKey { $0.trailer = der(0xA3, der(0x02, [2])) }, .trailer),
    (WrittenKey { $0.trailer = der(0xA4, der(0x02, [1])) }, .all),
    (WrittenKey { ($0.hash, $0.mask) = ($0.mask, $0.hash) }, .all),
    (WrittenKey { $0.hash += $0.hash }, .all),
  ]

  @Test("Parameters of another scheme are an error with the field", arguments: badParameters.indices)
  func parameters(_ row: Int) {
    let (key, field) = Self.badParameters[row]
    #expect(throws: TokenKeyError.wrongPSSParameters(field)) { try TokenPublicKey(spki: key.spki) }
  }

  static let badKeys: [(WrittenKey, TokenKeyError)] = [
    (WrittenKey { $0.algorithm = WrittenKey.rsaesOAEP }, .wrongAlgorithm(objectIdentifier: "1.2.840.113549.1.1.7")),
    (WrittenKey { $0.algorithm = WrittenKey.rsaEncryption }, .wrongRSAParameters),
    (
      WrittenKey {
        $0.algorithm = WrittenKey.rsaEncryption
        $0.parameters = []
      }, .wrongRSAParameters
    ),
    (WrittenKey { $0.more = der(0x02, [1]) }, .notRSAPublicKey),
    (WrittenKey { $0.modulus = [0, 0] + $0.modulus }, .notRSAPublicKey),
    (WrittenKey { $0.modulus = [] }, .notRSAPublicKey),
    (WrittenKey { $0.modulus = [0] }, .wrongSize(bits: 0)),
    (WrittenKey { $0.modulus[255] = 0x5A }, .evenModulus),
    (WrittenKey { $0.exponent = [0] }, .wrongExponent),
    (WrittenKey { $0.exponent = [1] }, .wrongExponent),
    (WrittenKey { $0.exponent = [2] }, .wrongExponent),
    (WrittenKey { $0.exponent = [1, 0, 0] }, .wrongExponent),
    (WrittenKey { $0.exponent = [2, 0, 0, 0, 1] }, .wrongExponent),
    (WrittenKey { $0.exponent = $0.modulus }, .wrongExponent),
  ]

  @Test("Each other defect has a separate error", arguments: badKeys.indices)
  func defects(_ row: Int) {
    let (key, error) = Self.badKeys[row]
    #expect(throws: error) { try TokenPublicKey(spki: key.spki) }
  }

  @Test("Trailing bytes are an error with their number")
  func trailingBytes() {
    let key = WrittenKey().spki
    #expect(throws: TokenKeyError.trailingBytes(1)) { try TokenPublicKey(spki: key + [0]) }
    #expect(throws: TokenKeyError.trailingBytes(key.count)) { try TokenPublicKey(spki: key + key) }
  }

  @Test(
    "Exponents up to BoringSSL's limit are valid",
    arguments: [[3], [17], [1, 0, 1], [1, 0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]])
  func exponents(_ exponent: [UInt8]) throws {
    let key = WrittenKey { $0.exponent = exponent }
    #expect(try TokenPublicKey(spki: key.spki).modulusByteCount == 256)
  }

  @Test("Whole bytes from 2048 to 4096 bits are valid sizes", arguments: [2048, 2056, 3072, 4088, 4096])
  func validSizes(_ bits: Int) throws {
    let key = WrittenKey { $0.modulus = WrittenKey.modulus(bits: bits) }
    #expect(try TokenPublicKey(spki: key.spki).modulusByteCount == bits / 8)
  }

  @Test(
    "Any other size is an error with the number of bits", arguments: [8, 1024, 2040, 2047, 2049, 3071, 4095, 4097, 4104, 16384])
  func invalidSizes(_ bits: Int) {
    let key = WrittenKey { $0.modulus = WrittenKey.modulus(bits: bits) }
    #expect(throws: TokenKeyError.wrongSize(bits: bits)) { try TokenPublicKey(spki: key.spki) }
  }

  @Test("The text of an error contains the invalid value")
  func sentences() {
    #expect(TokenKeyError.wrongSize(bits: 1024).detail.contains("1024 bits"))
    #expect(TokenKeyError.wrongAlgorithm(objectIdentifier: "1.2.3").detail.contains("1.2.3"))
    #expect(TokenKeyError.wrongPSSParameters(.saltLength).detail.contains("salt length is not 48"))
    #expect(TokenError.wrongBlindSignatureSize(511, expected: 512).detail.contains("511 bytes"))
    #expect(TokenError.wrongTokenSize(31).detail.contains("31 bytes; it must have 32"))
  }
}
