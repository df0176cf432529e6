import Testing

@testable import PCMCrypto

@Suite struct BlindingTests {
  private let token: UnlinkableToken

  init() throws {
    token = try UnlinkableToken(bytes: Array(0..<32))
  }

  @Test("A token is blinded, signed, unblinded, and verified", arguments: [2048, 3072, 4096])
  func roundTrip(_ bits: Int) throws {
    let signer = try TokenFixtures.signingKey(bits: bits)
    let key = try TokenPublicKey(wire: signer.publicKeyWire)
    let blinded = try token.blind(with: key)
    #expect(blinded.blindedMessage.count == bits / 8)
    let blindSignature = try signer.sign(blindedMessage: blinded.blindedMessage)
    let signed = try blinded.finalize(blindSignature: blindSignature)
    #expect(signed.token == token)
    #expect(signed.keyID == key.id)
    #expect(signed.signature.count == bits / 8)
    #expect(signed.signature != blindSignature)
    #expect(key.verifies(signed.signature, over: token))
  }

  @Test("Blinding a token twice produces different messages")
  func unlinkable() throws {
    let key = try TokenFixtures.signingKey(bits: 2048).publicKey
    #expect(try token.blind(with: key).blindedMessage != token.blind(with: key).blindedMessage)
  }

  @Test("A token signed with the older form of a key verifies with the newer form")
  func formsOfOneKey() throws {
    let signer = try TokenFixtures.signingKey(bits: 2048)
    let legacy = try TokenPublicKey(
      spki: WrittenKey {
        $0.algorithm = WrittenKey.rsaEncryption
        $0.parameters = WrittenKey.null
        $0.modulus = signer.publicKey.modulus
      }.spki)
    #expect(legacy.id != signer.publicKey.id)
    let blinded = try token.blind(with: legacy)
    let signed = try blinded.finalize(blindSignature: signer.sign(blindedMessage: blinded.blindedMessage))
    #expect(signed.keyID == legacy.id)
    #expect(signer.publicKey.verifies(signed.signature, over: token))
  }

  @Test("Case 113: A blind signature with a flipped bit, of another token, or of the wrong size is an error")
  func forgedBlindSignatures() throws {
    let signer = try TokenFixtures.signingKey(bits: 2048)
    let blinded = try token.blind(with: signer.publicKey)
    let good = try signer.sign(blindedMessage: blinded.blindedMessage)
    var flipped = good
    flipped[100] ^= 0x10
    let ofAnother = try signer.sign(blindedMessage: token.blind(with: signer.publicKey).blindedMessage)
    for forged in [flipped, ofAnother, blinded.blindedMessage, [UInt8](repeating: 0, count: 256)] {
      #expect(throws: TokenError.signatureDoesNotVerify) { try blinded.finalize(blindSignature: forged) }
    }
    for wrong in [[], Array(good.dropLast()), [0] + good] {
      #expect(throws: TokenError.wrongBlindSignatureSize(wrong.count, expected: 256)) {
        try blinded.finalize(blindSignature: wrong)
      }
    }
    #expect(try blinded.finalize(blindSignature: good).token == token)
  }

  @Test("A signature verifies only with its key, and a key of another size is a separate error")
  func otherKeys() throws {
    let signer = try TokenFixtures.signingKey(bits: 2048)
    let blinded = try token.blind(with: signer.publicKey)
    let signed = try blinded.finalize(blindSignature: signer.sign(blindedMessage: blinded.blindedMessage))
    let other = try TokenPublicKey(spki: WrittenKey().spki)
    #expect(other.verificationError(of: signed.signature, over: token) == .signatureDoesNotVerify)
    let larger = try TokenFixtures.signingKey(bits: 3072).publicKey
    #expect(larger.verificationError(of: signed.signature, over: token) == .wrongSignatureSize(256, expected: 384))
  }

  @Test("A token has 32 bytes", arguments: [0, 31, 33])
  func tokenSizes(_ count: Int) {
    #expect(throws: TokenError.wrongTokenSize(count)) { try UnlinkableToken(bytes: [UInt8](repeating: 1, count: count)) }
  }
}
