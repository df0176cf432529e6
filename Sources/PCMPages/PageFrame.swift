/// The frame of all pages: the head, the navigation, and the dialog that asks for the service's token.
struct PageFrame {
  let title: String
  /// The links of the navigation.
  var links: Markup = """
    <a href="/rules">Rules</a><a href="/docs">API</a><a href="/documentation">Documentation</a><a href="/metrics">Metrics</a>
    """
  /// The scripts, in the order in which they run.
  var scripts: [PageAsset] = [.script]
  let content: Markup
  /// Whether the page fills the window with regions that scroll, in place of a column.
  var isWorkbench = false

  /// The dialog that asks for the service's token.
  static let tokenDialog: Markup = """
    <dialog id="token" aria-labelledby="token-title"><form method="dialog">
    <h2 id="token-title">Token required</h2>
    <p>This service was started with a token. Enter it to continue. It stays in this tab.</p>
    <p class="problem" id="token-problem" role="alert"></p>
    <label>Token <input name="token" type="password" autocomplete="off" aria-describedby="token-problem" required></label>
    <button class="main">Continue</button>
    </form></dialog>
    """

  private var help: Markup { "<button type=\"button\" id=\"help\" aria-label=\"Keys\">?</button>" }

  var html: Markup {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(title)</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="\(PageAsset.style.path)">
    \(scripts.map { script -> Markup in "<script defer src=\"\(script.path)\"></script>" })
    </head>
    <body class="\(isWorkbench ? "workbench" : "column")">
    <a class="skip" href="#content">Skip to the content</a>
    <header class="top"><nav aria-label="Service"><a class="brand" href="/">pcm-browser</a>\
    \(links)\(isWorkbench ? help : .none)</nav></header>
    <main id="content">
    \(content)
    </main>
    \(Self.tokenDialog)
    </body>
    </html>

    """
  }
}
