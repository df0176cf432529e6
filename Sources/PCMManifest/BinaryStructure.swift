import PCMURL

/// The object graph of a binary property list (the format `bplist00`), which is checked before Foundation decodes it.
///
/// Objects refer to each other by number, so that a small file can refer to the same arrays and long strings many times. The
/// limits therefore count each occurrence of a value, not each object.
struct BinaryStructure {
  static let valueLimit = 100_000
  /// The maximum number of bytes in strings and data: four times the largest file.
  static let contentLimit = 4 * ManifestReader.sizeLimit

  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let root: Int
  /// The start of the offset table, which follows all objects.
  private let tableStart: Int
  /// The offsets of the bytes that are not ASCII, in order. Many strings can share their bytes, so that reading each would
  /// take too long.
  private let otherBytes: [Int]

  private static let headerSize = 8
  private static let trailerSize = 32

  init(_ bytes: [UInt8]) throws(ManifestError) {
    self.bytes = bytes
    guard bytes.count > Self.headerSize + Self.trailerSize else { throw .notAPropertyList(.truncated) }
    guard bytes.starts(with: "bplist00".utf8) else { throw .notAPropertyList(.malformed) }
    let trailer = bytes.count - Self.trailerSize
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    // No number in the trailer can exceed the file's size.
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
      let count = Self.number(bytes[(trailer + 8)..<(trailer + 16)]), count > 0, count <= trailer,
      let root = Self.number(bytes[(trailer + 16)..<(trailer + 24)]), root < count,
      let start = Self.number(bytes[(trailer + 24)..<(trailer + 32)]), start > Self.headerSize, start <= trailer,
      count * offsetSize <= trailer - start
    else { throw .notAPropertyList(.malformed) }
    (objectCount, self.root, tableStart) = (count, root, start)
    otherBytes = bytes[..<start].indices.filter { bytes[$0] >= 0x80 }
  }

  func check(depthLimit: Int) throws(ManifestError) {
    guard try object(root).kind == .dictionary else { throw .notADictionary }
    var walk = Walk(depthLimit: depthLimit)
    try visit(root, &walk)
  }

  /// Returns the keys of the outermost dictionary in order. The structure must have been checked.
  func keys() throws(ManifestError) -> [String] {
    let dictionary = try object(root)
    var keys: [String] = []
    for index in 0..<dictionary.count {
      keys.append(try text(try reference(at: dictionary.content + index * referenceSize)))
    }
    return keys
  }

  private static func bigEndianText(_ bytes: ArraySlice<UInt8>) -> String {
    let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  private struct Walk {
    let depthLimit: Int
    var values = 0
    var bytes = 0
    /// The objects from the root to the current one.
    var path: [Int] = []
  }

  private func visit(_ number: Int, _ walk: inout Walk) throws(ManifestError) {
    walk.values += 1
    guard walk.values <= Self.valueLimit else { throw .expandsTooFar(limit: Self.valueLimit) }
    let object = try object(number)
    walk.bytes += object.byteCount
    guard walk.bytes <= Self.contentLimit else { throw .expandsToTooManyBytes(limit: Self.contentLimit) }
    guard object.kind.isContainer else { return }
    guard !walk.path.contains(number) else { throw .cyclicReferences }
    guard walk.path.count < walk.depthLimit else { throw .tooDeep(limit: walk.depthLimit) }
    walk.path.append(number)
    let references = object.kind == .dictionary ? object.count * 2 : object.count
    for index in 0..<references {
      let reference = try reference(at: object.content + index * referenceSize)
      if object.kind == .dictionary, index < object.count, try self.object(reference).kind != .string {
        throw .notAPropertyList(.malformed)
      }
      try visit(reference, &walk)
    }
    if object.kind == .dictionary { try checkKeys(of: object) }
    walk.path.removeLast()
  }

  /// Throws when a key occurs twice or is `$null`. Of a duplicate, Foundation's decoder takes the last value, and its
  /// serialization the first, which leaks the others.
  private func checkKeys(of dictionary: Object) throws(ManifestError) {
    var seen: Set<String> = []
    for index in 0..<dictionary.count {
      let key = try text(try reference(at: dictionary.content + index * referenceSize))
      guard key != PropertyListValue.null else { throw .notAPropertyList(.containsNullKey) }
      guard seen.insert(key).inserted else { throw .duplicateKey(key.asShown) }
    }
  }

  /// Returns the text of a string.
  private func text(_ number: Int) throws(ManifestError) -> String {
    let string = try object(number)
    let content = bytes[string.content..<(string.content + string.byteCount)]
    let isWide = bytes[try offset(of: number)] >> 4 == 0x6
    return isWide ? Self.bigEndianText(content) : String(decoding: content, as: UTF8.self)
  }

  private enum ObjectType {
    case scalar, string, array, dictionary

    var isContainer: Bool { self == .array || self == .dictionary }
  }

  /// An object of the file.
  private struct Object {
    let kind: ObjectType
    let count: Int
    /// The start of the object's bytes or references.
    let content: Int
    /// The number of bytes in a string or data; 0 for other objects.
    let byteCount: Int
  }

  private func object(_ number: Int) throws(ManifestError) -> Object {
    let offset = try offset(of: number)
    let (high, low) = (bytes[offset] >> 4, Int(bytes[offset] & 15))
    let fixed: Int? =
      switch high {
      case 0x0: [0x0, 0x8, 0x9].contains(low) ? 0 : nil
      case 0x1: low <= 4 ? 1 << low : nil
      case 0x2: low == 2 || low == 3 ? 1 << low : nil
      case 0x3: low == 3 ? 8 : nil
      case 0x8: low + 1
      default: nil
      }
    if let fixed {
      guard fixed <= tableStart - offset - 1 else { throw .notAPropertyList(.malformed) }
      return Object(kind: .scalar, count: 0, content: offset + 1, byteCount: 0)
    }
    let (count, content) = try counted(low, after: offset)
    let (kind, size): (ObjectType, Int)
    switch high {
    case 0x4: (kind, size) = (.scalar, 1)
    case 0x5: (kind, size) = (.string, 1)
    case 0x6: (kind, size) = (.string, 2)
    case 0xA: (kind, size) = (.array, referenceSize)
    case 0xD: (kind, size) = (.dictionary, 2 * referenceSize)
    default: throw .notAPropertyList(.malformed)
    }
    guard count <= (tableStart - content) / size else { throw .notAPropertyList(.malformed) }
    // Foundation's decoder rejects such a string, and its other parser does not.
    guard high != 0x5 || isASCII(content..<(content + count)) else { throw .notAPropertyList(.malformed) }
    return Object(kind: kind, count: count, content: content, byteCount: kind.isContainer ? 0 : count * size)
  }

  private func isASCII(_ range: Range<Int>) -> Bool {
    var (low, high) = (0, otherBytes.count)
    while low < high {
      let middle = (low + high) / 2
      if otherBytes[middle] < range.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low == otherBytes.count || otherBytes[low] >= range.upperBound
  }

  private func offset(of number: Int) throws(ManifestError) -> Int {
    guard let offset = Self.number(bytes[(tableStart + number * offsetSize)...].prefix(offsetSize)),
      offset >= Self.headerSize, offset < tableStart
    else { throw .notAPropertyList(.malformed) }
    return offset
  }

  /// A count of up to 14 is part of the marker. A larger count is an integer object after it.
  private func counted(_ low: Int, after offset: Int) throws(ManifestError) -> (count: Int, content: Int) {
    guard low == 15 else { return (low, offset + 1) }
    let marker = offset + 1
    guard marker < tableStart, bytes[marker] & 0xFC == 0x10 else { throw .notAPropertyList(.malformed) }
    let byteCount = 1 << Int(bytes[marker] & 3)
    guard byteCount < tableStart - marker, let count = Self.number(bytes[(marker + 1)...].prefix(byteCount)),
      count <= tableStart
    else {
      throw .notAPropertyList(.malformed)
    }
    return (count, marker + 1 + byteCount)
  }

  private func reference(at position: Int) throws(ManifestError) -> Int {
    guard let number = Self.number(bytes[position...].prefix(referenceSize)), number < objectCount else {
      throw .notAPropertyList(.malformed)
    }
    return number
  }

  /// Returns a big-endian number; nil for more than a billion, so that products with a size do not overflow.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    var number = 0
    for byte in bytes {
      number = number << 8 | Int(byte)
      guard number <= 1_000_000_000 else { return nil }
    }
    return number
  }
}
