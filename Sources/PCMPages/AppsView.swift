package import PCMCore

/// The registered apps, with what each manifest declares and the findings about it.
package enum AppsView {
  /// - Parameter apps: The apps as the API returns them.
  package static func markup(_ apps: [JSON]) -> Markup {
    guard !apps.isEmpty else {
      return "<p class=\"empty\">No apps yet. The form “App” of <a href=\"#view=try\">Try it</a> registers an Info.plist.</p>"
    }
    return "<ul class=\"entries\">\n\(apps.map(entry))\n</ul>"
  }

  private static func entry(_ app: JSON) -> Markup {
    let name = app.text(of: "bundleIdentifier")
    let endpoint: Markup =
      app["reportEndpoint"]?.string.map { "reports to <code>\($0)</code>" } ?? "has no report endpoint"
    let findings = app["findings"]?.items.map { "\($0.text(of: "code")): \($0.text(of: "detail"))" } ?? []
    let notes = findings.map { note -> Markup in "<p class=\"change\">\(note.asShown(upTo: 300))</p>" }
    return """
      <li><details data-key="app-\(name)"><summary><span><b>\(name)</b></span><span>\(endpoint)</span></summary>
      <div>\(notes)<pre>\(app.indented)</pre></div></details></li>
      """
  }
}
