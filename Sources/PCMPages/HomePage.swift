/// The page at `/`: the browsers of the service.
package enum HomePage {
  /// The document, without browsers. Its script loads them.
  package static var html: String {
    PageFrame(title: "Browsers – pcm-browser", content: content).html.text
  }

  private static let content: Markup = """
    <h1>Browsers</h1>
    <p class="lead">Each browser measures ads as Safari and its device do, with its own clock, storage, and log.</p>
    <section aria-labelledby="create-title">
    <div class="heading"><h2 id="create-title">New browser</h2></div>
    <form id="create" class="row">
    <label>Name <input name="name" maxlength="200" placeholder="Generated when empty" autocomplete="off"></label>
    \(CreateForm.choices)
    </form>
    <p class="problem" id="problem" role="alert"></p>
    </section>
    <div class="row card middle">
    <label>Filter by name or label <input id="filter" type="search" data-filter="browsers" name="name" autocomplete="off"></label>
    <span class="badge quiet" id="status" role="status">Loading</span>
    </div>
    <div id="browsers" data-part="/browsers" data-every="2000"></div>
    """
}

/// The part of a form that creates a browser.
enum CreateForm {
  static let choices: Markup = """
    <label>Clock <select name="clock"><option value="manual">Manual</option><option value="real">Real</option></select></label>
    <label>Storage <select name="storage"><option value="durable">Durable</option><option value="ephemeral">Ephemeral</option></select></label>
    <button class="main">Create</button>
    """
}

/// The list of browsers, which the page at `/` shows.
package struct BrowserList: Hashable, Sendable {
  private let cards: [BrowserCard]
  private let total: Int
  private let filter: String

  /// - Parameters:
  ///   - total: The number of browsers that the filter selects. The list may show fewer.
  ///   - filter: The text by which browsers are selected; empty for all.
  package init(_ cards: [BrowserCard], total: Int, filter: String) {
    self.cards = cards
    self.total = total
    self.filter = filter
  }

  package var markup: Markup {
    guard !cards.isEmpty else {
      guard filter.isEmpty else { return FilterView.noMatch("No name or label contains “\(filter)”.", of: "browsers") }
      return """
        <div class="empty card"><h2>No browsers</h2>
        <p>Create one above, or with <code>PUT /v1/browsers/NAME</code>.</p></div>
        """
    }
    let rest: Markup =
      total > cards.count ? "<p class=\"soft\">\(total - cards.count) more. Filter by name or label to find them.</p>" : ""
    return "<ul class=\"browsers\">\n\(cards.map(\.markup))\n</ul>\(rest)"
  }
}

/// A browser in the list.
package struct BrowserCard: Hashable, Sendable {
  fileprivate let summary: BrowserSummary

  package init(_ summary: BrowserSummary) {
    self.summary = summary
  }

  fileprivate var markup: Markup {
    """
    <li class="card">
    <h2><a href="\(summary.path)" data-key="open-\(summary.name)">\(summary.name)</a></h2>
    <p>\(summary.badges)</p>\(summary.tags)
    \(summary.facts)
    <footer><span class="soft">\(summary.lastEvent)</span>\
    <button class="danger" data-delete="\(summary.name)" data-key="delete-\(summary.name)" aria-label="Delete \(summary.name)">Delete</button></footer>
    </li>
    """
  }
}
