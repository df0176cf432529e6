import HTTPTypes
import Hummingbird

/// Collects the routes of the API, so that a known path with an unknown method is 405 and names the methods it has.
struct RouteTable {
  typealias Handler = @Sendable (Request, APIContext) async throws -> Response

  private var methods: [String: [HTTPRequest.Method]] = [:]
  private let router: Router<APIContext>

  init(router: Router<APIContext>) {
    self.router = router
  }

  /// - Parameter parameters: the query parameters that the resource knows; others are refused by name. Nil lets any pass.
  mutating func on(
    _ path: String, _ method: HTTPRequest.Method, parameters: [String]? = [], use handler: @escaping Handler
  ) {
    methods[path, default: []].append(method)
    router.on(RouterPath(path), method: method) { request, context in
      if let parameters, request.uri.query != nil { try QueryReader(request).refuse(except: parameters) }
      return try await handler(request, context)
    }
  }

  /// To be called last: what none of the routes takes passes here.
  func refuseOtherMethods() {
    let resources = methods.map { path, methods in
      // The router answers HEAD wherever there is a GET.
      Resource(path: path, methods: methods + (methods.contains(.get) ? [.head] : []))
    }
    router.add(middleware: OtherMethodsMiddleware(resources: resources))
  }
}

/// A path of the API with the methods that it has.
private struct Resource: Sendable {
  /// As the router knows it.
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

/// Tells an unknown method from an unknown path, whatever the method is called.
private struct OtherMethodsMiddleware: RouterMiddleware {
  let resources: [Resource]

  @concurrent func handle(
    _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    let path = request.uri.path.split(separator: "/")
    if let resource = resources.first(where: { $0.matches(path) }), !resource.methods.contains(request.method) {
      context.coreContext.endpointPath.value = resource.path.description
      throw Problem.methodNotAllowed(request.method.rawValue, allowed: resource.methods)
    }
    return try await next(request, context)
  }
}
