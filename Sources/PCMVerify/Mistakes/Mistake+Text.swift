internal import Crypto
internal import PCMCore
internal import PCMCrypto

/// The mistakes with a whole text: its bytes, its separators, and the order of its values.
extension Mistake {
  /// The changes that programs make to a text before they sign it.
  static let bytes: [Mistake] = frames + digests + encodings

  private static let exact = "Sign the bytes of the text without anything before or after them; use `printf` or `echo -n`."
  private static let once = "Pass the text to ECDSA with SHA-256, which hashes it once."
  private static let utf8 = "Sign the bytes of the text in UTF-8."

  private static let frames: [Mistake] = [
    .bytes("The signed text ends with a newline.", exact, isFrequent: true) { $0 + [0x0A] },
    .bytes("The signed text ends with CR and LF.", exact) { $0 + [0x0D, 0x0A] },
    .bytes("The signed text ends with a space.", exact) { $0 + [0x20] },
    .bytes("The signed text ends with a zero byte.", exact) { $0 + [0] },
    .bytes("The signed text is in quotation marks.", exact) { Array("\"".utf8) + $0 + Array("\"".utf8) },
    .bytes("The signed text begins with a byte order mark.", exact) { [0xEF, 0xBB, 0xBF] + $0 },
  ]

  private static let digests: [Mistake] = [
    .bytes("The text is hashed twice: its SHA-256 digest was signed with SHA-256 again.", once, digest),
    .bytes("The hexadecimal digest of the text is signed.", once) { Array(Hexadecimal.text(digest($0)).utf8) },
    .bytes("The hexadecimal digest of the text is signed.", once) { Array(Hexadecimal.text(digest($0)).uppercased().utf8) },
    .bytes("The Base64 digest of the text is signed.", once) { Array(Base64.encode(digest($0)).utf8) },
    .bytes("The Base64 form of the text is signed.", once) { Array(Base64.encode($0).utf8) },
    .bytes("The hexadecimal form of the text is signed.", once) { Array(Hexadecimal.text($0).utf8) },
  ]

  private static let encodings: [Mistake] = [
    .bytes("The text is signed in UTF-16.", utf8) { utf16($0, isLittle: true) },
    .bytes("The text is signed in UTF-16 with a byte order mark.", utf8) { [0xFF, 0xFE] + utf16($0, isLittle: true) },
    .bytes("The text is signed in UTF-16, big-endian.", utf8) { utf16($0, isLittle: false) },
    .bytes("The text is signed in UTF-16 with a byte order mark.", utf8) { [0xFE, 0xFF] + utf16($0, isLittle: false) },
    // The UTF-8 text was decoded as Latin-1 and encoded again.
    .bytes("The text is encoded in UTF-8 twice.", utf8) { bytes in
      Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
    },
  ]

  @Sendable private static func digest(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

  private static func utf16(_ bytes: [UInt8], isLittle: Bool) -> [UInt8] {
    String(decoding: bytes, as: UTF8.self).utf16.flatMap { unit in
      let (low, high) = (UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8))
      return isLittle ? [low, high] : [high, low]
    }
  }

  /// Other separators, the most likely first, and a separator before or after the values.
  static let separators: [Mistake] = {
    let visible = ["|", ","].map { separator($0, "the separator \($0)", isFrequent: true) }
    let invisible = [
      0x200B, 0x200C, 0x200D, 0x2060, 0x2061, 0x2062, 0x2064, 0x2065, 0xFEFF, 0xAD, 0xA0, 0x200E, 0x200F, 0x2028, 0x1F, 0,
      0xFFFD,
    ].compactMap(Unicode.Scalar.init).map { scalar in
      separator(String(Character(scalar)), scalar.codePoint, isFrequent: scalar.value == 0x200B || scalar.value == 0x200D)
    }
    let others = [
      "\\u2063", "\\u{2063}", "-", ":", ";", ".", "_", "&", "+", "&#8291;", "&#x2063;", "%E2%81%A3", "?", "U+2063",
    ].map { separator($0, "the separator \($0)") }
    let spaces = [("", "no separator"), (" ", "spaces"), ("\n", "line breaks"), ("\t", "tabs"), (", ", "a comma and a space")]
    return visible + spaces.map { separator($0, $1) } + invisible + others + [
      Mistake(.separator, "The signed text has a separator at its end.", join) { form in
        form.values = form.values.dropLast() + form.values.suffix(1).map { ($0.member, $0.text + form.separator) }
      },
      Mistake(.separator, "The signed text has a separator at its beginning.", join) { form in
        form.values = form.values.prefix(1).map { ($0.member, form.separator + $0.text) } + form.values.dropFirst()
      },
    ]
  }()

  private static let join = "Join the values with U+2063, in UTF-8 the bytes E2 81 A3."

  private static func separator(_ text: String, _ name: String, isFrequent: Bool = false) -> Mistake {
    Mistake(.separator, "The values are signed with \(name).", join, isFrequent: isFrequent) { $0.separator = text }
  }

  /// The values with a moved value, with two exchanged values, and in reverse order.
  static func orders(_ form: SignedForm) -> [Mistake] {
    let shown = form.values.map(\.text).joined(separator: "|").asShown(upTo: 300)
    func order(_ change: @escaping @Sendable (inout SignedForm) -> Void) -> Mistake {
      Mistake(.values, "The values are signed in another order.", "Sign the values in this order: \(shown)", change)
    }
    let indices = form.values.indices
    return indices.flatMap { from in
      indices.flatMap { to in
        [order { $0.values.insert($0.values.remove(at: from), at: to) }, order { $0.values.swapAt(from, to) }]
      }
    } + [order { $0.values.reverse() }]
  }

  /// The values without one value, and without two adjacent values.
  static func omissions(_ form: SignedForm) -> [Mistake] {
    let shown = form.values.map(\.text).joined(separator: "|").asShown(upTo: 300)
    return [1, 2].flatMap { count in
      form.values.indices.dropLast(count - 1).map { index in
        let omitted = form.values[index..<index + count].map(\.member.title).joined(separator: " and ")
        return Mistake(
          .values, "\(omitted.capitalizedFirst) \(count == 1 ? "is" : "are") not part of the signed text.",
          "Sign all values: \(shown)"
        ) { $0.values.removeSubrange(index..<index + count) }
      }
    }
  }

  /// The JSON of an object, which some programs sign instead of the values.
  static func objects(_ members: [JSON.Member]) -> [Mistake] {
    [members, members.sorted { $0.name < $1.name }].map { members in
      .bytes("The JSON object is signed.", "Sign the values, joined with U+2063, and not the JSON.") { _ in
        JSON.object(members).bytes
      }
    }
  }
}

extension Unicode.Scalar {
  /// The code point in Unicode notation, such as `U+200D`.
  fileprivate var codePoint: String {
    let digits = String(value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}

extension String {
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
