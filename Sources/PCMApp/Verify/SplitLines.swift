import PCMCore
import PCMVerify

/// Joins lines of text that Docker's `json-file` driver splits at 16 KiB. A part without a final newline continues in the next entry
/// of the same stream.
struct SplitLines {
  /// The beginnings of texts, with the places of their first lines.
  private var texts: [String: (item: SignedItem, text: String)] = [:]

  /// The size of Docker's buffer in bytes. A shorter text without a newline is complete: it ends the output of a container, or
  /// another program removed the newline.
  private static let partSize = 16_384

  /// Returns the item with the beginning from earlier lines; nil if it continues in a later line.
  mutating func join(_ item: SignedItem) -> SignedItem? {
    guard !texts.isEmpty || item.bytes.count > Self.partSize, item.bytes.starts(with: Array(#"{"log":"#.utf8)),
      let entry = JSON(parsing: item.bytes), let part = entry["log"]?.string, let stream = entry["stream"]?.string,
      ["stdout", "stderr"].contains(stream)
    else { return item }
    let beginning = texts.removeValue(forKey: stream)
    let continues = part.utf8.count >= Self.partSize && part.utf8.last != SignedItems.newline
    guard continues || beginning != nil else { return item }
    var joined = beginning ?? (item, "")
    // The rest of a text that is too long for an item is left out.
    if joined.text.utf8.count <= SignatureVerifier.sizeLimit { joined.text += part }
    if continues { texts[stream] = joined }
    return continues ? nil : Self.item(joined)
  }

  /// Returns the texts that end without a newline.
  mutating func rest() -> [SignedItem] {
    defer { texts = [:] }
    return texts.values.map(Self.item).sorted { ($0.line ?? 0) < ($1.line ?? 0) }
  }

  private static func item(_ joined: (item: SignedItem, text: String)) -> SignedItem {
    let text: JSON = ["log": .string(joined.text)]
    return SignedItem(file: joined.item.file, line: joined.item.line, bytes: text.bytes)
  }
}
