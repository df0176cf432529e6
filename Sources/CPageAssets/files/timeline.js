/* The timeline: dragging moves it, and the wheel zooms, as its buttons do. */

const shortestRange = 60000;

function shownRange() {
  const { from, to } = parts.timeline.query;
  if (from) return [Number(from), Number(to)];
  const data = one("#timeline svg[data-from]")?.dataset;
  return data ? [Number(data.from), Number(data.to)] : null;
}

function showRange(from, to) {
  parts.timeline.query = from === undefined ? {} : { from: Math.round(from), to: Math.round(to) };
  quietly(parts.timeline.load());
}

function followPointer(place) {
  let drag = null;
  const drawing = (event) => event.target.closest("svg[data-from]");
  place.addEventListener("dragstart", (event) => event.preventDefault());
  place.addEventListener("pointerdown", (event) => {
    const svg = drawing(event);
    if (svg && event.button === 0) drag = { svg, start: event.clientX, by: 0, range: shownRange() };
  });
  place.addEventListener("pointermove", (event) => {
    if (!drag || (!drag.by && Math.abs(event.clientX - drag.start) < 5)) return;
    if (!drag.by) {
      drag.svg.setPointerCapture(event.pointerId);
      drag.svg.classList.add("moving");
      parts.timeline.held = true;
    }
    drag.by = event.clientX - drag.start || 1;
    const { width, height } = drag.svg.viewBox.baseVal;
    drag.svg.setAttribute("viewBox", `${-drag.by * width / drag.svg.clientWidth} 0 ${width} ${height}`);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    place.addEventListener(end, () => {
      const last = drag;
      drag = null;
      if (!last?.by) return;
      parts.timeline.held = false;
      const [from, to] = last.range;
      const shift = -last.by / last.svg.clientWidth * (to - from);
      last.svg.addEventListener("click", (event) => event.preventDefault(), { capture: true, once: true });
      showRange(from + shift, to + shift);
    });
  }
}

/* A wheel that began to scroll the page scrolls on. */
function followWheel(place) {
  let scrolledAt = -1000;
  addEventListener("scroll", (event) => { scrolledAt = event.timeStamp; }, { passive: true });
  place.addEventListener("wheel", (event) => {
    const svg = event.target.closest("svg[data-from]");
    if (!svg || event.timeStamp - scrolledAt < 300) return;
    const [from, to] = shownRange();
    const box = svg.getBoundingClientRect();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const shift = event.deltaX / box.width * (to - from);
      return showRange(from + shift, to + shift);
    }
    const by = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1);
    const factor = 1.002 ** Math.max(-300, Math.min(300, by));
    const isWhole = !parts.timeline.query.from;
    if (isWhole && factor >= 1) return;
    event.preventDefault();
    const length = (to - from) * factor;
    if (length >= Number(svg.dataset.whole)) return showRange();
    if (length < shortestRange) return;
    const middle = from + (to - from) * (event.clientX - box.left) / box.width;
    showRange(middle - (middle - from) * factor, middle + (to - middle) * factor);
  }, { passive: false });
}

if (parts.timeline) {
  followPointer(parts.timeline.place);
  followWheel(parts.timeline.place);
}
