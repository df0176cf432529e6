package import PCMCore

/// The page at `/`: the browsers of the service.
package enum HomePage {
  /// The document, without browsers. Its script loads them.
  package static var html: String { PageFrame(title: "Browsers – pcm-browser", content: content).html.text }

  private static let content: Markup = """
    <h1>Browsers</h1>
    <p class="lead">Each browser measures ads as Safari and its device do, with its own clock, storage, and log.</p>
    <section aria-labelledby="create-title">
    <div class="heading"><h2 id="create-title">New browser</h2></div>
    <form id="create" class="row">
    <label>Name <input name="name" maxlength="200" placeholder="Generated when empty" autocomplete="off"></label>
    \(creation)
    </form>
    <p class="problem" id="problem" role="alert"></p>
    </section>
    <div class="row card middle">
    <label>Filter by name or label <input id="filter" type="search" data-filter="browsers" name="name" autocomplete="off"></label>
    <span class="badge quiet" id="status" role="status">Loading</span>
    <button class="danger" type="button" id="delete-ephemeral">Delete all ephemeral</button>
    </div>
    <div id="browsers" data-part="/browsers" data-every="2000"></div>
    """

  /// The part of a form that creates a browser.
  static let creation: Markup = """
    <label>Clock <select name="clock"><option value="manual">Manual</option><option value="real">Real</option></select></label>
    <label>Storage <select name="storage"><option value="durable">Durable</option><option value="ephemeral">Ephemeral</option></select></label>
    <label>Network <select name="network"><option value="simulated">Simulated sites</option><option value="real">Real network</option></select></label>
    <button class="main">Create</button>
    <p class="soft wide">Simulated sites respond within the service, so that the example plays. The real network sends reports to real hosts.</p>
    """

  /// The list of browsers.
  ///
  /// - Parameters:
  ///   - first: The number of browsers before the first row.
  ///   - total: The number of browsers that the filter selects. The page shows a part.
  ///   - size: The number of rows of a page.
  ///   - filter: The text by which browsers are selected; empty for all.
  package static func list(_ rows: [BrowserRow], after first: Int = 0, total: Int, size: Int, filter: String) -> Markup {
    guard !rows.isEmpty else {
      guard filter.isEmpty else { return .noMatch("No name or label contains “\(filter)”.", of: "browsers") }
      return """
        <div class="empty card"><h2>No browsers</h2>
        <p>Create one above, or with <code>PUT /v1/browsers/NAME</code>.</p></div>
        """
    }
    let titles = ["Name", "State", "Clock", "Storage", "Labels", "Last event", "Delete"].map { title -> Markup in
      "<th scope=\"col\">\(title)</th>"
    }
    return """
      <table class="card browsers"><thead><tr>\(titles)</tr></thead><tbody>
      \(rows.map(\.markup))
      </tbody></table>\(total > size ? pages(after: first, shown: rows.count, total: total, size: size) : .none)
      """
  }

  private static func pages(after first: Int, shown: Int, total: Int, size: Int) -> Markup {
    func button(_ title: String, _ page: Int, _ isPossible: Bool) -> Markup {
      "<button type=\"button\" data-page=\"\(page)\" data-key=\"\(title)\"\(isPossible ? "" : " disabled")>\(title)</button>"
    }
    let page = first / size
    return """
      <nav class="row middle pages" aria-label="Pages"><span class="soft">\(first + 1) to \(first + shown) of \(total)</span>\
      <span>\(button("Previous", page - 1, first > 0)) \(button("Next", page + 1, first + shown < total))</span></nav>
      """
  }
}

/// The clock, the storage, and the labels at the top of a browser's page.
package struct BrowserSummary: Sendable {
  private let browser: JSON
  private let logEnd: Int64

  /// - Parameters:
  ///   - browser: The browser as the API returns it.
  ///   - logEnd: The number of the last event.
  package init(_ browser: JSON, logEnd: Int64) { (self.browser, self.logEnd) = (browser, logEnd) }

  private var isManual: Bool { browser["clock"]?.text(of: "mode") == "manual" }

  private var tags: Markup {
    let links = (browser["labels"]?.members ?? []).map { label -> Markup in
      let text = "\(label.name)=\(label.value.string ?? "")"
      let path = "/#filter=\(PercentEncoding.component.encode(text))"
      return "<a class=\"badge quiet\" href=\"\(path)\" data-key=\"label-\(text)\">\(text)</a>"
    }
    return links.isEmpty ? .none : "\n<p class=\"labels\">\(links)</p>"
  }

  /// The page follows the log from `data-end` on.
  package var markup: Markup {
    """
    <div data-end="\(logEnd)" data-now="\(browser["clock"]?.text(of: "now") ?? "")"\(isManual ? " data-manual" : "")>\
    <span class="badge info">\(isManual ? "Manual clock" : "Real clock")</span> \
    <span class="badge quiet">\(browser.text(of: "storage").titled)</span>\(tags)</div>
    """
  }
}
