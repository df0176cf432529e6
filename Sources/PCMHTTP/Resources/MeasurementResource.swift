import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  func addMeasurementRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/measurements", .get, parameters: ["limit", "cursor"]) { request, context in
      let query = QueryReader(request)
      let (limit, start) = (try query.limit(default: 1_000, most: 10_000), try query.position("cursor"))
      return Response(json: try await browser(context).measurements(after: start, limit: limit).json)
    }
    routes.on("/v1/browsers/:browser/data", .delete, parameters: ["site"]) { request, context in
      let browser = try browser(context)
      try await browser.clear(try QueryReader(request).text("site").map { try site($0, of: browser) })
      return Response(status: .noContent)
    }
  }

  /// Returns the site that a parameter `site` specifies, a host or a registrable domain.
  func site(_ text: String, of browser: Browser) throws -> Site {
    do {
      return try browser.site(ofHost: text)
    } catch BrowserError.invalidInput(let errors) {
      throw Problem.invalidParameter("site", errors.map(\.detail).joined(separator: "; "))
    }
  }
}

extension Measurements {
  var json: JSON {
    [
      "unattributed": .array(unattributed.map(\.json)),
      "attributed": .array(attributed.map(\.json)),
      "ephemeral": ephemeral?.json ?? .null,
      "next": .string(next.map { String($0) }),
    ]
  }
}

extension Attribution {
  var json: JSON {
    [
      "id": .string(RecordName.attribution(id)),
      "sourceSite": .string(key.source.domain),
      "destinationSite": .string(key.destination.domain),
      "sourceIdentifier": .number(Int64(click.click.sourceID)),
      "triggerData": .number(Int64(trigger.data)),
      "priority": .number(Int64(trigger.priority)),
      "bundleIdentifier": .string(key.bundleIdentifier),
      "attributedAt": .string(attributedAt.text),
      "sourceReportId": .string(source.map { RecordName.report($0.report) }),
      "destinationReportId": .string(destination.map { RecordName.report($0.report) }),
      "sourceToken": click.click.token.json,
      "destinationToken": destinationToken.json,
    ]
  }
}
