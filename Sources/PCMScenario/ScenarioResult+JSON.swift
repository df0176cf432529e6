package import PCMCore

extension ScenarioResult {
  /// As `run --json` and the control API show it: the same result is the same bytes.
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
