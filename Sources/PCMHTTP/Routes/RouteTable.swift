import HTTPTypes
import Hummingbird

/// Collects the routes of the API, so that an unsupported method on a known path is 405 with the supported methods.
struct RouteTable {
  typealias Handler = @Sendable (Request, APIContext) async throws -> Response

  private var methods: [String: [HTTPRequest.Method]] = [:]
  private let router: Router<APIContext>

  init(router: Router<APIContext>) {
    self.router = router
  }

  /// Adds a route. A call that changes something is canceled when its caller closes the connection: a caller who leaves frees the
  /// place at which it waits, and completed effects stay. Other calls leave the event loop of the connection, unless they are short.
  ///
  /// - Parameters:
  ///   - parameters: The query parameters of the resource. Other or repeated parameters are errors. Nil allows all parameters.
  ///   - isShort: Whether each call takes microseconds, without its waits. Such calls run on the event loop of their connection.
  mutating func on(
    _ path: String, _ method: HTTPRequest.Method, parameters: [QueryParameter]? = [], isShort: Bool = false,
    use handler: @escaping Handler
  ) {
    methods[path, default: []].append(method)
    let isReading = [.get, .head].contains(method)
    router.on(RouterPath(path), method: method) { request, context in
      if let parameters, request.uri.query != nil { try QueryReader(request).rejectParameters(except: parameters) }
      guard isReading else {
        return try await context.cancelingOnClose(isShort: isShort) { try await handler(request, context) }
      }
      if isShort { return try await handler(request, context) }
      return try await withTaskExecutorPreference(globalConcurrentExecutor) { @concurrent in try await handler(request, context)
      }
    }
  }

  /// Adds a resource that a browser and its device share, under both.
  ///
  /// - Parameter path: The path after the name; empty for the browser itself.
  mutating func onWorld(
    _ path: String, _ method: HTTPRequest.Method, parameters: [QueryParameter]? = [], use handler: @escaping Handler
  ) {
    for world in ["/v1/browsers/:browser", "/v1/devices/:device"] {
      on(world + path, method, parameters: parameters, use: handler)
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

/// Distinguishes an unsupported method from an unknown path, and names the path nearest to an unknown path.
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
