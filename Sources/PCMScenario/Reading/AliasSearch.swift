/// Finds a name that a file may anchor and refer to, before the YAML parser reads the file: comparing aliases of aliases
/// takes exponential time. The search ignores quotes and comments, so that nothing is hidden. A file with both ` &name` and
/// ` *name` is invalid, regardless of their meaning.
enum AliasSearch {
  static func alias(in bytes: [UInt8]) -> (name: String, offset: Int)? {
    var anchors: Set<String> = []
    var aliases: [(name: String, offset: Int)] = []
    for (offset, byte) in bytes.enumerated() where byte == UInt8(ascii: "&") || byte == UInt8(ascii: "*") {
      let name = String(decoding: bytes[(offset + 1)...].prefix(while: isOfName), as: UTF8.self)
      guard !name.isEmpty else { continue }
      if byte == UInt8(ascii: "&") { anchors.insert(name) } else { aliases.append((name, offset)) }
    }
    return aliases.first { anchors.contains($0.name) }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
