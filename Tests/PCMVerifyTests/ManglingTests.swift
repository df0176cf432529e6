import PCMCore
import PCMCrypto
import PCMVerify
import SignatureSupport
import Testing

/// Damage to items in transport: the verdict is invalid, and the fix says that the signature verifies without the change.
@Suite struct ManglingTests {
  private typealias Mangling = (name: String, change: @Sendable (String) -> String)

  private static let percent: @Sendable (String) -> String = { PercentEncoding.component.encode($0) }

  /// Changes of the Base64 text of a signature.
  private static let signatures: [Mangling] = [
    ("form", { $0.replacing("+", with: " ") }), ("percent", percent),
    ("Base64URL", { $0.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "") }),
    ("Base64URL with padding", { $0.replacing("+", with: "-").replacing("/", with: "_") }),
    ("no padding", { $0.replacing("=", with: "") }), ("line break", { "\($0.prefix(40))\n\($0.dropFirst(40))" }),
    ("CR and LF", { "\($0.prefix(64))\r\n\($0.dropFirst(64))\r\n" }), ("newline", { $0 + "\n" }), ("quoted", { "\"\($0)\"" }),
    ("escaped", { $0.replacing("/", with: "\\/") + "\\n" }), ("twice", { Base64.encode(Array($0.utf8)) }),
    ("byte order mark", { "\u{FEFF}" + $0 }), ("zero-width space", { "\($0.prefix(40))\u{200B}\($0.dropFirst(40))" }),
    ("Base64URL and percent", { percent($0.replacing("+", with: "-").replacing("/", with: "_")) }),
  ]

  /// Changes of the text of a whole item.
  private static let items: [Mangling] = [
    ("percent", percent), ("string", { JSON.string($0).text }),
    ("escaped", { String(JSON.string($0).text.dropFirst().dropLast()) }), ("Base64", { Base64.encode(Array($0.utf8)) }),
    ("Base64URL", { Base64URL.encode(Array($0.utf8)) }), ("quoted", { "'\($0)'" }), ("text before", { "POST body: \($0)" }),
    ("text after", { $0 + "\n-- \nend" }), ("HTTP", { "POST /postback HTTP/1.1\r\nContent-Length: 1\r\n\r\n\($0)" }),
    ("form", { "payload=" + percent($0) }), ("two encodings", { percent(Base64.encode(Array($0.utf8))) }),
  ]

  private static let postback = "vectors/postback-v4.0-a.json"

  private func expectFix(_ verdict: SignatureVerdict, _ name: String) {
    #expect(verdict.outcome == .invalid, "\(name)")
    #expect(verdict.fix?.contains("the signature verifies") == true, "\(name): \(verdict.fix ?? "no fix") \(verdict.faults)")
  }

  @Test("A changed signature of a postback", arguments: signatures.indices)
  func signature(_ index: Int) throws {
    let members = try #require(JSON(parsing: DeviceFixtures.bytes(Self.postback))).members
    let text = members.first { $0.name == "attribution-signature" }?.value.string ?? ""
    let changed = Self.signatures[index].change(text)
    #expect(changed != text)
    let item = JSON.object(members.setting("attribution-signature", .string(changed)))
    expectFix(try SignatureVerifier(.apple).verdict(on: item.bytes), Self.signatures[index].name)
    // Together with a wrong type.
    let both = JSON.object(members.setting("attribution-signature", .string(changed)).setting("app-id", "525463029"))
    let fix = try SignatureVerifier(.apple).verdict(on: both.bytes).fix ?? ""
    #expect(fix.contains("app-id is a string") && fix.contains("corrected, the signature verifies"), "\(fix)")
  }

  @Test("A changed postback", arguments: items.indices)
  func item(_ index: Int) throws {
    let text = try DeviceFixtures.text(Self.postback).replacing("\n", with: "")
    expectFix(try SignatureVerifier(.apple).verdict(on: Array(Self.items[index].change(text).utf8)), Self.items[index].name)
  }

  @Test("White space around an item changes nothing, whatever else was changed", arguments: items.indices)
  func whiteSpaceAroundAnItem(_ index: Int) throws {
    for file in [Self.postback, "vectors/aak-postback.jws"] {
      let text = Self.items[index].change(try DeviceFixtures.text(file).replacing("\n", with: ""))
      try expectSameVerdict(Array(text.utf8), "\(Self.items[index].name), \(file)")
    }
  }

  @Test("White space around an item in UTF-16 changes nothing", arguments: [true, false])
  func whiteSpaceAroundUTF16(isLittle: Bool) throws {
    for end in ["", "\n"] {
      try expectSameVerdict(
        Self.utf16(try DeviceFixtures.text(Self.postback) + end, isLittle: isLittle), "\(end.debugDescription)")
    }
  }

  private func expectSameVerdict(_ bytes: [UInt8], _ name: String) throws {
    let verifier = try SignatureVerifier(.apple)
    let verdict = verifier.verdict(on: bytes)
    #expect(verdict.framework != nil, "\(name)")
    #expect(verifier.verdict(on: [0x20, 0x0A] + bytes + [0x0A]) == verdict, "\(name)")
  }

  private static func utf16(_ text: String, isLittle: Bool) -> [UInt8] {
    text.utf16.flatMap { isLittle ? [UInt8($0 & 0xFF), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }

  @Test("A postback in UTF-16", arguments: [true, false])
  func utf16(isLittle: Bool) throws {
    let bytes = Self.utf16(try DeviceFixtures.text(Self.postback), isLittle: isLittle)
    expectFix(try SignatureVerifier(.apple).verdict(on: bytes), "UTF-16")
    expectFix(
      try SignatureVerifier(.apple).verdict(on: (isLittle ? [0xFF, 0xFE] : [0xFE, 0xFF]) + bytes), "UTF-16 with a mark")
  }

  @Test("The members of a postback as a form")
  func form() throws {
    let members = try #require(JSON(parsing: DeviceFixtures.bytes(Self.postback))).members
    let query = members.map { "\($0.name)=\(Self.percent($0.value.string ?? $0.value.text))" }.joined(separator: "&")
    expectFix(try SignatureVerifier(.apple).verdict(on: Array(query.utf8)), "form")
  }

  @Test("A changed JSON Web Signature, alone and in its postback")
  func jws() throws {
    let jws = try DeviceFixtures.text("vectors/aak-postback.jws").trimmingNewlines
    let manglings: [Mangling] = [
      ("quoted", { "\"\($0)\"" }), ("wrapped", { "\($0.prefix(70))\n\($0.dropFirst(70))\n" }), ("bearer", { "Bearer \($0)" }),
      ("comma", { "\"\($0)\"," }), ("spaces", { $0.replacing(".", with: " . ") }),
      ("Base64", { $0.replacing("-", with: "+").replacing("_", with: "/") + "==" }),
      ("percent", { $0.replacing(".", with: "%2E") }),
      ("DER", { Self.withDER($0) }), ("byte order mark", { "\u{FEFF}" + $0 }),
    ]
    for (name, change) in manglings {
      let changed = change(jws)
      #expect(changed != jws)
      expectFix(try SignatureVerifier(.apple).verdict(on: Array(changed.utf8)), name)
      expectFix(
        try SignatureVerifier(.apple).verdict(on: (["jws-string": .string(changed)] as JSON).bytes), "\(name) in a postback")
    }
    expectFix(try SignatureVerifier(.apple).verdict(on: (["jws_string": .string(jws)] as JSON).bytes), "jws_string")
  }

  private static func withDER(_ jws: String) -> String {
    let parts = jws.split(separator: ".").map(String.init)
    let der = ECDSASignature(raw: Base64URL.decode(parts[2]) ?? [])?.der ?? []
    return [parts[0], parts[1], Base64URL.encode(der)].joined(separator: ".")
  }

  /// Made with OpenSSL (`openssl dgst -sha512 -sign`) over the text of `cases/i-newline.json` without the newline.
  private static let otherHashes = [
    ("SHA-512", "MEQCIHLgM7rXBeHfGIP0DQhqssQTj4XvI5yYwuP2Nh8ZZllgAiB0dYlEWt4wr+zNB/H4D1OnVSo6kzYg2cc8ftxT9E6lEA=="),
    ("SHA-384", "MEYCIQCZRE79BCDZO++5LV6OH2Z3diu8QsQKMTEF3Cj7f8NvLwIhAJ/CvYtc5uCtobCn6dANu0nsJFF/7ojciyXOwoMRHNs0"),
    ("SHA-1", "MEQCICbr0tgL7cIBym5lpSP83S9ZNZaOYVNGGE0bwCkvzoTUAiBNZ/Wiu2GryyOSx6lqd6CzpNr+/34bC5czUAnS9DsarA=="),
  ]

  @Test("A text that is signed with another hash function is found", arguments: otherHashes)
  func otherHash(_ name: String, _ signature: String) throws {
    let members = try #require(JSON(parsing: DeviceFixtures.bytes("cases/i-newline.json"))).members
    let item = JSON.object(members.setting("signature", .string(signature)))
    let verdict = try SignatureVerifier(.test).verdict(on: item.bytes)
    #expect(verdict.fix == "The text is signed with \(name). Sign it with ECDSA and SHA-256.")
  }

  @Test(
    "Other texts are named",
    arguments: [
      ("<html></html>", "XML or HTML"), ("\u{1F}\u{8B}", "line 1"),
      (#"{"postback-identifier":"a","did-win":true}"#, "the payload of a JSON Web Signature without its signature"),
    ])
  func otherTexts(_ text: String, _ part: String) throws {
    let detail = try SignatureVerifier(.apple).verdict(on: Array(text.utf8)).faults.first?.detail ?? ""
    #expect(detail.contains(part), "\(detail)")
    #expect(try SignatureVerifier(.apple).verdict(on: [0x1F, 0x8B, 8, 0]).faults.first?.detail.contains("gzip") == true)
  }

  @Test("An unsigned member that is empty or null is omitted", arguments: ["", .null] as [JSON])
  func emptyMember(_ value: JSON) throws {
    let members = try #require(JSON(parsing: DeviceFixtures.bytes(Self.postback))).members
    expectFix(
      try SignatureVerifier(.apple).verdict(on: JSON.object(members.setting("conversion-value", value)).bytes), value.text)
  }

  @Test("Names in other spellings", arguments: ["_", "", " "])
  func names(_ separator: String) throws {
    let members = try #require(JSON(parsing: DeviceFixtures.bytes(Self.postback))).members
    let renamed = members.map { member in
      let words = member.name.split(separator: "-").map(String.init)
      let camel = words.enumerated().map {
        $0.offset == 0 ? $0.element : $0.element.prefix(1).uppercased() + $0.element.dropFirst()
      }
      return JSON.Member(separator.isEmpty ? camel.joined() : words.joined(separator: separator), member.value)
    }
    expectFix(try SignatureVerifier(.apple).verdict(on: JSON.object(renamed).bytes), "names with \(separator)")
  }

  /// Flaws of JSON, with the beginning of the finding.
  private static let flaws: [(String, String)] = [
    ("{\n \"a\": 1\n \"b\": 2}", "line 3, column 2: a comma is missing before this, at the end of line 2."),
    ("{\"a\": 1,}", "line 1, column 8: the comma before } is one too many."),
    ("{\"a\" 1}", "line 1, column 6: a colon is missing after the name."),
    ("{\"a\": }", "line 1, column 7: a value is missing before }."),
    ("{a: 1}", "line 1, column 2: the name a needs quotation marks."),
    ("{\"a\": x}", "line 1, column 7: x needs quotation marks"),
    ("{\"a\": True}", "line 1, column 7: True is not a word of JSON; write true."),
    ("{\"ä\": 'x'}", "line 1, column 7: ' is not a quotation mark"),
    ("{\"a\": [1, 2}", "line 1, column 12: ] is missing before }."),
    ("{\"a\": \"x}", "line 1, column 7: it ends too early; the string"),
    ("{\"a\": 1", "line 1, column 8: it ends too early; } is missing."),
    ("{\"a\": 042}", "line 1, column 7: 042 is not a number of JSON."),
    ("{\"a\": 1} x", "line 1, column 10: text follows after the end of the JSON."),
    ("{// a\n\"a\": 1}", "line 1, column 2: JSON has no comments."),
    ("{\"a\": \"\\x\"}", "line 1, column 7: the string \"\\x\" has an escape"),
  ]

  @Test("Malformed JSON has the line, the column, and the missing character", arguments: flaws.indices)
  func malformed(_ index: Int) throws {
    let (text, finding) = Self.flaws[index]
    let detail = try SignatureVerifier(.apple).verdict(on: Array(text.utf8)).faults.first?.detail ?? ""
    #expect(detail.hasPrefix("The item is not JSON: \(finding)"), "\(text): \(detail)")
  }
}

extension String {
  fileprivate var trimmingNewlines: String { String(filter { $0 != "\n" }) }
}
