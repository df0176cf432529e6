import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  func addExpectationRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/expectations", .post) { request, context in
      // An expectation leaves nothing behind, so a key is only checked.
      _ = try request.idempotencyKey()
      let browser = try await browser(context)
      let input = try await request.json(as: ExpectationInput.self, in: context)
      return Response(json: try await browser.check(input).json)
    }
  }
}

extension ExpectationResult {
  fileprivate var json: JSON {
    [
      "met": .bool(isMet),
      "report": report?.json ?? .null,
      "mismatches": .array(mismatches.map(\.json)),
      "explanation": explanation?.json ?? .null,
      "text": .string(text),
    ]
  }
}

extension ExpectationResult.Mismatch {
  fileprivate var json: JSON {
    ["reportId": .string(RecordName.report(report.id)), "differences": .array(differences.map(\.json))]
  }
}

extension ReportDifference {
  fileprivate var json: JSON {
    ["member": .string(member), "expected": .array(expected), "actual": actual, "text": .string(text)]
  }
}
