import HTTPTypes
import Hummingbird
import NIOCore
import PCMCore
import PCMEndpoint
import PCMPages

/// The endpoint's page, its files, and the parts that its script loads.
extension EndpointAPI {
  /// A page and a file contain no data, so they need no token. The parts are admin routes.
  func addPageRoutes(to table: inout RouteTable) {
    let page = ReceiverPage.html(
      kinds: ReceivedRequest.Kind.allCases.map(\.rawValue), faults: InjectedFault.Kind.allCases.map(\.rawValue))
    table.on("/", .get, parameters: nil) { _, _ in Response(page: page) }
    for asset in PageAsset.ofReceiver {
      let file = AssetFile(asset)
      table.on(asset.path, .get, parameters: nil) { request, _ in file.response(to: request) }
    }
    guarded(&table, "/admin/page/requests", .get, parameters: ["kind"]) { request, _ in
      let kind = try Self.kind(QueryReader(request).text("kind") ?? "")
      let newest = await endpoint.newest(Self.mostShown + 1, kind: kind)
      return Response(
        part: ReceivedView.markup(
          newest.prefix(Self.mostShown).lazy.map { ($0.json, body: $0.received.body) }, hasMore: newest.count > Self.mostShown,
          isFiltered: kind != nil), for: request)
    }
    guarded(&table, "/admin/page/faults", .get) { request, _ in
      Response(part: FaultsView.markup(await endpoint.plannedFaults.json["faults"]?.items ?? []), for: request)
    }
  }

  /// The pages have the header fields of a plain web server, and no policy that would restrict measurement.
  func addSiteRoutes(to table: inout RouteTable) {
    for page in SitePage.allCases {
      let body = ByteBuffer(string: page.html)
      table.on(page.path, .get, parameters: nil) { _, _ in
        Response(
          status: .ok, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
          body: ResponseBody(byteBuffer: body))
      }
    }
  }

  /// The most requests on the page.
  private static var mostShown: Int { 200 }

  /// - Returns: Nil for all kinds.
  private static func kind(_ text: String) throws(Problem) -> ReceivedRequest.Kind? {
    guard !text.isEmpty else { return nil }
    guard let kind = ReceivedRequest.Kind(rawValue: text) else {
      throw Problem.invalidParameter(
        "kind", "expected \(ReceivedRequest.Kind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return kind
  }
}
