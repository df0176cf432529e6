import CPageAssets

/// The frame of the reports: a document in one file, which can be mailed, archived, and printed, in the design of the pages.
///
/// It has no script and loads nothing. Its content security policy allows its one style sheet by hash and nothing else.
package struct ReportFrame {
  private let title: String
  private let content: Markup

  /// - Parameter content: The content of the `main` element.
  package init(title: String, content: Markup) {
    self.title = title
    self.content = content
  }

  /// The style sheet of the pages, with the additions for reports.
  private static let style = String(cString: pcm_report_style())

  /// - Parameter styleHash: Returns the SHA-256 of a text in base64.
  package func html(styleHash: (String) -> String) -> String {
    let markup: Markup = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-\(styleHash(Self.style))'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title)</title>
      <style>\(Markup(stringLiteral: Self.style))</style>
      </head>
      <body class="report">
      <main>
      \(content)
      </main>
      </body>
      </html>

      """
    return markup.text
  }
}

/// A colored bar with a segment for each part of a whole. The page also states the numbers in words.
package enum ReportBar {
  package static func markup(_ segments: [(count: Int, tone: String)]) -> Markup {
    let total = max(segments.map(\.count).reduce(0, +), 1)
    var start = 0
    var drawn: [Markup] = []
    for segment in segments where segment.count > 0 {
      drawn.append("<rect class=\"\(segment.tone)\" x=\"\(start)\" width=\"\(segment.count)\" height=\"1\"/>")
      start += segment.count
    }
    return """
      <svg class="bar" viewBox="0 0 \(total) 1" preserveAspectRatio="none" aria-hidden="true">\(drawn)</svg>
      """
  }
}
