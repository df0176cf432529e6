/// Takes secrets out of texts: nonces, tokens, signatures, and whatever looks like one.
enum Redaction {
  /// A header's value as it may be shown: a place to which an answer leads can have a nonce in it, and any can be as long
  /// as a head may be.
  static func shown(_ header: String) -> String {
    let text = redacted(header)
    return text.utf8.count > longest ? String(decoding: Array(text.utf8.prefix(longest)), as: UTF8.self) + "…" : text
  }

  /// So much of it is shown.
  private static let longest = 1_024
  /// So much of a secret is left, for telling one from another.
  private static let rest = 6
  /// Shorter ones are no secrets.
  private static let shortest = 16

  /// Cuts each run of base64's characters that is long enough and has digits or capital letters, as random ones have
  /// and words with hyphens have not.
  static func redacted(_ text: String) -> String {
    var output: [UInt8] = []
    var run: [UInt8] = []
    for byte in text.utf8 {
      if isOfToken(byte) {
        run.append(byte)
      } else {
        output += cut(run)
        run.removeAll(keepingCapacity: true)
        output.append(byte)
      }
    }
    return String(decoding: output + cut(run), as: UTF8.self)
  }

  private static func cut(_ run: [UInt8]) -> [UInt8] {
    guard run.count >= shortest, run.contains(where: isOfChance) else { return run }
    return run.prefix(rest) + Array("…(\(run.count))".utf8)
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: isOfChance(byte)
    }
  }

  private static func isOfChance(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"): true
    default: false
    }
  }
}
