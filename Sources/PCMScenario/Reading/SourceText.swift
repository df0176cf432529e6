import PCMCore

/// The format of a file.
package enum SourceFormat: Sendable {
  /// YAML. Nearly all JSON is also YAML.
  case yaml
  /// JSON (RFC 8259), without anything else that YAML allows.
  case json
}

/// The text of an untrusted scenario file. Invalid text is rejected here, so that each offset has a line and a column.
struct SourceText: Sendable {
  /// The maximum size of a file.
  static let sizeLimit = 262_144

  /// The contents without a byte order mark.
  let bytes: [UInt8]
  let text: String
  let format: SourceFormat
  /// The offset of each line in `bytes`.
  private let lineStarts: [Int]
  /// The offset of each character, and the index of the first character of each line. A file can consist of one long line.
  private let characterStarts: [Int]
  private let firstCharacters: [Int]

  init(_ file: [UInt8], as format: SourceFormat = .yaml) throws(ScenarioErrors) {
    self.format = format
    guard file.count <= Self.sizeLimit else {
      throw ScenarioErrors(
        "expected at most \(Self.sizeLimit) bytes, found more", at: SourcePlace(line: 1, column: 1))
    }
    bytes = file.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(file.dropFirst(3)) : file
    lineStarts = [0] + bytes.enumerated().filter { $0.element == UInt8(ascii: "\n") }.map { $0.offset + 1 }
    let decoded = String(validating: bytes, as: UTF8.self)
    text = decoded ?? ""
    (characterStarts, firstCharacters) = Self.characters(of: text)
    guard decoded != nil else {
      throw ScenarioErrors("expected text in UTF-8", at: place(of: Self.firstInvalid(bytes)))
    }
    try rejectControls()
    if format == .json, let offset = JSON.firstError(in: bytes) {
      throw ScenarioErrors([ScenarioError("expected JSON", at: place(of: offset), code: .malformed)])
    }
  }

  /// Rejects characters that YAML does not allow or treats as line breaks, so that all parsers agree on lines.
  private func rejectControls() throws(ScenarioErrors) {
    var offset = 0
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x0D where bytes.indices.contains(offset + 1) && bytes[offset + 1] == UInt8(ascii: "\n"): break
      case 0x00...0x08, 0x0B...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
        throw ScenarioErrors(
          "expected printable text, found the character U+\(hexadecimal(scalar)); in double quotes it can be written \\u\(hexadecimal(scalar))",
          at: place(of: offset))
      default: break
      }
      offset += UTF8.width(scalar)
    }
  }

  var lineCount: Int { lineStarts.count }

  /// Returns a line, starting with 1, without its line break; empty when it does not exist.
  func line(_ number: Int) -> ArraySlice<UInt8> {
    guard lineStarts.indices.contains(number - 1) else { return [] }
    let end = lineStarts.indices.contains(number) ? lineStarts[number] - 1 : bytes.count
    let line = bytes[lineStarts[number - 1]..<end]
    return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  /// The nearest place within the text.
  func clamped(_ place: SourcePlace) -> SourcePlace {
    let line = max(1, min(place.line, lineCount))
    let width = width(of: line)
    guard place.line == line else { return SourcePlace(line: line, column: place.line < line ? 1 : width + 1) }
    return SourcePlace(line: line, column: max(1, min(place.column, width + 1)))
  }

  /// The number of characters without the line break.
  private func width(of line: Int) -> Int {
    let next = firstCharacters.indices.contains(line) ? firstCharacters[line] - 1 : characterStarts.count
    let isWindows = next > firstCharacters[line - 1] && bytes[characterStarts[next - 1]] == UInt8(ascii: "\r")
    return next - firstCharacters[line - 1] - (isWindows ? 1 : 0)
  }

  func offset(of place: SourcePlace) -> Int {
    let place = clamped(place)
    let index = firstCharacters[place.line - 1] + place.column - 1
    return characterStarts.indices.contains(index) ? characterStarts[index] : bytes.count
  }

  private static func characters(of text: String) -> (starts: [Int], firstOfLines: [Int]) {
    var (starts, firstOfLines, offset) = ([Int](), [0], 0)
    for scalar in text.unicodeScalars {
      starts.append(offset)
      offset += UTF8.width(scalar)
      if scalar == "\n" { firstOfLines.append(starts.count) }
    }
    return (starts, firstOfLines)
  }

  func place(of offset: Int) -> SourcePlace {
    let line = lineStarts.lastIndex { $0 <= offset } ?? 0
    let before = String(decoding: bytes[lineStarts[line]..<offset], as: UTF8.self)
    return SourcePlace(line: line + 1, column: before.unicodeScalars.count + 1)
  }

  private static func firstInvalid(_ bytes: [UInt8]) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var offset = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { offset += UTF8.width(scalar) }
    return min(offset, bytes.count)
  }
}

/// At least four hexadecimal digits.
func hexadecimal(_ scalar: Unicode.Scalar) -> String {
  let digits = String(scalar.value, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}

extension ScenarioErrors {
  /// Creates a single error.
  init(_ detail: String, at place: SourcePlace, pointer: String = "") {
    self.init([ScenarioError(detail, at: place, pointer: pointer)])
  }
}
