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

  mutating func on(_ path: String, _ method: HTTPRequest.Method, use handler: @escaping Handler) {
    methods[path, default: []].append(method)
    router.on(RouterPath(path), method: method, use: handler)
  }

  /// To be called last.
  func refuseOtherMethods() {
    let all: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
    for (path, methods) in methods {
      // The router answers HEAD wherever there is a GET.
      let allowed = methods + (methods.contains(.get) ? [.head] : [])
      for method in all where !allowed.contains(method) {
        router.on(RouterPath(path), method: method) { _, _ -> Response in
          throw Problem.methodNotAllowed(method.rawValue, allowed: allowed)
        }
      }
    }
  }
}
