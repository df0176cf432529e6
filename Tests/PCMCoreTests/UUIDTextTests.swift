import PCMCore
import Testing

@Suite struct UUIDTextTests {
  private static let text = "b7c9da2b-15c7-4f3b-9326-135f9630033d"

  @Test("Apple's example of a nonce is the UUID of Apple's documentation")
  func example() throws {
    let bytes = try #require(Base64URL.decode("t8naKxXHTzuTJhNfljADPQ"))
    #expect(UUIDText.text(bytes) == Self.text)
  }

  @Test("Only 16 bytes are a UUID", arguments: [0, 15, 17])
  func count(count: Int) {
    #expect(UUIDText.text([UInt8](repeating: 1, count: count)) == nil)
  }

  @Test(
    "Text is a UUID with its hyphens, in either case",
    arguments: [
      (text, true), (text.uppercased(), true), (text + "0", false), ("", false),
      (text.replacing("-", with: ""), false), ("-----", false),
    ])
  func validity(text: String, isValid: Bool) {
    #expect(UUIDText.isValid(text) == isValid)
  }
}
