/* The call of a form as code. The code reads the service's token from the environment, so that it does not contain it. */

const hasToken = () => Boolean(sessionStorage.getItem(tokenKey));
const shellText = (text) => `'${text.replaceAll("'", "'\\''")}'`;

function curlCode({ method, path, type, body, file }) {
  const lines = [`curl --fail-with-body -X ${method} ${shellText(location.origin + path)}`];
  if (hasToken()) lines.push('-H "Authorization: Bearer $PCM_BROWSER_API_TOKEN"');
  if (file) lines.push(`-H 'Content-Type: ${type}'`, `--data-binary ${shellText(`@${file.name}`)}`);
  else if (body !== undefined) {
    lines.push(`-H 'Content-Type: ${type}'`, `--data-raw ${shellText(typeof body === "string" ? body : JSON.stringify(body, null, 2))}`);
  }
  return lines.join(" \\\n  ");
}

/* A JSON value in the syntax of a language. */
function literal(value, style, indent) {
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, style, indent)).join(", ")}]`;
  if (value === null || typeof value === "boolean") return style.words[String(value)];
  if (typeof value !== "object") return typeof value === "string" ? style.text(value) : String(value);
  const inner = `${indent}    `;
  const members = Object.entries(value).map(([name, item]) => `${inner}${style.text(name)}: ${literal(item, style, inner)},\n`);
  return members.length ? `${style.open}\n${members.join("")}${indent}${style.close}` : style.empty;
}

const pythonStyle = { words: { true: "True", false: "False", null: "None" }, open: "{", close: "}", empty: "{}", text: JSON.stringify };
const swiftText = (text) => JSON.stringify(text).replace(/\\(?:u(....)|(.))/g,
  (all, code, name) => (code ? `\\u{${code}}` : name === "b" ? "\\u{8}" : name === "f" ? "\\u{c}" : all));
const swiftStyle = { words: { true: "true", false: "false", null: ".null" }, open: "[", close: "]", empty: "[:]", text: swiftText };

function pythonCode({ method, path, type, body, file }) {
  const parts = [JSON.stringify(location.origin + path), `method=${JSON.stringify(method)}`];
  const headers = [];
  if (body !== undefined) headers.push(`"Content-Type": ${JSON.stringify(type)}`);
  if (hasToken()) headers.push('"Authorization": "Bearer " + os.environ["PCM_BROWSER_API_TOKEN"]');
  if (headers.length) parts.push(`headers={${headers.join(", ")}}`);
  if (file) parts.push(`data=open(${JSON.stringify(file.name)}, "rb").read()`);
  else if (typeof body === "string") parts.push(`data=${JSON.stringify(body)}.encode()`);
  else if (body !== undefined) parts.push(`data=json.dumps(${literal(body, pythonStyle, "    ")}).encode()`);
  const isJSON = body !== undefined && typeof body === "object" && !file;
  return `${isJSON ? "import json\n" : ""}${hasToken() ? "import os\n" : ""}import urllib.request

request = urllib.request.Request(
    ${parts.join(",\n    ")},
)
with urllib.request.urlopen(request) as response:
    print(response.read().decode())
`;
}

/* Arguments with labels, without those that are missing. */
const swiftArguments = (pairs) => pairs.filter(([, value]) => value !== undefined)
  .map(([name, value]) => `${name ? `${name}: ` : ""}${value}`).join(", ");
const swiftOptional = (value) => (value === undefined ? undefined : literal(value, swiftStyle, ""));
const swiftApp = ({ bundleIdentifier }) => (bundleIdentifier ? `let app = try await browser.app(${swiftText(bundleIdentifier)})\n` : "");
const inApp = ({ bundleIdentifier }) => (bundleIdentifier ? ", in: app" : "");
const swiftWord = (word) => (/^[a-z]+$/i.test(word) ? `.${word === word.toUpperCase() ? word.toLowerCase() : word}`
  : `.init(rawValue: ${swiftText(word)})`);
const swiftValue = (name, value, words) => (words.has(name) ? swiftWord(value) : literal(value, swiftStyle, "  "));
const some = (body, names) => Object.fromEntries(names.filter((name) => name in body).map((name) => [name, body[name]]));

/* The members of a body as arguments: first those with labels, and then the others by their names. The label null leaves a
   member out. */
function swiftMembers(body, words, labels = {}) {
  const names = [...Object.keys(labels).filter((name) => labels[name] !== null && name in body),
    ...Object.keys(body).filter((name) => !(name in labels) && name !== "bundleIdentifier")];
  return swiftArguments(names.map((name) => [labels[name] ?? name, swiftValue(name, body[name], words)]));
}

function swiftChange(target, values, words) {
  const changes = (path, item) => Object.entries(item).flatMap(([name, inner]) => (typeof inner === "object"
    ? changes(`${path}.${name}`, inner) : [`  $0${path}.${name} = ${swiftDurations.has(name)
      ? `.seconds(${secondsOf(inner)})` : swiftValue(name, inner, words)}\n`]));
  return `let outcome = try await ${target}.change {\n${changes("", values ?? {}).join("") || "  _ = $0\n"}}`;
}

/* The seconds in a duration such as P1DT2H. */
function secondsOf(text) {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([WDHMS])/g)];
  return parts.reduce((sum, [, number, unit]) => sum + number * { W: 604800, D: 86400, H: 3600, M: 60, S: 1 }[unit], 0);
}

const swiftDurations = new Set(["minimumViewTime", "maximumAge"]);

const swiftStrategies = {
  ADJDataResidencyEU: "dataResidencyEU", ADJDataResidencyTR: "dataResidencyTR", ADJDataResidencyUS: "dataResidencyUS",
  ADJUrlStrategyChina: "china", ADJUrlStrategyCn: "cn", ADJUrlStrategyCnOnly: "cnOnly", ADJUrlStrategyIndia: "india",
};

const swiftCalls = {
  "try-network": ({ mode }) => `try await browser.use(.${mode})\nlet outcome = ${swiftText(mode)}`,
  "try-app": (body, { file }) => (file ? `let outcome = try await browser.register(infoPlistAt: ${swiftText(file.name)})`
    : `let outcome = try await browser.register(infoPlist: Data(${swiftText(body)}.utf8))`),
  "try-tap": (body, { words }) => {
    const ad = ["sourceIdentifier", "destinationURL", "sourceDescription", "purchaser"];
    return `${swiftApp(body)}let outcome = try await browser.open(
  EventAttribution(${swiftMembers(some(body, ad), words)}),
  from: app, ${swiftMembers(body, words, Object.fromEntries(ad.map((name) => [name, null])))})`;
  },
  "try-link": ({ attributionSourceID, attributionDestination, attributionSourceNonce, ...body }, { words }) => `let outcome = try await browser.follow(
  AttributionLink(${swiftArguments([["sourceIdentifier", swiftOptional(attributionSourceID)],
    ["destination", swiftOptional(attributionDestination)], ["sourceNonce", swiftOptional(attributionSourceNonce)]])}),
  ${swiftMembers(body, words, { pageURL: "on" })})`,
  "try-trigger": (body, { words }) => `${swiftApp(body)}let outcome = try await browser.trigger(
  .pixel(${swiftMembers(body, words, { pixelOf: "of", triggerData: "data", priority: "priority", firstPartyURL: "on" })})${inApp(body)})`,
  "try-site": (body, { names }) => {
    const answer = (item) => (item.location !== undefined
      ? `.redirect(${swiftArguments([["to", swiftText(item.location)], ["status", item.status]])})`
      : `.status(${swiftArguments([["", item.status ?? 200], ["contentType", swiftOptional(item["content-type"])], ["body", swiftOptional(item.body)]])})`);
    const loads = Object.entries(body.loads ?? {}).map(([path, items]) => `${swiftText(path)}: [${[items].flat().map(answer).join(", ")}]`);
    return `let host = ${swiftText(names.host)}\ntry await browser.script(host, SiteScript(loads: [${loads.join(", ") || ":"}]))\nlet outcome = host`;
  },
  "try-load": (body, { words }) => `${swiftApp(body)}let outcome = try await browser.load(
  ${swiftMembers(body, words, { url: "", firstPartyURL: "on", kind: "as" })}${inApp(body)})`,
  "try-ad-network": (body, { names, words }) => `let outcome = try await browser.device.register(
  adNetwork: ${swiftText(names.adNetwork)}, ${swiftMembers(body, words)})`,
  "try-source-app": (body, { names, words }) => `let outcome = try await browser.device.register(
  app: ${swiftText(names.bundleIdentifier)}, ${swiftMembers(body, words)})`,
  "try-ad": (body, { words }) => `${swiftApp(body)}let ad = SKAdNetworkAd(
  ${swiftMembers(body, words, { handleView: null })})
let outcome = try await browser.device.display(ad, in: app)`,
  "try-jws": ({ jws, ...body }, { words }) => `${swiftApp(body)}let outcome = try await browser.device.display(
  jws: ${swiftText(jws ?? "")}, in: app, ${swiftMembers(body, words)})`,
  "try-clock": (body) => `let outcome = try await browser.advance(by: .seconds(${secondsOf(body.by ?? "")}))`,
  "try-ad-tap": (body, { names, words }) => `let outcome = try await browser.device.tap(
  ${swiftText(names.impression)}, ${swiftMembers(body, words)})`,
  "try-view-end": (body, { names }) => `let outcome = try await browser.device.endView(of: ${swiftText(names.impression)})`,
  "try-install": (body, { words }) => `${swiftApp(body)}let outcome = try await browser.device.install(${
    ["app", swiftMembers(body, words)].filter(Boolean).join(", ")})`,
  "try-launch": (body) => `${swiftApp(body)}let outcome = try await browser.device.launch(app)`,
  "try-value": ({ framework, ...body }, { words }) => `${swiftApp(body)}let outcome = try await browser.device.report(
  .${framework}(${swiftMembers(body, words, { fineValue: "", coarseValue: "coarse" })}), by: app)`,
  "try-development": ({ windows, send, ...body }, { words }) => `${swiftApp(body)}let outcome = try await browser.device.create(
  DevelopmentPostback(${swiftMembers(body, words)}), windows: ${windows ?? 1}, for: app, isWaiting: ${send === "later"})`,
  "try-cards": ({ cards, classKey, classTypes, language }, { names }) => `${swiftApp(names)}let outcome = try await browser.device.replaceCards(
  of: app, with: ${literal(cards ?? [], swiftStyle, "  ")}, ${swiftArguments([["classKey", swiftOptional(classKey)],
    ["classTypes", swiftOptional(classTypes)], ["language", language === "objective-c" ? ".objectiveC" : ".swift"]])})`,
  "try-card-impression": (body, { names }) => `${swiftApp(names)}let outcome = try await browser.device.displayCard(
  ${swiftText(names.idString)}, in: app)`,
  "try-card-click": (body, { names, words }) => `${swiftApp(names)}let outcome = try await browser.device.clickCard(
  ${swiftText(names.idString)}, in: app, ${swiftMembers(body, words)})`,
  "try-card-dismissal": (body, { names }) => `${swiftApp(names)}let outcome = try await browser.device.dismissCard(
  ${swiftText(names.idString)}, in: app)`,
  "try-tracking": ({ active, extension, otherPrompt, ...body }) => `${swiftApp(body)}let outcome = try await browser.device.requestTracking(
  by: app, ${swiftArguments([["isActive", active], ["isExtension", extension], ["hasOtherPrompt", otherPrompt]])})`,
  "try-tracking-answer": ({ allow, ...body }) => `${swiftApp(body)}let outcome = try await browser.device.answerTracking(of: app, allow: ${allow})`,
  "try-tracking-setting": ({ system }) => `let outcome = try await browser.device.changeTracking(.${system})`,
  "try-sdk-event": ({ event, urlStrategy, consentWaitingInterval, ...body }) => `${swiftApp(body)}let outcome = try await browser.device.recordSDKEvent(
  ${swiftText(event ?? "")}, by: app, ${swiftArguments([["urlStrategy", `.${swiftStrategies[urlStrategy] ?? "standard"}`],
    ["waitingInterval", `.seconds(${secondsOf(consentWaitingInterval ?? "")})`]])})`,
  settings: (body, { words }) => swiftChange("browser", body.settings, words),
  device: (body, { words }) => swiftChange("browser.device", body.device, words),
};
swiftCalls["try-advertised-app"] = swiftCalls["try-source-app"];

function swiftCode(request, form) {
  const name = decodeURIComponent(api.split("/").pop());
  const service = hasToken() ? "PCMService.fromEnvironment" : `PCMService(url: ${swiftText(location.origin)})`;
  const call = swiftCalls[form.id](request.body ?? {}, request);
  return `${call.includes("Data(") ? "import Foundation\n" : ""}import PCMClient

let service = ${service}
let browser = try await service.browser(${swiftText(name)})
${call}
print(outcome)
`;
}

const writers = { curl: curlCode, swift: swiftCode, python: pythonCode };

async function copyCode(form, language) {
  const place = one("[data-result]", form);
  clearFaults(form);
  let code;
  try { code = writers[language](requestOf(form), form); } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    return showFaults(form, { errors: [{ pointer: error.field.dataset.at, detail: error.message }] });
  }
  const shown = element("pre", code, "code");
  shown.tabIndex = 0;
  const note = element("p", "Copied.");
  place.replaceChildren(note, shown);
  try { await navigator.clipboard.writeText(code); } catch {
    getSelection().selectAllChildren(shown);
    note.textContent = "The code is selected. Copy it with the keyboard.";
  }
}
