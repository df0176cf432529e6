/// The page at `/docs`: the OpenAPI document in Swagger UI, which can send its requests to this service.
package enum DocumentationPage {
  package static let viewerScriptPath = "/assets/swagger-ui-bundle.js"
  package static let viewerStylePath = "/assets/swagger-ui.css"

  /// The document. Its scripts load the API's description.
  package static var html: String { markup.text }

  /// The viewer has a `main` element, so the page has none.
  private static let markup: Markup = """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>API – pcm-browser</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="\(viewerStylePath)">
    <link rel="stylesheet" href="\(PageAsset.documentationStyle.path)">
    <script defer src="\(viewerScriptPath)"></script>
    <script defer src="\(PageAsset.documentationScript.path)"></script>
    </head>
    <body>
    <header class="top"><nav aria-label="Service"><a class="brand" href="/">pcm-browser</a>\
    <a href="/openapi.json">OpenAPI document</a><a href="/metrics">Metrics</a></nav></header>
    <div id="docs"><p>Loading the description of the API</p></div>
    \(PageFrame.tokenDialog)
    </body>
    </html>

    """
}
