package import Hummingbird
package import PCMBrowser
import PCMCore
package import PCMManifest
package import PCMTelemetry

/// The control API: every resource under `/v1`, and what the service says of itself.
package struct ControlAPI: Sendable {
  let browsers: Browsers
  let manifests: ManifestReader
  /// Throws when the store cannot be written to.
  let checkReady: @Sendable () async throws -> Void
  let metrics: Metrics
  /// Writes sessions down; nil when nobody asked for it.
  let recorder: (any CallRecorder)?
  /// Nil where nobody asks for scenarios.
  let scenarios: ScenarioPlaying?

  package init(
    browsers: Browsers, manifests: ManifestReader, metrics: Metrics = .none, recorder: (any CallRecorder)? = nil,
    scenarios: ScenarioPlaying? = nil,
    checkReady: @escaping @Sendable () async throws -> Void
  ) {
    self.browsers = browsers
    self.manifests = manifests
    self.metrics = metrics
    self.recorder = recorder
    self.scenarios = scenarios
    self.checkReady = checkReady
  }

  package func router(access: AccessRules = .open) -> Router<APIContext> {
    let router = Router(context: APIContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: RequestCounting(metricSet: metrics.metricSet))
    router.add(middleware: ProblemMiddleware())
    router.add(middleware: AccessMiddleware(rules: access))
    if let recorder { router.add(middleware: CallRecording(recorder: recorder)) }
    var routes = RouteTable(router: router)
    addServiceRoutes(to: &routes)
    addBrowserRoutes(to: &routes)
    addAppRoutes(to: &routes)
    addClickRoutes(to: &routes)
    addTriggeringEventRoutes(to: &routes)
    addMeasurementRoutes(to: &routes)
    addReportRoutes(to: &routes)
    addEventRoutes(to: &routes)
    addExplainRoutes(to: &routes)
    addScenarioRoutes(to: &routes)
    routes.refuseOtherMethods()
    return router
  }
}

extension APIContext {
  /// A part of the path, decoded.
  func pathPart(_ name: String) throws -> String {
    guard let text = parameters.get(name) else { throw Problem.notFound("there is no such resource") }
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return PercentEncoding.decoded(text[...].utf8, plusIsSpace: false)
  }
}

extension ControlAPI {
  /// The browser that the path names.
  func browser(_ context: APIContext) async throws -> Browser {
    try browsers.browser(try context.pathPart("browser"))
  }
}
