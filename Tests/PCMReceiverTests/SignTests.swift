import PCMReceiver
import PCMTokens
import Testing

/// Who gets a signature, and how often.
@Suite struct SignTests {
  private static let blinded = [UInt8](repeating: 1, count: 256)

  private func refusal(_ endpoint: ReportEndpoint, _ body: String) async -> Refusal.Code? {
    do {
      _ = try await endpoint.sign(Party.arrival(.sign, body))
      return nil
    } catch {
      return error.code
    }
  }

  @Test(arguments: TokenSide.allCases)
  func aTokenIsSignedOnceForItsNonce(_ side: TokenSide) async throws {
    let endpoint = try Party.endpoint()
    #expect(try await endpoint.register([Party.nonce]) == [Party.nonce])
    let key = try TokenPublicKey(wire: await endpoint.publicKey(Party.arrival(.key, "")))
    let blinded = try UnlinkableToken(bytes: [UInt8](repeating: 3, count: 32)).blind(with: key)
    let body = Party.signRequest(blinded.blindedMessage, side: side)
    let signature = try #require(Base64URL.decode(try await endpoint.sign(Party.arrival(.sign, body))))
    #expect(try key.verifies(blinded.finalise(blindSignature: signature).signature, over: blinded.token))
    #expect(await refusal(endpoint, body) == .nonceUsed)
    #expect(try await endpoint.register([Party.nonce]).isEmpty)
    #expect(await refusal(endpoint, body) == .nonceUsed)
  }

  @Test(arguments: [
    ("{}", Refusal.Code.wrongMembers), ("[1]", .notAnObject), (#"{"version":3}"#, .wrongMembers),
    (Party.signRequest(blinded).replacing("{", with: #"{"extra":1,"#), .wrongMembers),
    (Party.signRequest(blinded).replacing("source_nonce", with: "destination_nonce"), .wrongMembers),
    (Party.signRequest(blinded).replacing("click", with: "view"), .memberWrong),
    (Party.signRequest(blinded).replacing(":3}", with: ":2}"), .memberWrong),
    (Party.signRequest(blinded, nonce: "short"), .nonceInvalid),
    (Party.signRequest(blinded, nonce: "ABCDEFabcdef01234567+9"), .nonceInvalid),
    (Party.signRequest(blinded, nonce: "ZZZZZZabcdef0123456789"), .nonceUnknown),
    (Party.signRequest(blinded).replacing("AQEB", with: "+QEB"), .blindedTokenInvalid),
    (Party.signRequest([UInt8](repeating: 1, count: 255)), .blindedTokenWrongSize),
    (Party.signRequest([UInt8](repeating: 255, count: 256)), .blindedTokenNotBelowModulus),
  ])
  func aWrongRequestIsRefusedAndUsesNothingUp(_ body: String, _ code: Refusal.Code) async throws {
    let endpoint = try Party.endpoint()
    _ = try await endpoint.register([Party.nonce])
    #expect(await refusal(endpoint, body) == code)
    #expect(await refusal(endpoint, Party.signRequest(Self.blinded)) == nil)
  }

  @Test func oneBadNonceRegistersNone() async throws {
    let endpoint = try Party.endpoint()
    await #expect(throws: Refusal.self) { () async throws in _ = try await endpoint.register([Party.nonce, "bad"]) }
    #expect(await refusal(endpoint, Party.signRequest(Self.blinded)) == .nonceUnknown)
  }

  @Test func theOldestNoncesMakeRoom() throws {
    var book = NonceBook()
    func text(_ number: Int) -> String {
      Base64URL.encode([UInt8](repeating: 0, count: 13) + [0, 8, 16].map { UInt8(number >> $0 & 255) })
    }
    for number in 0...NonceBook.capacity { #expect(try book.register(text(number))) }
    #expect(try book.register(text(0)))
    #expect(try !book.register(text(NonceBook.capacity)))
  }

  @Test(arguments: [2_048, 3_072])
  func ofAWrongKeyNothingButTheKeyDiffers(_ bits: Int) async throws {
    let endpoint = try Party.endpoint(KeyRing(common: KeySeries(current: Party.key(bits: bits))))
    let right = try TokenPublicKey(wire: await endpoint.publicKey(Party.arrival(.key, "")))
    let wrong = try TokenPublicKey(wire: await endpoint.publicKey(Party.arrival(.key, ""), fault: Fault(.wrongKey)))
    #expect(right.id != wrong.id)
    #expect(right.modulusByteCount == wrong.modulusByteCount)
    // Of a modulus that 3 divides, every third blinding fails, so that another fault than the ordered one would happen.
    for byte in 0..<UInt8(20) { _ = try UnlinkableToken(bytes: [UInt8](repeating: byte, count: 32)).blind(with: wrong) }
  }

  @Test(arguments: [Fault.Kind.forgedSignature, .shortSignature])
  func aForgedSignatureIsNoneToTheClient(_ kind: Fault.Kind) async throws {
    let endpoint = try Party.endpoint()
    _ = try await endpoint.register([Party.nonce])
    let key = try Party.key(bits: 2_048).publicKey
    let blinded = try UnlinkableToken(bytes: [UInt8](repeating: 3, count: 32)).blind(with: key)
    let arrival = Party.arrival(.sign, Party.signRequest(blinded.blindedMessage))
    let signature = try #require(Base64URL.decode(try await endpoint.sign(arrival, fault: Fault(kind))))
    #expect(signature.count == (kind == .shortSignature ? 255 : 256))
    #expect(throws: TokenRefusal.self) { try blinded.finalise(blindSignature: signature) }
  }
}
