/// The page at `/docs`: the OpenAPI document in Swagger UI, which can send its requests to this service.
package enum DocumentationPage {
  package static let viewerScriptPath = "/assets/swagger-ui-bundle.js"
  package static let viewerStylePath = "/assets/swagger-ui.css"

  /// The document. Its scripts load the API's description.
  package static var html: String { markup.text }

  /// The viewer has a `main` element of its own, so the page has none.
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
    \(PageToken.dialog)
    </body>
    </html>

    """

  /// Starts the viewer without a validator on another host. It uses the token of the tab, and asks for it if there is none. An
  /// optional parameter is not sent unless a person gives a value: the viewer would send its example.
  static let script = #"""
    \#(PageToken.script)
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
    dark.addEventListener("change", follow);
    follow();

    const regions = [
      [".information-container", "region", "About"], [".schemes-server-container", "region", "Server"],
      [".filter-container", "search", "Operations"],
    ];

    /* Names for the fields that the viewer leaves without one, and keyboard access to what scrolls. */
    function mend() {
      for (const field of document.querySelectorAll("select:not([aria-label]), input:not([aria-label]), textarea:not([aria-label])")) {
        const row = field.closest("tr, label, .examples-select, .servers, .auth-wrapper, .filter, .body-param");
        const name = row?.querySelector(".parameter__name, .response-col_status, h4, label, span")?.textContent.trim();
        field.setAttribute("aria-label", name || field.placeholder || field.title || "Value");
      }
      for (const [place, role, name] of regions) {
        const region = document.querySelector(place);
        region?.setAttribute("role", role);
        region?.setAttribute("aria-label", name);
      }
      for (const table of document.querySelectorAll("table[role=region]")) {
        table.setAttribute("aria-label", `Responses to ${table.closest(".opblock").querySelector(".opblock-summary-path").dataset.path}`);
      }
      for (const tag of document.querySelectorAll("h3.opblock-tag")) tag.setAttribute("aria-level", "2");
      for (const title of document.querySelectorAll(".opblock h4")) title.setAttribute("aria-level", "3");
      for (const title of document.querySelectorAll(".opblock h5")) title.setAttribute("aria-level", "4");
      for (const text of document.querySelectorAll("pre:not([tabindex]), .highlight-code:not([tabindex])")) text.tabIndex = 0;
    }
    new MutationObserver(mend).observe(document.querySelector("#docs"), { childList: true, subtree: true });

    async function readDescription() {
      for (;;) {
        const token = currentToken();
        const response = await fetch("/openapi.json", { headers: tokenField(), cache: "no-store" });
        if (response.ok) return response.json();
        if (response.status === 401) await askForToken(token);
        else throw new Error(`The service answered ${response.status}.`);
      }
    }

    function forgetExamples({ components, paths }) {
      const lists = Object.values(paths).flatMap((path) => [path, ...Object.values(path)]).map((part) => part.parameters ?? []);
      for (const parameter of [...Object.values(components.parameters), ...lists.flat()]) {
        if (parameter.required || parameter.$ref) continue;
        for (const part of [parameter, parameter.schema ?? {}, parameter.schema?.items ?? {}]) {
          delete part.example;
          delete part.examples;
        }
      }
    }

    readDescription().then((spec) => {
      forgetExamples(spec);
      SwaggerUIBundle({
        spec, dom_id: "#docs", validatorUrl: null, queryConfigEnabled: false, filter: true, tryItOutEnabled: true,
        docExpansion: "list", defaultModelsExpandDepth: -1, syntaxHighlight: false,
        requestInterceptor(request) {
          if (!request.headers.Authorization) Object.assign(request.headers, tokenField());
          return request;
        },
      });
    }).catch((error) => {
      document.querySelector("#docs p").textContent = `The description of the API could not be read. ${error.message} Reload the page.`;
    });
    """#

  /// The look of the navigation, and colors with enough contrast in place of the viewer's.
  static let style = """
    \(PagePalette.style)
    body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif }
    :focus-visible { outline: 3px solid var(--accent) !important; outline-offset: 2px }
    .top { background: var(--paper); border-bottom: 1px solid var(--line) }
    .top nav { max-width: 80rem; margin: 0 auto; padding: .7rem 1.25rem; display: flex; flex-wrap: wrap; gap: .4rem 1.25rem }
    .top a { color: var(--accent) } .top .brand { font-weight: 650; color: var(--ink); text-decoration: none; margin-right: auto }
    #token { border: 1px solid var(--line); background: var(--paper); color: var(--ink); max-width: 28rem; padding: 1.25rem }
    #token input { display: block; width: 100%; margin: .3rem 0 1rem; font: inherit } #token button { font: inherit }
    #docs { overflow-x: clip } #docs > p { padding: 2rem; text-align: center }
    .swagger-ui .info .title small { background: #4f5661 } .swagger-ui .info .title small.version-stamp { background: #11622b }
    .swagger-ui a, .swagger-ui .info a, .swagger-ui .info .link, .swagger-ui .info .base-url, .swagger-ui .url { color: var(--accent) !important }
    .swagger-ui .btn { color: var(--ink); border-color: var(--soft) } .swagger-ui .btn.execute { background: #0060c0; color: #fff; border-color: #0060c0 }
    .swagger-ui .btn.authorize, .swagger-ui .btn.authorize span { color: var(--good); border-color: currentColor } .swagger-ui .btn.authorize svg { fill: currentColor }
    .swagger-ui * { transition: none !important }
    .swagger-ui .download-contents { background: #4f5661 !important; color: #fff !important }
    .swagger-ui .btn.cancel { color: var(--bad); border-color: currentColor }
    .swagger-ui .renderedMarkdown code, .swagger-ui .markdown code { color: var(--ink) !important; background: var(--quiet-ground) !important }
    .swagger-ui .opblock .opblock-summary .opblock-summary-method { background: #4f5661 !important; color: #fff !important }
    .swagger-ui .opblock-get .opblock-summary .opblock-summary-method { background: #0060c0 !important }
    .swagger-ui .opblock-post .opblock-summary .opblock-summary-method { background: #11622b !important }
    .swagger-ui .opblock-put .opblock-summary .opblock-summary-method { background: #7a4a00 !important }
    .swagger-ui .opblock-delete .opblock-summary .opblock-summary-method { background: #a8122a !important }
    .swagger-ui .opblock-summary-path, .swagger-ui .opblock-summary-description, .swagger-ui .parameter__name, .swagger-ui .parameter__type,
    .swagger-ui .prop-format, .swagger-ui .tab li, .swagger-ui .header-col, .swagger-ui .response-col_links, .swagger-ui .response-col_status,
    .swagger-ui .servers-title, .swagger-ui .opblock-tag small, .swagger-ui .parameter__in, .swagger-ui table thead tr td,
    .swagger-ui table thead tr th, .swagger-ui label { color: var(--ink) !important }
    .swagger-ui .parameter__name.required span, .swagger-ui .parameter__name.required::after { color: var(--bad) !important }
    .swagger-ui .opblock-summary-path { overflow-wrap: anywhere; word-break: break-word }
    .swagger-ui input, .swagger-ui select, .swagger-ui textarea { min-width: 0 !important; max-width: 100% }
    @media (max-width: 46rem) { .swagger-ui .wrapper { padding: 0 .8rem } .swagger-ui .opblock-summary { flex-wrap: wrap } }
    .swagger-ui .response-control-media-type__accept-message, .swagger-ui .response-control-media-type__accept-message code { color: var(--ink) !important }
    .swagger-ui .response-col_links { display: none } .swagger-ui .responses-table { table-layout: fixed } .swagger-ui .responses-table td { overflow-wrap: anywhere }
    .swagger-ui .response-col_status { width: 5rem }
    """
}
