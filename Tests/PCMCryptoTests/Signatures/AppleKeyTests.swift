import PCMCrypto
import Testing

@Suite struct AppleKeyTests {
  @Test(arguments: AppleKey.allCases)
  func eachKeyIsReadable(_ key: AppleKey) throws {
    #expect(try key.publicKey().curve == (key == .skadnetworkP192 ? .p192 : .p256))
  }

  @Test func theProductionKeyOfBothFrameworksIsTheSame() throws {
    let keys = try AppleKey.allCases.map { try $0.publicKey().spki }
    #expect(Set(keys).count == 4)
    #expect(AppleKey.production.base64 == AppleKey.skadnetworkP256.base64)
  }
}
