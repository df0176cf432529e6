import PCMCore

/// The page of one browser: its state in a sentence, the clock and the timeline, and views of which one is shown.
package struct BrowserPage {
  private let name: String
  /// Whether the page is of a trace, which has no service to call.
  private let isTrace: Bool

  package init(name: String, isTrace: Bool = false) {
    (self.name, self.isTrace) = (name, isTrace)
  }

  var path: String { "/browsers/\(PercentEncoding.component.encode(name))" }
  private var apiPath: String { BrowserName(name).path }

  /// The document, without the browser's data. Its script loads them in parts.
  package var html: String { PageFrame(title: "\(name) – pcm-browser", content: content, isWorkbench: true).html.text }

  /// The views in the order of their links: the name in the address, the title, and the content.
  private var views: [(name: String, title: String, content: Markup)] {
    [
      ("story", "Story", ""), ("reports", "Reports and postbacks", ""), ("log", "Log", log), ("apps", "Apps", apps),
      ("network", "Network", "<div id=\"network\" data-part=\"\(path)/network\"></div>"),
    ]
      + (isTrace
        ? [("scenario", "Scenario", "<div id=\"scenario\" data-part=\"\(path)/scenario\"></div>")]
        : [("try", "Try it", examples), ("settings", "Settings", settings)])
  }

  /// The content of the document.
  var content: Markup {
    """
    \(isTrace ? .none : missing)
    <div id="present">
    <div class="answer"><h1>\(name)</h1> <span class="badge quiet live" id="status" role="status">Connecting</span>
    <div id="summary" data-part="\(path)/summary" data-browser="\(apiPath)" data-examples="\(path)/examples"></div>
    \(isTrace ? .none : downloads)
    <p id="answer" data-part="\(path)/answer" role="status"></p></div>
    \(travel)
    <nav class="views" aria-label="Views">\(views.map { view -> Markup in
      "<a href=\"#view=\(view.name)\" data-view=\"\(view.name)\">\(view.title)</a>"
    })</nav>
    \(story)
    \(views.dropFirst(2).map { view -> Markup in
      "<section class=\"view\" id=\"view-\(view.name)\" aria-label=\"\(view.title)\" tabindex=\"0\" hidden>\(view.content)</section>"
    })
    </div>
    \(keys)
    """
  }

  private var downloads: Markup {
    """
    <div class="row" id="downloads"><button data-download="\(apiPath)/scenario" data-name="\(name).yaml">Download as a scenario</button>
    <button data-download="\(apiPath)/trace" data-name="\(name).html">Download a trace</button></div>
    """
  }

  /// The views of the story and of the reports: the list, and the selected item.
  private var story: Markup {
    """
    <div class="columns" id="view-story"><section class="list" aria-labelledby="list-title">
    <h2 class="hidden-title" id="list-title">Story</h2>
    <div class="filter"><input type="search" data-filter="story" name="text" aria-label="Filter by site, outcome, or text" \
    placeholder="Filter by site, outcome, or text" autocomplete="off"></div>
    <div id="story" data-part="\(path)/story"></div>
    <details id="charts-box"><summary>Charts</summary><div id="charts" data-part="\(path)/charts" data-width></div></details>
    </section>
    <section class="item" aria-label="Selected item" tabindex="0">
    <div id="example" hidden>\(isTrace ? .none : ExampleView.markup)</div>
    <div id="item" data-part="\(path)/item"></div>
    </section></div>
    """
  }

  /// The page in place of a browser that does not exist.
  private var missing: Markup {
    """
    <section id="missing" aria-labelledby="missing-title" hidden>
    <div class="heading"><h1 id="missing-title">No browser has this name</h1></div>
    <form id="create" class="row" data-name="\(name)">
    \(HomePage.creation)
    </form>
    <p class="problem" role="alert"></p>
    <p class="soft">Create it, or open <a href="/">another browser</a>.</p>
    </section>
    """
  }

  private var moves: [(duration: String, name: String, short: String)] {
    [("PT1H", "+1 hour", "+1 h"), ("PT24H", "+24 hours", "+24 h"), ("PT48H", "+48 hours", "+48 h"), ("P7D", "+7 days", "+7 d")]
  }

  /// The clock and the timeline.
  private var travel: Markup {
    """
    <section class="time" aria-labelledby="time-title">
    <h2 class="hidden-title" id="time-title">Clock and timeline</h2>
    <div class="clock"><time id="now"></time>
    \(isTrace ? .none : moveForm)
    </div>
    <p class="problem" id="problem" role="alert"></p>
    <div id="timeline" class="timeline" data-part="\(path)/timeline" data-width></div>
    <p class="detail" id="detail" aria-live="polite"></p>
    </section>
    """
  }

  private var moveForm: Markup {
    """
    <form class="row" id="advance" aria-label="Time travel" hidden>
    \(moves.map { move -> Markup in
      "<button type=\"button\" data-by=\"\(move.duration)\" aria-label=\"\(move.name)\">\(move.short)</button>"
    })
    <button type="button" data-until="toNextEvent">Next event</button><button type="button" data-until="untilIdle">Until idle</button>
    <details class="to"><summary>To…</summary><div class="row"><label>Instant (UTC) \
    <input type="datetime-local" name="to" step="1"></label><button class="main">Go</button></div></details>
    </form>
    <progress id="moving" aria-label="The clock is moving" hidden></progress><button id="cancel" hidden>Cancel</button>
    """
  }

  private var log: Markup {
    let download: Markup = """
      <button data-download="\(apiPath)/events" data-name="\(name).jsonl" \
      data-most="\(LogView.downloadedEventCount)">Download the log</button>
      """
    let kinds = LogView.groups.map { group -> Markup in "<option value=\"\(group.prefix)\">\(group.title)</option>" }
    return """
      <div class="row"><label>Kind <select data-filter="log" name="kind"><option value="">All</option>\(kinds)</select></label>
      <label>Site or text <input type="search" data-filter="log" name="text" autocomplete="off"></label>\(isTrace ? .none : download)</div>
      <div id="log" data-part="\(path)/log"></div>
      """
  }

  private var apps: Markup {
    """
    <h2>Manifests</h2><div id="apps" data-part="\(path)/apps"></div>
    <h2>Content cards</h2><p id="card-result" role="status"></p><div id="cards" data-part="\(path)/cards"></div>
    <h2>Permission to track</h2><div id="tracking" data-part="\(path)/tracking"></div>
    """
  }

  /// The calls to try, in groups for clicks on the web and for ads for apps.
  private var examples: Markup {
    """
    <p class="row"><button type="button" data-play="story-click">Play the example</button>\
    <button type="button" data-play="story-install">Play an install</button></p>
    <p class="soft">Each form calls the API. The examples work in this order, from the top.</p>
    <div class="tries">
    <div><h2>Ads that lead to websites</h2>
    \(forms(TryForm.web))</div>
    <div><h2>Ads that lead to apps</h2>
    \(forms(TryForm.device))</div>
    </div>
    """
  }

  /// The settings of the browser and its device.
  private var settings: Markup {
    """
    <div class="tries">\(forms(TryForm.settings))</div>
    <h2>Data</h2><p><button class="danger" data-clear="\(apiPath)/data">Clear the measured data</button></p>
    """
  }

  private func forms(_ forms: [TryForm]) -> [Markup] { forms.map { $0.markup(apiPath: apiPath) } }

  /// The keys, and the shapes of the timeline.
  private var keys: Markup {
    let move: Markup = "<dt><kbd>n</kbd></dt><dd>Move the clock to the next event</dd>"
    return """
      <dialog id="keys" aria-labelledby="keys-title"><form method="dialog"><h2 id="keys-title">Keys and shapes</h2>
      <dl class="keys"><dt><kbd>↑</kbd> <kbd>↓</kbd></dt><dd>The previous and the next item</dd><dt><kbd>1</kbd> to <kbd>\(views.count)</kbd></dt>\
      <dd>The views</dd><dt><kbd>/</kbd></dt><dd>The filter</dd>\(isTrace ? .none : move)\
      <dt><kbd>?</kbd></dt><dd>This list</dd></dl>
      \(isTrace ? .none : "<p class=\"soft\">Drag the timeline to move it, and turn the wheel to zoom.</p>")
      \(TimelineView.legend(hasDevice: true))
      <button class="main">Close</button></form></dialog>
      """
  }
}
