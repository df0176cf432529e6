/* Forms that call the API. A problem is shown at the field that it names. */

const element = (name, text, kind) => {
  const node = document.createElement(name);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
};

class FieldFault extends Error {
  constructor(field, text) { super(text); this.field = field; }
}

function valueOf(field) {
  if (field.type === "checkbox") return field.checked;
  const text = field.value;
  if (text === "") return undefined;
  if (field.dataset.kind === "number" && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (field.dataset.kind !== "json") return text;
  try { return JSON.parse(text); } catch (error) { throw new FieldFault(field, `Not valid JSON: ${error.message}`); }
}

function put(target, pointer, value) {
  const names = pointer.slice(1).split("/");
  const last = names.pop();
  for (const name of names) target = target[name] ??= {};
  target[last] = value;
}

/* What a form sends: the body is an object, or the text or the file of an Info.plist. */
function requestOf(form) {
  const request = { method: form.dataset.method, path: form.dataset.path, names: {}, words: new Set(), body: undefined };
  for (const field of all("[data-at]", form)) {
    const { at, kind, loaded } = field.dataset;
    const value = valueOf(field);
    if (kind === "choice") request.words.add(at.split("/").pop());
    if (kind === "manifest") {
      request.file = one("[data-file]", form).files[0];
      request.body = request.file ?? value ?? "";
    } else if (at.startsWith("{")) {
      request.names[at.slice(1, -1)] = value ?? "";
      request.path = request.path.replace(at, () => encodeURIComponent(value ?? ""));
    } else {
      request.body ??= {};
      if (value !== undefined && !("changes" in form.dataset && String(value) === loaded)) put(request.body, at, value);
    }
  }
  request.isManifest = request.body instanceof File || typeof request.body === "string";
  request.type = request.isManifest ? "application/x-plist" : "application/json";
  return request;
}

function clearFaults(form) {
  for (const field of all("[aria-invalid]", form)) {
    field.removeAttribute("aria-invalid");
    field.setAttribute("aria-describedby", `${field.id}-hint`);
    one(`#${field.id}-fault`, form).textContent = "";
  }
  one("[data-problem]", form).textContent = "";
}

function markField(field, text) {
  const place = one(".problem", field.closest(".field"));
  place.textContent = `${place.textContent} ${text[0].toUpperCase()}${text.slice(1)}`.trim();
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", place.id);
}

/* The field that a pointer names, or the nearest one that contains it. */
function fieldAt(form, { pointer, parameter }) {
  const fields = all("[data-at]", form);
  if (parameter) return fields.find((field) => field.dataset.at === `{${parameter}}`);
  for (let at = pointer; at !== undefined; at = at ? at.slice(0, at.lastIndexOf("/")) : undefined) {
    const found = fields.find((field) => field.dataset.at === at);
    if (found) return found;
  }
  return undefined;
}

function showFaults(form, problem) {
  const rest = [];
  for (const error of problem.errors ?? []) {
    const field = fieldAt(form, error);
    if (field) markField(field, error.detail);
    else rest.push(error.detail);
  }
  const first = one("[aria-invalid]", form);
  one("[data-problem]", form).textContent = first ? ["Correct the marked fields.", ...rest].join(" ") : problem.detail;
  first?.focus();
}

const goodOutcomes = ["stored", "ephemeral", "handed-over", "attributed", "recorded", "started", "accepted", "reengaged", "opened",
  "counted", "prompted", "answered", "changed"];
const badOutcomes = ["discarded", "rejected", "terminated"];

function showResult(form, status, result) {
  const place = one("[data-result]", form);
  /* The answer to a load has its triggering events, or what only resembles one, or the reason for none. */
  const event = result?.triggeringEvents?.at(-1) ?? result?.ignored?.at(-1);
  const outcome = result?.outcome ?? event?.outcome ?? (result?.hops ? "no triggering event" : undefined);
  const tone = !outcome || goodOutcomes.includes(outcome) ? "good" : badOutcomes.includes(outcome) ? "bad" : "doubtful";
  const line = element("p");
  line.append(element("span", outcome ?? `Done (${status})`, `badge ${tone}`), " ");
  const subject = result?.conversionId ?? event?.id ?? result?.id ?? result?.conversions?.[0]?.id;
  if (outcome && subject) {
    const link = element("a", `Why ${subject}?`);
    link.href = `#why=${encodeURIComponent(subject)}`;
    line.append(link);
  }
  const reasons = [...(result?.reasons ?? event?.reasons ?? [result?.reason ?? []].flat()), ...(result?.findings ?? [])];
  const notes = reasons.map((note) => element("p", `${note.code}: ${note.detail}`));
  const answer = element("details");
  answer.append(element("summary", "Response"), element("pre", JSON.stringify(result, null, 2)));
  place.replaceChildren(line, ...notes, answer);
  if (result?.id && outcome === "started") for (const field of all(`[data-from="${form.id}"]`)) field.value = result.id;
}

/* Returns whether the service performed the call. */
async function send(form) {
  const button = one("button.main", form);
  clearFaults(form);
  one("[data-result]", form).replaceChildren();
  button.disabled = true;
  try {
    const { method, path, body, type } = requestOf(form);
    const response = await call(method, path, { body, type });
    const text = await response.text();
    const result = text ? JSON.parse(text) : null;
    if (!response.ok) { showFaults(form, result); return false; }
    showResult(form, response.status, result);
    if ("changes" in form.dataset) quietly(loadSettings(true));
    return true;
  } catch (error) {
    if (error instanceof FieldFault) showFaults(form, { errors: [{ pointer: error.field.dataset.at, detail: error.message }] });
    else one("[data-problem]", form).textContent = "The service does not respond. Check that it runs, then try again.";
    return false;
  } finally { button.disabled = false; }
}

/* Fills the settings, except those that are being edited. */
async function loadSettings(isSaved = false) {
  const forms = all("[data-changes]");
  if (!forms.length) return;
  const response = await call("GET", api);
  if ([404, 422].includes(response.status)) showMissing();
  if (!response.ok) return;
  const state = await response.json();
  showTime(state.clock.now);
  await loadExamples(Date.parse(state.clock.now));
  for (const field of forms.flatMap((form) => all("[data-at]", form))) {
    const text = String(field.dataset.at.slice(1).split("/").reduce((value, name) => value?.[name], state));
    const { loaded } = field.dataset;
    const isEdited = loaded !== undefined && (field.type === "checkbox" ? String(field.checked) : field.value) !== loaded;
    field.dataset.loaded = text;
    if (isEdited && !isSaved) continue;
    if (field.type === "checkbox") field.checked = text === "true"; else field.value = text;
  }
}

/* The ads of the forms, signed at the time of the clock. A field that was edited keeps its value. */
let signedAt = null;
async function loadExamples(now) {
  if (signedAt !== null && Math.abs(now - signedAt) < 60000) return;
  signedAt = now;
  const response = await call("GET", summary.dataset.examples);
  if (!response.ok) return;
  const examples = await response.json();
  for (const field of all("[data-example]")) field.defaultValue = examples[field.dataset.example];
}

/* An XML file becomes the text of the form. A binary file is sent as it is. */
async function chooseManifest(drop, files) {
  const [input, text, remove] = [one("[data-file]", drop), one("textarea", drop), one("[data-remove]", drop)];
  if (files !== input.files) input.files = files;
  const file = files[0];
  const bytes = file ? new Uint8Array(await file.slice(0, 4).arrayBuffer()) : null;
  const isText = bytes?.[0] === 0x3c || bytes?.[0] === 0xef;
  if (isText) { text.value = await file.text(); input.value = ""; }
  text.disabled = Boolean(file) && !isText;
  remove.hidden = !text.disabled;
}

for (const drop of all("[data-drop]")) {
  const input = one("[data-file]", drop);
  input.addEventListener("change", () => chooseManifest(drop, input.files));
  one("[data-remove]", drop).addEventListener("click", () => { input.value = ""; chooseManifest(drop, input.files); });
  drop.addEventListener("dragover", (event) => event.preventDefault());
  drop.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    chooseManifest(drop, event.dataTransfer.files);
  });
}

for (const form of all("[data-try]")) {
  form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
  form.addEventListener("click", (event) => {
    const language = event.target.closest("[data-code]")?.dataset.code;
    if (language) copyCode(form, language);
  });
}
