import Hummingbird
import PCMBrowser
import PCMCore

extension ControlAPI {
  /// Adds the route of each operation.
  func addOperationRoutes(to routes: inout RouteTable) {
    for operation in OperationCatalog.all.compactMap({ $0 as? any Operation.Type }) {
      let (parameters, isOptional, limit) = (operation.parameters, operation.isOptional, operation.bodyLimit)
      routes.on(operation.path, operation.method == "PUT" ? .put : .post, isShort: operation.isShort) { request, context in
        let browser = try await browser(context)
        let values = try parameters.map(context.pathPart)
        // Only the last value can contain a slash. No part of a browser has a name with one elsewhere.
        let encoded = values.dropLast().map { $0.replacing("/", with: "%2F") } + values.suffix(1)
        let subject = values.isEmpty ? nil : encoded.joined(separator: "/")
        return try await request.answerOnce(by: browser, in: context, isOptional: isOptional, upTo: limit) { body, key in
          try await browser.recordingErrors(of: operation.path, body: body) {
            try await operation.reading(body).perform(in: browser, on: subject, for: key)
          }
        }
      }
    }
  }
}
