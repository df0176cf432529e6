import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  func addExplainRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/explain", .get, parameters: ["click", "triggeringEvent", "report", "destination"]) {
      request, context in
      let input = try ExplainQuery(request).input
      return Response(json: try await explanation(of: input, in: browser(context)).json)
    }
  }

  private func explanation(of input: ExplainInput, in browser: Browser) async throws -> Explanation {
    do {
      return try await browser.explain(input)
    } catch BrowserError.invalidInput(let errors) {
      throw Problem.invalidParameter("destination", errors.map(\.detail).joined(separator: "; "))
    }
  }
}

/// The subject of an explanation: exactly one of four parameters.
private struct ExplainQuery {
  let input: ExplainInput

  init(_ request: Request) throws {
    let query = QueryReader(request)
    let asked: [ExplainInput?] = [
      query.text("click").map { .click($0) }, query.text("triggeringEvent").map { .triggeringEvent($0) },
      query.text("report").map { .report($0) }, query.text("destination").map { .destination($0) },
    ]
    let given = asked.compactMap { $0 }
    guard given.count == 1, let input = given.first else {
      throw Problem.invalid("give exactly one of click, triggeringEvent, report and destination")
    }
    self.input = input
  }
}

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
      "saw": inputs ?? .null,
      "reason": reason?.json ?? .null,
      "change": .string(change),
    ]
  }
}
