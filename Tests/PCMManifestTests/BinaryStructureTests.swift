import PCMManifest
import Testing

@Suite struct BinaryStructureTests {
  @Test("A constructed binary property list is parsed")
  func minimal() throws {
    #expect(try reader.read(BinaryPlist(identified: []).bytes).bundleIdentifier == "a.b")
  }

  @Test("An ASCII string with other bytes is rejected", arguments: [0x00, 0x7F, 0x80, 0xFF] as [UInt8])
  func ascii(_ byte: UInt8) {
    var list = BinaryPlist(identified: [[0x53, 0x61, byte, 0x62]])
    list.addKey("k", value: 3)
    let isRead = (try? reader.read(list.bytes)) != nil
    #expect(isRead == (byte < 0x80))
  }

  @Test("A string that XML cannot contain is named when the list is written as XML")
  func nul() throws {
    var list = BinaryPlist(identified: [[0x51, 0]])
    list.addKey("k", value: 3)
    #expect(try reader.read(list.bytes).bundleIdentifier == "a.b")
    #expect(throws: ManifestError.notAPropertyList(.containsNUL)) { try ManifestReader.xml(list.bytes) }
  }

  @Test("Nesting above 64 levels is rejected", arguments: [(62, false), (64, true), (30_000, true)])
  func depth(_ arrays: Int, _ isRefused: Bool) {
    // Each array holds the next one; the last holds the string.
    var list = BinaryPlist(identified: [])
    list.addKey("k", value: list.objects.count + 1)
    for level in 0..<arrays { list.addArray([level == arrays - 1 ? 2 : list.objects.count + 1]) }
    if isRefused {
      #expect(throws: ManifestError.tooDeep(limit: 64)) { try reader.read(list.bytes) }
    } else {
      #expect(throws: Never.self) { try reader.read(list.bytes) }
    }
  }

  @Test("A list that contains itself is rejected")
  func cycles() {
    var self1 = BinaryPlist(identified: [])
    self1.addKey("k", value: 0)
    #expect(throws: ManifestError.cyclicReferences) { try reader.read(self1.bytes) }
    var pair = BinaryPlist(identified: [])
    pair.addKey("k", value: pair.objects.count + 1)
    pair.addArray([pair.objects.count + 1])
    pair.addArray([pair.objects.count - 1])
    #expect(throws: ManifestError.cyclicReferences) { try reader.read(pair.bytes) }
  }

  @Test("Shared references are accepted")
  func shared() throws {
    var list = BinaryPlist(identified: [])
    list.addKey("k", value: list.objects.count + 1)
    list.addArray([2, 2, list.objects.count + 1, list.objects.count + 1])
    list.addArray([2, 2])
    #expect(try reader.read(list.bytes).bundleIdentifier == "a.b")
  }

  @Test("References that represent more than 4 MiB of text are rejected", arguments: [(1_000, false), (2_000, true)])
  func longStrings(_ length: Int, _ isRefused: Bool) throws {
    var list = BinaryPlist(identified: [
      [0x5F, 0x11, UInt8(length >> 8), UInt8(length & 255)] + Array(repeating: 0x61, count: length)
    ])
    list.addKey("k", value: list.objects.count + 1)
    // 14 arrays of 14 arrays of 14 times the string.
    for level in 0..<3 { list.addArray(Array(repeating: level == 2 ? 3 : list.objects.count + 1, count: 14)) }
    if isRefused {
      #expect(throws: ManifestError.expandsToTooManyBytes(limit: 4_194_304)) { try reader.read(list.bytes) }
    } else {
      #expect(try reader.read(list.bytes).bundleIdentifier == "a.b")
    }
  }

  @Test("A key that occurs twice in an inner dictionary is rejected, because Foundation's parsers read different values")
  func innerDuplicate() throws {
    let keys: [[UInt8]] = [[0x51, 0x61], [0x51, 0x61], [0x51, 0x62], [0x61, 0, 0x61]]
    for (second, isRefused) in [(5, true), (6, false), (7, true)] as [(UInt8, Bool)] {
      var list = BinaryPlist(identified: [[0xD2, 0, 4, 0, second, 0, 2, 0, 2]] + keys)
      list.addKey("k", value: 3)
      if isRefused {
        #expect(throws: ManifestError.duplicateKey("a")) { try reader.read(list.bytes) }
      } else {
        #expect(try reader.read(list.bytes).bundleIdentifier == "a.b")
      }
    }
  }

  @Test("A root object that is not a dictionary is rejected")
  func notADictionary() {
    var list = BinaryPlist(objects: [])
    list.addArray([])
    #expect(throws: ManifestError.notADictionary) { try reader.read(list.bytes) }
  }

  @Test("A key that is not a string is rejected")
  func keys() {
    let list = BinaryPlist(objects: [[0xD1, 0, 1, 0, 1], [0x10, 7]])
    #expect(throws: ManifestError.notAPropertyList(.malformed)) { try reader.read(list.bytes) }
  }

  @Test(
    "A damaged structure is rejected",
    arguments: [
      // Counts and references that lead out of the file, and markers that mean nothing.
      [[0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]],
      [[0xDF, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]],
      [[0xDF, 0x12, 0x3B, 0x9A, 0xCA, 0x00]], [[0xDF]], [[0xDF, 0x20]], [[0xD1, 0, 9, 0, 9]],
      [[0xD1, 0, 1, 0, 1], [0x5E, 0x61]],
      [[0xD1, 0, 1, 0, 2], [0x51, 0x61], [0x70]], [[0xD1, 0, 1, 0, 2], [0x51, 0x61], [0x15, 0, 0]], [[0x0F]],
    ] as [[[UInt8]]])
  func broken(_ objects: [[UInt8]]) {
    #expect(throws: ManifestError.notAPropertyList(.malformed)) { try reader.read(BinaryPlist(objects: objects).bytes) }
  }

  @Test("A damaged trailer is rejected", arguments: [6, 7, 8, 15, 16, 23, 24, 31])
  func trailer(_ position: Int) throws {
    var bytes = try Fixture.bytes("binary")
    bytes[bytes.count - 32 + position] = 0xFF
    #expect(throws: ManifestError.self) { try reader.read(bytes) }
  }

  @Test("Other versions and bare headers are rejected", arguments: ["bplist00", "bplist", "bplist15", "bplist01"])
  func header(_ text: String) {
    #expect(throws: ManifestError.notAPropertyList(.truncated)) { try reader.read(Array(text.utf8)) }
    #expect(throws: ManifestError.notAPropertyList(.malformed)) {
      try reader.read(Array(text.utf8) + [UInt8](repeating: 0, count: 100))
    }
  }
}

/// Writes binary property lists that no honest tool would write. References and offsets have two and four bytes.
struct BinaryPlist {
  private(set) var objects: [[UInt8]]
  private var keys: [(key: Int, value: Int)] = []

  /// - Parameter objects: in their binary form; the first is the outermost.
  init(objects: [[UInt8]]) {
    self.objects = objects
  }

  /// A dictionary (object 0) with a bundle identifier (objects 1 and 2).
  init(identified objects: [[UInt8]]) {
    let key = Array("CFBundleIdentifier".utf8)
    self.init(objects: [[], [0x5F, 0x10, UInt8(key.count)] + key, [0x53] + Array("a.b".utf8)] + objects)
    keys = [(1, 2)]
  }

  /// The key takes the next number.
  mutating func addKey(_ name: Character, value: Int) {
    keys.append((objects.count, value))
    objects.append([0x51, name.asciiValue ?? 0x3F])
  }

  mutating func addArray(_ references: [Int]) {
    objects.append([0xA0 | UInt8(references.count)] + references.flatMap(Self.reference))
  }

  var bytes: [UInt8] {
    var objects = objects
    if !keys.isEmpty {
      objects[0] = [0xD0 | UInt8(keys.count)] + (keys.map(\.key) + keys.map(\.value)).flatMap(Self.reference)
    }
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += Self.number(bytes.count, size: 4)
      bytes += object
    }
    let table = bytes.count
    let trailer = Self.number(objects.count, size: 8) + Self.number(0, size: 8) + Self.number(table, size: 8)
    return bytes + offsets + [0, 0, 0, 0, 0, 0, 4, 2] + trailer
  }

  private static func reference(_ number: Int) -> [UInt8] { Self.number(number, size: 2) }

  private static func number(_ number: Int, size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
