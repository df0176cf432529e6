import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  /// Adds the route of each operation.
  func addOperationRoutes(to routes: inout RouteTable) {
    for operation in OperationCatalog.all.compactMap({ $0 as? any Operation.Type }) {
      let (parameters, isOptional, limit) = (operation.parameters, operation.isOptional, operation.bodyLimit)
      routes.on(operation.path, operation.method == "PUT" ? .put : .post, isShort: operation.isShort) { request, context in
        let browser = try browser(context)
        let subject = parameters.isEmpty ? nil : try parameters.map(context.pathPart).joined(separator: "/")
        return try await request.answerOnce(by: browser, isOptional: isOptional, upTo: limit) { body, key in
          try await operation.init(json: body).perform(in: browser, on: subject, for: key)
        }
      }
    }
  }
}
