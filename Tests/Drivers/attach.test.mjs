// The helper for Node, with Playwright and Chromium.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { attach, certificateSwitch, traceOnFailure } from "../../clients/node/index.js";

const { chromium } = await import(process.env.PLAYWRIGHT_FOR_NODE);
const executablePath = process.env.PCM_CHROMIUM ?? "/usr/bin/chromium";
const args = ["--remote-debugging-port=0"];
const trigger = "https://news.example/.well-known/private-click-measurement/trigger-attribution/12/03";
const pages = {
  "https://news.example/":
    '<a id="ad" href="https://shop.example/" attributionsourceid="4" attributiondestination="https://shop.example">Ad</a>',
  "https://shop.example/": '<a id="buy" href="/thanks">Buy</a>',
  "https://shop.example/thanks": '<img src="https://news.example/pixel">',
};
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath, args });
});
after(() => browser.close());

async function sites() {
  const context = await browser.newContext();
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (url === "https://news.example/pixel") return route.fulfill({ status: 302, headers: { Location: trigger } });
    return route.fulfill({ status: pages[url] ? 200 : 404, contentType: "text/html", body: pages[url] ?? "" });
  });
  return context;
}

test("a page is measured", async () => {
  const context = await sites();
  const safari = await attach(context, { browser: "a page" });
  const page = await context.newPage();
  await page.goto("https://news.example/");
  await page.click("#ad");
  await page.click("#buy");
  const { outcomes, dropped } = await safari.settled();
  assert.deepEqual([outcomes.map((outcome) => outcome.kind), dropped], [["link-click", "triggering-event"], []]);
  await safari.advance("PT48H");
  await safari.expectReport("source", { destinationSite: "shop.example", triggerData: 12 });
  assert.match(await safari.explain("shop.example"), /delivered/);
  await assert.rejects(safari.expectReport("source", { triggerData: 1 }), { code: "ERR_ASSERTION", message: /triggerData 1/ });
  await assert.rejects(safari.expectNoReport({ recipient: "source" }), { code: "ERR_ASSERTION" });
  await safari.clear("shop.example");
  assert.equal((await safari.call("GET", "/events?kind=data-cleared")).items.length, 1);
  await assert.rejects(attach(context, { browser: "a second one" }), { name: "PCMError", status: 409 });
  await safari.detach();
  await assert.rejects(safari.explain("shop.example"), { name: "PCMError", status: 404 });
});

test("a failed test leaves a trace", async () => {
  const safari = await attach(await sites());
  const folder = await mkdtemp(join(tmpdir(), "traces-"));
  const ended = async (passed) => {
    const [hooks, lines] = [[], []];
    traceOnFailure({ name: "an ad/1", passed, after: (hook) => hooks.push(hook), diagnostic: (line) => lines.push(line) }, safari, folder);
    await hooks[0]();
    return lines;
  };
  assert.deepEqual(await ended(true), []);
  const [line] = await ended(false);
  assert.match(line, /^pcm-browser trace: .*an-ad-1\.html$/);
  assert.match(await readFile(line.slice("pcm-browser trace: ".length), "utf8"), /class="trace"/);
  await safari.detach();
  assert.match((await ended(false))[0], /^pcm-browser: no trace: GET .* returned 404: /);
  await rm(folder, { recursive: true });
});

test("what is pending is named", async () => {
  const context = await sites();
  await context.route("https://shop.example/never", () => {});
  const safari = await attach(context, { private: true });
  const page = await context.newPage();
  await page.goto("https://shop.example/");
  await page.evaluate("void fetch('/never')");
  await assert.rejects(safari.settled("PT0.5S"), { code: "ERR_ASSERTION", message: /"requests":1/ });
  assert.equal((await safari.call("GET", "")).settings.privateBrowsing, true);
  await safari.detach();
});

test("errors say what to do", async () => {
  const silent = await chromium.launch({ executablePath });
  await assert.rejects(attach(await silent.newContext()), /chromium\.launch\(\{ args: \["--remote-debugging-port=0"\] \}\)/);
  await silent.close();
  await assert.rejects(attach({}), /expected a BrowserContext/);
  await assert.rejects(attach(null, { devtools: "http://127.0.0.1:1", service: "http://127.0.0.1:1" }), /pcm-browser serve/);
});

test("a certificate is accepted by its key", async () => {
  const demo = spawn(process.env.PCM_BROWSER_BINARY, ["demo", "--pages", "--serve"]);
  after(() => demo.kill());
  const [line] = await once(demo.stdout.setEncoding("utf8"), "data");
  const [, address] = line.match(/sites on https:\/\/([0-9.]+:[0-9]+)/);
  const accepted = await certificateSwitch(address);
  assert.equal(await certificateSwitch(`https://${address}`), accepted);
  const chromiumWithSites = await chromium.launch({
    executablePath,
    args: [...args, `--host-resolver-rules=MAP *.example ${address}`, accepted],
  });
  const page = await chromiumWithSites.newPage();
  assert.equal((await page.goto("https://news.example/article")).status(), 200);
  await chromiumWithSites.close();
  await assert.rejects(certificateSwitch("127.0.0.1:1"), { code: "ECONNREFUSED" });
});
