// checkout.test.mjs
import assert from "node:assert/strict";
import test from "node:test";

const service = process.env.PCM_BROWSER_URL ?? "http://127.0.0.1:8726";
const browser = `${service}/v1/browsers/checkout-node`;

async function call(method, path = "", body) {
  const answer = await fetch(browser + path, {
    method,
    headers: { "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path || "/"}: ${answer.status} ${text}`);
  return text && JSON.parse(text);
}

test("a tapped ad is reported to both sides", async (context) => {
  await call("PUT", "", { seed: "1", clock: { mode: "manual", start: "2026-11-20T10:00:00Z" } });
  context.after(() => call("DELETE"));
  await call("PUT", "/network", { mode: "simulated" });
  await call("PUT", "/apps/com.example.news", { reportEndpoint: "https://news.example" });

  const tap = await call("POST", "/event-attributions", {
    bundleIdentifier: "com.example.news", sourceIdentifier: 4, destinationURL: "https://shop.example/", tapVerified: true,
  });
  assert.equal(tap.outcome, "stored", JSON.stringify(tap.reasons));

  await call("POST", "/clock/advance", { by: "PT3H" });
  await call("POST", "/triggering-events", {
    firstPartyURL: "https://shop.example/thanks", pixelOf: "news.example", triggerData: 12, priority: 3,
  });
  await call("POST", "/clock/advance", { by: "PT48H" });

  for (const recipient of ["source", "destination"]) {
    const expected = await call("POST", "/expectations", {
      report: { recipient, state: "delivered", sourceIdentifier: 4, triggerData: 12 },
    });
    assert.ok(expected.met, expected.text);
  }
});
