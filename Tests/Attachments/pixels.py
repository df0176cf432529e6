"""Ways to load a pixel that redirects to the trigger path, and WebKit's outcome for each.

A page is at https://NAME.shop.example/c/NAME/, after a click on an ad of news-NAME.example, the host `$news`. In the markup,
`$pixel` is the URL of a pixel there, `$cors` is a pixel that every page may read, `$trigger` is where they redirect to, `$here` is the
folder of the page, without host, and `$site` its host.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Page
from sites import Sites

Act = Callable[[Page, Sites, str], Awaitable[Any]]


@dataclass(frozen=True)
class PixelCase:
    name: str
    html: str
    # `attributed`, `unmatched`, or `rejected` with reasons, for each triggering event in order.
    expected: tuple[str, ...]
    act: Act | None
    # How many requests for the trigger URL reach its site.
    requests: int
    # The kind of the load that an event says, where it matters.
    load: str | None = None
    files: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)


def row(name: str, html: str, *expected: str, act: Act | None = None, requests: int | None = None, load: str | None = None,
        headers: dict[str, str] | None = None, **files: str) -> PixelCase:
    """A row. The trigger URL is loaded for each event, unless the row says otherwise."""
    return PixelCase(name, html, expected, act, len(expected) if requests is None else requests, load,
                     {key.replace("_", "."): text for key, text in files.items()}, headers or {})


def script(text: str) -> str:
    return f"<script>{text}</script>"


def done(text: str) -> str:
    """A script that is over when its promise is."""
    return script(f"(async () => {{ {text} }})().catch(() => {{}}).then(() => {{ document.title = 'done' }})")


async def is_done(page: Page, sites: Sites, name: str) -> None:
    """Waits until the script of the page has ended, and with it the load."""
    await page.wait_for_function("document.title === 'done'")


async def leave(page: Page, sites: Sites, name: str) -> None:
    """Goes to another site."""
    await page.goto("https://other.example/next")


async def close(page: Page, sites: Sites, name: str) -> None:
    """Closes the tab while the pixel waits, and lets the pixel go on."""
    await sites.seen(lambda request: request.host == f"news-{name}.example")
    await page.close()
    sites.release(name)


async def press(page: Page, sites: Sites, name: str) -> None:
    await page.click("button")


async def follow(page: Page, sites: Sites, name: str) -> None:
    """Follows the page's own way to another one, which may be an error."""
    await sites.seen(lambda request: request.path.startswith("/.well-known/") and request.host == f"news-{name}.example")


async def load_again(page: Page, sites: Sites, name: str) -> None:
    """Loads the pixel in a second document, which has a cached redirect."""
    await page.goto(page.url + "?second")


async def worker_is_done(page: Page, sites: Sites, name: str) -> None:
    """Loads the page again under its service worker."""
    await is_done(page, sites, name)
    await page.goto(page.url + "?controlled")
    await page.wait_for_function("document.title === 'controlled'")


async def mocked(page: Page, sites: Sites, name: str) -> None:
    """Redirects in the driver, without a server."""
    await page.route("**/mocked", lambda route: route.fulfill(
        status=302,
        headers={"Location": f"https://news-{name}.example/.well-known/private-click-measurement/trigger-attribution/12"}))
    await page.evaluate(
        "(url) => new Promise((end) => { const image = new Image(); image.onload = image.onerror = end; image.src = url })",
        f"https://news-{name}.example/mocked")


def image(source: str = "$pixel", more: str = "") -> str:
    return f"<img src='{source}' {more}>"


def policy(name: str, directive: str, html: str, *expected: str, requests: int = 0, act: Act | None = None) -> PixelCase:
    """A row whose policy blocks the trigger URL. WebKit registers the event before, except for requests of scripts."""
    return row(f"policy-{name}", html, *expected, act=act, requests=requests,
               headers={"Content-Security-Policy": f"{directive} https://www.$news"})


def listening(event: str, text: str, target: str = "window") -> str:
    return script(f"{target}.addEventListener('{event}', () => {{ {text} }})")


REGISTER = """if (navigator.serviceWorker.controller) {{ {} ; document.title = 'controlled'; return new Promise(() => {{}}) }}
await navigator.serviceWorker.register('worker.js'); await navigator.serviceWorker.ready;
while (!(await navigator.serviceWorker.ready).active) {{}}"""
LOAD_IMAGE = """await new Promise((end) => { const image = new Image(); image.onload = image.onerror = end; image.src = `%s` })"""
CLAIM = "addEventListener('activate', (event) => event.waitUntil(clients.claim()));"
FRAME = "<iframe src='https://{}$here/frame.html'></iframe>"
SAME, CROSS = FRAME.format("$site"), FRAME.format("$name.other.example")
# A host of the pixel's site, which a policy allows, redirects to the trigger URL, which it blocks.
ALLOWED = "https://www.$news/go/302?to=$trigger"
# The pixel redirects to the trigger URL with http, or over loopback.
INSECURE = "https://$news/go/302?cors=1&to=http://$news/$path/12"
LOOPBACK = "https://$news/go/302?to=http://localhost/go/302%3Fto=$trigger"
SPECULATION = "{\"prefetch\": [{\"source\": \"list\", \"urls\": [\"$pixel\"], \"eagerness\": \"immediate\"}]}"

PIXELS = [
    # Images.
    *(row(f"image-{status}", image(f"$pixel{status}"), "attributed", load="image") for status in (301, 302, 303, 307, 308)),
    row("image-by-script", script("new Image().src = `$pixel`"), "attributed"),
    row("image-written", script("document.write(`" + image() + "`)"), "attributed"),
    row("image-hidden", image(more="style='display: none'"), "attributed"),
    row("image-lazy", "<div style='height: 99999px'></div>" + image(more="loading=lazy")),
    row("image-cors", image("$cors", "crossorigin"), "attributed"),
    row("image-cors-refused", image(more="crossorigin")),
    row("image-without-script", "<noscript>" + image() + "</noscript>"),
    row("srcset", "<img srcset='$pixel 1x'>", "attributed"),
    row("picture", "<picture><source srcset='$pixel'><img></picture>", "attributed"),
    row("input-image", "<form><input type=image src='$pixel'></form>", "attributed"),
    row("svg-image", "<svg><image href='$pixel' width=9 height=9></svg>", "attributed"),
    row("body-background", "<body background='$pixel'>text", "attributed"),
    row("no-referrer", image(more="referrerpolicy=no-referrer"), "attributed"),
    row("shadow-image", "<p><template shadowrootmode=closed>" + image() + "</template></p>", "attributed"),
    # Both exist before the first response. In markup, Chromium may request the second after a response that is no image.
    row("image-twice", script("for (const number of [1, 2]) new Image().src = `$pixel`"), "attributed"),
    row("image-when-loaded", script("onload = () => { new Image().src = `$pixel` }"), "attributed"),
    # Style sheets, scripts, fonts, media, plug-ins.
    row("css-background", "<style>p { background: url($pixel) }</style><p>text", "attributed"),
    row("css-import", "<style>@import url($pixel)</style>", "attributed"),
    row("css-content", "<style>p::before { content: url($pixel) }</style><p>text", "attributed"),
    row("stylesheet", "<link rel=stylesheet href='$pixel'>", "attributed", load="stylesheet"),
    row("stylesheet-cors-refused", "<link rel=stylesheet crossorigin href='$pixel'>"),
    row("stylesheet-for-print", "<link rel=stylesheet media=print href='$pixel'>", "attributed"),
    row("script", "<script src='$pixel'></script>", "attributed", load="script"),
    row("script-async", "<script async src='$pixel'></script>", "attributed"),
    row("module", "<script type=module src='$cors'></script>", "attributed"),
    row("module-refused", "<script type=module src='$pixel'></script>"),
    row("font", "<style>@font-face { font-family: f; src: url($cors) } p { font-family: f }</style><p>text", "attributed"),
    row("font-refused", "<style>@font-face { font-family: f; src: url($pixel) } p { font-family: f }</style><p>text", "attributed",
        requests=0),
    row("video", "<video src='$pixel'></video>", "attributed"),
    row("audio", "<audio preload=auto src='$pixel'></audio>", "attributed"),
    row("poster", "<video poster='$pixel'></video>", "attributed"),
    row("object", "<object data='$pixel'></object>", "attributed"),
    row("embed", "<embed src='$pixel'>", "attributed"),
    # Hints. WebKit has no speculations, and prefetches nothing. In DevTools, a prefetch looks like an image.
    row("preload", "<link rel=preload as=image href='$pixel'>", "attributed"),
    row("prefetch", "<link rel=prefetch href='$pixel'>", "attributed"),
    row("speculation", f"<script type=speculationrules>{SPECULATION}</script>"),
    # Frames: the first party is the top page.
    row("frame", "<iframe src='$pixel'></iframe>", "attributed", load="document"),
    row("frame-image", SAME, "attributed", frame_html=image()),
    row("cross-site-frame-image", CROSS, "attributed", frame_html=image()),
    row("nested-frame", CROSS, "attributed", frame_html="<iframe src=inner.html></iframe>",
        inner_html="<iframe src='$pixel'></iframe>"),
    row("srcdoc", "<iframe srcdoc=\"<img src='$pixel'>\"></iframe>", "attributed"),
    row("srcdoc-sandbox", "<iframe sandbox srcdoc=\"<img src='$pixel'>\"></iframe>", "attributed"),
    row("srcdoc-in-cross-site-frame", CROSS, "attributed", frame_html="<iframe srcdoc=\"<img src='$pixel'>\"></iframe>"),
    row("sandbox", CROSS.replace("src", "sandbox src"), "attributed", frame_html=image()),
    row("frame-fetch", CROSS, "attributed", frame_html=script("fetch(`$pixel`, {mode: 'no-cors'})")),
    row("form-in-frame", "<iframe name=inner></iframe><form target=inner action='https://$news/go/302'>"
        "<input type=hidden name=to value='$trigger'></form>" + script("document.forms[0].submit()"), "attributed", act=follow),
    row("form-post-in-frame", "<iframe name=inner></iframe><form method=post target=inner action='$pixel307'></form>"
        + script("document.forms[0].submit()"), "attributed", act=follow),
    row("written-popup", script("onload = () => { const inner = open(''); inner.document.write(`" + image() + "`);"
                                "inner.document.close() }"), "attributed", act=follow),
    row("document-in-popup", script("onload = () => { open('').document.body.innerHTML = `" + image() + "` }"),
        "rejected no-first-party-site", act=follow),
    row("blob-popup", script("onload = () => open(URL.createObjectURL(new Blob([`" + image() + "`], {type: 'text/html'})))"),
        "rejected no-first-party-site", act=follow),
    # Navigations of the page: the first party is the redirect's target.
    row("navigation", script("onload = () => { location = `$pixel` }"), "rejected same-site-needs-source", act=follow),
    row("form", "<form action='https://$news/go/302'><input type=hidden name=to value='$trigger'><button>go</button></form>",
        "rejected same-site-needs-source", act=press),
    row("link", "<a href='$pixel'><button>go</button></a>", "rejected same-site-needs-source", act=press),
    row("link-to-window", "<a target=_blank href='$pixel'><button>go</button></a>", "rejected same-site-needs-source", act=press),
    row("link-to-tab", "<a href='$pixel'><button>go</button></a>", "rejected same-site-needs-source",
        act=lambda page, sites, name: page.click("button", modifiers=["Control"])),
    row("refresh", "<meta http-equiv=refresh content='0;url=$pixel'>", "rejected same-site-needs-source", act=follow),
    # Fetches of scripts.
    row("fetch-no-cors", done("await fetch(`$pixel`, {mode: 'no-cors'})"), "attributed", act=is_done, load="fetch"),
    row("fetch-cors", done("await fetch(`$cors`)"), "attributed", act=is_done),
    row("fetch-credentials", done("await fetch(`$cors`, {credentials: 'include'})"), "attributed", act=is_done),
    row("fetch-refused", done("await fetch(`$pixel`)"), act=is_done),
    row("fetch-manual", done("await fetch(`$cors`, {redirect: 'manual'})"), act=is_done),
    row("fetch-manual-same-site", done("await fetch('/go/302?to=$trigger', {redirect: 'manual'})"), act=is_done),
    row("fetch-error", done("await fetch(`$cors`, {redirect: 'error'})"), act=is_done),
    row("fetch-post", done("await fetch(`$pixel307`, {method: 'POST', mode: 'no-cors', body: 'order'})"), "attributed",
        act=is_done),
    row("fetch-keepalive", done("await fetch(`$pixel`, {mode: 'no-cors', keepalive: true})"), "attributed", act=is_done),
    row("fetch-body-unread", done("await fetch(`$cors`); await new Promise((end) => setTimeout(end, 50))"), "attributed",
        act=is_done),
    row("fetch-aborted", done("const end = new AbortController(); end.abort(); await fetch(`$cors`, {signal: end.signal})"),
        act=is_done),
    row("xhr", done("await new Promise((end) => { const xhr = new XMLHttpRequest(); xhr.onloadend = end;"
                    "xhr.open('GET', `$cors`); xhr.send() })"),
        "attributed", act=is_done, load="xhr"),
    row("xhr-refused", done("await new Promise((end) => { const xhr = new XMLHttpRequest(); xhr.onloadend = end;"
                            "xhr.open('GET', `$pixel`); xhr.send() })"), act=is_done),
    # Chromium does not say that a request is synchronous. In WebKit it triggers nothing.
    row("xhr-synchronous", script("const xhr = new XMLHttpRequest(); xhr.open('GET', `$cors`, false); xhr.send()"), "attributed"),
    row("event-source", done("const source = new EventSource(`$cors`);"
                             "await new Promise((end) => { source.onerror = end }); source.close()"),
        "attributed", act=is_done),
    row("beacon", script("navigator.sendBeacon(`$pixel`, 'order')"), "attributed", act=follow),
    row("beacon-307", script("navigator.sendBeacon(`$pixel307`, 'order')"), "attributed", act=follow),
    row("ping", "<a ping='$pixel' href='#there'><button>go</button></a>", "attributed", act=press),
    row("ping-chain", "<a ping='$chain' href='#there'><button>go</button></a>", "attributed", act=press),
    row("beacon-chain", script("navigator.sendBeacon(`$chain`)"), "attributed", act=follow),
    # Loads while the page goes away.
    row("beacon-on-pagehide", listening("pagehide", "navigator.sendBeacon(`$pixel`)"), "attributed", act=leave),
    row("beacon-on-visibility", listening("visibilitychange", "navigator.sendBeacon(`$pixel`)", "document"), "attributed",
        act=leave),
    row("keepalive-on-pagehide", listening("pagehide", "fetch(`$pixel`, {mode: 'no-cors', keepalive: true})"), "attributed",
        act=leave),
    row("keepalive-then-closed", script("fetch(`$held`, {mode: 'no-cors', keepalive: true})"), "attributed",
        act=close),
    # Workers.
    row("worker", done("await new Promise((end) => { new Worker('worker.js').onmessage = end })"), "attributed", act=is_done,
        worker_js="fetch(`$pixel`, {mode: 'no-cors'}).catch(() => {}).then(() => postMessage(''))"),
    row("worker-import", done("await new Promise((end) => { new Worker('worker.js').onmessage = end })"), "attributed", act=is_done,
        worker_js="try { importScripts(`$pixel`) } catch {} postMessage('')"),
    row("shared-worker", done("const worker = new SharedWorker('worker.js');"
                              "await new Promise((end) => { worker.port.onmessage = end })"),
        "attributed", act=is_done, worker_js="onconnect = async ({ports: [port]}) => {"
        "await fetch(`$pixel`, {mode: 'no-cors'}).catch(() => {}); port.postMessage('') }"),
    row("service-worker-passes-on", done(REGISTER.format(LOAD_IMAGE % "$pixel")), "attributed", act=worker_is_done,
        worker_js=CLAIM + "addEventListener('fetch', (event) => event.respondWith(fetch(event.request)))"),
    row("service-worker-redirects", done(REGISTER.format(LOAD_IMAGE % "https://$news/own")), "attributed", act=worker_is_done,
        worker_js=CLAIM + "addEventListener('fetch', (event) => { if (event.request.url.endsWith('/own'))"
        "event.respondWith(Response.redirect(`$trigger`)) })"),
    row("service-worker-fetches", done("await navigator.serviceWorker.register('worker.js'); await navigator.serviceWorker.ready"),
        "attributed", act=follow, worker_js="addEventListener('activate', (event) => event.waitUntil("
        "fetch(`$pixel`, {mode: 'no-cors'}).catch(() => {})))"),
    # Policies.
    row("policy-blocks-pixel", image(), headers={"Content-Security-Policy": "img-src 'self'"}),
    row("policy-allows-other-site", image("https://$name.other.example/go/302?to=$trigger"), "rejected redirect-not-same-site",
        requests=0, headers={"Content-Security-Policy": "img-src https://$name.other.example"}),
    policy("image", "img-src", image(ALLOWED), "attributed"),
    policy("srcset", "img-src", f"<img srcset='{ALLOWED} 1x'>", "attributed"),
    policy("css", "img-src", f"<style>p {{ background: url({ALLOWED}) }}</style><p>text", "attributed"),
    policy("preload", "img-src", f"<link rel=preload as=image href='{ALLOWED}'>", "attributed"),
    policy("script", "script-src", f"<script src='{ALLOWED}'></script>", "attributed"),
    policy("style", "style-src", f"<link rel=stylesheet href='{ALLOWED}'>", "attributed"),
    policy("frame", "frame-src", f"<iframe src='{ALLOWED}'></iframe>", "attributed"),
    policy("form-in-frame", "frame-src", "<iframe name=inner></iframe><form target=inner action='https://www.$news/go/302'>"
           "<input type=hidden name=to value='$trigger'></form>" + script("document.forms[0].submit()"), "attributed"),
    policy("video", "media-src", f"<video src='{ALLOWED}'></video>", "attributed"),
    # Chromium follows a redirect of an object that the policy does not allow.
    policy("object", "object-src", f"<object data='{ALLOWED}'></object>", "attributed", requests=1),
    policy("invalid", "img-src", image("https://www.$news/go/302?to=https://$news/$path/16"), "rejected data-invalid"),
    policy("fetch", "connect-src", done(f"await fetch(`{ALLOWED}`, {{mode: 'no-cors'}})"), act=is_done),
    policy("xhr", "connect-src", done("await new Promise((end) => { const xhr = new XMLHttpRequest(); xhr.onloadend = end;"
                                      f"xhr.open('GET', `{ALLOWED}`); xhr.send() }})"), act=is_done),
    policy("beacon", "connect-src", script(f"navigator.sendBeacon(`{ALLOWED}`)")),
    row("policy-allows", image(), "attributed", headers={"Content-Security-Policy": "img-src https://$news"}),
    row("plain-image", image("http://$news/go/302?to=$trigger"), "attributed"),
    row("plain-script", "<script src='http://$news/go/302?to=$trigger'></script>"),
    row("plain-srcset", "<img srcset='http://$news/go/302?to=$trigger 1x'>"),
    # An http trigger URL, which Chromium upgrades or blocks, and loopback, which it allows.
    row("insecure-image", image(INSECURE), "rejected not-https"),
    row("insecure-video", f"<video src='{INSECURE}'></video>", "rejected not-https"),
    row("insecure-script", f"<script src='{INSECURE}'></script>", "rejected not-https", requests=0),
    row("insecure-style", f"<link rel=stylesheet href='{INSECURE}'>", "rejected not-https", requests=0),
    row("insecure-font", f"<style>@font-face {{ font-family: f; src: url({INSECURE}) }} p {{ font-family: f }}</style><p>text",
        "rejected not-https", requests=0),
    row("insecure-frame", f"<iframe src='{INSECURE}'></iframe>", "rejected not-https", requests=0),
    row("insecure-fetch", done(f"await fetch(`{INSECURE}`)"), "rejected not-https", act=is_done, requests=0),
    row("insecure-beacon", script(f"navigator.sendBeacon(`{INSECURE}`)"), "rejected not-https", requests=0),
    row("loopback-image", image(LOOPBACK), requests=1),
    row("loopback-fetch", done(f"await fetch(`{LOOPBACK}`, {{mode: 'no-cors'}})"), act=is_done, requests=1),
    row("resource-policy", image("https://$news/go/302?corp=same-origin&to=$trigger")),
    row("resource-policy-same-site", image("https://$news/go/302?corp=same-site&to=$trigger")),
    row("resource-policy-cross-origin", image("https://$news/go/302?corp=cross-origin&to=$trigger"), "attributed"),
    row("resource-policy-script", "<script src='https://$news/go/302?corp=same-origin&to=$trigger'></script>"),
    row("resource-policy-fetch", done("await fetch(`https://$news/go/302?corp=same-site&to=$trigger`, {mode: 'no-cors'})"),
        act=is_done),
    row("resource-policy-frame", "<iframe src='https://$news/go/302?corp=same-origin&to=$trigger'></iframe>", "attributed",
        load="document"),
    # Caches: one event for each load.
    row("cached-permanently", image("$cached"), "attributed", "unmatched lower-or-equal-priority", act=load_again),
    # No redirects.
    row("direct-image", image("$trigger"), "not-triggering not-a-redirect"),
    row("direct-fetch", done("await fetch(`$trigger`, {mode: 'no-cors'})"), "not-triggering not-a-redirect", act=is_done),
    row("direct-refresh", "<meta http-equiv=refresh content='0;url=$trigger'>", "not-triggering not-a-redirect", act=follow),
    row("direct-navigation", script("onload = () => { location = `$trigger` }"), "not-triggering not-a-redirect", act=follow),
    row("direct-misspelled", image("https://$news/.well-known/private-click-measurment/trigger-attribution/12"),
        "not-triggering not-a-redirect", requests=0),
    *(row(f"location-with-{status}", image(f"https://$news/go/{status}?to=$trigger")) for status in (200, 201, 300)),
    row("redirect-elsewhere", image("https://$news/go/302?to=https://$news/thanks")),
    # The rules about the trigger URL and the sites.
    row("chain", image("$chain"), "attributed"),
    # The redirector has the trigger URL in its query, as written.
    row("chain-as-written", image("https://tracker.example/go/302?to=https://$news/go/302?to=$trigger"), "attributed"),
    row("other-site-redirects", image("https://$name.other.example/go/302?to=$trigger"), "rejected redirect-not-same-site"),
    row("priority", image("https://$news/go/302?to=$trigger/07"), "attributed"),
    row("data-too-large", image("https://$news/go/302?to=https://$news/$path/16"), "rejected data-invalid"),
    row("data-missing", image("https://$news/go/302?to=https://$news/$path/"), "rejected path-unrecognised"),
    row("upper-case-path",
        image("https://$news/go/302?to=https://$news/.Well-Known/private-click-measurement/trigger-attribution/12"),
        "not-triggering path-not-a-trigger", requests=0),
    row("path-of-chrome",
        image("https://$news/go/302?to=https://$news/.well-known/attribution-reporting/report-event-attribution"),
        "not-triggering path-not-a-trigger", requests=0),
    row("fragment", image("https://$news/go/302?to=$trigger%23top"), "rejected has-fragment"),
    row("empty-fragment", image("https://$news/go/302?to=$trigger%23"), "rejected has-fragment"),
    row("query", image("https://$news/go/302?to=$trigger?order=1"), "rejected query-unsupported"),
    row("own-pixel", image("https://$site/go/302?to=https://$site/$path/12?attributionSource=https://$news"), "attributed"),
    row("own-pixel-without-source", image("https://$site/go/302?to=https://$site/$path/12"), "rejected same-site-needs-source"),
    row("other-pixel-with-source", image("https://$news/go/302?to=$trigger?attributionSource=https://$news"),
        "rejected cross-site-forbids-source"),
    # The driver takes the place of the network.
    row("mocked-pixel", "", "attributed", act=mocked),
]
