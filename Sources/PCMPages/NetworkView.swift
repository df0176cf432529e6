package import PCMCore

/// Where the messages of a browser go, its simulated sites, and the observed browsers.
package enum NetworkView {
  /// - Parameters:
  ///   - mode: `simulated` or `real`.
  ///   - forwarded: The hosts whose requests go to an address without TLS, with the address.
  ///   - sites: The simulated sites that a call described, as the API returns them.
  ///   - attachments: The observed browsers as the API returns them.
  package static func markup(mode: String, forwarded: [(host: String, target: String)], sites: [JSON], attachments: [JSON])
    -> Markup
  {
    """
    <p><span class="badge info">\(mode.titled)</span> \(mode == "simulated"
      ? "Simulated sites accept every report, and no connection leaves the service."
      : "Reports and tokens go to the endpoints in the manifests.")</p>
    \(mode == "simulated" || forwarded.isEmpty ? .none : list("Forwarded without TLS", forwarded.map(forward), empty: ""))
    \(list("Simulated sites", sites.map(site), empty: "No call described a site. The form “Simulated site” describes one."))
    \(list("Observed browsers", attachments.map(attachment),
      empty: "No browser is observed. The command attach starts Chromium and observes its tabs."))
    """
  }

  private static func list(_ title: String, _ items: [Markup], empty: String) -> Markup {
    let content: Markup = items.isEmpty ? "<p class=\"soft\">\(empty)</p>" : "<ul class=\"entries\">\n\(items)\n</ul>"
    return "<h3>\(title)</h3>\(content)"
  }

  private static func forward(_ entry: (host: String, target: String)) -> Markup {
    "<li><b>\(entry.host)</b> to <code>\(entry.target)</code> <span class=\"soft\">--forward-to</span></li>"
  }

  private static func site(_ site: JSON) -> Markup {
    let host = site.text(of: "host")
    return """
      <li><details data-key="site-\(host)"><summary><span>\(host)</span></summary>
      <div><pre>\(site["behavior"]?.indented ?? "")</pre></div></details></li>
      """
  }

  private static func attachment(_ attachment: JSON) -> Markup {
    let (id, state) = (attachment.text(of: "id"), attachment.text(of: "state"))
    return """
      <li><details data-key="attachment-\(id)"><summary>\
      <span class="badge \(state == "attached" ? "good" : "quiet")">\(state.titled)</span>\
      <span>\(id)</span></summary><div><pre>\(attachment.indented)</pre></div></details></li>
      """
  }
}
