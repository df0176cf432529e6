import PCMScenario

/// One scenario file and what came of it.
struct PlayedFile: Sendable {
  enum Outcome: Sendable {
    case played(ScenarioResult)
    /// It is no scenario, or could not be updated.
    case unreadable(UnreadableScenario)
  }

  let path: String
  /// How long it took, on the machine's clock.
  let milliseconds: Int64
  /// How many expectations were written anew; nil when nobody wanted that.
  let updates: Int?
  let outcome: Outcome
  /// What else was said on the command line that changes the result, such as `--live`.
  let options: [String]

  var passed: Bool { if case .played(let result) = outcome { result.passed } else { false } }
  var isUnreadable: Bool { if case .unreadable = outcome { true } else { false } }

  /// The command that has the same result again.
  func command(seed: String) -> String {
    (["pcm-browser run \(Self.quoted(path)) --seed \(Self.quoted(seed))"] + options.map(Self.quoted)).joined(separator: " ")
  }

  /// As a shell takes it for one word.
  private static func quoted(_ text: String) -> String {
    let isPlain =
      !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-._/@%+=:,".utf8.contains(byte)
        }
      }
    return isPlain && (!text.hasPrefix("-") || text.hasPrefix("--")) ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
