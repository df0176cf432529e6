"""Clicks by scripts, and whether WebKit counts them as the user's.

The user presses a button, whose handler is the row's script. In it, `then` clicks the ad.
"""

from clicks import CROSS, SAME, ClickCase, click_in, opening, press_button_and_wait, row
from playwright.async_api import Page
from sites import Sites

STORED, REFUSED = "stored", "discarded no-user-gesture"

FILES = {"worker_js": "postMessage(0); onmessage = () => postMessage(1)", "script_js": "",
         "shared_js": "onconnect = ({ ports: [port] }) => port.postMessage(1)"}


def pressed(name: str, script: str, expected: str, before: str = "") -> ClickCase:
    """A page whose button runs a script, which clicks the ad once. What takes time is there before, so that a busy machine changes
    nothing."""
    once = "let isOver = false; const then = () => { if (!isOver) ad.click(); isOver = true }"
    return row(name, f"$ad<button id=button>go</button><script>{once}; button.onclick = () => {{ {script} }}; {before}</script>", expected,
               act=press_button_and_wait, **FILES)


def stored(name: str, script: str, before: str = "") -> ClickCase:
    return pressed(name, script, STORED, before)


def refused(name: str, script: str) -> ClickCase:
    return pressed(name, script, REFUSED)


# Events that carry a gesture.
CARRIERS = [
    stored("gesture-handler", "then()"),
    stored("gesture-event-of-handler", "button.addEventListener('x', then); button.dispatchEvent(new Event('x'))"),
    stored("gesture-microtask", "queueMicrotask(then)"),
    stored("gesture-promises", "Promise.resolve().then(() => {}).then(() => {}).then(then)"),
    stored("gesture-async-function", "(async () => { for (let step = 0; step < 20; step++) await null; then() })()"),
    stored("gesture-mutation-observer", "new MutationObserver(then).observe(button, { attributes: true }); button.title = 'x'"),
    stored("gesture-timer", "setTimeout(then, 900)"),
    stored("gesture-timer-in-promise", "(async () => { await new Promise((go) => setTimeout(go, 200)); await null; then() })()"),
    stored("gesture-nested-timers", "setTimeout(() => setTimeout(then, 450), 450)"),
    stored("gesture-timer-with-text", "globalThis.then = then; setTimeout('then()', 50)"),
    stored("gesture-interval", "const id = setInterval(() => { clearInterval(id); then() }, 200)"),
    stored("gesture-animation-frame", "requestAnimationFrame(() => requestAnimationFrame(then))"),
    stored("gesture-idle", "requestIdleCallback(then, { timeout: 200 })"),
    stored("gesture-message-to-itself", "onmessage = then; postMessage(1)"),
    stored("gesture-message-after-timer", "onmessage = then; setTimeout(() => postMessage(1), 100)"),
    stored("gesture-worker", "worker.onmessage = then; worker.postMessage(1)",
           "const worker = new Worker('$here/worker.js'); button.disabled = true; worker.onmessage = () => { button.disabled = false }"),
    stored("gesture-script-onload", "const script = document.createElement('script'); script.src = '$here/script.js'; "
           "script.onload = then; document.head.append(script)",
           "document.write(`<link rel=preload as=script href='$here/script.js'>`)"),
    stored("gesture-popstate", "history.pushState(1, ''); onpopstate = then; history.back()"),
]

# Events that do not, however soon they come.
OTHERS = [
    refused("gesture-fetch", "fetch('/x').then(then)"),
    refused("gesture-await-fetch", "(async () => { await fetch('/x'); await null; then() })()"),
    refused("gesture-timer-after-fetch", "fetch('/x').then(() => setTimeout(then, 10))"),
    refused("gesture-request", "const x = new XMLHttpRequest(); x.onload = then; x.open('GET', '/x'); x.send()"),
    refused("gesture-image-onerror", "const image = new Image(); image.onerror = then; image.src = '/x'"),
    refused("gesture-blob", "new Blob(['x']).text().then(then)"),
    refused("gesture-file-reader", "const reader = new FileReader(); reader.onload = then; reader.readAsText(new Blob(['x']))"),
    refused("gesture-database", "indexedDB.open('x').onsuccess = then"),
    refused("gesture-message-channel", "const pair = new MessageChannel(); pair.port1.onmessage = then; pair.port2.postMessage(1)"),
    refused("gesture-port", "const pair = new MessageChannel(); onmessage = ({ ports: [port] }) => { port.onmessage = then };"
            "postMessage(1, '*', [pair.port1]); pair.port2.postMessage(1)"),
    refused("gesture-broadcast-channel", "new BroadcastChannel('$name').onmessage = then;"
            "new BroadcastChannel('$name').postMessage(1)"),
    refused("gesture-shared-worker", "new SharedWorker('$here/shared.js').port.onmessage = then"),
    refused("gesture-resize-observer", "new ResizeObserver(then).observe(button)"),
    refused("gesture-intersection-observer", "new IntersectionObserver(then).observe(button)"),
    refused("gesture-transition-start", "button.style.transition = 'opacity .1s'; button.ontransitionrun = then; "
            "button.offsetTop; button.style.opacity = .3"),
    refused("gesture-animation", "button.animate([{ opacity: 0 }, { opacity: 1 }], 50).finished.then(then)"),
    refused("gesture-permission", "navigator.permissions.query({ name: 'geolocation' }).then(then)"),
    refused("gesture-cryptography", "crypto.subtle.digest('SHA-256', new Uint8Array(9)).then(then)"),
    refused("gesture-timer-too-long", "setTimeout(then, 1100)"),
    refused("gesture-nested-timers-too-long", "setTimeout(() => setTimeout(then, 600), 600)"),
    refused("gesture-second-tick",
            "let ticks = 0; const id = setInterval(() => { if (++ticks === 2) { clearInterval(id); then() } }, 50)"),
]


def button(script: str) -> str:
    return f"<button id=ad onclick='{script}'>go</button>"


async def press_in_popup(page: Page, sites: Sites, name: str) -> None:
    async with page.expect_popup() as window:
        await page.click("button")
    await (await window.value).click("button", no_wait_after=True)
    await page.wait_for_url("**/landing")


RECEIVING = "$ad<script>onmessage = () => ad.click()</script>"
TOP = "<a id=ad $attributes target=_top href='$to'>ad</a>"
OPEN = "<button onclick='window.open(`https://{}$here/pop.html`)'>go</button>"

# A gesture belongs to the user, and not to a document.
WINDOWS = [
    row("frame-posts", RECEIVING + CROSS, STORED, act=click_in("iframe"), frame_html=button("parent.postMessage(1, `*`)")),
    row("same-site-frame-posts", RECEIVING + SAME, STORED, act=click_in("iframe"),
        frame_html=button("parent.postMessage(1, `*`)")),
    row("frame-posts-after-fetch", RECEIVING + CROSS, REFUSED, act=click_in("iframe"),
        frame_html=button("fetch(`/x`).then(() => parent.postMessage(1, `*`))")),
    row("frame-calls-parent", "$ad" + SAME, STORED, act=click_in("iframe"), frame_html=button("parent.ad.click()")),
    row("frame-calls-parent-after-fetch", "$ad" + SAME, REFUSED, act=click_in("iframe"),
        frame_html=button("fetch(`/x`).then(() => parent.ad.click())")),
    row("page-clicks-in-frame", SAME + "<button onclick='frames[0].ad.click()'>go</button>", STORED, act=press_button_and_wait,
        frame_html=TOP),
    row("page-posts-to-frame", SAME + "<button onclick='frames[0].postMessage(1, `*`)'>go</button>", STORED,
        act=press_button_and_wait, frame_html=TOP + "<script>onmessage = () => ad.click()</script>"),
    opening("pop-up-calls-opener", "$ad" + OPEN.format("news.example"), STORED, act=press_in_popup,
            pop_html=button("opener.ad.click()")),
    opening("pop-up-posts", RECEIVING + OPEN.format("other.example"), STORED, act=press_in_popup,
            pop_html=button("opener.postMessage(1, `*`)")),
]

GESTURES = CARRIERS + OTHERS + WINDOWS
