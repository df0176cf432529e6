import PCMCore
import Testing

@testable import PCMCrypto

/// Fixed values from outside: the RFC's, a whole exchange of our own making, and a real browser's.
@Suite struct VectorTests {
  @Test("RFC 9474, appendix A.3: The blind signature and the final signature match")
  func publishedVector() throws {
    let vector = try RFCVector.load()
    let key = try vector.signingKey()
    #expect(key.publicKey.modulus == bytes(vector.n))
    #expect(try key.sign(blindedMessage: bytes(vector.blindedMsg)) == bytes(vector.blindSig))
    #expect(key.publicKey.verifies(bytes(vector.sig), overMessage: bytes(vector.msg)))
    #expect(!key.publicKey.verifies(bytes(vector.sig), overMessage: bytes(vector.msg).dropLast()))
    #expect(!key.publicKey.verifies(bytes(vector.blindSig), overMessage: bytes(vector.msg)))
    let unblinded = ModularArithmetic(modulus: bytes(vector.n)).product(bytes(vector.blindSig), bytes(vector.inv))
    #expect(unblinded == bytes(vector.sig))
  }

  @Test("Vector V5: A complete exchange with 4096 bits matches")
  func walkThrough() throws {
    let vector = try WalkThrough.load()
    let key = try vector.signingKey()
    #expect(key.publicKeyWire == vector.tokenPublicKey)
    let read = try TokenPublicKey(wire: vector.tokenPublicKey)
    #expect(read.id.text == vector.keyId)
    #expect(read.form == .rsassaPSS)
    let blinded = try #require(Base64URL.decode(vector.unlinkableTokenInRequest))
    let blindSignature = try #require(Base64URL.decode(vector.unlinkableTokenInResponse))
    #expect(try key.sign(blindedMessage: blinded) == blindSignature)
    let token = try UnlinkableToken(bytes: #require(Base64URL.decode(vector.token)))
    let signature = try #require(Base64URL.decode(vector.secretTokenSignature))
    #expect(read.verifies(signature, over: token))
    let field = ModularArithmetic(modulus: read.modulus)
    #expect(field.product(signature, bytes(vector.blindRHex)) == blindSignature)
  }

  @Test("Vector V3: A real browser's token verifies with the key of V2, unless a bit changes")
  func browserToken() throws {
    let vector = try BrowserToken.load()
    let key = try TokenPublicKey(wire: TokenFixtures.text("rsassa-pss-key.txt"))
    #expect(key.modulusByteCount == 512)
    #expect(key.form == .rsassaPSS)
    let token = try UnlinkableToken(bytes: Array(vector.token))
    var signature = Array(vector.signature)
    #expect(key.verifies(signature, over: token))
    #expect(key.verificationError(of: Array(signature.dropLast()), over: token) == .wrongSignatureSize(511, expected: 512))
    #expect(key.verificationError(of: signature + [0], over: token) == .wrongSignatureSize(513, expected: 512))
    signature[511] ^= 1
    #expect(key.verificationError(of: signature, over: token) == .signatureDoesNotVerify)
    let other = try UnlinkableToken(bytes: token.bytes.reversed())
    #expect(key.verificationError(of: Array(vector.signature), over: other) == .signatureDoesNotVerify)
  }

  @Test("Vector V4: The older form is valid and marked")
  func legacyKey() throws {
    let key = try TokenPublicKey(wire: TokenFixtures.text("rsa-encryption-key.txt"))
    #expect(key.form == .rsaEncryption)
    #expect(key.modulusByteCount == 512)
    #expect(key.id.text == "vr9c2-EVjAeHotJ625AQ5AaqUQT1XRUyIIITeo2oNFk")
  }

  @Test("Vector V1: The mock key has an identifier, but is not a valid key")
  func mockKey() {
    #expect(throws: TokenKeyError.notSubjectPublicKeyInfo) { try TokenPublicKey(wire: "ABCD") }
  }
}
