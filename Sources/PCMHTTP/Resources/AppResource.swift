import Hummingbird
import PCMBrowser
import PCMCore
import PCMManifest

extension ControlAPI {
  func addAppRoutes(to routes: inout RouteTable) {
    routes.on("/v1/browsers/:browser/apps", .put, use: putApp)
    routes.on("/v1/browsers/:browser/apps", .get, parameters: ["limit", "cursor"]) { request, context in
      let query = QueryReader(request)
      let (limit, cursor) = (try query.limit(), query.text("cursor") ?? "")
      let apps = try await browser(context).registeredApps().filter { $0.bundleIdentifier > cursor }
      let page = apps.prefix(limit)
      return Response(json: Page.json(page.map(\.json), next: apps.count > limit ? page.last?.bundleIdentifier : nil))
    }
    routes.on("/v1/browsers/:browser/apps/:bundleIdentifier", .get) { _, context in
      let app = try await browser(context).registeredApp(try context.pathPart("bundleIdentifier"))
      return Response(json: app.json)
    }
    routes.on("/v1/browsers/:browser/apps/:bundleIdentifier", .delete) { _, context in
      try await browser(context).remove(app: try context.pathPart("bundleIdentifier"))
      return Response(status: .noContent)
    }
  }

  private func putApp(_ request: Request, _ context: APIContext) async throws -> Response {
    let browser = try browser(context)
    try request.requireMediaType(["application/x-plist", "application/xml", "text/xml", "application/octet-stream"])
    let buffer = try await request.bytes(upTo: BodyLimit.manifest)
    do {
      let manifest = try manifests.read(Array(buffer.readableBytesView))
      return Response(json: try await browser.register(manifest).json)
    } catch let error as ManifestError {
      throw Problem.invalid([InputError([], error.detail)])
    }
  }
}

extension RegisteredApp {
  var json: JSON {
    [
      "bundleIdentifier": .string(bundleIdentifier),
      "reportEndpoint": .string(reportEndpoint),
      "sourceSite": .string(sourceSite),
      "reportURL": .string(reportURL),
      "findings": .verbatim(findings),
    ]
  }
}
