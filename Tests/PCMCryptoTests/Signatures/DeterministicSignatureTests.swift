import PCMCrypto
import Testing

/// The vectors of RFC 6979, which Python's `ecdsa` also produces.
@Suite struct DeterministicSignatureTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let key, message, r, s: String

    var testDescription: String { message }
  }

  @Test(
    "Signatures with SHA-256 on P-192 (A.2.3) and P-256 (A.2.5)",
    arguments: [
      Vector(
        key: p192, message: "sample", r: "4B0B8CE98A92866A2820E20AA6B75B56382E0F9BFD5ECB55",
        s: "CCDB006926EA9565CBADC840829D8C384E06DE1F1E381B85"),
      Vector(
        key: p192, message: "test", r: "3A718BD8B4926C3B52EE6BBE67EF79B18CB6EB62B1AD97AE",
        s: "5662E6848A4A19B1F1AE2F72ACD4B8BBE50F1EAC65D9124F"),
      Vector(
        key: p256, message: "sample", r: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
        s: "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"),
      Vector(
        key: p256, message: "test", r: "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
        s: "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"),
    ])
  func published(_ vector: Vector) throws {
    let key = try PrivateKey(pem: vector.key)
    let signature = try key.sign(Array(vector.message.utf8))
    #expect(signature == ECDSASignature(raw: bytes(vector.r + vector.s)))
    #expect(key.publicKey.verifies(signature, over: Array(vector.message.utf8)))
  }

  @Test("The detailed example of A.1, whose first two nonces are not below the order")
  func detailedExample() {
    var generator = NonceGenerator(
      privateKey: bytes("009A4D6792295A7F730FC3F2B49CBC0F62E862272F"),
      digest: bytes("AF2BDBE1AA9B6EC1E2ADE1D694F41FC71A831D0268E9891562113D8A62ADD1BF"),
      order: bytes("04000000000000000000020108A2E0CC0D99F8A5EF"))
    #expect(generator.next() == bytes("023AF4074C90A02B3FE61D286D5C87F425E6BDD81B"))
  }

  @Test(
    "Digests at both ends of their range, compared with Python's ecdsa",
    arguments: [
      (0xFF, "27E73660BCB8ED4A4CDD247DFC1C032A378AE556D5FD68C7"), (0, "AA7A28C7D629FBFD5DE9E1C7277F41C0324D683266D56B3E"),
    ] as [(UInt8, String)])
  func extremeDigests(_ byte: UInt8, _ nonce: String) {
    var generator = NonceGenerator(
      privateKey: bytes("6FAB034934E4C0FC9AE67F5B5659A9D7D1FEFD187EE09FD4"), digest: [UInt8](repeating: byte, count: 32),
      order: bytes("FFFFFFFFFFFFFFFFFFFFFFFF99DEF836146BC9B1B4D22831"))
    #expect(generator.next() == bytes(nonce))
  }

  @Test("The same message has the same signature, and others have others", arguments: [p192, p256])
  func repetition(_ pem: String) throws {
    let key = try PrivateKey(pem: pem)
    let signatures = try (0..<20).map { try key.sign([$0]) }
    #expect(try (0..<20).map { try PrivateKey(pem: pem).sign([$0]) } == signatures)
    #expect(Set(signatures.compactMap { $0.raw(byteCount: 32)?.prefix(32) }).count == 20)
  }

  private func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  private static let p192 = """
    -----BEGIN PRIVATE KEY-----
    MG8CAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQEEVTBTAgEBBBhvqwNJNOTA/Jrmf1tW
    WanX0f79GH7gn9ShNAMyAASsLHf1KfkWif6g6l7+x/IQ2O6gueBH7VY7xyPldnC9
    SIfrxzLFIwY9CnyVe8l8HEM=
    -----END PRIVATE KEY-----
    """

  private static let p256 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
    Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
    +mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
    -----END PRIVATE KEY-----
    """
}
