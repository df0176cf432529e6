internal import Crypto
internal import PCMCore

/// What signers often sign instead of the text: other bytes, another order, and fewer values.
extension SignedText {
  /// The bytes that programs make of a text before they sign it.
  ///
  /// - Parameter text: The name of the text in sentences.
  static func encodings(of bytes: [UInt8], named text: String) -> [Variation] {
    let digest = Array(SHA256.hash(data: bytes))
    let hexadecimal = Hexadecimal.text(digest)
    let units = String(decoding: bytes, as: UTF8.self).utf16
    let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let big = units.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    let once = "Pass \(text) to ECDSA with SHA-256, which hashes it once."
    let exact = "Sign the bytes of \(text) without anything before or after them; use `printf` or `echo -n`."
    let utf8 = "Sign the bytes of \(text) in UTF-8."
    return [
      Variation(bytes + [0x0A], "The signed text ends with a newline.", exact),
      Variation(bytes + [0x0D, 0x0A], "The signed text ends with CR and LF.", exact),
      Variation(bytes + [0x20], "The signed text ends with a space.", exact),
      Variation(bytes + [0], "The signed text ends with a zero byte.", exact),
      Variation(Array("\"".utf8) + bytes + Array("\"".utf8), "The signed text is in quotation marks.", exact),
      Variation([0xEF, 0xBB, 0xBF] + bytes, "The signed text begins with a byte order mark.", exact),
      Variation(digest, "The text is hashed twice: its SHA-256 digest was signed with SHA-256 again.", once),
      Variation(Array(hexadecimal.utf8), "The hexadecimal digest of the text is signed.", once),
      Variation(Array(hexadecimal.uppercased().utf8), "The hexadecimal digest of the text is signed.", once),
      Variation(Array(Base64.encode(digest).utf8), "The Base64 digest of the text is signed.", once),
      Variation(Array(Base64.encode(bytes).utf8), "The Base64 form of the text is signed.", once),
      Variation(Array(Hexadecimal.text(bytes).utf8), "The hexadecimal form of the text is signed.", once),
      Variation(little, "The text is signed in UTF-16.", utf8),
      Variation([0xFF, 0xFE] + little, "The text is signed in UTF-16 with a byte order mark.", utf8),
      Variation(big, "The text is signed in UTF-16, big-endian.", utf8),
      Variation([0xFE, 0xFF] + big, "The text is signed in UTF-16 with a byte order mark.", utf8),
      // UTF-8 that was read as Latin-1 and encoded again.
      Variation(
        Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8), "The text is encoded in UTF-8 twice.",
        utf8),
    ]
  }

  /// The values with one at another place, and in reverse.
  var orders: [Variation] {
    let instruction = "Sign the values in this order: \(visible.asShown(upTo: 300))"
    var orders: [[String]] = []
    for from in values.indices {
      for to in values.indices where to != from {
        var moved = values
        moved.insert(moved.remove(at: from), at: to)
        orders.append(moved)
        guard from < to else { continue }
        var swapped = values
        swapped.swapAt(from, to)
        orders.append(swapped)
      }
    }
    return (orders + [values.reversed()]).map {
      Variation(SignedText($0), "The values are signed in another order.", instruction)
    }
  }

  /// The text with other separators of its values.
  var separators: [Variation] {
    let names: [(String, String)] = [
      ("|", "the separator |"), (",", "the separator ,"), ("", "no separator"), ("\\u2063", "the separator \\u2063"),
      ("\\u{2063}", "the separator \\u{2063}"), (" ", "spaces"), ("\n", "line breaks"), ("\t", "tabs"),
      ("-", "the separator -"),
      (":", "the separator :"), (";", "the separator ;"), (".", "the separator ."), ("_", "the separator _"),
      ("&", "the separator &"), ("+", "the separator +"), ("&#8291;", "the separator &#8291;"),
      ("&#x2063;", "the separator &#x2063;"), ("%E2%81%A3", "the separator %E2%81%A3"), ("U+2063", "the text U+2063"),
      ("\u{2061}", "U+2061"), ("\u{2062}", "U+2062"), ("\u{2064}", "U+2064"), ("\u{200B}", "U+200B"), ("\u{2060}", "U+2060"),
      ("\u{FEFF}", "U+FEFF"), ("\u{AD}", "U+00AD"), ("?", "the separator ?"), ("\u{FFFD}", "U+FFFD"),
      (", ", "a comma and a space"),
    ]
    let instruction = "Join the values with U+2063, in UTF-8 the bytes E2 81 A3."
    let separator = String(Character(Self.separator))
    return names.map { separator, name in
      Variation(Array(values.joined(separator: separator).utf8), "The values are signed with \(name).", instruction)
    } + [
      Variation(Array((text + separator).utf8), "The signed text has a separator at its end.", instruction),
      Variation(Array((separator + text).utf8), "The signed text has a separator at its beginning.", instruction),
    ]
  }

  /// The JSON of an object, which some programs sign.
  static func objects(_ members: [JSON.Member]) -> [Variation] {
    let sorted = members.sorted { $0.name < $1.name }
    return [members, sorted].map { members in
      Variation(
        JSON.object(members).bytes, "The JSON object is signed.", "Sign the values, joined with U+2063, and not the JSON.")
    }
  }
}
