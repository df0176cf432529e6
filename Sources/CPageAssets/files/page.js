/* The pages load their parts, follow the log, and call the API. */

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const pause = (time) => new Promise((done) => setTimeout(done, time));

/* Calls, with the service's token if it has one. */

async function call(method, path, { body, type = "application/json", headers = {}, signal } = {}) {
  for (;;) {
    const token = currentToken();
    const fields = { ...headers, ...tokenField() };
    if (body !== undefined) fields["Content-Type"] = type;
    const isRaw = body === undefined || type !== "application/json";
    const response = await fetch(path, {
      method, signal, headers: fields, body: isRaw ? body : JSON.stringify(body), cache: "no-store",
    });
    if (response.status !== 401) return response;
    await askForToken(token);
  }
}

async function problemText(response) {
  try { return (await response.json()).detail; } catch { return `The service answered ${response.status}.`; }
}

/* Parts: pieces of the page that the service renders. */

class Part {
  constructor(place) {
    this.place = place;
    this.path = place.dataset.part;
    this.query = {};
    this.busy = false;
    this.dirty = false;
  }

  async load() {
    if (this.busy || this.held) { this.dirty = true; return; }
    this.busy = true;
    try {
      do {
        this.dirty = false;
        const query = new URLSearchParams(this.query);
        if ("width" in this.place.dataset) query.set("width", Math.floor(this.place.clientWidth) || 320);
        const response = await call("GET", `${this.path}?${query}`);
        if (response.ok) this.show(await response.text());
        else { this.text = null; this.place.textContent = await problemText(response); }
      } while (this.dirty);
    } finally { this.busy = false; }
  }

  /* Keeps what is unfolded and what has the focus. */
  show(text) {
    if (text === this.text) return;
    this.text = text;
    const open = new Set(all("details[open]", this.place).map((item) => item.dataset.key));
    const focused = this.place.contains(document.activeElement) ? document.activeElement.closest("[data-key]")?.dataset.key : null;
    this.place.innerHTML = text;
    for (const item of all("details", this.place)) if (open.has(item.dataset.key)) item.open = true;
    if (focused) {
      const item = one(`[data-key="${CSS.escape(focused)}"]`, this.place);
      if (item) (item.matches("details") ? one("summary", item) : item).focus({ preventScroll: true });
    }
  }
}

const parts = Object.fromEntries(all("[data-part]").map((place) => [place.id, new Part(place)]));
const quietly = (work) => work.catch(() => say("Offline", "bad"));
function loadAll() {
  return [quietly(loadSettings()), ...loadParts()];
}
const loadParts = () => Object.values(parts).filter((part) => !("lazy" in part.place.dataset)).map((part) => quietly(part.load()));

function say(text, tone) {
  const place = one("#status");
  if (!place || place.textContent === text) return;
  place.textContent = text;
  place.className = `badge live ${tone}`;
}

function complain(text) { const place = one("#problem"); if (place) place.textContent = text; }

for (const place of all("[data-filter]")) {
  const part = parts[place.dataset.filter];
  const read = () => { part.query[place.name] = place.value; delete part.query.page; };
  /* The text may be from before this script ran. */
  if (place.value) read();
  place.addEventListener("input", () => { read(); quietly(part.load()); });
}

/* A label links to the list with its filter. An edited filter is no longer the filter in the address. */
function filterByAddress() {
  const [field, text] = [one("#filter"), /^#filter=(.*)$/.exec(location.hash)?.[1]];
  if (!field || text === undefined) return;
  try { field.value = decodeURIComponent(text); } catch { field.value = text; }
  field.dispatchEvent(new Event("input"));
}
addEventListener("hashchange", filterByAddress);
one("#filter")?.addEventListener("input", ({ isTrusted }) => {
  if (isTrusted) history.replaceState(null, "", location.pathname);
});

/* The list of browsers. */

async function poll(part) {
  for (;;) {
    if (!document.hidden) {
      try { await part.load(); say("Live", "good"); } catch { say("Offline", "bad"); }
    }
    await pause(Number(part.place.dataset.every));
  }
}

/* Creates a browser and opens its page. */
one("#create")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const values = new FormData(form);
  const name = form.dataset.name ?? values.get("name");
  const path = `/v1/browsers${name ? `/${encodeURIComponent(name)}` : ""}`;
  const body = { storage: values.get("storage"), clock: { mode: values.get("clock") } };
  const place = one(".problem", form.parentElement);
  place.textContent = "";
  try {
    const response = await call(name ? "PUT" : "POST", path, { body });
    if (response.status === 201) {
      if (!(await simulate(response.headers.get("Location"), values.get("network")))) return;
      const page = response.headers.get("Location").replace("/v1", "");
      if (page === location.pathname) location.reload(); else location.href = page;
    } else if (name && (response.ok || (await call("GET", path)).ok)) {
      const link = element("a", "Open it");
      link.href = path.replace("/v1", "");
      place.append(`A browser with the name "${name}" exists. `, link, ", or choose another name.");
    } else place.textContent = await problemText(response);
  } catch { place.textContent = "The service does not respond. Check that it runs, then try again."; }
});

/* The network is a resource of an existing browser. */
async function simulate(path, mode) {
  if (mode !== "simulated") return true;
  const response = await call("PUT", `${path}/network`, { body: { mode } });
  if (!response.ok) complain(await problemText(response));
  return response.ok;
}

one("#delete-ephemeral")?.addEventListener("click", async () => {
  try {
    const names = [];
    for (let cursor = ""; cursor !== null;) {
      const page = await (await call("GET", `/v1/browsers?limit=1000${cursor}`)).json();
      names.push(...page.items.filter(({ storage }) => storage === "ephemeral").map(({ name }) => name));
      cursor = page.next ? `&cursor=${encodeURIComponent(page.next)}` : null;
    }
    if (!names.length) return complain("No browser is ephemeral.");
    const count = names.length === 1 ? "1 ephemeral browser" : `${names.length} ephemeral browsers`;
    if (!confirm(`Delete ${count} with all data?`)) return;
    for (const name of names) await call("DELETE", `/v1/browsers/${encodeURIComponent(name)}`);
    complain("");
  } catch { complain("The service does not respond. Check that it runs, then try again."); }
  await quietly(parts.browsers.load());
});

/* One browser. */

const summary = one("[data-browser]");
const api = summary?.dataset.browser;
let timer = null;
let isStale = false;
let cost = 0;
/* Loads the parts a moment later. While its browser is busy, a page loads for about a tenth of the time. */
function changed() {
  isStale = true;
  timer ??= setTimeout(async () => {
    isStale = false;
    const start = performance.now();
    if (!document.hidden) await Promise.all(loadAll());
    cost = performance.now() - start;
    timer = null;
    if (isStale) changed();
  }, Math.min(Math.max(400, 9 * cost), 15000));
}
document.addEventListener("visibilitychange", () => { if (!document.hidden && api) loadAll(); });

async function* messages(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) yield block;
  }
}

/* One page of each browser follows the log and tells the others: a client has only six connections to a service. */

const channel = api ? new BroadcastChannel(`pcm-browser ${api}`) : null;
let state = null;
function tell(text, tone) {
  state = { text, tone };
  say(text, tone);
  channel.postMessage(state);
}
let telling = null;
function tellChange() {
  changed();
  telling ??= setTimeout(() => { telling = null; channel.postMessage({ isChanged: true }); }, 200);
}
if (channel) {
  channel.onmessage = ({ data }) => {
    if (data.isNew && state) channel.postMessage(state);
    if (data.isChanged) changed();
    if (data.text) say(data.text, data.tone);
  };
  channel.postMessage({ isNew: true });
}

function gone() {
  tell("Deleted", "quiet");
  tellChange();
}

/* Instead of a browser that does not exist, the page offers to create it. */
function showMissing() {
  one("#present").hidden = true;
  one("#missing").hidden = false;
  say("Not found", "quiet");
}

async function follow() {
  let last = null;
  let isAgain = false;
  let delay = 500;
  for (;;) {
    try {
      const start = one("[data-end]")?.dataset.end ?? 0;
      const headers = { Accept: "text/event-stream" };
      if (last) headers["Last-Event-ID"] = last;
      const response = await call("GET", `${api}/events${last ? "" : `?after=${start}`}`, { headers });
      if (response.status === 404) return gone();
      if (!response.ok) throw new Error();
      tell("Live", "good");
      delay = 500;
      if (isAgain) tellChange();
      isAgain = true;
      for await (const block of messages(response)) {
        const id = /^id: (.*)$/m.exec(block);
        if (id) last = id[1];
        else if (block.includes('"kind":"browser-deleted"')) return gone();
        else if (block.includes('"kind":"reader-too-slow"')) last = null;
        if (block.includes("data:")) tellChange();
      }
    } catch { /* Reconnects below. */ }
    tell("Reconnecting", "doubtful");
    await pause(delay);
    delay = Math.min(delay * 2, 10000);
  }
}

let move = null;
/* Returns the answer, or null if the clock did not arrive. */
async function advance(body) {
  if (move) return null;
  move = new AbortController();
  let moved = null;
  const working = (on) => { one("#moving").hidden = !on; one("#cancel").hidden = !on; };
  working(true);
  complain("");
  try {
    const response = await call("POST", `${api}/clock/advance`, { body, signal: move.signal });
    if (response.ok) moved = await response.json();
    else complain(await problemText(response));
  } catch (error) {
    complain(error.name === "AbortError" ? "Canceled. The clock stays where it arrived." : "The service does not respond.");
  }
  move = null;
  working(false);
  loadAll();
  return moved;
}

one("#cancel")?.addEventListener("click", () => move?.abort());
one("#advance")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = new FormData(event.target).get("to");
  if (!text) return complain("Choose an instant after the clock's time.");
  if (await advance({ to: `${text.length === 16 ? `${text}:00` : text}Z` })) event.target.reset();
});

/* Shows the time of the clock. The field of an instant begins with it until it is edited. */
function showTime(now) {
  const text = now.slice(0, 19);
  if (one("#now")) one("#now").textContent = `${text.replace("T", " ")} UTC`;
  if (one("#advance")) one("#advance").elements.to.defaultValue = text;
}

async function why() {
  const about = /^#why=(.+)$/.exec(location.hash)?.[1];
  const section = one("#why-section");
  if (!section) return;
  section.hidden = !about;
  if (!about) return;
  parts.why.query.about = decodeURIComponent(about);
  await quietly(parts.why.load());
  section.scrollIntoView({ block: "nearest" });
  one("#why-title").focus({ preventScroll: true });
}
addEventListener("hashchange", why);

/* Displays, clicks, or dismisses a content card, and shows what the app counted and what attribution made of it. */
async function useCard(path) {
  const place = one("#card-result");
  const because = (reasons) => reasons.map(({ code, detail }) => `, ${code}: ${detail}`).join("");
  try {
    const response = await call("POST", path, { body: {} });
    if (!response.ok) { place.textContent = await problemText(response); return; }
    const { action, idString, outcome, reasons, attribution } = await response.json();
    const ad = attribution && `. ${attribution.operation ?? "ad"}: ${attribution.outcome}${because(attribution.reasons)}`;
    place.textContent = `${action} of ${idString}: ${outcome}${because(reasons)}${ad ?? ""}`;
  } catch { place.textContent = "The service does not respond. Check that it runs, then try again."; }
}

/* Downloads a file, or the newest events of a list. */
async function download({ download: path, name, most }) {
  const start = most ? Math.max(0, (one("[data-end]")?.dataset.end ?? 0) - most) : 0;
  const pieces = [];
  let place = `after=${start}`;
  do {
    const response = await call("GET", most ? `${path}?limit=1000&${place}` : path);
    if (!response.ok) return complain(await problemText(response));
    if (!most) { pieces.push(await response.text()); break; }
    const page = await response.json();
    for (const item of page.items) pieces.push(`${JSON.stringify(item)}\n`);
    place = page.next && pieces.length < most ? `cursor=${encodeURIComponent(page.next)}` : "";
  } while (place);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(pieces));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
  complain(start ? `The download has the newest ${Number(most).toLocaleString("en")} events. GET ${path} returns all.` : "");
}

document.addEventListener("click", async (event) => {
  const target = event.target.closest("button, a");
  if (!target) return;
  const data = target.dataset;
  if (data.by) advance({ by: data.by });
  else if (data.card) useCard(data.card);
  else if (data.page) { parts.browsers.query.page = data.page; quietly(parts.browsers.load()); }
  else if (data.until) advance({ [data.until]: true });
  else if ("range" in data) showRange(...(data.range ? data.range.split(",").map(Number) : []));
  else if (data.delete !== undefined) {
    if (!confirm(`Delete the browser "${data.delete}" with all its data?`)) return;
    await call("DELETE", `/v1/browsers/${encodeURIComponent(data.delete)}`);
    quietly(parts.browsers.load());
  } else if (data.clear) {
    if (confirm("Clear all clicks, attributions, and reports of this browser?")) await call("DELETE", data.clear);
  } else if (data.answer) {
    const response = await call("POST", data.answer, { body: { bundleIdentifier: data.app, allow: data.allow === "true" } });
    complain(response.ok ? "" : await problemText(response));
    quietly(parts.tracking.load());
  } else if (data.download) download(data).catch(() => complain("The download failed. Try again."));
  else if (data.reset) {
    for (const field of all(`[data-filter="${data.reset}"]`)) {
      field.value = "";
      field.dispatchEvent(new Event("input"));
    }
    if (parts.browsers) history.replaceState(null, "", location.pathname);
  } else if (data.close) { history.replaceState(null, "", location.pathname); why(); }
});

for (const kind of ["pointerover", "focusin"]) {
  one("#timeline")?.addEventListener(kind, (event) => {
    const label = event.target.closest("a")?.getAttribute("aria-label");
    if (label) one("#detail").textContent = label;
  });
}

async function start() {
  filterByAddress();
  if (parts.browsers) return poll(parts.browsers);
  if (!api) return;
  await quietly(loadSettings());
  if (!one("#missing").hidden) return;
  await quietly(parts.summary.load());
  one("#travel").hidden = !one("[data-manual]");
  loadParts();
  why();
  if (!one("[data-manual]")) setInterval(changed, 30000);
  addEventListener("resize", changed);
  if (navigator.locks) navigator.locks.request(`pcm-browser ${api}`, follow);
  else follow();
}
start();
