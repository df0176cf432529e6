import PCMCore

/// The page of one browser.
package struct BrowserPage {
  private let name: String

  package init(name: String) {
    self.name = name
  }

  var path: String { "/browsers/\(PercentEncoding.component.encode(name))" }
  private var apiPath: String { BrowserName(name).path }

  /// The document, without the browser's data. Its script loads them in parts.
  package var html: String { PageFrame(title: "\(name) – pcm-browser", content: content).html.text }

  private var content: Markup {
    """
    \(heading)
    \(missing)
    <div id="present">
    <div id="summary" data-part="\(path)/summary" data-browser="\(apiPath)" data-examples="\(path)/examples"></div>
    \(travel)
    \(StoryView.markup)
    \(timeline)
    \(examples)
    \(views)
    \(settings)
    <section aria-labelledby="data-title">
    <div class="heading"><h2 id="data-title">Data</h2></div>
    <div class="row"><button data-download="\(apiPath)/events" data-name="\(name).jsonl" data-most="\(LogView.downloadedEventCount)">Download the log</button>
    <button data-download="\(apiPath)/scenario" data-name="\(name).yaml">Download as a scenario</button>
    <button class="danger" data-clear="\(apiPath)/data">Clear the measured data</button></div>
    </section>
    </div>
    """
  }

  /// The page of a trace: only the parts, and the scenario.
  var traceContent: Markup {
    """
    \(heading)
    <div id="summary" data-part="\(path)/summary"></div>
    \(timeline)
    \(views)
    <section aria-labelledby="scenario-title">
    <div class="heading"><h2 id="scenario-title">Scenario</h2></div>
    <div id="scenario" data-part="\(path)/scenario"></div>
    </section>
    """
  }

  private var heading: Markup {
    """
    <div class="heading"><h1>\(name)</h1><span class="badge quiet live" id="status" role="status">Connecting</span></div>
    """
  }

  private var timeline: Markup {
    """
    <section aria-labelledby="timeline-title">
    <div class="heading"><h2 id="timeline-title">Timeline</h2></div>
    <div id="timeline" class="timeline" data-part="\(path)/timeline" data-width></div>
    <p class="detail" id="detail" aria-live="polite">Select an item to see why it happened. Drag the timeline to move it, and turn the wheel to zoom.</p>
    </section>
    <section id="why-section" aria-labelledby="why-title" hidden>
    <div class="heading"><h2 id="why-title" tabindex="-1">Why?</h2><button data-close="why-section">Close</button></div>
    <div id="why" data-part="\(path)/why" data-lazy></div>
    </section>
    """
  }

  private var views: Markup {
    """
    <section aria-labelledby="cards-title">
    <div class="heading"><h2 id="cards-title">Content cards</h2></div>
    <p id="card-result" role="status"></p>
    <div id="cards" data-part="\(path)/cards"></div>
    </section>
    <section aria-labelledby="messages-title">
    <div class="heading"><h2 id="messages-title">Reports and postbacks</h2></div>
    <div id="messages" data-part="\(path)/messages"></div>
    </section>
    <section aria-labelledby="tracking-title">
    <div class="heading"><h2 id="tracking-title">Permission to track</h2></div>
    <div id="tracking" data-part="\(path)/tracking"></div>
    </section>
    <section aria-labelledby="charts-title">
    <div class="heading"><h2 id="charts-title">Charts</h2></div>
    <div id="charts" data-part="\(path)/charts" data-width></div>
    </section>
    \(log)
    """
  }

  /// The page in place of a browser that does not exist.
  private var missing: Markup {
    """
    <section id="missing" aria-labelledby="missing-title" hidden>
    <div class="heading"><h2 id="missing-title">No browser has this name</h2></div>
    <form id="create" class="row" data-name="\(name)">
    \(HomePage.creation)
    </form>
    <p class="problem" role="alert"></p>
    <p class="soft">Create it, or open <a href="/">another browser</a>.</p>
    </section>
    """
  }

  /// The calls to try, in groups for clicks on the web and for ads for apps.
  private var examples: Markup {
    """
    <section aria-labelledby="try-title">
    <div class="heading"><h2 id="try-title">Try it</h2></div>
    <p class="soft">Each form calls the API. The examples work in this order, from the top.</p>
    <div class="tries">
    <div><h3>Ads that lead to websites</h3>
    \(forms(TryForm.web))</div>
    <div><h3>Ads that lead to apps</h3>
    \(forms(TryForm.device))</div>
    </div></section>
    """
  }

  /// The settings of the browser and its device.
  private var settings: Markup {
    """
    <section aria-labelledby="settings-title">
    <div class="heading"><h2 id="settings-title">Settings</h2></div>
    <div class="tries">\(forms(TryForm.settings))</div></section>
    """
  }

  private func forms(_ forms: [TryForm]) -> [Markup] { forms.map { $0.markup(apiPath: apiPath) } }

  private var travel: Markup {
    """
    <section id="travel" aria-labelledby="travel-title" hidden>
    <div class="heading"><h2 id="travel-title">Time travel</h2><time class="soft" id="now"></time>
    <progress id="moving" aria-label="The clock is moving" hidden></progress><button id="cancel" hidden>Cancel</button></div>
    <form class="row" id="advance">
    <button type="button" data-by="PT1H">+1 hour</button><button type="button" data-by="PT24H">+24 hours</button>
    <button type="button" data-by="PT48H">+48 hours</button><button type="button" data-by="P7D">+7 days</button>
    <button type="button" data-until="toNextEvent">Next event</button><button type="button" data-until="untilIdle">Until idle</button>
    <label>Instant (UTC) <input type="datetime-local" name="to" step="1"></label><button>Go</button>
    </form>
    <p class="problem" id="problem" role="alert"></p>
    </section>
    """
  }

  private var log: Markup {
    let kinds = LogView.groups.map { group -> Markup in "<option value=\"\(group.prefix)\">\(group.title)</option>" }
    return """
      <section aria-labelledby="log-title">
      <div class="heading"><h2 id="log-title">Log</h2>
      <label>Kind <select data-filter="log" name="kind"><option value="">All</option>\(kinds)</select></label>
      <label>Site or text <input type="search" data-filter="log" name="text" autocomplete="off"></label></div>
      <div id="log" data-part="\(path)/log"></div>
      </section>
      """
  }
}
