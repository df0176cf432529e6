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
  get(path, query) {
    const name = path.split("/").slice(3).join("/");
    const text = this.parts.get(`${name}?${new URLSearchParams(query)}`) ?? this.parts.get(name);
    if (text === undefined) return "<p class=\"empty\">This trace explains failures and the newest items, and this item is neither.</p>";
    return query.kind || query.text ? Trace.filtered(text, query) : text;
  }

  static filtered(text, { kind = "", text: words = "" }) {
    const page = document.createElement("template");
    page.innerHTML = text;
    for (const item of page.content.querySelectorAll("li")) {
      const isShown = item.querySelector(".badge").textContent.startsWith(kind)
        && item.textContent.toLowerCase().includes(words.toLowerCase());
      if (!isShown) item.remove();
    }
    return page.innerHTML;
  }
}

let trace = null;
