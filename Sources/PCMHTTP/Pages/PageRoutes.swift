import Crypto
import HTTPTypes
import Hummingbird
import PCMBrowser
import PCMCore
import PCMPages
import PCMStore

extension ControlAPI {
  /// Adds the pages, their files, and the parts that their script loads.
  ///
  /// A page and a file contain no data, so they need no token. A part needs it, as the API does.
  func addPageRoutes(to routes: inout RouteTable) {
    routes.on("/", .get, parameters: nil) { _, _ in Response(page: HomePage.html) }
    routes.on("/browsers/:browser", .get, parameters: nil) { _, context in
      let name = try context.pathPart("browser")
      return Response(page: BrowserPage(name: name, path: PagePath(name).text, apiPath: BrowserName(name).path).html)
    }
    let rules = ByteBuffer(string: RulesPage.all.html)
    routes.on(RulesPage.path, .get, parameters: nil) { _, _ in Response(page: rules) }
    addDocumentationRoutes(to: &routes)
    for asset in PageAsset.ofService {
      let file = AssetFile(asset)
      routes.on(asset.path, .get, parameters: nil) { request, _ in file.response(to: request) }
    }
    addPartRoutes(to: &routes)
  }

  private func addPartRoutes(to routes: inout RouteTable) {
    routes.on("/browsers", .get, parameters: ["name"]) { request, _ in
      Response(part: try await browserList(containing: QueryReader(request).text("name") ?? "").markup)
    }
    routes.on("/browsers/:browser/summary", .get) { _, context in
      Response(part: try await browser(context).summary().markup)
    }
    routes.on("/browsers/:browser/examples", .get) { _, context in
      Response(json: ExampleAds.signed(at: try browser(context).configuration.now))
    }
    routes.on("/browsers/:browser/timeline", .get, parameters: ["from", "to", "width"]) { request, context in
      let view = try TimelineRequest(QueryReader(request))
      return Response(part: try await browser(context).timeline(view).markup)
    }
    routes.on("/browsers/:browser/charts", .get, parameters: ["width"]) { request, context in
      let width = try TimelineRequest.width(QueryReader(request))
      return Response(part: try await browser(context).charts(width: width).markup)
    }
    routes.on("/browsers/:browser/log", .get, parameters: ["kind", "text"]) { request, context in
      let query = QueryReader(request)
      let log = try await browser(context).logView(kind: query.text("kind") ?? "", containing: query.text("text") ?? "")
      return Response(part: log.markup)
    }
    routes.on("/browsers/:browser/messages", .get) { _, context in
      Response(part: try await browser(context).messagesView().markup)
    }
    routes.on("/browsers/:browser/why", .get, parameters: ["about"]) { request, context in
      guard let about = QueryReader(request).text("about") else {
        throw Problem.invalidParameter("about", "select an item of the timeline or the log", .missing)
      }
      return Response(part: ExplanationView(try await explanation(of: about, in: browser(context))).markup)
    }
  }

  /// The most browsers that the list shows. A filter finds the others.
  static var mostCards: Int { 60 }

  /// - Parameter filter: Text that the name or a label contains; empty for all browsers.
  private func browserList(containing filter: String) async throws -> BrowserList {
    let wanted = filter.lowercased()
    let all = browsers.browsers(after: "", limit: Int.max).map { (browser: $0, usedAt: $0.lastUsedAt) }
    let found = all.sorted { ($1.usedAt, $0.browser.record.name) < ($0.usedAt, $1.browser.record.name) }.map(\.browser).filter {
      wanted.isEmpty || $0.searchedTexts.contains { $0.lowercased().contains(wanted) }
    }
    var cards: [BrowserCard] = []
    for browser in found.prefix(Self.mostCards) {
      // A browser may be deleted meanwhile.
      if let summary = try? await browser.summary() { cards.append(BrowserCard(summary)) }
    }
    return BrowserList(cards, total: found.count, filter: filter)
  }
}

extension Browser {
  /// The name, and the labels as `key=value`.
  fileprivate var searchedTexts: [String] { [record.name] + configuration.upkeep.labels.texts }
}

/// The path of a browser's page.
struct PagePath {
  let text: String

  init(_ name: String) {
    text = "/browsers/\(PercentEncoding.component.encode(name))"
  }
}

/// A file of the pages with its entity tag.
struct AssetFile: Sendable {
  private let mediaType: String
  private let content: ByteBuffer
  private let tag: String

  init(_ asset: PageAsset) {
    self.init(mediaType: asset.mediaType, content: ByteBuffer(string: asset.text))
  }

  init(mediaType: String, content: ByteBuffer) {
    self.mediaType = mediaType
    self.content = content
    tag = "\"\(Base64URL.encode(Array(SHA256.hash(data: Array(content.readableBytesView)))))\""
  }

  func response(to request: Request) -> Response {
    var headers = HTTPFields.page(mediaType: mediaType, cacheControl: "no-cache")
    headers[.eTag] = tag
    guard request.headers[.ifNoneMatch] != tag else { return Response(status: .notModified, headers: headers) }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: content))
  }
}

extension HTTPFields {
  /// The policy of all pages: everything comes from the service, and no script or style is inline.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    + "frame-ancestors 'none'; base-uri 'none'"

  fileprivate static func page(mediaType: String, cacheControl: String) -> HTTPFields {
    var headers: HTTPFields = [
      .contentType: mediaType, .cacheControl: cacheControl, .contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff",
    ]
    if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
    return headers
  }
}

extension Response {
  init(page html: String) {
    self.init(page: ByteBuffer(string: html))
  }

  init(page html: ByteBuffer) {
    self.init(
      status: .ok, headers: .page(mediaType: "text/html; charset=utf-8", cacheControl: "no-store"),
      body: ResponseBody(byteBuffer: html))
  }

  /// A part of a page. Without a document around it, a browser that opens it directly shows it under the same policy.
  init(part: Markup) {
    self.init(page: part.text)
  }
}
