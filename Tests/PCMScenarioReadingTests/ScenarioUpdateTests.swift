import PCMCore
import PCMScenario
import Testing

@Suite struct ScenarioUpdateTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let before: String
    let pointer: String
    let value: JSON
    let after: String

    var testDescription: String { "\(pointer) of \(before)" }

    init(_ before: String, _ pointer: String, _ value: JSON, _ after: String) {
      self.before = before
      self.pointer = pointer
      self.value = value
      self.after = after
    }
  }

  static let scalars = [
    Case("a: b # c\n", "/a", "d", "a: d # c\n"),
    Case("a: b c  # d\ne: f\n", "/a", "x y", "a: \"x y\"  # d\ne: f\n"),
    Case("a:   12\n", "/a", -3, "a:   -3\n"),
    Case("a: true\n", "/a", .bool(false), "a: false\n"),
    Case("a: null # b\n", "/a", "null", "a: \"null\" # b\n"),
    Case("a: ~\n", "/a", 1, "a: 1\n"),
    Case("a:\nb: c\n", "/a", 1, "a: 1\nb: c\n"),
    Case("a: # d\nb: c\n", "/a", 1, "a: 1 # d\nb: c\n"),
    Case("a:", "/a", [1, 2], "a: [1, 2]"),
    Case("a: \"b \\\" # c\" # d\n", "/a", "é", "a: \"é\" # d\n"),
    Case("a: 'b '' # c' # d\n", "/a", "e", "a: e # d\n"),
    Case("a: b\n  c\n\n  d # e\nf: g\n", "/a", "x", "a: x # e\nf: g\n"),
    Case("a: \"b\n\n  c\"\nf: g\n", "/a", "x", "a: x\nf: g\n"),
    Case("a: |\n  b\n   c\n\n  d\n# e\nf: g\n", "/a", "x", "a: x\n# e\nf: g\n"),
    Case("a:\n  b: >-\n    c\n    d\n  e: f\n", "/a/b", "x", "a:\n  b: x\n  e: f\n"),
    Case("a: |\n\nb: c\n", "/a", "x", "a: x\n\nb: c\n"),
    Case("'a: b': c\n", "/a: b", "x", "'a: b': x\n"),
    Case("a/b~c: d\n", "/a~1b~0c", "x", "a/b~c: x\n"),
    Case("a: b\r\nc: d\r\n", "/a", "x", "a: x\r\nc: d\r\n"),
    Case("ä: ö # ü\n", "/ä", "x", "ä: x # ü\n"),
  ]

  static let collections = [
    Case("a: [b, \"]\", 'c]', # ]\n  d] # e\n", "/a", ["x"], "a: [x] # e\n"),
    Case("a: []\n", "/a", ["x-y"], "a: [x-y]\n"),
    Case("a: [ # ]\n ] # b\n", "/a", [], "a: [] # b\n"),
    Case("a: { b: { c: \"}\" }, d: , }\n", "/a/b", ["c": .null], "a: { b: { c: null }, d: , }\n"),
    Case("a: { b: , c: d }\n", "/a/b", 1, "a: { b: 1 , c: d }\n"),
    Case("a: { b, c: d }\n", "/a", ["e": []], "a: { e: [] }\n"),
    Case("a: [b, c d, e]\n", "/a/1", "x", "a: [b, x, e]\n"),
    Case("a:\n  - b\n  - c # d\n# e\nf: g\n", "/a", ["x"], "a: [x] # d\n# e\nf: g\n"),
    Case("a: # why\n  # more\n  - b\n  - c\nf: g\n", "/a", ["x"], "a: [x] # why\n  # more\nf: g\n"),
    Case("a:\n- b\n- c\nf: g\n", "/a", [], "a: []\nf: g\n"),
    Case("a:\r\n- b\r\n- c\r\nf: g\r\n", "/a", [], "a: []\r\nf: g\r\n"),
    Case("a:\n  b: 1\n  c:\n    - d: |\n        e\n      f: g\n  h: i\n", "/a/c", ["x"], "a:\n  b: 1\n  c: [x]\n  h: i\n"),
    Case("a:\n  b: 1\n  c:\n    d: e\nf: g\n", "/a", ["x": ["z": 1]], "a: { x: { z: 1 } }\nf: g\n"),
    Case("a:\n  - b: 1\n    c: 2\n  - d\n", "/a/0", ["x": 1], "a:\n  - { x: 1 }\n  - d\n"),
    Case("- - a\n  - b\n- c\n", "/0", "x", "- x\n- c\n"),
    Case("- a:\n  - b\n  c: d\n", "/0/a", ["x"], "- a: [x]\n  c: d\n"),
    Case("a:\n  b:\nc: d\n", "/a", [:], "a: {}\nc: d\n"),
    Case("{\"a\": [1,\n\t\"b\"], \"c\":\"d\"}\n", "/a", ["x": ["y", .null]], "{\"a\": {\"x\": [\"y\", null]}, \"c\":\"d\"}\n"),
    Case("{\"a\": [1], \"c\":\"d\"}\n", "/c", "x", "{\"a\": [1], \"c\":\"x\"}\n"),
    Case("a: b\n", "", ["c": 1], "{ c: 1 }\n"),
  ]

  @Test("A value is replaced, and everything else is unchanged", arguments: scalars + collections)
  func one(_ change: Case) throws {
    let file = try ScenarioUpdate(Array(change.before.utf8)).applying([.init(change.pointer, change.value)])
    #expect(String(decoding: file, as: UTF8.self) == change.after)
  }

  @Test(
    "Any text can be written",
    arguments: [
      "", " ", "yes", "No", "12", "1.5", "~", "a: b", "a #b", "- a", "'a'", "\"", "\\", "a\nb", "\u{7F}\u{2028}\u{FEFF}", "{",
      "😀", "*a", "&a", "!a",
      "%a", "@a", "`a", "2026-11-20", "trigger-accepted", "https://a.example/?b=1&c#d", "\u{0}\u{1B}\r",
    ])
  func texts(_ text: String) throws {
    for file in ["a: b\nc: d\n", "{\"a\": \"b\"}", "a: { x: [a, b] }\n"] {
      let new = try ScenarioUpdate(Array(file.utf8)).applying([
        .init("/a", [.string(text), .object([.init(text, .string(text))])])
      ])
      #expect(!new.isEmpty, "\(file)")
    }
  }

  @Test("Several values are replaced at once, also after a byte order mark")
  func several() throws {
    let file = [0xEF, 0xBB, 0xBF] + Array("a: b\nc: [d, e]\nf:\n  - g\n".utf8)
    let new = try ScenarioUpdate(file).applying([.init("/f", 1), .init("/a", 2), .init("/c/0", 3)])
    #expect(new == [0xEF, 0xBB, 0xBF] + Array("a: 2\nc: [3, e]\nf: 1\n".utf8))
  }

  @Test("An impossible update is an error", arguments: [["/x"], ["/c/2"], ["a"], ["/a/b"], ["/c", "/c/0"], ["/a", "/a"]])
  func refused(_ pointers: [String]) {
    #expect(throws: ScenarioErrors.self) {
      try ScenarioUpdate(Array("a: b\nc: [d, e]\n".utf8)).applying(pointers.map { .init($0, 1) })
    }
  }

  @Test("Every value of the good file can be replaced alone")
  func everywhere() throws {
    let update = try ScenarioUpdate(Array(goodFile.utf8))
    let pointers = Self.pointers(try scenarioJSON(goodFile), "")
    #expect(pointers.count > 140)
    for pointer in pointers {
      for value: JSON in ["new", ["a", ["b": .null]]] {
        let new = String(decoding: try update.applying([.init(pointer, value)]), as: UTF8.self)
        if pointer != "" {
          #expect(new.hasPrefix("# A comment.\n"), "\(pointer)")
          #expect(new.contains("# as in the API") || ["/browser", "/browser/settings"].contains(pointer), "\(pointer)")
        }
      }
    }
  }

  private static func pointers(_ value: JSON, _ pointer: String) -> [String] {
    switch value {
    case .object(let members):
      [pointer]
        + members.flatMap { member in
          pointers(member.value, pointer + "/" + member.name.replacing("~", with: "~0").replacing("/", with: "~1"))
        }
    case .array(let items): [pointer] + items.enumerated().flatMap { pointers($0.element, "\(pointer)/\($0.offset)") }
    default: [pointer]
    }
  }
}
