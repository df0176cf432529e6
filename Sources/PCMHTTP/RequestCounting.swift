import Hummingbird
import PCMTelemetry

/// Counts requests by route, never by path.
struct RequestCounting<Context: RequestContext>: RouterMiddleware {
  let metricSet: MetricSet

  @concurrent func handle(
    _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    let response = try await next(request, context)
    metricSet.requests.add(
      RequestLabels(route: context.endpointPath, method: request.method.rawValue, status: response.status.code))
    return response
  }
}
