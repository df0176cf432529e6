import PCMCore
import PCMScenario

/// The results of all files.
struct RunSummary: Sendable {
  let files: [PlayedFile]

  var passed: Int { files.count { $0.passed } }
  var unreadable: Int { files.count { $0.isUnreadable } }
  var failed: Int { files.count - passed - unreadable }

  /// The exit status: 0 when all passed, 1 when one failed, 2 when one could not be read.
  var status: Int32 { unreadable > 0 ? 2 : failed > 0 ? 1 : 0 }

  /// One line in the color of the result.
  func text(in style: TerminalStyle) -> String {
    var parts = ["\(passed) passed"]
    if failed > 0 { parts.append("\(failed) failed") }
    if unreadable > 0 { parts.append("\(unreadable) could not be read") }
    let line = "\(counted(files.count, "scenario")): \(parts.joined(separator: ", "))"
    return status == 0 ? style.green(line) : style.red(line)
  }

  /// The results without durations, so that the same run produces the same bytes.
  var json: JSON {
    [
      "passed": .number(Int64(passed)), "failed": .number(Int64(failed)), "unreadable": .number(Int64(unreadable)),
      "files": .array(files.map(\.json)),
    ]
  }
}

extension PlayedFile {
  fileprivate var json: JSON {
    switch result {
    case .success(let result):
      [
        "file": .string(path), "outcome": passed ? "passed" : "failed", "result": result.json, "faults": [],
        "trace": .string(trace),
      ]
    case .failure(let file):
      [
        "file": .string(path), "outcome": "unreadable", "result": .null, "faults": file.errors.json(file: path),
      ]
    }
  }
}

extension RunSummary {
  /// The results as JUnit XML, with a suite per file and a case per played step.
  var junit: String {
    JUnitReport(name: "pcm-browser run", suites: files.map(\.suite)).xml
  }
}

extension PlayedFile {
  fileprivate var suite: JUnitReport.Suite {
    switch result {
    case .success(let result):
      var cases = result.steps.map {
        testCase($0.name, line: $0.line, time: $0.duration, failure: $0.passed ? nil : result.failure)
      }
      if let failure = result.failure, failure.step == 0 {
        cases.insert(testCase(failure.stepName, line: 1, time: .zero, failure: failure), at: 0)
      }
      return JUnitReport.Suite(name: path, milliseconds: milliseconds, cases: cases)
    case .failure(let file):
      let first = file.errors.errors.first
      return JUnitReport.Suite(
        name: path, milliseconds: milliseconds,
        cases: [
          JUnitReport.Case(
            name: "reading", className: className, file: path, line: first?.place.line, milliseconds: milliseconds,
            outcome: .failed(
              message: first?.detail ?? "the file cannot be read", type: "unreadable", text: details.joined(separator: "\n")))
        ])
    }
  }

  /// Most readers split class names at full stops, so full stops in the file's name are replaced.
  private var className: String { path.replacing(".", with: "_") }

  private func testCase(
    _ name: String, line: Int, time: Duration, failure: ScenarioResult.Failure?
  ) -> JUnitReport.Case {
    let outcome = failure.map { failure in
      JUnitReport.Outcome.failed(
        message: failure.mismatches.first?.detail ?? "the step failed", type: "expectation",
        text: details.joined(separator: "\n"))
    }
    return JUnitReport.Case(
      name: name, className: className, file: path, line: line, milliseconds: time.milliseconds, outcome: outcome ?? .passed)
  }
}
