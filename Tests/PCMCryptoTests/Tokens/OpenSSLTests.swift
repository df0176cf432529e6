import Crypto
import OpenSSLSupport
import PCMCore
import Testing

@testable import PCMCrypto

/// The same signatures in another implementation.
@Suite struct OpenSSLTests {
  private let openssl: OpenSSLCommand
  private let token: UnlinkableToken

  init() throws {
    openssl = try OpenSSLCommand()
    token = try UnlinkableToken(bytes: Array(100..<132))
  }

  @Test("OpenSSL verifies a signature with the public key, and rejects a forged one", arguments: [2048, 3072, 4096])
  func verification(_ bits: Int) async throws {
    let signer = try TokenFixtures.signingKey(bits: bits)
    let blinded = try token.blind(with: signer.publicKey)
    let signed = try blinded.finalize(blindSignature: signer.sign(blindedMessage: blinded.blindedMessage))
    try openssl.write(spki: #require(Base64URL.decode(signer.publicKeyWire)), "public.pem")
    #expect(try await openssl.verifies(signed.signature, over: token.bytes))
    var forged = signed.signature
    forged[0] ^= 1
    #expect(try await !openssl.verifies(forged, over: token.bytes))
    #expect(try await !openssl.verifies(signed.signature, over: token.bytes.reversed()))
  }

  @Test("OpenSSL verifies the signature of a real browser's token")
  func browserToken() async throws {
    let vector = try BrowserToken.load()
    try openssl.write(spki: #require(Base64URL.decode(TokenFixtures.text("rsassa-pss-key.txt"))), "public.pem")
    #expect(try await openssl.verifies(Array(vector.signature), over: Array(vector.token)))
  }

  @Test("The raw private operation of OpenSSL creates a valid blind signature")
  func signingByOpenSSL() async throws {
    let signer = try TokenFixtures.signingKey(bits: 2048)
    let blinded = try token.blind(with: signer.publicKey)
    try openssl.write(signer.pem, "private.pem")
    try openssl.write(blinded.blindedMessage, "blinded")
    try await openssl.run("pkeyutl -decrypt -inkey private.pem -pkeyopt rsa_padding_mode:none -in blinded -out blind-signature")
    let blindSignature = try openssl.read("blind-signature")
    #expect(try signer.sign(blindedMessage: blinded.blindedMessage) == blindSignature)
    #expect(try blinded.finalize(blindSignature: blindSignature).token == token)
  }

  @Test("A signature by OpenSSL verifies only with a salt of 48 bytes", arguments: [0, 20, 32, 47, 48, 49])
  func saltLengths(_ salt: Int) async throws {
    let signer = try TokenFixtures.signingKey(bits: 2048)
    try openssl.write(signer.pem, "private.pem")
    try openssl.write(token.bytes, "message")
    try await openssl.run("dgst -sha384 -sign private.pem \(OpenSSLCommand.padding(salt: salt)) -out signature message")
    #expect(try signer.publicKey.verifies(openssl.read("signature"), over: token) == (salt == 48))
  }

  @Test("The signatures of the vectors contain their encoded messages and salts")
  func encodedMessages() async throws {
    let published = try RFCVector.load()
    let walkThrough = try WalkThrough.load()
    let walkThroughToken = try #require(Base64URL.decode(walkThrough.token))
    let walkThroughSignature = try #require(Base64URL.decode(walkThrough.secretTokenSignature))
    try await expectEncoding(
      bytes(published.encodedMsg), of: bytes(published.msg), salt: bytes(published.salt), in: bytes(published.sig),
      by: published.signingKey())
    try await expectEncoding(
      bytes(walkThrough.encodedMessageHex), of: walkThroughToken, salt: bytes(walkThrough.pssSaltHex),
      in: walkThroughSignature, by: walkThrough.signingKey())
  }

  /// The encoding that OpenSSL's raw public operation finds in a signature, and the hash of message and salt at its end
  /// (RFC 8017, section 9.1.1).
  private func expectEncoding(
    _ encoded: [UInt8], of message: [UInt8], salt: [UInt8], in signature: [UInt8], by key: TokenPrivateKey
  ) async throws {
    try openssl.write(key.pem, "private.pem")
    try openssl.write(signature, "signature")
    try await openssl.run("pkeyutl -verifyrecover -inkey private.pem -pkeyopt rsa_padding_mode:none -in signature -out encoded")
    #expect(try openssl.read("encoded") == encoded)
    #expect(salt.count == 48)
    let hash = SHA384.hash(data: [UInt8](repeating: 0, count: 8) + Array(SHA384.hash(data: message)) + salt)
    #expect(encoded.suffix(49) == Array(hash) + [0xBC])
  }

  @Test("A public key by OpenSSL in RSASSA-PSS form is valid, and its private key is an error")
  func keyMadeByOpenSSL() async throws {
    try await openssl.run(
      "genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 -pkeyopt rsa_pss_keygen_md:sha384 "
        + "-pkeyopt rsa_pss_keygen_mgf1_md:sha384 -pkeyopt rsa_pss_keygen_saltlen:48 -out private.pem")
    try await openssl.run("pkey -in private.pem -pubout -outform DER -out public.der")
    let key = try TokenPublicKey(spki: openssl.read("public.der"))
    #expect(key.form == .rsassaPSSWithNull)
    #expect(throws: TokenKeyError.notPrivateKey) { try TokenPrivateKey(pem: openssl.text("private.pem")) }
  }

  @Test("Private keys in PKCS #1 and PKCS #8 are valid, and small or encrypted ones are errors")
  func privateKeyFiles() async throws {
    let signer = try TokenFixtures.signingKey(bits: 2048)
    try openssl.write(signer.pem, "private.pem")
    try await openssl.run("rsa -in private.pem -traditional -out traditional.pem")
    let traditional = try openssl.text("traditional.pem")
    #expect(traditional.hasPrefix("-----BEGIN RSA PRIVATE KEY-----"))
    #expect(try TokenPrivateKey(pem: traditional).publicKeyWire == signer.publicKeyWire)
    try await openssl.run("rsa -in private.pem -aes128 -passout pass:secret -out encrypted.pem")
    #expect(throws: TokenKeyError.notPrivateKey) { try TokenPrivateKey(pem: openssl.text("encrypted.pem")) }
    try await openssl.run("genrsa -out small.pem 1024")
    #expect(throws: TokenKeyError.wrongSize(bits: 1024)) { try TokenPrivateKey(pem: openssl.text("small.pem")) }
    try await openssl.run("genpkey -algorithm ED25519 -out other.pem")
    #expect(throws: TokenKeyError.notPrivateKey) { try TokenPrivateKey(pem: openssl.text("other.pem")) }
  }
}
