/// The name of a browser.
///
/// Names are equal if their UTF-8 bytes are equal, as in paths and in databases. Swift compares strings by canonical equivalence,
/// by which the composed and the decomposed form of a letter are equal.
package struct BrowserName: Hashable, Comparable, Sendable {
  package let text: String

  /// The maximum length in bytes of UTF-8.
  package static let maximumLength = 200

  package init(_ text: String) {
    self.text = text
  }

  package static func == (left: BrowserName, right: BrowserName) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package static func < (left: BrowserName, right: BrowserName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }

  /// The error in the name; nil for a name that a new browser can have.
  package var error: InputError? {
    let (length, scalars) = (text.utf8.count, text.unicodeScalars)
    guard (1...Self.maximumLength).contains(length) else {
      return InputError([], "the name has \(length) bytes; use 1 to \(Self.maximumLength) bytes of UTF-8", .outOfRange)
    }
    if let scalar = scalars.first(where: { !$0.isPrintable }) {
      let number = String(scalar.value, radix: 16, uppercase: true)
      return InputError(
        [],
        "the name contains U+\(String(repeating: "0", count: max(0, 4 - number.count)))\(number); "
          + "use printable characters")
    }
    if [scalars.first, scalars.last].contains(where: { $0?.properties.isWhitespace == true }) {
      return InputError([], "the name \"\(text)\" begins or ends with white space; remove it")
    }
    guard text != ".", text != ".." else {
      return InputError([], "\"\(text)\" is not a name, because clients remove it from paths; use another one")
    }
    return nil
  }

  /// The path of the browser in the API.
  package var path: String { "/v1/browsers/\(PercentEncoding.component.encode(text))" }
  /// The path of the browser's device in the API.
  package var devicePath: String { "/v1/devices/\(PercentEncoding.component.encode(text))" }
}

extension Unicode.Scalar {
  /// False for control characters, separators of lines and paragraphs, and controls of the writing direction, which would
  /// change how the text around them is displayed.
  var isPrintable: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: false
    default: true
    }
  }
}
