import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  func addDataRoutes(to routes: inout RouteTable) {
    routes.onWorld("/data", .delete, parameters: ["site"]) { request, context in
      let browser = try await browser(context)
      let named = QueryReader(request).text("site")
      let site = try named.map { try QueryReader.site($0, of: "site", in: browser) }
      try await browser.clear(site)
      return Response(status: .noContent)
    }
  }
}
