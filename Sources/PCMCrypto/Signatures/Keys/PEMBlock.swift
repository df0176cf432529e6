internal import PCMCore

/// A block of PEM text (RFC 7468). Files and environment variables also contain it indented, on one line, or with `\n` in
/// place of line breaks.
enum PEMBlock {
  /// Blocks without a key: `openssl ecparam -genkey` writes the curve before the key.
  private static let skipped: Set<String> = ["EC PARAMETERS"]

  /// Returns the content of the first block with the label.
  static func content(of text: String, label: String) throws(KeyError) -> [UInt8] {
    let blocks = try blocks(of: text)
    guard let block = blocks.first(where: { $0.label == label }) else {
      guard let other = blocks.first(where: { !skipped.contains($0.label) }) ?? blocks.first else { throw .malformedPEM }
      throw .wrongPEMLabel(other.label, expected: label)
    }
    let characters = block.content.filter { !$0.isWhitespace }
    guard !characters.isEmpty, let bytes = Base64.decode(characters) else { throw .malformedPEM }
    return bytes
  }

  /// Returns a block of PEM text with 64 characters per line.
  static func text(_ base64: String, label: String) -> String {
    let starts = stride(from: 0, to: base64.utf8.count, by: 64)
    let lines = starts.map { String(decoding: base64.utf8.dropFirst($0).prefix(64), as: UTF8.self) + "\n" }
    return "-----BEGIN \(label)-----\n\(lines.joined())-----END \(label)-----\n"
  }

  private static func blocks(of text: String) throws(KeyError) -> [(label: String, content: String)] {
    var (blocks, rest): ([(label: String, content: String)], Substring) = ([], text[...])
    while let begin = rest.firstRange(of: "-----BEGIN ") {
      rest = rest[begin.upperBound...]
      guard let dashes = rest.firstRange(of: "-----"), dashes.lowerBound > rest.startIndex else { throw .malformedPEM }
      let label = String(rest[..<dashes.lowerBound])
      rest = rest[dashes.upperBound...]
      guard let end = rest.firstRange(of: "-----END \(label)-----") else { throw .malformedPEM }
      let content = rest[..<end.lowerBound].replacing("\\r", with: "\n").replacing("\\n", with: "\n")
      blocks.append((label, String(content)))
      rest = rest[end.upperBound...]
    }
    return blocks
  }
}
