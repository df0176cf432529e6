/* The report endpoint's page: it loads what arrived and changes the faults. */
"use strict";
const wait = 1500;

async function refresh() {
  try {
    await Promise.all([parts.received.load(), parts.faults.load()]);
    say("Live", "good");
  } catch { say("Reconnecting", "doubtful"); }
}

/* Returns whether the endpoint accepted the call. */
async function change(method, path, body) {
  try {
    const response = await call(method, path, { body });
    complain(response.ok ? "" : await problemText(response));
    await refresh();
    return response.ok;
  } catch {
    complain("The endpoint does not respond. Check that it runs, then try again.");
    return false;
  }
}

/* The list without the faults that are used up. */
async function replaceFaults(edit) {
  try {
    const response = await call("GET", "/admin/faults");
    if (!response.ok) return complain(await problemText(response));
    const { faults } = await response.json();
    const known = (fault) => Object.fromEntries(Object.entries(fault).filter(([, value]) => value !== null));
    const kept = edit(faults).filter((fault) => fault.times !== 0).map(known);
    return await change("PUT", "/admin/faults", { faults: kept });
  } catch { complain("The endpoint does not respond. Check that it runs, then try again."); }
}

one("#fault").addEventListener("submit", async (event) => {
  event.preventDefault();
  const fault = {};
  for (const [name, value] of new FormData(event.target)) {
    if (value !== "") fault[name] = event.target.elements[name].type === "number" ? Number(value) : value;
  }
  if (await replaceFaults((faults) => [...faults, fault])) event.target.reset();
});
one("#no-faults").addEventListener("click", () => change("DELETE", "/admin/faults"));
one("#clear").addEventListener("click", () => {
  if (confirm("Clear all received requests, tokens, and counted postbacks?")) change("DELETE", "/admin/reports");
});
document.addEventListener("click", (event) => {
  const index = event.target.closest("[data-fault]")?.dataset.fault;
  if (index !== undefined) replaceFaults((faults) => faults.filter((_, place) => place !== Number(index)));
});
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });

(async () => {
  for (;;) {
    if (!document.hidden) await refresh();
    await pause(wait);
  }
})();
