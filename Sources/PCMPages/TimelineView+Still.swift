extension TimelineView {
  /// Whether there is nothing to draw.
  package var isEmpty: Bool { lanes.isEmpty }

  /// The drawing for a report, without controls and a legend: what is a link on the page of a browser is an image here.
  ///
  /// - Parameter title: The name of the drawing for readers that do not see it.
  package func still(title: String) -> Markup {
    // No text contains a bare < or >, because all text is escaped.
    let marks = svg.text.replacing(/<a [^>]*?aria-label="([^"]*)"[^>]*>/) { match in
      "<g role=\"img\" aria-label=\"\(match.1)\"><title>\(match.1)</title>"
    }
    let drawing = Markup(stringLiteral: marks.replacing("</a>", with: "</g>"))
    return """
      <div class="timeline" role="region" aria-label="Timeline: \(title)" tabindex="0">\(drawing)</div>
      """
  }
}
