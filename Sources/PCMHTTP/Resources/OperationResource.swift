import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  /// Adds the route of each operation.
  func addOperationRoutes(to routes: inout RouteTable) {
    for operation in OperationCatalog.all.compactMap({ $0 as? any Operation.Type }) {
      let (subject, isOptional) = (operation.subject, operation.isOptional)
      routes.on(operation.path, .post, isShort: operation.isShort) { request, context in
        let browser = try browser(context)
        let part = try subject.map(context.pathPart)
        return try await request.answerOnce(by: browser, isOptional: isOptional) { body, key in
          try await operation.init(json: body).perform(in: browser, on: part, for: key)
        }
      }
    }
  }
}
