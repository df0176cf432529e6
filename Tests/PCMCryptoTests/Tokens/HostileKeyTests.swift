import PCMCore
import Testing

@testable import PCMCrypto

/// Keys come from sites, so any bytes must result in a key or an error.
@Suite struct HostileKeyTests {
  private func goodKey() throws -> [UInt8] {
    try #require(Base64URL.decode(TokenFixtures.text("rsassa-pss-key.txt")))
  }

  private func read(_ spki: [UInt8]) -> Result<TokenPublicKey, TokenKeyError> {
    Result { () throws(TokenKeyError) in try TokenPublicKey(spki: spki) }
  }

  @Test("A truncated key is an error")
  func truncations() throws {
    let key = try goodKey()
    for count in key.indices {
      #expect(throws: TokenKeyError.notSubjectPublicKeyInfo, "\(count) bytes") {
        try TokenPublicKey(spki: Array(key[..<count]))
      }
    }
  }

  @Test("A flipped bit in the structure of a key is an error")
  func changedFrame() throws {
    let key = try goodKey()
    // All before the modulus's first byte, and the exponent's tag and length.
    for index in Array(0..<81) + [593, 594] {
      for bit in 0..<8 {
        var changed = key
        changed[index] ^= 1 << UInt8(bit)
        #expect(throws: TokenKeyError.self, "byte \(index), bit \(bit)") { try TokenPublicKey(spki: changed) }
      }
    }
  }

  @Test("Changed bytes result in an error or a key with another identifier", arguments: [1, 2, 3] as [UInt64])
  func changedBytes(_ seed: UInt64) throws {
    let key = try goodKey()
    let name = KeyID(spki: key)
    var random = SeededGenerator(state: seed)
    var taken = 0
    for _ in 0..<500 {
      var changed = key
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        changed[Int.random(in: 0..<key.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      }
      guard case .success(let read) = read(changed) else { continue }
      taken += 1
      #expect(read.id != name)
    }
    #expect((1..<500).contains(taken))
  }

  @Test("Random bytes are an error", arguments: [4, 5] as [UInt64])
  func noise(_ seed: UInt64) {
    var random = SeededGenerator(state: seed)
    for _ in 0..<500 {
      let count = Int.random(in: 0...64, using: &random)
      let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(throws: TokenKeyError.self) { try TokenPublicKey(spki: [0x30, UInt8(count)] + noise) }
    }
  }

  @Test("Deep nesting is an error")
  func nesting() {
    var nested: [UInt8] = []
    for _ in 0..<5_000 { nested = der(0x30, nested) }
    #expect(throws: TokenKeyError.notSubjectPublicKeyInfo) { try TokenPublicKey(spki: nested) }
  }

  @Test("With a modulus of small primes, blinding ends and no signature verifies")
  func smoothModulus() throws {
    let key = try TokenPublicKey(spki: WrittenKey { $0.modulus = [UInt8](repeating: 0xFF, count: 256) }.spki)
    for number in 0..<16 as Range<UInt8> {
      let token = try UnlinkableToken(bytes: [UInt8](repeating: number, count: 32))
      do throws(TokenError) {
        let blinded = try token.blind(with: key)
        _ = try blinded.finalize(blindSignature: blinded.blindedMessage)
        Issue.record("token \(number) verifies without a signature")
      } catch {
        #expect(error == .unusablePublicKey || error == .signatureDoesNotVerify)
      }
    }
  }
}

/// SplitMix64.
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
