import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  func addExplainRoutes(to routes: inout RouteTable) {
    routes.onWorld("/explain", .get, parameters: ["about"]) { request, context in
      guard let about = QueryReader(request).text("about"), !about.isEmpty else {
        throw Problem.invalidParameter(
          "about",
          "name a click, a triggering event, a report, an ad, an install, a conversion, a postback, or a destination, as in "
            + "?about=click-12", .missing)
      }
      guard RecordName.Kind.attribution.number(about) == nil else {
        throw Problem.invalidParameter("about", "an attribution is explained by its click and by its reports")
      }
      let explanation = try await explanation(of: about, in: browser(context))
      let isText = request.headers[.accept]?.contains("text/plain") == true
      return isText ? Response(text: explanation.text + "\n") : Response(json: explanation.json)
    }
  }

  /// Returns an explanation, or throws a problem with the parameter `about`.
  func explanation(of subject: String, in browser: Browser) async throws -> Explanation {
    do {
      return try await browser.explain(subject)
    } catch BrowserError.invalidInput(let errors) {
      throw Problem.invalidParameter("about", errors.map(\.detail).joined(separator: "; "))
    }
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
      "omittedBefore": omittedBefore.map(JSON.number) ?? .null,
      "omittedStepCount": .number(Int64(omittedStepCount)),
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
    let members: [JSON.Member] = [
      .init("step", .string(kind.rawValue)), .init("id", .string(id)), .init("at", .string(at.text)),
      .init("outcome", .string(outcome)), .init("rules", .array(rules.map(\.json))),
    ]
    let more = [("observed", observed?.json), ("later", later.map { .string($0) })]
    return .object(members + more.compactMap { name, value in value.map { JSON.Member(name, $0) } })
  }
}

extension Explanation.Verdict {
  var json: JSON {
    [
      "rule": .string(rule),
      "verdict": .string(kind.rawValue),
      "saw": inputs ?? .null,
      "reason": reason?.json ?? .null,
      "change": .string(change),
    ]
  }
}
