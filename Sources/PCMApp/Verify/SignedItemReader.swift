import PCMCore
import PCMVerify

/// The items of files, one batch after another. Items on lines need the memory of one batch, whatever the size of the file.
struct SignedItemReader {
  private var files: ArraySlice<String>
  private var lines: LineReader?
  /// The other items of a file that is no log.
  private var rest: ArraySlice<SignedItem> = []
  /// Whether there is more than one item.
  private(set) var areSeveral: Bool

  /// The limit for the bytes of a file without items on its lines.
  static let fileLimit = 64 * SignatureVerifier.sizeLimit
  /// The maximum number of items of a batch.
  private static let batchSize = 128

  /// - Parameter files: Paths, or `-` for standard input.
  init(files: [String], areSeveral: Bool) {
    (self.files, self.areSeveral) = (files[...], areSeveral)
  }

  /// Returns the next items; nil at the end.
  mutating func next() throws(StartError) -> [SignedItem]? {
    while true {
      if rest.isEmpty { rest = try lines?.items(Self.batchSize)[...] ?? [] }
      guard rest.isEmpty else {
        defer { rest = rest.dropFirst(Self.batchSize) }
        return Array(rest.prefix(Self.batchSize))
      }
      guard let path = files.popFirst() else { return nil }
      try open(path)
    }
  }

  private mutating func open(_ path: String) throws(StartError) {
    let stream = try ByteStream(path: path)
    let file = path == "-" ? "standard input" : path
    var beginning: [UInt8] = []
    lines = nil
    while beginning.count <= Self.fileLimit {
      let part = try stream.next()
      guard !part.isEmpty else {
        let (items, areSeveral) = SignedItems.items(of: beginning, file: file)
        (rest, self.areSeveral) = (items[...], self.areSeveral || areSeveral)
        return
      }
      let isLarge = beginning.count <= SignatureVerifier.sizeLimit
      beginning += part
      guard isLarge, beginning.count > SignatureVerifier.sizeLimit, SignedItems.areLines(beginning) else { continue }
      (lines, areSeveral) = (LineReader(stream, file: file, beginning: beginning), true)
      return
    }
    throw StartError(
      description: "\(path) has more than \(Self.fileLimit) bytes, and its first line is no item; divide it into several files")
  }
}

/// The lines of a file of any size that are not empty.
private struct LineReader {
  private let stream: ByteStream
  private let file: String
  private var bytes: [UInt8]
  private var position = 0
  private var number = 0
  private var split = SplitLines()

  init(_ stream: ByteStream, file: String, beginning: [UInt8]) {
    (self.stream, self.file, bytes) = (stream, file, beginning)
  }

  mutating func items(_ count: Int) throws(StartError) -> [SignedItem] {
    var items: [SignedItem] = []
    while items.count < count, let line = try nextLine() {
      number += 1
      guard !line.allSatisfy(SignedItems.isSpace) else { continue }
      if let item = split.join(SignedItem(file: file, line: number, bytes: line)) { items.append(item) }
    }
    return items.isEmpty ? split.rest() : items
  }

  /// Returns the next line, without the rest of a line that is too long for an item; nil at the end.
  private mutating func nextLine() throws(StartError) -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      let end = bytes[position...].firstIndex(of: SignedItems.newline) ?? bytes.endIndex
      line += bytes[position..<end].prefix(SignatureVerifier.sizeLimit + 1 - line.count)
      if end < bytes.endIndex {
        position = end + 1
        return line
      }
      (bytes, position) = (try stream.next(), 0)
      if bytes.isEmpty { return line.isEmpty ? nil : line }
    }
  }
}
