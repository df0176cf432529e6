import PCMCore
import PCMScenario
import Testing
import Yams

/// The check before the YAML parser may overestimate the depth of nesting, but never underestimate it.
@Suite struct NestingTests {
  @Test("The YAML parser receives no text with more than 32 open brackets", arguments: 0..<8)
  func neverLess(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var readable = 0
    for _ in 0..<60 {
      let depth = 20 + random.below(30)
      let text = Self.text(depth: depth, &random)
      guard let node = try? compose(yaml: text, .basic), Self.levels(node) > depth else { continue }
      readable += 1
      let isRefused = errors(text).first?.detail.contains("open brackets") ?? false
      #expect(isRefused || depth <= 32, "\(depth) levels: \(text)")
      #expect(!isRefused || depth > 16, "\(depth) levels: \(text)")
    }
    #expect(readable > 40, "of 60 texts")
  }

  /// Lists and objects within each other; the outermost is a block.
  private static func levels(_ node: Node) -> Int {
    switch node {
    case .sequence(let items): 1 + (items.map(levels).max() ?? 0)
    case .mapping(let pairs): 1 + (pairs.map { levels($0.value) }.max() ?? 0)
    default: 0
    }
  }

  private static func text(depth: Int, _ random: inout SplitMix64) -> String {
    let before = [
      "it's: a \"b\n", "a: b\n  c \"d ] it's\n", "b: |\n  \" ' ]\n", "c: '''\n  x'\n", "d: \"\\\"\n ]\" # \"\n",
      "# it's \" [\n",
      "e: >-\n  don't\n\n  [\"]\n", "f: - 'x\n",
    ]
    let noise = [
      "\"]\"", "'}'", "'it''s ]'", "\"\\\"]\"", "it's", "a\n \"b", "# ]}'\"\n x", "''", "\"\"", "x#]".replacing("]", with: "y"),
      "\"\\\\\"", "-'", "a 'b ",
      "\"a\nb]\"", "'a\n]'", "{}", "[x, []]", "{ k: \"}\" }", "a:'b'",
    ]
    var text = (0..<random.below(4)).map { "k\($0)" + ": x\n" }.joined()
    var names: Set<Int> = []
    for _ in 0..<random.below(4) {
      let index = random.below(before.count)
      if index != 7, names.insert(index).inserted { text += before[index] }
    }
    text += "deep: "
    var closers = ""
    for _ in 0..<depth {
      let isList = random.below(2) == 0
      text += isList ? "[" : "{"
      for number in 0..<random.below(3) {
        text += (isList ? "" : "n\(number): ") + random.pick(noise) + random.pick([",", " , ", ",\n"])
      }
      if !isList { text += random.pick(["m: ", "\"m\":", "'m' : ", "m:\n "]) }
      closers = (isList ? "]" : "}") + closers
    }
    return text + random.pick(["x", "'x'", ""]) + closers + "\n"
  }
}
