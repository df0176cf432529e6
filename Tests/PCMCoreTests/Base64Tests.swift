import PCMCore
import Testing

@Suite struct Base64URLTests {
  @Test(
    arguments: [("", []), ("Zg", [0x66]), ("Zm8", [0x66, 0x6F]), ("Zm9v", [0x66, 0x6F, 0x6F]), ("-_-_", [0xFB, 0xFF, 0xBF])]
      as [(String, [UInt8])])
  func base64URLIsWrittenWithoutPaddingAndReadBack(_ text: String, _ bytes: [UInt8]) {
    #expect(Base64URL.encode(bytes) == text)
    #expect(Base64URL.decode(text) == bytes)
  }

  @Test(arguments: [
    ("Zg==", true), ("Zm8=", true), ("Zg=", false), ("Zm9v=", false), ("Z", false), ("Zm+v", false), ("Zm/v", false),
    ("Zm 9", false), ("====", false), ("é", false),
  ])
  func paddingIsOptionalAndBase64IsInvalid(_ text: String, _ isRead: Bool) {
    #expect((Base64URL.decode(text) != nil) == isRead)
  }
}

@Suite struct Base64Tests {
  @Test(
    arguments: [
      ("", []), ("Zg==", [0x66]), ("Zm8=", [0x66, 0x6F]), ("Zm9v", [0x66, 0x6F, 0x6F]), ("+/+/", [0xFB, 0xFF, 0xBF]),
    ] as [(String, [UInt8])])
  func base64IsWrittenWithPaddingAndReadBack(_ text: String, _ bytes: [UInt8]) {
    #expect(Base64.encode(bytes) == text)
    #expect(Base64.decode(text) == bytes)
  }

  @Test(
    "Base64 has one text for some bytes",
    arguments: ["Zg", "Zg=", "Zm8", "Zh==", "Zm9=", "Z===", "====", "-_-_", "Zm9v\n", "Zm 9v", "Zg==Zg=="])
  func otherText(_ text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test("Base64url without padding has one text for some bytes", arguments: ["Zg==", "Zh", "Zm9", "Z", "+/+/", "Zm9v\n", "é"])
  func unpadded(_ text: String) {
    #expect(Base64URL.decodeUnpadded(text) == nil)
  }

  @Test("Each number of bytes is read back from all three forms", arguments: 0...64)
  func lengths(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 251) }
    #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
    #expect(Base64URL.decodeUnpadded(Base64URL.encode(bytes)) == bytes)
  }
}
