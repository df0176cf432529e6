/// The page at `/` of a report endpoint: the received messages, and the active faults.
package enum ReceiverPage {
  /// Returns the document, without data. Its script loads it.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of requests.
  ///   - faults: The kinds of faults.
  package static func html(kinds: [String], faults: [String]) -> String {
    PageFrame(
      title: "Report endpoint – pcm-browser",
      links: "<a href=\"#received-title\">Requests</a><a href=\"#faults-title\">Faults</a>",
      scripts: [.script, .receiver], content: content(options(kinds), options(faults))
    ).html.text
  }

  private static func options(_ names: [String]) -> [Markup] {
    names.map { "<option value=\"\($0)\">\($0)</option>" }
  }

  private static func content(_ kinds: [Markup], _ faults: [Markup]) -> Markup {
    """
    <div class="heading"><h1>Report endpoint</h1><span class="badge quiet live" id="status" role="status">Connecting</span></div>
    <p class="lead">The requests that this endpoint received, its verdicts, and the faults of its responses.</p>
    <section aria-labelledby="received-title">
    <div class="heading"><h2 id="received-title">Requests</h2>
    <label>Kind <select data-filter="received" name="kind"><option value="">All</option>\(kinds)</select></label>
    <button class="danger" id="clear" type="button">Clear</button></div>
    <div id="received" data-part="/admin/page/requests"></div>
    </section>
    <section aria-labelledby="faults-title">
    <div class="heading"><h2 id="faults-title">Faults</h2></div>
    <p class="soft">Each change of the list starts the counts of its faults again.</p>
    <div id="faults" data-part="/admin/page/faults"></div>
    <form class="row step" id="fault" aria-label="New fault">
    <label>Fault <select name="fault">\(faults)</select></label>
    <label>Request <select name="on"><option value="">All</option>\(kinds)</select></label>
    <label>Host <input name="host" maxlength="253" placeholder="All" autocomplete="off"></label>
    <label>Times <input name="times" type="number" min="1" placeholder="Always"></label>
    <label>Probability <input name="probability" type="number" min="0" max="1" step="any" placeholder="1"></label>
    <label>Status <input name="status" type="number" min="200" max="599" placeholder="503"></label>
    <label>Milliseconds <input name="milliseconds" type="number" min="0" max="600000" placeholder="1000"></label>
    <button class="main">Add</button>
    <button type="button" id="no-faults">Remove all</button>
    </form>
    <p class="problem" id="problem" role="alert"></p>
    </section>
    """
  }
}
