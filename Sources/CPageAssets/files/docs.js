/* Starts the viewer without a validator on another host. It uses the token of the tab, and asks for it if there is none. An
   optional parameter is not sent unless a person gives a value: the viewer would send its example. */

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
