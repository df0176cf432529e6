import PCMCore
import PCMManifest
import Testing

/// Damaged files are rejected or parsed; none ends the process.
@Suite struct DamagedFileTests {
  @Test("A truncated file is rejected or parsed", arguments: ["news-reader", "binary", "skadnetwork"])
  func truncations(_ name: String) throws {
    let bytes = try Fixture.bytes(name)
    for length in 0..<bytes.count {
      let manifest = try? reader.read(Array(bytes[..<length]))
      // Only the line break at the end can be spared.
      #expect(manifest == nil || length == bytes.count - 1, "cut after \(length) bytes")
    }
  }

  @Test("A file with damaged bytes is rejected or parsed", arguments: ["news-reader", "binary"], 0..<2)
  func flips(_ name: String, seed: UInt64) throws {
    let good = try Fixture.bytes(name)
    var random = SplitMix64(seed: seed)
    for _ in 0..<800 {
      var bytes = good
      for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      _ = try? reader.read(bytes)
    }
  }

  @Test("A binary file with a damaged structure is rejected or parsed", arguments: 0..<2)
  func structure(seed: UInt64) throws {
    let good = try Fixture.bytes("binary")
    var random = SplitMix64(seed: seed)
    for _ in 0..<1_000 {
      var bytes = good
      // The trailer and the table of offsets, where damage reaches farthest.
      for _ in 0...random.below(3) { bytes[bytes.count - 1 - random.below(200)] = UInt8(random.below(256)) }
      _ = try? reader.read(bytes)
    }
  }

  @Test("An XML file with inserted markup is rejected or parsed", arguments: 0..<2)
  func markup(seed: UInt64) throws {
    let good = try Fixture.bytes("news-reader")
    let pieces = [
      "<", ">", "/>", "</", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "<array>", "<dict/>", "&", "&#x", ";", "\"", "<!",
      "\0",
    ]
    var random = SplitMix64(seed: seed)
    for _ in 0..<800 {
      var bytes = good
      for _ in 0...random.below(3) {
        bytes.insert(contentsOf: pieces[random.below(pieces.count)].utf8, at: random.below(bytes.count))
      }
      _ = try? reader.read(bytes)
    }
  }
}

extension SplitMix64 {
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
