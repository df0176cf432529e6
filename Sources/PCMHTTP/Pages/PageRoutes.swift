import Crypto
import HTTPTypes
import Hummingbird
import PCMBrowser
import PCMCore
import PCMPages
import PCMRules
import PCMScenario
import PCMStore

extension ControlAPI {
  /// Adds the pages, their files, and the parts that their script loads.
  ///
  /// A page and a file contain no data, so they need no token. A part needs it, as the API does.
  func addPageRoutes(to routes: inout RouteTable) {
    routes.on("/", .get, parameters: nil) { _, _ in Response(page: HomePage.html) }
    routes.on("/browsers/:browser", .get, parameters: nil) { request, context in
      let name = try context.pathPart("browser")
      return Response(page: BrowserPage(name: name).html, for: request)
    }
    routes.on(RulesPage.path, .get, parameters: nil) { _, _ in Response(page: Self.rulesPage) }
    addDocumentationRoutes(to: &routes)
    addWebsiteRoutes(to: &routes)
    for (path, file) in Self.files {
      routes.on(path, .get, parameters: nil) { request, _ in file.response(to: request) }
    }
    addPartRoutes(to: &routes)
  }

  /// All services of a process, such as scenarios' services, share the page and the files.
  private static let rulesPage = ByteBuffer(string: RulesPage.html(RuleCatalog.topics.map { ($0.title, $0.rules) }))
  private static let files = PageAsset.ofService.map { ($0.path, AssetFile($0)) }

  private func addPartRoutes(to routes: inout RouteTable) {
    routes.on("/browsers", .get, parameters: ["name", "page"]) { request, _ in
      let query = QueryReader(request)
      let page = try number("page", query) ?? 0
      return Response(part: try await browserList(containing: query.text("name") ?? "", page: page), for: request)
    }
    routes.on("/browsers/:browser/examples", .get) { _, context in
      Response(json: ExampleAds.signed(at: try await browser(context).configuration().now))
    }
    func add(
      _ name: String, _ parameters: [QueryParameter] = [],
      _ render: @escaping @Sendable (Browser, QueryReader) async throws -> Markup
    ) {
      routes.on("/browsers/:browser/\(name)", .get, parameters: parameters) { request, context in
        Response(part: try await render(browser(context), QueryReader(request)), for: request)
      }
    }
    add("summary") { browser, _ in try await browser.summaryView() }
    add("answer") { browser, _ in try await browser.answer(histories.history(of: browser)).markup }
    add("story", ["view", "text"]) { browser, query in
      try await browser.storyView(
        histories.history(of: browser), isMessages: query.text("view") == "reports", containing: query.text("text") ?? "")
    }
    add("timeline", ["from", "to", "width"]) { browser, query in
      let (range, width) = (try timelineRange(query), try width(query))
      return try await browser.timeline(histories.history(of: browser), in: range, width: width).markup
    }
    add("charts", ["width"]) { browser, query in try await browser.charts(width: width(query)) }
    add("log", ["kind", "text"]) { browser, query in
      try await browser.logView(kind: query.text("kind") ?? "", containing: query.text("text") ?? "")
    }
    add("apps") { browser, _ in try await browser.appsView() }
    add("network") { browser, _ in try await networkView(of: browser) }
    add("cards") { browser, _ in try await browser.cardsView() }
    add("tracking") { browser, _ in try await browser.trackingView() }
    add("item", ["about"]) { browser, query in
      guard let about = query.text("about") else {
        throw Problem.invalidParameter("about", "select an item of the timeline or the story", .missing)
      }
      return try await item(about, of: browser)
    }
  }

  /// Returns an item with its explanation. A report can outlive the events about it, and is shown without them.
  ///
  /// - Parameters:
  ///   - about: The name of the item.
  ///   - cut: Shortens JSON, for an item without its call; nil for the whole item.
  func item(_ about: String, of browser: Browser, cut: ((JSON) -> JSON)? = nil) async throws -> Markup {
    let shown = cut ?? { $0 }
    let message = try? await browser.messageView(about, shown: shown)
    do {
      return ItemView.markup(
        shown(try await explanation(of: about, in: browser).json), message: message ?? .none,
        step: message == nil && cut == nil ? try await step(of: about, in: browser) : nil)
    } catch {
      guard let message else { throw error }
      let summary: JSON = ["subject": ["id": .string(about)], "summary": "The log has no events about it any more."]
      return ItemView.markup(summary, message: message)
    }
  }

  /// Returns the line of a scenario that made an item; nil for a message, which the clock sends, and for an unknown call.
  private func step(of item: String, in browser: Browser) async throws -> String? {
    guard let number = RecordName.number(in: item), let call = try await browser.call(of: number),
      ![CallName.advance, CallName.site, CallName.network].contains(call.name)
    else { return nil }
    return RecordedCall.line(call)
  }

  private func width(_ query: QueryReader) throws -> Int { try number("width", query).map { Int(clamping: $0) } ?? 1_000 }

  /// Returns the visible time of a timeline in milliseconds since 1970; nil for everything.
  private func timelineRange(_ query: QueryReader) throws -> Range<Int64>? {
    guard let from = try number("from", query), let to = try number("to", query) else { return nil }
    let bounds = -Instant.latest.milliseconds...2 * Instant.latest.milliseconds
    guard from < to, bounds.contains(from), bounds.contains(to) else {
      throw Problem.invalidParameter("to", "must be after from, in milliseconds since 1970")
    }
    return from..<to
  }

  private func number(_ name: String, _ query: QueryReader) throws -> Int64? {
    guard let text = query.text(name) else { return nil }
    guard !text.hasPrefix("+"), let number = Int64(text) else {
      throw Problem.invalidParameter(name, "\"\(text)\" is not a whole number")
    }
    return number
  }
}

/// A file of the pages with its entity tag.
struct AssetFile: Sendable {
  private let mediaType: String
  private let content: ByteBuffer
  /// The gzip of a file that is read often; nil for another.
  private let compressed: ByteBuffer?
  private let tag: String
  /// The scripts that a content security policy has to allow: the hashes of the scripts within the file.
  private let scriptHashes: [String]

  init(_ asset: PageAsset) {
    self.init(mediaType: asset.mediaType, content: ByteBuffer(string: asset.text), isCompressed: true)
  }

  /// - Parameter scripts: The scripts within the file.
  init(mediaType: String, content: ByteBuffer, scripts: [String] = [], isCompressed: Bool = false) {
    self.mediaType = mediaType
    scriptHashes = scripts.map(PageHash.sha256)
    self.content = content
    compressed = isCompressed ? ByteBuffer(bytes: Gzip.compress(Array(content.readableBytesView))) : nil
    tag = "\"\(Base64URL.encode(Array(SHA256.hash(data: Array(content.readableBytesView)))))\""
  }

  func response(to request: Request) -> Response {
    var headers = HTTPFields.page(mediaType: mediaType, cacheControl: "no-cache", scriptHashes: scriptHashes)
    headers[.eTag] = tag
    guard request.headers[.ifNoneMatch] != tag else { return Response(status: .notModified, headers: headers) }
    var response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: content))
    if let compressed, Gzip.isAccepted(by: request) { response.compress(to: compressed) }
    return response
  }
}

extension HTTPFields {
  /// The policy of all pages: everything comes from the service, and no style is inline, nor a script with another hash.
  private static func policy(scriptHashes: [String]) -> String {
    let scripts = scriptHashes.map { " 'sha256-\($0)'" }.joined()
    return "default-src 'none'; script-src 'self'\(scripts); style-src 'self'; img-src 'self' data:; connect-src 'self'; "
      + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
  }

  fileprivate static func page(mediaType: String, cacheControl: String, scriptHashes: [String] = []) -> HTTPFields {
    var headers: HTTPFields = [
      .contentType: mediaType, .cacheControl: cacheControl, .contentSecurityPolicy: policy(scriptHashes: scriptHashes),
      .xContentTypeOptions: "nosniff",
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
  init(part: Markup, for request: Request) {
    self.init(page: part.text, for: request)
  }

  /// A page that is compressed if the request accepts it.
  fileprivate init(page html: String, for request: Request) {
    self.init(page: html)
    let bytes = Array(html.utf8)
    guard bytes.count > 1_000, Gzip.isAccepted(by: request) else { return }
    compress(to: ByteBuffer(bytes: Gzip.compress(bytes, level: 1)))
  }

  /// Sets a body that is compressed with gzip, and the header fields that describe it.
  fileprivate mutating func compress(to content: ByteBuffer) {
    headers[.contentEncoding] = "gzip"
    headers[.vary] = "Accept-Encoding"
    body = ResponseBody(byteBuffer: content)
  }
}

/// The hash by which a content security policy allows a style or script in a document.
package enum PageHash {
  /// Returns the SHA-256 of a text in base64.
  package static func sha256(_ text: String) -> String {
    Base64.encode(Array(SHA256.hash(data: Array(text.utf8))))
  }
}
