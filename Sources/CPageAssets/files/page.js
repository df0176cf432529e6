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

  /* A part that is not visible is loaded when its view opens. */
  async load() {
    if (this.query.about === "") { this.show(""); return; }
    if (this.place.closest("[hidden], details:not([open])")) return;
    if (trace) { this.show(trace.get(this.path, this.query)); return; }
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
    /* A trace has no other pages. */
    if (trace) for (const link of all("a[href^='/']", this.place)) link.removeAttribute("href");
    if (isWorkbench) followParts(this);
  }
}

const parts = Object.fromEntries(all("[data-part]").map((place) => [place.id, new Part(place)]));
const quietly = (work) => work.catch(() => say("Offline", "bad"));
function loadAll() {
  return [quietly(loadSettings()), ...loadParts()];
}
const loadParts = (root = document) => Object.values(parts).filter((part) => root.contains(part.place)).map((part) => quietly(part.load()));

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
const api = traceData ? null : summary?.dataset.browser;
const isWorkbench = Boolean(one("#story"));
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
  if (one("#now")) one("#now").textContent = `${text}Z`;
  if (one("#advance")) one("#advance").elements.to.defaultValue = text;
}

/* The address names the view and the selected item, as in #view=reports&why=report-7. */

const lists = ["story", "reports"];
let shown = {};
/* Whether the example is shown in place of an item. */
let hasPlayed = false;

function addressed() {
  const address = new URLSearchParams(location.hash.slice(1));
  const view = all("[data-view]").find((link) => link.dataset.view === address.get("view"))?.dataset.view ?? "story";
  return { view, about: address.get("why") ?? "" };
}

async function showAddress() {
  const { view, about } = addressed();
  const isNewView = view !== shown.view;
  shown = { view, about };
  for (const link of all("[data-view]")) {
    if (link.dataset.view === view) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  one("#view-story").hidden = !lists.includes(view);
  for (const other of all(".view")) other.hidden = other.id !== `view-${view}`;
  one("#charts-box").hidden = view !== "reports";
  parts.story.query.view = view;
  parts.item.query.about = about || featured();
  if (isNewView) await Promise.all(loadParts(one(lists.includes(view) ? "#view-story" : `#view-${view}`)));
  else await quietly(parts.item.load());
  showExample();
  if (about) one("#story [aria-current]")?.scrollIntoView({ block: "nearest" });
}

/* An empty browser shows the example, and a played example stays until an item is selected. */
function showExample() {
  const isExample = api && !shown.about && (hasPlayed || Boolean(one("#story .empty:not([data-reset])")) && !parts.story.query.text && shown.view === "story");
  if (one("#example").hidden === !isExample) return;
  one("#example").hidden = !isExample;
  one("#item").hidden = isExample;
  if (!isExample) quietly(parts.item.load());
}

/* The item to show while none is selected. */
const featured = () => one("[data-featured]")?.dataset.featured ?? "";

/* Shows another item when the answer names it, and marks the shown item. */
function followParts(part) {
  if (part === parts.answer && !shown.about && featured() !== parts.item.query.about) {
    parts.item.query.about = featured();
    quietly(parts.item.load());
  }
  markSelection();
}

/* Marks the selected item in the list and in the timeline. */
function markSelection() {
  const subject = one("#item").hidden ? null : one("#item [data-subject]")?.dataset.subject;
  for (const link of all("#story a, #timeline a")) {
    const about = new URLSearchParams(link.getAttribute("href").slice(1)).get("why");
    if (subject && about === subject) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
  }
  showExample();
}

/* A selection from elsewhere than the lists moves the focus to the item. */
async function select() {
  await showAddress();
  if (!shown.about || one("#item").hidden) return;
  const isInList = document.activeElement?.closest("#story, #timeline");
  if (!isInList) one("#item h2")?.focus({ preventScroll: true });
  if (matchMedia("(max-width: 50rem)").matches) one(".item").scrollIntoView({ block: "start" });
}
if (isWorkbench) addEventListener("hashchange", select);

/* The keys. Fields and dialogs keep theirs. */
function moveSelection(by) {
  const rows = all("#story a");
  const current = rows.findIndex((row) => row === document.activeElement || row.hasAttribute("aria-current"));
  const row = rows[Math.min(Math.max(current < 0 ? rows.length - 1 : current + by, 0), rows.length - 1)];
  if (!row) return;
  row.focus();
  history.replaceState(null, "", row.hash);
  quietly(select());
}

const keys = {
  ArrowDown: () => moveSelection(1),
  ArrowUp: () => moveSelection(-1),
  "/": () => one(".columns:not([hidden]) [data-filter], .view:not([hidden]) input[data-filter]")?.focus(),
  n: () => { if (api && !one("#advance").hidden) advance({ toNextEvent: true }); },
  "?": () => one("#keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (!isWorkbench || event.ctrlKey || event.metaKey || event.altKey || one("dialog[open]")) return;
  if (event.target.closest("input, textarea, select, summary")) return;
  const view = all("[data-view]")[Number(event.key) - 1];
  if (view) { location.hash = `view=${view.dataset.view}`; event.preventDefault(); return; }
  if (event.key.startsWith("Arrow") && !lists.includes(shown.view)) return;
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
one("#help")?.addEventListener("click", keys["?"]);
for (const box of all("details:has([data-part])")) {
  box.addEventListener("toggle", () => { if (box.open) Promise.all(loadParts(box)); });
}

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

/* Copies the text before a button. Without a clipboard, as in a file, the text is selected. */
async function copyText(button) {
  const text = button.parentElement.previousElementSibling;
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(text);
    button.textContent = "Selected: copy it with the keyboard";
  }
}

document.addEventListener("click", async (event) => {
  const target = event.target.closest("button, a");
  if (!target) return;
  const data = target.dataset;
  if (data.by) advance({ by: data.by });
  else if ("copy" in data) copyText(target);
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
  }
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
  if (traceData) {
    trace = await Trace.open();
    say("Trace", "quiet");
    await Promise.all(loadParts());
    showTime(one("[data-now]").dataset.now);
    return showAddress();
  }
  if (!api) return;
  await quietly(loadSettings());
  if (!one("#missing").hidden) return;
  await quietly(parts.summary.load());
  one("#advance").hidden = !one("[data-manual]");
  await Promise.all([quietly(showAddress()), quietly(parts.answer.load()), quietly(parts.timeline.load())]);
  if (!one("[data-manual]")) setInterval(changed, 30000);
  addEventListener("resize", changed);
  if (navigator.locks) navigator.locks.request(`pcm-browser ${api}`, follow);
  else follow();
}
start();
