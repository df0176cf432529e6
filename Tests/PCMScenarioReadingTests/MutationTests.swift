import PCMCore
import PCMScenario
import Testing

/// Mutated files are rejected or parsed, with valid places.
@Suite struct MutationTests {
  private func check(_ file: [UInt8], _ what: String) {
    do {
      let scenario = try ScenarioReader().read(file)
      #expect(!scenario.steps.isEmpty, "\(what)")
    } catch {
      #expect(!error.errors.isEmpty, "\(what)")
      #expect(error.errors.allSatisfy { isInside($0.place, file) }, "\(what): \(error.errors.map(\.place))")
      #expect(error.text(file: "a", bytes: file).hasPrefix("a:"), "\(what)")
    }
  }

  @Test("A file with damaged bytes is rejected or parsed", arguments: 0..<6)
  func bytes(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0..<40 {
      var file = Array(goodFile.utf8)
      for _ in 0...random.below(4) { file[random.below(file.count)] = UInt8(random.below(256)) }
      check(file, "seed \(seed), round \(round)")
    }
  }

  @Test("A file with inserted punctuation is rejected or parsed", arguments: 0..<6)
  func signs(seed: UInt64) {
    let signs = [
      "[", "]", "{", "}", ",", ":", ": ", "- ", "? ", "#", " #", "\"", "'", "|", ">", "&a", "*a", "!", "%", "@", "\n", "\r\n",
      "\t", "  ", "---\n", "...\n",
      "\u{FEFF}", "<<: ", "~", "\\",
    ]
    var random = SplitMix64(seed: seed)
    for round in 0..<40 {
      var file = Array(goodFile.utf8)
      for _ in 0...random.below(3) { file.insert(contentsOf: random.pick(signs).utf8, at: random.below(file.count)) }
      check(file, "seed \(seed), round \(round)")
    }
  }

  @Test("A file with removed, duplicated, or moved lines is rejected or parsed", arguments: 0..<4)
  func lines(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0..<40 {
      var lines = goodFile.split(separator: "\n", omittingEmptySubsequences: false)
      for _ in 0...random.below(4) {
        let line = lines.remove(at: random.below(lines.count))
        for _ in 0..<random.below(3) { lines.insert(line, at: random.below(lines.count + 1)) }
      }
      check(Array(lines.joined(separator: "\n").utf8), "seed \(seed), round \(round)")
    }
  }

  @Test("A truncated file is rejected or parsed")
  func truncations() {
    let file = Array(goodFile.utf8)
    for length in stride(from: 0, to: file.count, by: 7) { check(Array(file[..<length]), "cut after \(length) bytes") }
  }
}
