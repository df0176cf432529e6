/// The page at `/`, which describes the service and links to its resources.
package struct OverviewPage: Hashable, Sendable {
  private let browsers: Int

  package init(browsers: Int) {
    self.browsers = browsers
  }

  /// The complete document, without scripts and external resources.
  package var html: String {
    """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>pcm-browser</title>
    <style>
    body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; color: #1c1e21 }
    code { font: 0.9em ui-monospace, monospace; background: #f2f3f5; padding: 0.1em 0.3em; border-radius: 3px }
    li { margin: 0.3rem 0 }
    </style>
    <h1>pcm-browser</h1>
    <p>This service acts as the browser in Private Click Measurement. It runs
    \(browsers == 1 ? "one browser" : "\(browsers) browsers").</p>
    <ul>
    <li><a href="/v1/browsers"><code>/v1/browsers</code></a>: the browsers, each with its own clock, apps, clicks and reports</li>
    <li><a href="/v1/browsers/default/measurements"><code>/v1/browsers/default/measurements</code></a>: what the browser
    <code>default</code> has measured</li>
    <li><a href="/v1/browsers/default/reports"><code>/v1/browsers/default/reports</code></a>: its reports and their attempts</li>
    <li><a href="/v1/browsers/default/events"><code>/v1/browsers/default/events</code></a>: its events and their reasons</li>
    </ul>
    </html>

    """
  }
}
