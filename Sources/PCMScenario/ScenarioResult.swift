package import PCMCore

/// The result of a scenario.
package struct ScenarioResult: Sendable {
  package let name: String
  package let rule: String?
  package let seed: String
  package let steps: [StepResult]
  /// Why the scenario ended early; nil when all steps passed.
  package let failure: Failure?

  package var passed: Bool { failure == nil }

  package struct StepResult: Sendable {
    package let number: Int
    package let name: String
    package let line: Int
    package let passed: Bool
    /// The duration on the machine's clock, which is no part of the JSON.
    package var duration = Duration.zero
  }

  /// The first failed step.
  package struct Failure: Sendable {
    package let step: Int
    package let stepName: String
    /// The mismatches in the order of the file. There is at least one.
    package let mismatches: [Mismatch]
    /// The failed members of `expect` with their actual values, each as a line of YAML. The step passes with them in place of
    /// the expected values. Members without an actual value, such as `nothing`, are omitted.
    package var actual: [String] = []
    /// The explanation of the browser's decisions, as lines of text; empty when there is nothing to explain.
    package var explanation: [String] = []
  }

  package struct Mismatch: Sendable {
    /// The place of the expectation.
    package let place: SourcePlace
    /// A JSON pointer into the file, `/steps/2/expect/outcome`.
    package let pointer: String
    package let expected: JSON
    package let actual: JSON
    /// A sentence without a period.
    package let detail: String
  }
}

extension ScenarioResult {
  /// The result as `run --json` and the control API return it. The same result has the same bytes.
  package var json: JSON {
    [
      "name": .string(name),
      "rule": .string(rule),
      "seed": .string(seed),
      "outcome": passed ? "passed" : "failed",
      "steps": .array(steps.map(\.json)),
      "failure": failure?.json ?? .null,
    ]
  }
}

extension ScenarioResult.StepResult {
  fileprivate var json: JSON {
    [
      "number": .number(Int64(number)), "name": .string(name), "line": .number(Int64(line)),
      "outcome": passed ? "passed" : "failed",
    ]
  }
}

extension ScenarioResult.Failure {
  fileprivate var json: JSON {
    [
      "step": .number(Int64(step)),
      "stepName": .string(stepName),
      "mismatches": .array(mismatches.map(\.json)),
      "actual": .string(actual.map { $0 + "\n" }.joined()),
      "explanation": .array(explanation.map { .string($0) }),
    ]
  }
}

extension ScenarioResult.Mismatch {
  fileprivate var json: JSON {
    [
      "line": .number(Int64(place.line)), "column": .number(Int64(place.column)), "pointer": .string(pointer),
      "expected": expected, "actual": actual, "detail": .string(detail),
    ]
  }
}
