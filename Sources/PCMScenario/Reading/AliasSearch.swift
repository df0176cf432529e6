/// Looks for a name that a text seems to anchor and to use again, before a reader of YAML sees it: aliases of aliases take
/// forever to compare. Quotes and comments are not looked at, so that nothing can hide; a text with both ` &name` and
/// ` *name` in it is refused, whatever it means.
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
