/* A trace: the page of a browser in a file, which contains its parts and calls no service. */

const traceData = document.querySelector("#trace");

class Trace {
  constructor(parts) { this.parts = parts; }

  static async open() {
    const bytes = Uint8Array.from(atob(JSON.parse(traceData.textContent)), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Trace(new Map(Object.entries(await new Response(stream).json())));
  }

  /* Returns the text of a part. The width of the page and the visible time do not change it, and a filter removes entries. */
  get(path, { about, view = "", kind = "", text = "" }) {
    const name = path.split("/").slice(3).join("/");
    const part = this.parts.get(about === undefined ? name : `${name}?about=${encodeURIComponent(about)}`);
    if (part === undefined) return "<p class=\"empty\">This trace explains failures and the newest items, and this item is neither.</p>";
    return view || kind || text ? Trace.filtered(part, view === "reports", kind, text.toLowerCase()) : part;
  }

  static filtered(part, isMessages, kind, text) {
    const page = document.createElement("template");
    page.innerHTML = part;
    for (const item of page.content.querySelectorAll("li:not(.date)")) {
      const isShown = (!isMessages || item.querySelector("[href*='why=report-'], [href*='why=postback-']"))
        && (!kind || item.querySelector(".badge").textContent.startsWith(kind))
        && item.textContent.toLowerCase().includes(text);
      if (!isShown) item.remove();
    }
    for (const date of page.content.querySelectorAll(".date")) if (!date.nextElementSibling?.matches(":not(.date)")) date.remove();
    return page.innerHTML;
  }
}

let trace = null;
