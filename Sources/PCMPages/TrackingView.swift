package import PCMCore

/// The prompt for permission to track, the status of each app, and the requests of measurement SDKs.
package enum TrackingView {
  /// - Parameters:
  ///   - apps: The values about tracking of each app, as the API returns them.
  ///   - requests: The requests of measurement SDKs as the API returns them, newest first.
  ///   - device: The name of the device.
  package static func markup(apps: [JSON], requests: [JSON], of device: String) -> Markup {
    guard !apps.isEmpty || !requests.isEmpty else {
      return
        "<p class=\"empty\">No app has an answer about tracking, or waits for one. The form “Permission to track” asks.</p>"
    }
    let prompts = apps.filter { $0["promptDisplayed"] == .bool(true) }.map { prompt($0, device) }
    return "\(prompts)<ul class=\"entries\">\n\(apps.map(app) + requests.map(request))\n</ul>"
  }

  private static func prompt(_ app: JSON, _ device: String) -> Markup {
    let name = app.text(of: "bundleIdentifier")
    func button(_ title: String, allow: Bool) -> Markup {
      """
      <button data-answer="\(TrackingAnswerInput.path(in: device))" data-app="\(name)" data-allow="\(allow ? "true" : "false")" \
      data-key="allow-\(allow ? "true" : "false")">\(title)</button>
      """
    }
    return """
      <div class="change" role="group" aria-label="Prompt of \(name)">
      <p><b>Allow “\(name)” to track your activity across other companies’ apps and websites?</b></p>
      <p>\(app.text(of: "usageDescription"))</p>
      <p class="row">\(button("Ask App Not to Track", allow: false))\(button("Allow", allow: true))</p></div>
      """
  }

  private static func app(_ app: JSON) -> Markup {
    let status = app["status"]?.integer ?? 0
    let held = app["heldEvents"]?.items.count ?? 0
    let waiting: Markup = held == 0 ? "" : " <span class=\"soft\">Waiting events: \(held)</span>"
    return """
      <li class="row middle"><span><code>\(app.text(of: "bundleIdentifier"))</code> \
      <span class="badge \(status == 3 ? "good" : "quiet")">\(status) \(app.text(of: "statusName"))</span>\(waiting)</span>\
      <code>\(app.text(of: "advertisingIdentifier"))</code></li>
      """
  }

  private static func request(_ request: JSON) -> Markup {
    let (id, state) = (request.text(of: "id"), request.text(of: "state"))
    return """
      <li><details data-key="\(id)"><summary><time>\(request.text(of: "at").shownTime)</time>\
      <span><span class="badge \(MessageView.tone(state))">\(state.titled)</span> \(request.text(of: "event"))</span>\
      <span><code>\(request.text(of: "url"))</code></span></summary>
      <div><a href="#why=\(id)">Why \(id)?</a><pre>\(request["body"]?.parsed.indented ?? "")</pre></div></details></li>
      """
  }
}
