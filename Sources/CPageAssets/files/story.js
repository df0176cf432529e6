/* The examples: each step sends a form with its first values, or moves the clock. */

async function read(path) {
  const response = await call("GET", path);
  if (!response.ok) throw new Error();
  return response.json();
}

/* Why the browser cannot play the example; empty if it can. */
async function refusal() {
  const [{ clock }, { mode }] = await Promise.all([read(api), read(`${api}/network`)]);
  if (clock.mode !== "manual") return "The example moves the clock by days, and this browser has a real clock. Create a browser with a manual clock.";
  one("#simulate").hidden = mode === "simulated";
  return mode === "simulated" ? "" : "The example needs simulated sites, and this browser sends to real endpoints.";
}

async function perform(step) {
  const place = one("[data-outcome]", step);
  if (step.dataset.move) {
    const moved = await advance({ by: step.dataset.move });
    if (!moved) return false;
    const counts = {};
    for (const { kind } of moved.events) counts[kind] = (counts[kind] ?? 0) + 1;
    place.append(...Object.entries(counts).filter(([kind]) => kind !== "clock-advanced").flatMap(([kind, count]) =>
      [element("span", count > 1 ? `${kind} × ${count}` : kind, `badge ${kind.endsWith("-delivered") ? "good" : "quiet"}`), " "]));
    return true;
  }
  const form = one(`#${step.dataset.form}`).cloneNode(true);
  form.reset();
  const isDone = await send(form);
  place.append(one("[data-problem]", form), one("[data-result]", form));
  return isDone;
}

async function play(list) {
  const buttons = all("[data-play], #simulate");
  const problem = one("#story-problem");
  hasPlayed = true;
  if (location.hash) history.replaceState(null, "", location.pathname);
  await showAddress();
  for (const button of buttons) button.disabled = true;
  problem.textContent = "";
  try {
    problem.textContent = await refusal();
    one("#simulate").dataset.play = list.id;
    if (problem.textContent) return;
    for (const other of all(".story")) other.hidden = other !== list;
    for (const place of all("[data-outcome]", list)) place.replaceChildren();
    for (const step of all("li", list)) {
      step.setAttribute("aria-current", "step");
      const isDone = await perform(step);
      step.removeAttribute("aria-current");
      if (!isDone) { problem.textContent = "The example stopped."; return; }
      await pause(400);
    }
  } catch { problem.textContent = "The service does not respond. Check that it runs, then try again."; } finally {
    for (const button of buttons) button.disabled = false;
  }
}

for (const button of all("[data-play]")) button.addEventListener("click", () => play(one(`#${button.dataset.play}`)));
one("#simulate")?.addEventListener("click", async ({ target }) => {
  const form = one("#try-network").cloneNode(true);
  form.reset();
  if (await send(form)) play(one(`#${target.dataset.play}`));
  else one("#story-problem").textContent = one("[data-problem]", form).textContent;
});
