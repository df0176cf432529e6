// Observes the pages that a test opens in Chromium, and asks what Safari would measure. Only calls of the service's API.
import { AssertionError } from "node:assert";
import { createHash, randomUUID, X509Certificate } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { connect } from "node:tls";

const port = "--remote-debugging-port=0";

/** Creates a browser of the service, and attaches it to a BrowserContext of Playwright, or to the Chromium at `devtools`. */
export async function attach(context, options = {}) {
  const service = (options.service ?? process.env.PCM_BROWSER_URL ?? "http://127.0.0.1:8726").replace(/\/$/, "");
  const token = options.token ?? process.env.PCM_BROWSER_API_TOKEN;
  const target = await find(context, options.devtools);
  const name = options.browser ?? `page ${randomUUID().slice(0, 8)}`;
  const browser = new AttachedBrowser(service, token, name);
  await browser.call("DELETE", "").catch((error) => {
    if (error.status !== 404) throw error;
  });
  const clock = options.clock === "real" ? { mode: "real" } : { mode: "manual", start: options.start ?? "2026-11-20T10:00:00Z" };
  const settings = { privateBrowsing: options.private ?? false };
  await browser.call("PUT", "", { seed: options.seed ?? options.browser ?? "page", storage: "ephemeral", clock, settings });
  try {
    if (options.network !== "real") await browser.call("PUT", "/network", { mode: "simulated" });
    const attachment = await browser.call("POST", "/attachments", { ...target, hold: options.hold });
    browser.attachment = `/attachments/${attachment.id}`;
  } catch (error) {
    await browser.call("DELETE", "");
    throw error;
  }
  return browser;
}

/** Writes the page of the browser to a file of the folder when a test of node:test fails, before the test's later `after` hooks. */
export function traceOnFailure(test, browser, folder = "pcm-traces") {
  test.after(async () => {
    if (test.passed !== false) return;
    const title = `${basename(process.argv[1] ?? "test")}-${test.fullName ?? test.name}`;
    const file = join(folder, `${title.replace(/[^\w.]+/g, "-").slice(0, 120)}.html`);
    try {
      const trace = await browser.trace();
      await mkdir(folder, { recursive: true });
      await writeFile(file, trace);
      test.diagnostic(`pcm-browser trace: ${file}`);
    } catch (error) {
      test.diagnostic(`pcm-browser: no trace: ${error.message.replace(/\s+/g, " ")}`);
    }
  });
}

/** Returns the argument with which Chromium accepts the certificate of a server, `127.0.0.1:8443`, or in a PEM file, by its key. */
export async function certificateSwitch(server) {
  const pem = await readFile(server).catch(() => undefined);
  const { publicKey } = pem ? new X509Certificate(pem) : await certificateOf(server);
  const digest = createHash("sha256").update(publicKey.export({ type: "spki", format: "der" })).digest("base64");
  return `--ignore-certificate-errors-spki-list=${digest}`;
}

function certificateOf(server) {
  const url = new URL(`https://${server.replace(/^https:\/\//, "")}`);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname, port: url.port || 443, rejectUnauthorized: false, timeout: 10_000 });
    socket.on("secureConnect", () => {
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    });
    socket.on("timeout", () => socket.destroy(new Error(`${server} does not respond`)));
    socket.on("error", reject);
  });
}

/** An error response of the service, or no response. */
export class PCMError extends Error {
  name = "PCMError";

  constructor(request, problem, status) {
    const details = (problem.errors ?? []).map((entry) => `${entry.pointer ?? entry.parameter ?? ""}: ${entry.detail}`);
    super([`${request} returned ${status}: ${problem.title}`, ...(details.length ? details : [problem.detail])].join("\n  "));
    Object.assign(this, { status, code: problem.code, errors: problem.errors ?? [] });
  }
}

/** A browser of the service that takes its clicks and triggering events from Chromium. */
export class AttachedBrowser {
  constructor(service, token, name) {
    this.name = name;
    this.url = `${service}/v1/browsers/${encodeURIComponent(name)}`;
    this.headers = token ? { Authorization: `Bearer ${token}` } : {};
  }

  /** Calls the API at a path of the browser, such as `/reports`, and returns the JSON of the response, or its text. */
  async call(method, path, body, accept = "application/json") {
    const request = `${method} ${this.url}${path}`;
    const headers = { ...this.headers, Accept: accept };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const content = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(this.url + path, { method, headers, body: content }).catch((error) => {
      const reason = error.cause?.message ?? error.message;
      throw new Error(`${request}: ${reason}. Start the service with pcm-browser serve, or set PCM_BROWSER_URL.`, { cause: error });
    });
    const text = await response.text();
    const value = parsed(text);
    if (!response.ok) throw new PCMError(request, value ?? { title: "no problem document", detail: text.slice(0, 500) }, response.status);
    return accept === "application/json" ? value : text;
  }

  /** Returns when Chromium is idle, with what was observed since the last call. Throws when something is still pending. */
  async settled(within = "PT10S") {
    const settlement = await this.call("POST", `${this.attachment}/settle`, { within });
    if (settlement.state === "ended") throw new AssertionError({ message: `The attachment ended: ${settlement.reason}` });
    if (!settlement.settled) {
      const pending = JSON.stringify(settlement.pending);
      throw new AssertionError({ message: `Chromium did not settle within ${within}, because these are pending: ${pending}` });
    }
    return settlement;
  }

  /** Advances the manual clock, and returns when all due work, including sending reports, is done. */
  async advance(by) {
    let moved = await this.call("POST", "/clock/advance", { by });
    while (!moved.finished) moved = await this.call("POST", "/clock/advance", { to: moved.target });
    return moved;
  }

  /** Returns the expected report: `expectReport("source", { destinationSite: "shop.example", triggerData: 12 })`. */
  async expectReport(recipient, members = {}) {
    const result = await this.call("POST", "/expectations", { report: { recipient, ...members } });
    if (!result.met) throw new AssertionError({ message: result.text });
    return result.report;
  }

  /** Throws if there is a report with these members. */
  async expectNoReport(members = {}) {
    const result = await this.call("POST", "/expectations", { noReport: members });
    if (!result.met) throw new AssertionError({ message: result.text });
  }

  /** Returns why there is a report, or none, as text for people: of a site, or of an identifier such as `click-4`. */
  async explain(about) {
    return this.call("GET", `/explain?about=${encodeURIComponent(about)}`, undefined, "text/plain");
  }

  /** Returns the page of the browser as one HTML file, which works without the service. */
  async trace() {
    return this.call("GET", "/trace", undefined, "text/html");
  }

  /** Removes the measurement data, all or that of a site, as Safari does when the user removes the data of websites. */
  async clear(site) {
    await this.call("DELETE", site === undefined ? "/data" : `/data?site=${encodeURIComponent(site)}`);
  }

  /** Ends the attachment, and deletes the browser. */
  async detach() {
    await this.call("DELETE", this.attachment);
    await this.call("DELETE", "");
  }
}

/** Returns the address of DevTools and the identifier of the context. */
async function find(context, devtools) {
  if (!context && devtools) return { devtools };
  if (typeof context?.newCDPSession !== "function") {
    throw new TypeError("attach(context): expected a BrowserContext of Playwright, such as page.context(), or the option devtools");
  }
  const chromium = context.browser();
  if (!devtools) {
    if (!chromium) throw new Error('This context names no browser. Pass the option devtools: "http://127.0.0.1:PORT".');
    const information = await ask(await chromium.newBrowserCDPSession(), "SystemInfo.getInfo");
    devtools = await devtoolsOf(information.commandLine);
  }
  // Only a page knows the context's identifier.
  const [first] = context.pages();
  const page = first ?? (await context.newPage());
  const { targetInfo } = await ask(await context.newCDPSession(page), "Target.getTargetInfo");
  if (!first) await page.close();
  return { devtools, context: targetInfo.browserContextId };
}

async function ask(session, method) {
  const answer = await session.send(method);
  await session.detach();
  return answer;
}

/** Returns the address of DevTools of a Chromium that was started with these arguments, on this machine. */
async function devtoolsOf(commandLine) {
  // A path may contain spaces, and Chromium quotes no arguments. The last one counts.
  const argument = (name) => [...commandLine.matchAll(new RegExp(`(?:^| )--${name}=(.*?)(?= --|$)`, "g"))].at(-1)?.[1];
  const number = argument("remote-debugging-port");
  if (number === undefined) {
    throw new Error(
      `Chromium has no debugging port. Start it with ${port}:\n` +
        `  Playwright: chromium.launch({ args: ["${port}"] })\n` +
        `  Playwright Test: use: { launchOptions: { args: ["${port}"] } }\n` +
        "  Any other Chromium: --remote-debugging-port=9222 --user-data-dir=FOLDER, and the option devtools",
    );
  }
  if (number !== "0") return `http://127.0.0.1:${number}`;
  // Chromium writes the file before it responds to a driver.
  const file = join(argument("user-data-dir") ?? "", "DevToolsActivePort");
  const text = await readFile(file, "utf8").catch((error) => {
    throw new Error(`The debugging port of Chromium is in ${file}, which cannot be read here: ${error.message}. Pass the option devtools.`);
  });
  return `http://127.0.0.1:${text.split("\n", 1)[0]}`;
}

function parsed(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
