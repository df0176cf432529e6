import PCMCore
import PCMPages
import PCMScenario

/// A scenario file with its result.
struct PlayedFile: Sendable {
  let path: String
  /// The duration on the machine's clock.
  let milliseconds: Int64
  /// The result, or the error for a file that is not a scenario.
  let result: Result<ScenarioResult, UnreadableScenario>
  /// Other arguments that change the result, such as `--live`.
  let options: [String]
  /// The browser's timeline for a report; nil when it is empty, and without a report.
  let timeline: TimelineView?
  /// The path of the trace of a failed scenario, with `--trace`.
  var trace: String?

  var passed: Bool { if case .success(let result) = result { result.passed } else { false } }
  var isUnreadable: Bool { if case .failure = result { true } else { false } }

  /// The command that reproduces the result.
  func command(seed: String) -> String {
    (["pcm-browser run \(path == ScenarioFile.standardInput ? "-" : Self.quoted(path)) --seed \(Self.quoted(seed))"]
      + options.map(Self.quoted)).joined(separator: " ")
  }

  /// Quotes a word for a shell.
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

extension PlayedFile {
  /// One line, followed by the details of a failure.
  func text(in style: TerminalStyle) -> String {
    let mark = passed ? style.green("ok  ") : style.red(isUnreadable ? "BAD " : "FAIL")
    return (["\(mark)  \(path)  (\(seconds) s)"] + details.map { $0.isEmpty ? "" : "      " + $0 }).joined(
      separator: "\n")
      + "\n"
  }

  /// The duration in seconds with two decimal places.
  private var seconds: String {
    let hundredths = (milliseconds + 5) / 10
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  /// The lines about a failure; none when the scenario passed.
  var details: [String] {
    switch result {
    case .success(let result): result.failure.map { lines($0, seed: result.seed) } ?? []
    case .failure(let file):
      file.errors.text(file: path, bytes: file.bytes).split(separator: "\n").map(String.init)
    }
  }

  private func lines(_ failure: ScenarioResult.Failure, seed: String) -> [String] {
    var lines = [failure.stepName]
    for mismatch in failure.mismatches {
      lines += [
        "  \(path):\(mismatch.place.line):\(mismatch.place.column): \(mismatch.detail)",
        "    expected  \(mismatch.expected.text)",
        "    actual    \(mismatch.actual.text)",
      ]
    }
    if !failure.actual.isEmpty { lines += ["  actual, to paste into expect"] + failure.actual.map { "    " + $0 } }
    if !failure.explanation.isEmpty { lines += ["  why"] + failure.explanation.map { "    " + $0 } }
    return lines + ["  again", "    " + command(seed: seed)] + (trace.map { ["  trace", "    " + $0] } ?? [])
  }
}
