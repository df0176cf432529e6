import HTTPTypes
import Hummingbird
import Logging

/// Turns every error into a problem document.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
  @concurrent func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      let problem = Problem(error)
      // A caller that disconnects is not an error of the service.
      if problem.status.kind == .serverError, !(error is CancellationError) {
        context.logger.error("request failed", metadata: ["error": "\(error)", "path": "\(request.uri.path)"])
      }
      return problem.response
    }
  }
}
