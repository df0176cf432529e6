import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  func addLoadRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/loads", .post) { request, context in
      let browser = try await browser(context)
      let input = try await request.json(as: LoadBody.self).input
      return Response(json: try await browser.load(input).json)
    }
  }
}
