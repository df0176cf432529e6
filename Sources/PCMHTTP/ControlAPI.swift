import HTTPTypes
package import Hummingbird
package import PCMBrowser
import PCMCore
package import PCMDevTools
package import PCMManifest
import PCMStore

/// The control API: every resource under `/v1`, and the probes, metrics, and documents of the service.
package struct ControlAPI: Sendable {
  let browsers: Browsers
  let manifests: ManifestReader
  /// Throws when the store is not writable, or when another instance is to be used.
  let readiness: JoinedCall<Void>
  let probePauses: ProbePauses
  let metrics: Metrics
  /// Nil when the service plays no scenarios.
  let scenarios: ScenarioPlaying?
  /// Nil when the service observes no browsers.
  let attachments: Attachments?
  let website: Website
  let histories = HistoryReadings()

  package init(
    browsers: Browsers, manifests: ManifestReader, metrics: Metrics = .none,
    scenarios: ScenarioPlaying? = nil, attachments: Attachments? = nil, website: Website = .none,
    probePauses: ProbePauses = .endless, checkReady: @escaping @Sendable () async throws -> Void
  ) {
    self.browsers = browsers
    self.manifests = manifests
    self.metrics = metrics
    self.scenarios = scenarios
    self.attachments = attachments
    self.website = website
    self.probePauses = probePauses
    readiness = JoinedCall(checkReady)
  }

  package func router(access: AccessRules = .open) -> Router<APIContext> {
    let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: RequestMiddleware(check: access.check, repeats: isStale, complete: complete))
    var routes = RouteTable(router: router)
    addServiceRoutes(to: &routes)
    addPageRoutes(to: &routes)
    addBrowserRoutes(to: &routes)
    addAppRoutes(to: &routes)
    addNetworkRoutes(to: &routes)
    addOperationRoutes(to: &routes)
    addClickRoutes(to: &routes)
    addTriggeringEventRoutes(to: &routes)
    addAttributionRoutes(to: &routes)
    addAttachmentRoutes(to: &routes)
    addDataRoutes(to: &routes)
    addReportRoutes(to: &routes)
    addEventRoutes(to: &routes)
    addExplainRoutes(to: &routes)
    addExpectationRoutes(to: &routes)
    addScenarioRoutes(to: &routes)
    addHistoryRoutes(to: &routes)
    addTraceRoutes(to: &routes)
    addDeviceRoutes(to: &routes)
    addCardRoutes(to: &routes)
    addTrackingRoutes(to: &routes)
    addRuleRoutes(to: &routes)
    routes.rejectOtherRequests()
    return router
  }
}

extension ControlAPI {
  /// Returns whether the browser in memory no longer has this name, because another process deleted it.
  private func isStale(_ error: any Error, _ context: APIContext) -> Bool {
    guard case StoreError.unknownBrowser = error, let use = context.use else { return false }
    return browsers.forget(use.browser)
  }

  /// Counts the request by its route, never by its path. A response has the incarnation of the addressed browser, so that a caller
  /// notices that a browser was deleted and created again. A web browser takes no response for another media type than it has.
  private func complete(_ response: inout Response, to request: Request, _ context: APIContext) {
    response.headers[.xContentTypeOptions] = "nosniff"
    if let name = HTTPField.Name.browserIncarnation, let use = context.use {
      response.headers[name] = use.browser.record.incarnation
    }
    metrics.metricSet.countRequest(
      route: context.endpointPath, method: request.method.rawValue, status: response.status.code)
  }
}

extension APIContext {
  /// Returns a decoded part of the path.
  func pathPart(_ name: String) throws -> String {
    guard let text = parameters.get(name) else { throw Problem.notFound("the resource does not exist") }
    guard let decoded = PercentEncoding.strictlyDecoded(text) else {
      throw Problem.invalidParameter(name, "\"\(text)\" is not UTF-8 in percent-encoding; encode a percent sign as %25")
    }
    return decoded
  }
}

extension APIContext {
  /// The parameter in the path that names the browser and its device.
  var worldName: String { parameters.get("device") == nil ? "browser" : "device" }

  /// Returns the path of a resource that a browser and its device share, under the path of the request.
  func worldPath(of browser: Browser, list: String, _ name: String) -> String {
    let path = browser.path(of: list, name)
    let owner = BrowserName(browser.record.name)
    return worldName == "device" ? owner.devicePath + path.dropFirst(owner.path.count) : path
  }
}

extension ControlAPI {
  /// Returns the browser in the path.
  func browser(_ context: APIContext) async throws -> Browser {
    let name = try context.pathPart(context.worldName)
    do {
      let use = try await browsers.use(name)
      context.note(use)
      return use.browser
    } catch let error as BrowserError {
      // A browser with an invalid name cannot exist.
      if let invalid = BrowserName(name).error { throw Problem.invalidParameter(context.worldName, invalid) }
      throw error
    }
  }
}

extension Browser {
  /// Returns the path of a resource of the browser.
  func path(of list: String, _ name: String) -> String {
    "\(BrowserName(record.name).path)/\(list)/\(PercentEncoding.component.encode(name))"
  }
}
