import PCMCrypto
import Testing

@Suite struct ECDSASignatureTests {
  @Test(
    "Both forms are the same signature", arguments: [[1, 2], [0x80, 0xFF], [0x7F, 0x80], [0, 1], [0xFF, 0]] as [[UInt8]])
  func forms(_ raw: [UInt8]) throws {
    let signature = try #require(ECDSASignature(raw: raw))
    #expect(signature.raw(byteCount: 1) == raw)
    #expect(signature.raw(byteCount: 3) == [0, 0, raw[0], 0, 0, raw[1]])
    #expect(try #require(ECDSASignature(der: signature.der)) == signature)
  }

  @Test("DER has a sign byte, and lengths in their shortest form")
  func written() throws {
    #expect(try #require(ECDSASignature(raw: [0x80, 1])).der == [0x30, 7, 2, 2, 0, 0x80, 2, 1, 1])
    let long = try #require(ECDSASignature(raw: [UInt8](repeating: 0x7F, count: 140)))
    #expect(long.der.prefix(5) == [0x30, 0x81, 144, 2, 70])
    #expect(try #require(ECDSASignature(der: long.der)) == long)
  }

  @Test(
    "Other bytes are no signature",
    arguments: [
      [], [0x30], [0x30, 0], [0x30, 3, 2, 1, 1], [0x30, 6, 2, 1, 1, 2, 1, 1, 0], [0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1],
      [0x30, 6, 2, 1, 0x80, 2, 1, 1], [0x30, 7, 2, 2, 0, 1, 2, 1, 1], [0x30, 0x81, 6, 2, 1, 1, 2, 1, 1],
      [0x31, 6, 2, 1, 1, 2, 1, 1],
    ] as [[UInt8]])
  func otherBytes(_ der: [UInt8]) {
    #expect(ECDSASignature(der: der) == nil)
  }

  @Test func aNumberIsNotCut() throws {
    let signature = try #require(ECDSASignature(raw: [1, 0, 1, 0]))
    #expect(signature.raw(byteCount: 1) == nil)
    #expect(ECDSASignature(raw: [1, 2, 3]) == nil)
    #expect(ECDSASignature(raw: []) == nil)
  }
}
