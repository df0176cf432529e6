import PCMCore
import PCMCrypto
import PCMEndpoint
import Testing

/// Signing requests and nonces.
@Suite struct SignTests {
  private static let blinded = [UInt8](repeating: 1, count: 256)

  private func signError(_ endpoint: ReportEndpoint, _ body: String) async -> RequestError.Code? {
    do {
      _ = try await endpoint.sign(ReceiverFixture.request(.sign, body))
      return nil
    } catch {
      return error.code
    }
  }

  @Test(arguments: Recipient.allCases)
  func aTokenIsSignedOnceForItsNonce(_ recipient: Recipient) async throws {
    let endpoint = try ReceiverFixture.endpoint()
    #expect(try await endpoint.register([ReceiverFixture.nonce]) == [ReceiverFixture.nonce])
    let key = try TokenPublicKey(wire: await endpoint.publicKey(ReceiverFixture.request(.key, "")))
    let blinded = try UnlinkableToken(bytes: [UInt8](repeating: 3, count: 32)).blind(with: key)
    let body = ReceiverFixture.signRequest(blinded.blindedMessage, recipient: recipient)
    let signature = try #require(Base64URL.decode(try await endpoint.sign(ReceiverFixture.request(.sign, body))))
    #expect(try key.verifies(blinded.finalize(blindSignature: signature).signature, over: blinded.token))
    #expect(await signError(endpoint, body) == .nonceUsed)
    #expect(try await endpoint.register([ReceiverFixture.nonce]).isEmpty)
    #expect(await signError(endpoint, body) == .nonceUsed)
  }

  @Test(arguments: [
    ("{}", RequestError.Code.wrongMembers), ("[1]", .notAnObject), (#"{"version":3}"#, .wrongMembers),
    (ReceiverFixture.signRequest(blinded).replacing("{", with: #"{"extra":1,"#), .wrongMembers),
    (ReceiverFixture.signRequest(blinded).replacing("source_nonce", with: "destination_nonce"), .wrongMembers),
    (ReceiverFixture.signRequest(blinded).replacing("click", with: "view"), .memberWrong),
    (ReceiverFixture.signRequest(blinded).replacing(":3}", with: ":2}"), .memberWrong),
    (ReceiverFixture.signRequest(blinded, nonce: "short"), .nonceInvalid),
    (ReceiverFixture.signRequest(blinded, nonce: "ABCDEFabcdef01234567+9"), .nonceInvalid),
    (ReceiverFixture.signRequest(blinded, nonce: "ZZZZZZabcdef0123456789"), .nonceUnknown),
    (ReceiverFixture.signRequest(blinded).replacing("AQEB", with: "+QEB"), .blindedTokenInvalid),
    (ReceiverFixture.signRequest([UInt8](repeating: 1, count: 255)), .blindedTokenWrongSize),
    (ReceiverFixture.signRequest([UInt8](repeating: 255, count: 256)), .blindedTokenNotBelowModulus),
  ])
  func anInvalidRequestIsRejectedAndConsumesNoNonce(_ body: String, _ code: RequestError.Code) async throws {
    let endpoint = try ReceiverFixture.endpoint()
    _ = try await endpoint.register([ReceiverFixture.nonce])
    #expect(await signError(endpoint, body) == code)
    #expect(await signError(endpoint, ReceiverFixture.signRequest(Self.blinded)) == nil)
  }

  @Test func anInvalidNonceRegistersNone() async throws {
    let endpoint = try ReceiverFixture.endpoint()
    await #expect(throws: RequestError.self) { () async throws in
      _ = try await endpoint.register([ReceiverFixture.nonce, "bad"])
    }
    #expect(await signError(endpoint, ReceiverFixture.signRequest(Self.blinded)) == .nonceUnknown)
  }

  @Test func theOldestNoncesAreRemoved() throws {
    var book = NonceBook()
    func text(_ number: Int) -> String {
      Base64URL.encode([UInt8](repeating: 0, count: 13) + [0, 8, 16].map { UInt8(number >> $0 & 255) })
    }
    for number in 0...NonceBook.capacity { #expect(try book.register(text(number))) }
    #expect(try book.register(text(0)))
    #expect(try !book.register(text(NonceBook.capacity)))
  }

  @Test(arguments: [2_048, 3_072])
  func aWrongKeyDiffersOnlyInItsModulus(_ bits: Int) async throws {
    let endpoint = try ReceiverFixture.endpoint(KeyRing(common: KeySeries(current: ReceiverFixture.key(bits: bits))))
    let right = try TokenPublicKey(wire: await endpoint.publicKey(ReceiverFixture.request(.key, "")))
    let wrong = try TokenPublicKey(
      wire: await endpoint.publicKey(ReceiverFixture.request(.key, ""), fault: InjectedFault(.wrongKey)))
    #expect(right.id != wrong.id)
    #expect(right.modulusByteCount == wrong.modulusByteCount)
    // Of a modulus that 3 divides, every third blinding fails, so that another fault than the ordered one would happen.
    for byte in 0..<UInt8(20) { _ = try UnlinkableToken(bytes: [UInt8](repeating: byte, count: 32)).blind(with: wrong) }
  }

  @Test(arguments: [InjectedFault.Kind.forgedSignature, .shortSignature])
  func aForgedSignatureIsRejectedByTheClient(_ kind: InjectedFault.Kind) async throws {
    let endpoint = try ReceiverFixture.endpoint()
    _ = try await endpoint.register([ReceiverFixture.nonce])
    let key = try ReceiverFixture.key(bits: 2_048).publicKey
    let blinded = try UnlinkableToken(bytes: [UInt8](repeating: 3, count: 32)).blind(with: key)
    let received = ReceiverFixture.request(.sign, ReceiverFixture.signRequest(blinded.blindedMessage))
    let signature = try #require(Base64URL.decode(try await endpoint.sign(received, fault: InjectedFault(kind))))
    #expect(signature.count == (kind == .shortSignature ? 255 : 256))
    #expect(throws: TokenError.self) { try blinded.finalize(blindSignature: signature) }
  }
}
