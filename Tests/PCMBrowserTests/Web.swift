import BrowserSupport
import PCMNetwork

/// A few pages for a `ScriptedTransport`: each URL has a response here, and any other returns 404. Cookies are kept as by a
/// transport: the given cookies come back, and the page's cookies follow.
struct Web: Sendable {
  struct Page: Sendable {
    var status = 200
    var location: String?
    var resourcePolicy: String?
    var cookies: [Cookie] = []
    var failure: TransportFailure?
  }

  let pages: [String: Page]

  init(_ pages: [String: Page]) {
    self.pages = pages
  }

  var transport: ScriptedTransport { ScriptedTransport { request, _ in answer(request) } }

  func answer(_ request: OutgoingRequest) -> Exchange {
    guard case .pageLoad(let cookies) = request.kind else { return Exchange(httpStatus: 200) }
    let page = pages[request.url] ?? Page(status: 404)
    if let failure = page.failure { return Exchange(failure: failure, cookies: cookies) }
    return Exchange(
      httpStatus: page.status, location: page.location, resourcePolicy: page.resourcePolicy, cookies: cookies + page.cookies)
  }
}

extension Web.Page {
  static func redirect(_ location: String, status: Int = 302, cookies: [Cookie] = []) -> Web.Page {
    Web.Page(status: status, location: location, cookies: cookies)
  }
}

extension OutgoingRequest {
  /// The lines that a load was given; nil for a report.
  var cookies: [Cookie]? {
    guard case .pageLoad(let cookies) = kind else { return nil }
    return cookies
  }
}
