import COpenAPI
import Hummingbird
import PCMBrowser
import PCMCore
import PCMStore

extension ControlAPI {
  func addServiceRoutes(to routes: inout RouteTable) {
    // Probes, scrapers, and browsers may add parameters.
    routes.on("/healthz", .get, parameters: nil, isShort: true) { _, _ in Response(json: ["status": "ok"]) }
    routes.on("/readyz", .get, parameters: nil, isShort: true) { _, context in
      let outcome = await readiness.outcome(on: context.eventLoopExecutor) {
        try await probePauses.pause(ProbePauses.readiness)
      }
      guard let outcome else { throw StoreError.notReady("the store does not respond; nothing is stored until it does") }
      try outcome.get()
      return Response(json: ["status": "ready"])
    }
    routes.on("/metrics", .get, parameters: nil, isShort: true) { _, context in
      let text = await metrics.text(on: context.eventLoopExecutor) { try await probePauses.pause(ProbePauses.gauges) }
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
    routes.on("/openapi.json", .get, parameters: nil) { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: OpenAPIDocument.bytes))
    }
    routes.on("/v1", .get) { _, _ in Response(json: summary) }
  }
}

extension ControlAPI {
  /// The versions, capabilities, limits, and resources of the service.
  private var summary: JSON {
    let capabilities =
      [
        "private-click-measurement", "skadnetwork", "adattributionkit", "manual-clock", "server-sent-events",
        "idempotency-keys", "simulated-sites",
      ]
      + (scenarios == nil ? [] : ["scenarios"])
    return [
      "service": ["name": "pcm-browser", "version": .string(metrics.version)],
      "versions": ["v1"],
      "capabilities": .array(capabilities.map { .string($0) }),
      "limits": [
        "bodyBytes": .number(Int64(BodyLimit.json)),
        "manifestBytes": .number(Int64(BodyLimit.manifest)),
        "scenarioBytes": .number(Int64(BodyLimit.scenario)),
        "itemsPerPage": .number(Int64(QueryReader.maximumItems)),
        "subjectsPerFilter": .number(Int64(Self.maximumSubjects)),
        "sitesPerFilter": .number(Int64(QueryReader.maximumSites)),
        "wait": .string(Self.longestWait.text),
      ],
      "links": [
        "browsers": "/v1/browsers", "devices": "/v1/devices", "scenarios": "/v1/scenarios", "rules": "/v1/rules",
        "openapi": "/openapi.json",
        "health": "/healthz", "readiness": "/readyz", "metrics": "/metrics",
      ],
    ]
  }
}

/// The built-in OpenAPI document. A test compares it with the routes and the responses.
private enum OpenAPIDocument {
  static let bytes = ByteBuffer(
    bytes: UnsafeRawBufferPointer(start: pcm_openapi_document_bytes(), count: pcm_openapi_document_length))
}
