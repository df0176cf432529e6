import PCMBrowser
import PCMCore

extension Explanation {
  var json: JSON {
    [
      "subject": ["kind": .string(subject.kind), "id": .string(subject.id)],
      "summary": .string(summary),
      "firstFailure": firstFailure?.json ?? .null,
      "steps": .array(steps.map(\.json)),
      "events": .array(events.map(\.json)),
    ]
  }
}

extension Explanation.Failure {
  fileprivate var json: JSON {
    [
      "step": .string(step.kind.rawValue),
      "id": .string(step.id),
      "rule": .string(verdict.rule),
      "reason": verdict.reason?.json ?? .null,
      "change": .string(verdict.change),
    ]
  }
}

extension Explanation.Step {
  fileprivate var json: JSON {
    [
      "step": .string(kind.rawValue),
      "id": .string(id),
      "at": .string(at.text),
      "outcome": .string(outcome),
      "rules": .array(rules.map(\.json)),
    ]
  }
}

extension Explanation.Verdict {
  fileprivate var json: JSON {
    [
      "rule": .string(rule),
      "verdict": .string(kind.rawValue),
      "saw": saw ?? .null,
      "reason": reason?.json ?? .null,
      "change": .string(change),
    ]
  }
}
