import Hummingbird
import PCMTelemetry

extension ControlAPI {
  func addMetricsRoute(to routes: inout RouteTable) {
    routes.on("/metrics", .get, parameters: nil) { _, _ in
      Response(
        status: .ok, headers: [.contentType: PrometheusText.mediaType, .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: await metrics.text())))
    }
  }
}
