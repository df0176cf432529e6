import HTTPTypes
import Hummingbird
import PCMBrowser

/// Collects the routes of the API, so that an unsupported method on a known path is 405 with the supported methods.
struct RouteTable {
  typealias Handler = @Sendable (Request, APIContext) async throws -> Response

  private var methods: [String: [HTTPRequest.Method]] = [:]
  private let router: Router<APIContext>
  private let responses: LongResponses?

  /// - Parameter responses: The limit of long responses; nil for none.
  init(router: Router<APIContext>, responses: LongResponses? = nil) {
    self.router = router
    self.responses = responses
  }

  /// - Parameters:
  ///   - parameters: The query parameters of the resource; any other is an error, and so is a repeated one. Nil allows all parameters.
  ///   - isBrief: Whether each call takes microseconds, besides waits and token exchanges. Such calls run on the event loop
  ///     of their connection. Other calls run in the thread pool.
  ///   - isLong: Whether the response can be long. Such a call has no effect, is canceled when its caller closes the
  ///     connection, waits while many other long responses are prepared, and is 503 while too many calls wait, or too many bytes of
  ///     responses are unread.
  ///   - canWait: Whether a long call can wait for events. Its handler then prepares the response with ``LongResponses`` after the
  ///     wait, so that waits do not delay other calls.
  ///   - isShared: Whether all responses share one body in memory. They do not count as unread.
  mutating func on(
    _ path: String, _ method: HTTPRequest.Method, parameters: [QueryParameter]? = [], isBrief: Bool = false,
    isLong: Bool = false, canWait: Bool = false, isShared: Bool = false, use handler: @escaping Handler
  ) {
    methods[path, default: []].append(method)
    let handler = isLong || isShared ? handler : counting(handler)
    let responses = isLong ? responses : nil
    router.on(RouterPath(path), method: method) { request, context in
      try responses?.check()
      if let parameters, request.uri.query != nil { try QueryReader(request).rejectParameters(except: parameters) }
      if isBrief || context.channel == nil { return try await handler(request, context) }
      guard let responses else { return try await inThreadPool { try await handler(request, context) } }
      guard !canWait else { return try await context.cancelingOnClose { try await handler(request, context) } }
      return try await responses.prepare(in: context, waiting: context.cancelingOnClose) {
        try await context.cancelingOnClose { try await handler(request, context) }
      }
    }
  }

  /// Returns a handler whose large responses count as unread.
  private func counting(_ handler: @escaping Handler) -> Handler {
    guard let responses else { return handler }
    return { request, context in
      let response = try await handler(request, context)
      try responses.count(response, to: request, in: context)
      return response
    }
  }

  /// Adds a resource that a browser and its device share, under both.
  ///
  /// - Parameter path: The path after the name; empty for the browser itself.
  mutating func onWorld(
    _ path: String, _ method: HTTPRequest.Method, parameters: [QueryParameter]? = [], isLong: Bool = false,
    canWait: Bool = false, use handler: @escaping Handler
  ) {
    for world in ["/v1/browsers/:browser", "/v1/devices/:device"] {
      on(world + path, method, parameters: parameters, isLong: isLong, canWait: canWait, use: handler)
    }
  }

  /// Adds the middleware for unsupported methods and unknown paths. Call it after all routes are added.
  func rejectOtherRequests() {
    let resources = methods.map { path, methods in
      // The router supports HEAD wherever it supports GET.
      Resource(path: path, methods: methods + (methods.contains(.get) ? [.head] : []))
    }
    let known = resources.map { NearestPath.Known(parts: $0.parts.map(String.init), methods: $0.methods) }
      .sorted { $0.parts.lexicographicallyPrecedes($1.parts) }
    router.add(middleware: OtherRequestsMiddleware(resources: resources, paths: NearestPath(known)))
  }
}

/// A path of the API with its methods.
private struct Resource: Sendable {
  /// The router's form of the path.
  let path: RouterPath
  let parts: [Substring]
  let methods: [HTTPRequest.Method]

  init(path: String, methods: [HTTPRequest.Method]) {
    self.path = RouterPath(path)
    parts = path.split(separator: "/")
    self.methods = methods
  }

  func matches(_ path: [Substring]) -> Bool {
    parts.count == path.count && zip(parts, path).allSatisfy { $0.hasPrefix(":") || $0 == $1 }
  }
}

/// Distinguishes an unsupported method from an unknown path, and names the nearest path to an unknown one.
private struct OtherRequestsMiddleware: RouterMiddleware {
  let resources: [Resource]
  let paths: NearestPath

  @concurrent func handle(
    _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    let path = request.uri.path.split(separator: "/")
    if let resource = resources.first(where: { $0.matches(path) }) {
      guard !resource.methods.contains(request.method) else { return try await next(request, context) }
      context.coreContext.endpointPath.value = resource.path.description
      throw Problem.methodNotAllowed(request.method.rawValue, allowed: resource.methods)
    }
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound {
      throw Problem.unknownPath(request.uri.path, nearest: paths.nearest(to: path.map(String.init), request.method))
    }
  }
}
