import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  func addMeasuringRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/event-attributions", .post) { request, context in
      let browser = try await browser(context)
      let input = try await request.json(as: EventAttributionBody.self).input
      return Response(json: try await browser.open(input).json, status: .created)
    }
    routes.on("/v1/browsers/:browser/link-clicks", .post) { request, context in
      let browser = try await browser(context)
      let input = try await request.json(as: LinkClickBody.self).input
      return Response(json: try await browser.follow(input).json, status: .created)
    }
    routes.on("/v1/browsers/:browser/triggering-events", .post) { request, context in
      let browser = try await browser(context)
      let input = try await request.json(as: TriggeringEventBody.self).input
      return Response(json: try await browser.observe(input).json)
    }
    routes.on("/v1/browsers/:browser/data", .delete, parameters: ["site"]) { request, context in
      let browser = try await browser(context)
      let named = QueryReader(request).text("site")
      try await browser.clear(try await site(named, in: browser))
      return Response(status: .noContent)
    }
  }

  private func site(_ text: String?, in browser: Browser) async throws -> Site? {
    guard let text else { return nil }
    do {
      return try await browser.site(ofHost: text)
    } catch BrowserError.invalidInput(let problems) {
      throw Problem.invalidParameter("site", problems.map(\.detail).joined(separator: "; "))
    }
  }
}
