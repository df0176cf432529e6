import PCMCore

/// The page of a browser as a document in one file, which contains the parts and loads nothing.
///
/// Its content security policy allows its one style sheet and its one script by hash, and nothing else.
package enum TracePage {
  /// - Parameters:
  ///   - name: The browser's name.
  ///   - parts: The parts by their paths below the page's path, with their queries: `log`, `item?about=click-7`.
  ///   - compress: Returns the gzip of bytes.
  ///   - hash: Returns the SHA-256 of a text in base64.
  package static func html(
    name: String, parts: [(path: String, html: String)], styles: PageAsset = .style, scripts: PageAsset = .script,
    compress: ([UInt8]) -> [UInt8], hash: (String) -> String
  ) -> String {
    let (style, script) = (styles.text, scripts.text)
    let data = JSON.object(parts.map { .init($0.path, .string($0.html)) }).bytes
    let markup: Markup = """
      <!doctype html>
      <html lang="en" class="trace">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-\(hash(script))'; \
      style-src 'sha256-\(hash(style))'; img-src data:">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(name) – trace – pcm-browser</title>
      <link rel="icon" href="data:,">
      <style>\(Markup(stringLiteral: style))</style>
      </head>
      <body class="workbench">
      <a class="skip" href="#content">Skip to the content</a>
      <header class="top"><nav aria-label="Trace"><span class="brand">pcm-browser</span>Trace<button type="button" id="help" aria-label="Keys">?</button></nav></header>
      <main id="content">
      \(BrowserPage(name: name, isTrace: true).content)
      </main>
      <script type="application/json" id="trace">"\(Markup(stringLiteral: Base64.encode(compress(data))))"</script>
      <script>\(Markup(stringLiteral: script))</script>
      </body>
      </html>

      """
    return markup.text
  }
}
