internal import PCMCore
internal import PCMCrypto

/// A change of a text in transport, and its repair.
struct TextRepair: Sendable {
  /// The finding, as the continuation of a sentence after the name of the text.
  let finding: String
  let change: String
  let instruction: String
  /// Returns the text before the change; nil for an unchanged text.
  let undo: @Sendable (String) -> String?

  func repair(_ subject: String) -> Repair {
    Repair(finding: "\(subject) \(finding)", change: change, instruction: instruction)
  }

  /// A text after repairs.
  struct Step {
    let text: String
    let repairs: [Repair]
  }

  /// The limits for the size of a text, the number of texts, and the number of successive changes.
  static let sizeLimit = 65_536
  private static let stepLimit = 48
  private static let depthLimit = 3

  /// Returns the possible texts before changes. The given text is the first.
  static func steps(from text: String, _ table: [TextRepair], of subject: String) -> [Step] {
    guard text.utf8.count <= sizeLimit else { return [Step(text: text, repairs: [])] }
    var (steps, seen, next) = ([Step(text: text, repairs: [])], Set([text]), 0)
    while next < steps.count, steps.count < stepLimit {
      let step = steps[next]
      next += 1
      guard step.repairs.count < depthLimit else { continue }
      for row in table {
        guard let undone = row.undo(step.text), !undone.isEmpty, seen.insert(undone).inserted else { continue }
        steps.append(Step(text: undone, repairs: step.repairs + [row.repair(subject)]))
      }
    }
    return steps
  }

  static let byteOrderMark = TextRepair(
    finding: "begins with a byte order mark", change: "without it", instruction: "Remove the byte order mark."
  ) { $0.unicodeScalars.first == "\u{FEFF}" ? String($0.unicodeScalars.dropFirst()) : nil }

  static let quotationMarks = TextRepair(
    finding: "is in quotation marks", change: "without them", instruction: "Remove the quotation marks."
  ) { $0.trimmed.withoutQuotationMarks }

  static let escapes = TextRepair(
    finding: "is escaped as in a JSON string", change: "unescaped,", instruction: "Write it into JSON once."
  ) { text in
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return nil }
    // Quotation marks without a backslash do not end the text.
    let escaped = text.replacing("\\\"", with: "\"").replacing("\"", with: "\\\"")
      .replacing("\n", with: "\\n").replacing("\r", with: "\\r").replacing("\t", with: "\\t")
    return JSON(parsing: Array("\"\(escaped)\"".utf8))?.string ?? text.replacing("\\", with: "")
  }

  static let percentEncoding = TextRepair(
    finding: "is percent-encoded", change: "decoded,", instruction: "Decode the percent-encoding first."
  ) { percentDecoded($0) }

  static func percentDecoded(_ text: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return nil }
    return PercentEncoding.strictlyDecoded(text)
  }

  static let plusAsSpace = TextRepair(
    finding: "has spaces: + became a space, as form decoding does", change: "with +",
    instruction: "Send + as %2B in a form, or send JSON."
  ) { $0.contains(" ") ? $0.replacing(" ", with: "+") : nil }

  static let lineBreaks = TextRepair(
    finding: "has line breaks", change: "without them", instruction: "Write it without line breaks."
  ) { text in
    let joined = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\n" && $0 != "\r" }))
    return joined == text ? nil : joined
  }

  static let whiteSpace = TextRepair(
    finding: "has spaces or invisible characters", change: "without them", instruction: "Write it without them."
  ) { text in
    let visible = text.unicodeScalars.filter { $0.isVisible && !$0.properties.isWhitespace }
    return visible.count == text.unicodeScalars.count ? nil : String(String.UnicodeScalarView(visible))
  }

  static let base64URL = TextRepair(
    finding: "is Base64URL", change: "as Base64", instruction: "Write + for -, / for _, and = at its end."
  ) { text in
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else { return nil }
    return padded(text.replacing("-", with: "+").replacing("_", with: "/"))
  }

  static let padding = TextRepair(
    finding: "has no = at its end, or too many", change: "with the right number", instruction: "Pad it to a multiple of four."
  ) { text in
    let padded = padded(text)
    return padded == text ? nil : padded
  }

  private static func padded(_ text: String) -> String {
    let bare = text.prefix(while: { $0 != "=" })
    return bare + String(repeating: "=", count: (4 - bare.utf8.count % 4) % 4)
  }

  static let surroundings = TextRepair(
    finding: "has other characters around it", change: "without them", instruction: "Remove them."
  ) { text in
    let isPart: (Unicode.Scalar) -> Bool = {
      $0.isASCII && ($0.properties.isAlphabetic || "0123456789+/=-_.".unicodeScalars.contains($0))
    }
    let scalars = text.unicodeScalars
    let parts = scalars.split { !isPart($0) }
    guard let longest = parts.max(by: { $0.count < $1.count }), longest.count < scalars.count, longest.count >= 32 else {
      return nil
    }
    return String(String.UnicodeScalarView(longest))
  }
}

extension String {
  /// The text without leading and trailing white space.
  var trimmed: String {
    var scalars = unicodeScalars[...]
    while scalars.first?.properties.isWhitespace == true { scalars.removeFirst() }
    while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
    return String(scalars)
  }

  /// The text within quotation marks; nil without them. The escapes of a JSON string are decoded.
  var withoutQuotationMarks: String? {
    let scalars = unicodeScalars
    guard scalars.count > 1, let first = scalars.first, scalars.last == first, "\"'`".unicodeScalars.contains(first) else {
      return nil
    }
    return JSON(parsing: Array(utf8))?.string ?? String(String.UnicodeScalarView(scalars.dropFirst().dropLast()))
  }
}

extension UInt8 {
  /// Whether the byte is white space between the tokens of JSON (RFC 8259, section 2).
  var isJSONWhiteSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

extension BidirectionalCollection {
  /// Returns the elements up to the last mismatch, inclusive.
  func droppingLast(while matches: (Element) -> Bool) -> SubSequence {
    self[..<(lastIndex { !matches($0) }.map { index(after: $0) } ?? startIndex)]
  }
}
