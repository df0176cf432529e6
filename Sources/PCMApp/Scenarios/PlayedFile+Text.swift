import PCMCore
import PCMScenario

extension PlayedFile {
  /// One line, and below it what went wrong.
  var text: String {
    let mark = passed ? "ok  " : isUnreadable ? "BAD " : "FAIL"
    let count = updates ?? 0
    let updated = count == 0 ? "" : ", \(counted(count, "expectation")) written anew"
    return (["\(mark)  \(path)  (\(seconds) s\(updated))"] + details.map { $0.isEmpty ? "" : "      " + $0 }).joined(
      separator: "\n")
      + "\n"
  }

  /// With two digits behind the point.
  private var seconds: String {
    let hundredths = (milliseconds + 5) / 10
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  /// Lines about what went wrong; none when it passed.
  var details: [String] {
    switch outcome {
    case .played(let result): result.failure.map { lines($0, seed: result.seed) } ?? []
    case .unreadable(let file):
      file.faults.text(file: path, bytes: file.bytes).split(separator: "\n").map(String.init)
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
      if updates != nil, mismatch.replacement == nil { lines.append("    kept      nothing can be written in its place") }
    }
    if !failure.explanation.isEmpty { lines += ["  why"] + failure.explanation.map { "    " + $0 } }
    return lines + ["  again", "    " + command(seed: seed)]
  }
}

/// What came of all files.
struct RunSummary: Sendable {
  let files: [PlayedFile]

  var passed: Int { files.count { $0.passed } }
  var unreadable: Int { files.count { $0.isUnreadable } }
  var failed: Int { files.count - passed - unreadable }

  /// 0 when all passed, 1 when one failed, 2 when one could not be read.
  var status: Int32 { unreadable > 0 ? 2 : failed > 0 ? 1 : 0 }

  var text: String {
    var parts = ["\(passed) passed"]
    if failed > 0 { parts.append("\(failed) failed") }
    if unreadable > 0 { parts.append("\(unreadable) could not be read") }
    return "\(counted(files.count, "scenario")): \(parts.joined(separator: ", "))\n"
  }

  /// Without durations, so that the same run is the same bytes.
  var json: JSON {
    [
      "passed": .number(Int64(passed)), "failed": .number(Int64(failed)), "unreadable": .number(Int64(unreadable)),
      "files": .array(files.map(\.json)),
    ]
  }
}

extension PlayedFile {
  fileprivate var json: JSON {
    switch outcome {
    case .played(let result):
      [
        "file": .string(path), "outcome": passed ? "passed" : "failed", "updates": .number(Int64(updates ?? 0)),
        "result": result.json,
        "faults": [],
      ]
    case .unreadable(let file):
      [
        "file": .string(path), "outcome": "unreadable", "updates": .number(Int64(updates ?? 0)), "result": .null,
        "faults": file.faults.json(file: path),
      ]
    }
  }
}
