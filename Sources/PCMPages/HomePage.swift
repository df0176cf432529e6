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
    </div>
    <div id="browsers" data-part="/browsers" data-every="2000"></div>
    """

  /// The part of a form that creates a browser.
  static let creation: Markup = """
    <label>Clock <select name="clock"><option value="manual">Manual</option><option value="real">Real</option></select></label>
    <label>Storage <select name="storage"><option value="durable">Durable</option><option value="ephemeral">Ephemeral</option></select></label>
    <button class="main">Create</button>
    """

  /// The list of browsers.
  ///
  /// - Parameters:
  ///   - total: The number of browsers that the filter selects. The list may show fewer.
  ///   - filter: The text by which browsers are selected; empty for all.
  package static func list(_ browsers: [BrowserSummary], total: Int, filter: String) -> Markup {
    guard !browsers.isEmpty else {
      guard filter.isEmpty else { return .noMatch("No name or label contains “\(filter)”.", of: "browsers") }
      return """
        <div class="empty card"><h2>No browsers</h2>
        <p>Create one above, or with <code>PUT /v1/browsers/NAME</code>.</p></div>
        """
    }
    let rest: Markup =
      total > browsers.count
      ? "<p class=\"soft\">\(total - browsers.count) more. Filter by name or label to find them.</p>" : ""
    return "<ul class=\"browsers\">\n\(browsers.map(\.card))\n</ul>\(rest)"
  }
}

/// The state of a browser at a glance.
package struct BrowserSummary: Sendable {
  /// A number of records with its title, a plain noun. It is partial if there are more than were counted.
  package typealias Count = (title: String, number: Int, isPartial: Bool)

  private let browser: JSON
  private let counts: [Count]
  private let lastEvent: String?
  private let logEnd: Int64

  /// - Parameters:
  ///   - browser: The browser as the API returns it.
  ///   - lastEvent: The kind of the last event; nil for an empty log.
  ///   - logEnd: The number of the last event.
  package init(_ browser: JSON, counts: [Count], lastEvent: String?, logEnd: Int64) {
    (self.browser, self.counts, self.lastEvent, self.logEnd) = (browser, counts, lastEvent, logEnd)
  }

  private var name: String { browser.text(of: "name") }
  private var isManual: Bool { browser["clock"]?.text(of: "mode") == "manual" }

  private var badges: Markup {
    """
    <span class="badge info">\(isManual ? "Manual clock" : "Real clock")</span> \
    <span class="badge quiet">\(browser.text(of: "storage").titled)</span>
    """
  }

  private var time: Markup {
    """
    <time class="soft">\((browser["clock"]?.text(of: "now") ?? "").shownTime)</time>
    """
  }

  private var tags: Markup {
    let links = (browser["labels"]?.members ?? []).map { label -> Markup in
      let text = "\(label.name)=\(label.value.string ?? "")"
      let path = "/#filter=\(PercentEncoding.component.encode(text))"
      return "<a class=\"badge quiet\" href=\"\(path)\" data-key=\"\(name)-\(text)\">\(text)</a>"
    }
    return links.isEmpty ? .none : "\n<p class=\"labels\">\(links)</p>"
  }

  private var facts: Markup {
    let items = counts.map { count -> Markup in
      "<li>\(count.title) <b>\(count.number)\(count.isPartial ? "+" : "")</b></li>"
    }
    return "<ul class=\"facts\">\(items)</ul>"
  }

  /// The summary on the browser's page. The page follows the log from `data-end` on.
  package var markup: Markup {
    """
    <div data-end="\(logEnd)" data-now="\(browser["clock"]?.text(of: "now") ?? "")"\(isManual ? " data-manual" : "")>\(badges)\(tags)</div>
    """
  }

  fileprivate var card: Markup {
    """
    <li class="card">
    <h2><a href="\(BrowserPage(name: name).path)" data-key="open-\(name)">\(name)</a></h2>
    <p>\(badges) \(time)</p>\(tags)
    \(facts)
    <footer><span class="soft">\(lastEvent ?? "No events yet")</span>\
    <button class="danger" data-delete="\(name)" data-key="delete-\(name)" aria-label="Delete \(name)">Delete</button></footer>
    </li>
    """
  }
}
