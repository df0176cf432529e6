import HTTPTypes
import Hummingbird
import Logging
import PCMCore

/// Checks every request, turns every error into a problem document, and completes every response.
struct RequestMiddleware: RouterMiddleware {
  /// Throws for a request that reaches no route.
  let check: @Sendable (Request) throws -> Void
  /// Returns whether a request with an error is repeated once.
  var repeats: @Sendable (any Error, APIContext) -> Bool = { _, _ in false }
  /// Completes a response, which may be a problem or a stream.
  let complete: @Sendable (inout Response, Request, APIContext) -> Void

  @concurrent func handle(
    _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      try check(request)
      response = try await answer(request, context, next)
    } catch {
      response = context.problem(error, of: request).response
    }
    if let name = HTTPField.Name.requestID, let requestID = context.requestID { response.headers[name] = requestID }
    complete(&response, request, context)
    return response
  }

  @concurrent private func answer(
    _ request: Request, _ context: APIContext, _ next: @concurrent (Request, APIContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch  where repeats(error, context) {
      return try await next(request, context)
    }
  }
}

extension APIContext {
  /// The identifier of the request, which the log also contains; nil for a request within the process.
  fileprivate var requestID: String? { logger[metadataKey: "hb.request.id"]?.description }

  /// Returns the problem for an error, and logs an error of the service.
  fileprivate func problem(_ error: any Error, of request: Request) -> Problem {
    var problem = Problem(error)
    problem.requestID = requestID
    // A caller that disconnects is not an error of the service.
    if problem.status.kind == .serverError, !(error is CancellationError) {
      // Many calls can be refused in a second.
      let cause = Logger.Metadata(error: error)
      logger.log(
        level: problem.isBusy ? .debug : .error, "request failed",
        metadata: cause.merging(["path": "\(request.uri.path)"]) { $1 })
    }
    return problem
  }
}

extension HTTPField.Name {
  fileprivate static let requestID = HTTPField.Name("Request-Id")
}

extension Logger.Metadata {
  /// The code of the problem, if the API has one for the error, and the detail of the error, for a line of the log.
  package init(error: any Error) {
    let problem = Problem(error)
    guard !problem.isUnexpected else {
      self = ["detail": "\(ErrorText.text(of: error))"]
      return
    }
    self = ["detail": "\(ErrorText.description(of: error) ?? problem.detail)", "code": "\(problem.code)"]
  }
}
