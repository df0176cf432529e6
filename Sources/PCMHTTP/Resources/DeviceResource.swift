import Hummingbird
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMDevice
import PCMStore

extension ControlAPI {
  /// Adds the routes that only a device has. Resources that it shares with its browser have routes under both.
  func addDeviceRoutes(to routes: inout RouteTable) {
    routes.on(
      "/v1/devices", .get, parameters: ["limit", "cursor", .repeatable("label")], use: listBrowsers)
    addAdNetworkRoutes(to: &routes)
    addImpressionRoutes(to: &routes)
    addInstallRoutes(to: &routes)
    addPostbackRoutes(to: &routes)
    addKeyRoutes(to: &routes)
  }

  private func addAdNetworkRoutes(to routes: inout RouteTable) {
    routes.on("/v1/devices/:device/ad-networks", .get, parameters: ["limit", "cursor"]) { request, context in
      let query = QueryReader(request)
      let (browser, limit) = (try await browser(context), try query.limit())
      let cursors = ListCursors("ad-networks", of: browser)
      let found = try await browser.adNetworks(after: try query.cursor(cursors) ?? "", limit: limit + 1)
      return Response(json: Page.json(found, limit: limit, cursor: { cursors.text($0.identifier) }, json: \.json))
    }
    routes.on("/v1/devices/:device/ad-networks/:adNetwork", .put) { request, context in
      let browser = try await browser(context)
      let identifier = try context.pathPart("adNetwork")
      if let error = AdNetworkIdentifier.error(in: identifier) { throw Problem.invalidParameter("adNetwork", error) }
      let input = try await request.json(as: AdNetworkInput.self, in: context)
      return Response(json: try await browser.register(adNetwork: identifier, input).json)
    }
    routes.on("/v1/devices/:device/ad-networks/:adNetwork", .get) { _, context in
      Response(json: try await browser(context).adNetwork(try context.pathPart("adNetwork")).json)
    }
    routes.on("/v1/devices/:device/ad-networks/:adNetwork", .delete) { _, context in
      try await browser(context).remove(adNetwork: try context.pathPart("adNetwork"))
      return Response(status: .noContent)
    }
  }

  private func addImpressionRoutes(to routes: inout RouteTable) {
    routes.on("/v1/devices/:device/impressions", .get, parameters: ["limit", "cursor"]) { request, context in
      let query = QueryReader(request)
      let (browser, limit) = (try await browser(context), try query.limit())
      let cursors = ListCursors("impressions", of: browser)
      let position = try query.numericCursor(cursors)
      let listed = try await browser.impressions(after: position, limit: limit + 1).listed
      return Response(json: Page.json(listed, limit: limit, cursor: { cursors.text($0.id) }, json: \.json))
    }
    routes.on("/v1/devices/:device/signed-ads", .post) { request, context in
      // The call stores nothing, so a key is only checked.
      _ = try request.idempotencyKey()
      let browser = try await browser(context)
      return Response(json: try await browser.signedAd(try await request.json(as: SignedAdInput.self, in: context)))
    }
  }

  private func addInstallRoutes(to routes: inout RouteTable) {
    routes.on("/v1/devices/:device/installs", .get, parameters: ["limit", "cursor"]) { request, context in
      let query = QueryReader(request)
      let (browser, limit) = (try await browser(context), try query.limit())
      let cursors = ListCursors("installs", of: browser)
      let found = try await browser.installedApps(after: try query.cursor(cursors) ?? "", limit: limit + 1)
      return Response(json: Page.json(found, limit: limit, cursor: { cursors.text($0.bundleIdentifier) }, json: \.json))
    }
  }

  private func addPostbackRoutes(to routes: inout RouteTable) {
    routes.on(
      "/v1/devices/:device/postbacks", .get, parameters: [.repeatable("state"), .repeatable("include"), "limit", "cursor"]
    ) { request, context in
      let query = QueryReader(request)
      let (states, parts) = (
        try query.choices("state", of: Postback.State.self), try query.choices("include", of: ReportPart.self)
      )
      let (browser, limit) = (try await browser(context), try query.limit())
      let cursors = ListCursors("postbacks", of: browser)
      let page = try await browser.postbackPage(in: states, after: try query.numericCursor(cursors), limit: limit)
      return Response(json: page.json(cursors) { $0.json(with: parts) })
    }
    routes.on("/v1/devices/:device/postbacks/:postback", .get) { _, context in
      Response(json: try await browser(context).postback(named: try context.pathPart("postback")).json)
    }
  }

  private func addKeyRoutes(to routes: inout RouteTable) {
    routes.on("/v1/devices/:device/keys", .get, parameters: ["limit", "cursor"]) { request, context in
      let query = QueryReader(request)
      let (browser, limit) = (try await browser(context), try query.limit())
      let cursors = ListCursors("keys", of: browser)
      let position = Int(try query.numericCursor(cursors))
      let keys = TestKeyPair.allCases.enumerated().dropFirst(position)
      return Response(
        json: Page.json(keys, limit: limit, cursor: { cursors.text(Int64($0.offset) + 1) }, json: { $0.element.json }))
    }
  }
}
