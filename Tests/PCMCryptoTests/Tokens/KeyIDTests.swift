import Foundation
import PCMCore
import PCMCrypto
import Testing

/// The identifiers of token keys in the vectors of the conformance cases.
@Suite struct KeyIDTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/tokens")

  private func key(_ name: String) throws -> [UInt8] {
    let text = try String(contentsOf: Self.fixtures.appendingPathComponent(name), encoding: .utf8)
    return try #require(Base64URL.decode(text.trimmingCharacters(in: .newlines)))
  }

  @Test("Vector V1: The mock key has an identifier")
  func mockKey() throws {
    let key = try #require(Base64URL.decode("ABCD"))
    #expect(key == [0x00, 0x10, 0x83])
    #expect(KeyID(spki: key).text == "WF3Ugpz3gk9dsYZUMvr2ct4v7403lDJtD_b-e5NiCEY")
  }

  @Test(
    "Vectors V2 and V4: Keys in RSASSA-PSS and rsaEncryption form have identifiers",
    arguments: [
      ("rsassa-pss-key.txt", 598, "UE9hFnlxa1aKWQXy3osg4DvsJhEMwknYVhD8H_ySw9M"),
      ("rsa-encryption-key.txt", 550, "vr9c2-EVjAeHotJ625AQ5AaqUQT1XRUyIIITeo2oNFk"),
    ])
  func realKeys(_ file: String, _ length: Int, _ name: String) throws {
    let key = try key(file)
    #expect(key.count == length)
    #expect(KeyID(spki: key).text == name)
  }
}
