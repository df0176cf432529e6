"""Clicks and pixels one after the other: rounds, random flows, no driver, and the traffic of pages."""

import asyncio
import itertools
import random
import re
from collections import Counter

import clicks
import matrix
import pixels
from playwright.async_api import Browser as Driver
from programs import JSON, Browser, Chromium, Service
from sites import TRIGGER_PATH, Sites, go
from websocket import DevTools

ROUNDS = 50
FLOWS, STEPS, LANES = 20, 6, 4
OBSERVATIONS = ("page-attached", "page-click-dropped", "attachment-lost")


def image(url: str) -> str:
    return f"<img src='{url}'>"


def ad(text: str) -> str:
    """A link that fills the page."""
    return f"<a id=ad style='position: fixed; inset: 0' {text}>ad</a>"


# Rounds


async def check_rounds(sites: Sites, service: Service, chromium: Chromium, report: matrix.Report) -> None:
    """100 rounds of click, landing, and pixel at once, in two contexts with a browser each."""
    await asyncio.gather(*(run_rounds(name, sites, service, chromium, report) for name in ("a", "b")))


async def run_rounds(name: str, sites: Sites, service: Service, chromium: Chromium, report: matrix.Report) -> None:
    """Each page is the landing of the last one's ad, loads its pixel, and has the next ad. A report is replaced by a conversion
    of a higher priority, so two sites are enough."""
    hosts = [f"{name}-news.example", f"{name}-shop.example"]
    for number in range(ROUNDS + 1):
        there = hosts[(number + 1) % 2]
        pixel = image(go(there, f"https://{there}{TRIGGER_PATH}{number % 16:02}/{number:02}")) if number else ""
        link = ad(
            f"attributionsourceid={number} attributiondestination=https://{there} href=https://{there}/rounds/{name}/{number + 1}")
        sites.documents[f"/rounds/{name}/{number}"] = matrix.document(link + pixel)
    devtools, browser = await DevTools.connect(chromium.address), await service.browser(f"rounds-{name}")
    context = await devtools.new_context(*hosts)
    async with browser.attached(chromium, context=context) as attachment:
        page = await devtools.open(f"https://{hosts[0]}/rounds/{name}/0", browserContextId=context)
        for number in range(ROUNDS):
            await devtools.press(page)
            await sites.seen(lambda request, number=number: request.host == hosts[number % 2]
                             and request.path.endswith(f"/{(number + 1) % 16:02}/{number + 1:02}"))
        settlement = await attachment.settle()
    expected = [line for number in range(ROUNDS) for line in (f"stored {number}", f"attributed {number} {(number + 1) % 16}")]
    report.check("round", name, expected, [in_words(entry) for entry in settlement["outcomes"]])
    report.check("round", f"{name}, dropped", [], settlement["dropped"])
    report.counts["round"] += ROUNDS - 2
    await devtools.send("Target.disposeBrowserContext", browserContextId=context)
    await devtools.close()


def in_words(entry: JSON) -> str:
    response = entry["response"]
    if entry["kind"] == "link-click":
        return f"{matrix.outcome(entry)} {(response['click'] or {}).get('sourceIdentifier')}"
    attribution = response["attribution"] or {}
    return f"{matrix.outcome(entry)} {attribution.get('sourceIdentifier')} {attribution.get('triggerData')}"


# Random flows


async def check_flows(sites: Sites, service: Service, chromium: Chromium, report: matrix.Report) -> None:
    """Random links and pixels make the same events as the same calls of the API."""
    await asyncio.gather(*(run_flows(range(lane, FLOWS, LANES), sites, service, chromium, report) for lane in range(LANES)))


async def run_flows(seeds: range, sites: Sites, service: Service, chromium: Chromium, report: matrix.Report) -> None:
    devtools = await DevTools.connect(chromium.address)
    context = await devtools.new_context("news.example", "shop.example", "other.example")
    page = await devtools.open("https://news.example/", browserContextId=context)
    for seed in seeds:
        draw = random.Random(seed)
        observed, called = await service.browser(f"observed-{seed}"), await service.browser(f"called-{seed}")
        async with observed.attached(chromium, context=context) as attachment:
            for step in range(STEPS):
                path = f"/flows/{seed}/{step}"
                await (follow_link if draw.random() < 0.5 else load_pixel)(draw, path, devtools, page, sites, called)
                await attachment.settle()
        await compare(seed, observed, called, report)
    await devtools.send("Target.disposeBrowserContext", browserContextId=context)
    await devtools.close()


async def compare(seed: int, observed: Browser, called: Browser, report: matrix.Report) -> None:
    expected, seen = await events_of(called), await events_of(observed)
    different = next((number for number, (one, other) in enumerate(itertools.zip_longest(expected, seen)) if one != other), 0)
    report.check("flow", f"seed {seed}", expected[different:], seen[different:])


async def follow_link(
    draw: random.Random, path: str, devtools: DevTools, page: str, sites: Sites, called: Browser
) -> None:
    host = draw.choice(["news.example", "blog.example"])
    landing = draw.choice(["shop.example", "www.shop.example", "other.example"])
    attributes = {"attributionSourceID": draw.choice(["7", "12", "300", "x", ""]),
                  "attributionDestination": draw.choice(
                      ["https://shop.example", "https://other.example/a", f"https://{host}", "shop"])}
    attributes = {name: value for name, value in attributes.items() if draw.random() < 0.9}
    href = f"https://{landing}{path}/landing"
    text = " ".join(f"{name.lower()}='{value}'" for name, value in attributes.items())
    sites.documents[path] = matrix.document(ad(f"{text} href='{href}'"))
    await devtools.load(page, f"https://{host}{path}")
    await devtools.shows(devtools.press(page), "Page.loadEventFired")
    if attributes:
        await called.call(
            "POST", "/link-clicks", {"pageURL": f"https://{host}{path}", "href": href, "landingURL": href, **attributes})


async def load_pixel(
    draw: random.Random, path: str, devtools: DevTools, page: str, sites: Sites, called: Browser
) -> None:
    host = draw.choice(["shop.example", "www.shop.example", "other.example"])
    pixel = draw.choice(["news.example", "ads.news.example", "shop.example"])
    source = draw.choice(["", "", "", "?attributionSource=https://news.example"])
    there, data = draw.choice([pixel, pixel, pixel, "blog.example"]), draw.choice(["05", "12", "12/07", "16"])
    target = f"https://{there}{TRIGGER_PATH}{data}{source}"
    redirect = go(pixel, target)
    sites.documents[path] = matrix.document(image(redirect))
    await devtools.load(page, f"https://{host}{path}")
    await called.call("POST", "/triggering-events", {
        "firstPartyURL": f"https://{host}{path}", "redirect": {"from": redirect, "to": target}})


async def events_of(browser: Browser) -> list[JSON]:
    """The events without times, and with numbers in the order of their appearance."""
    numbers: dict[str, str] = {}

    def plain(value: JSON) -> JSON:
        if isinstance(value, dict):
            return {name: plain(item) for name, item in value.items() if name != "observed"}
        if isinstance(value, list):
            return [plain(item) for item in value]
        if isinstance(value, str):
            value = re.sub(r"\b\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", value)
            return re.sub(r"\b(?:click|attribution|triggering-event|report)-\d+\b", lambda found: numbers.setdefault(
                found[0], f"{found[0].rpartition('-')[0]}-{len(numbers)}"), value)
        return value
    return [plain({"kind": event["kind"], "detail": event["detail"]}) for event in await browser.events()
            if event["kind"] not in OBSERVATIONS]


# No driver


async def check_without_driver(sites: Sites, service: Service, chromium: Chromium, report: matrix.Report) -> None:
    """Click, back to the document that Chromium kept, click, and a pixel, with DevTools and no driver."""
    link = ad("attributionsourceid=7 attributiondestination=https://shop.example href=https://shop.example/raw/landing")
    script = "<script>onpageshow = ({persisted}) => { document.title = `persisted ${persisted}` }</script>"
    sites.documents["/raw/news"] = matrix.document(link + script)
    sites.documents["/raw/landing"] = matrix.document(image(go("news.example", f"https://news.example{TRIGGER_PATH}12")))
    devtools, browser = await DevTools.connect(chromium.address), await service.browser("raw")
    async with browser.attached(chromium) as attachment:
        session = await devtools.open("https://news.example/raw/news")
        for step in range(2):
            await devtools.shows(devtools.press(session))
            settlement = await attachment.settle()
            expected = ["stored 7", "attributed 7 12"] if step == 0 else ["stored 7", "click-consumed"]
            seen = [in_words(entry) for entry in settlement["outcomes"]]
            report.check("raw", f"click {step + 1}", expected[0], seen[0] if seen else None)
            if step == 0:
                report.check("raw", "pixel", expected[1:], seen[1:])
                history = await devtools.send("Page.getNavigationHistory", session)
                await devtools.shows(devtools.send("Page.navigateToHistoryEntry", session, entryId=history["entries"][-2]["id"]))
                title = await devtools.evaluate(session, "document.title")
                report.check("raw", "the document that was kept", "persisted true", title)
        await devtools.close_page(session)
        await devtools.close()


# Traffic


PAGES = ["image-302", "image-308", "stylesheet", "script", "module", "frame", "cross-site-frame-image", "form-post-in-frame",
         "fetch-credentials", "fetch-post", "xhr", "beacon", "worker", "own-pixel"]
LINKS = ["same-tab", "redirects", "frame-top"]


async def check_traffic(driver: Driver, sites: Sites, service: Service, chromium: Chromium, report: matrix.Report) -> None:
    """The requests of the pages are the same with an attachment and without, byte for byte, apart from the place of client hints.
    When any client calls Fetch.enable, Chromium sends the hints of a redirected navigation at another place in the head."""
    without = await traffic(driver, sites)
    async with (await service.browser("traffic")).attached(chromium) as attachment:
        attached = await traffic(driver, sites)
        outcomes = (await attachment.settle())["outcomes"]
    report.check("traffic", "the attachment saw the pages", len(PAGES) + len(LINKS), len(outcomes))
    for sign, difference in (("only without", without - attached), ("only with", attached - without)):
        report.check("traffic", sign, [], [(*key[:2], key[2][:300], count) for key, count in difference.items()])
    report.counts["requests compared"] = sum(without.values())


async def traffic(driver: Driver, sites: Sites) -> Counter:
    sites.requests.clear()
    context = await driver.new_context(has_touch=True)
    links = [case for case in clicks.CLICKS if case.name in LINKS]
    pages = [case for case in pixels.PIXELS if case.name in PAGES]
    await asyncio.gather(*(matrix.run_click(context, sites, case) for case in links),
                         *(matrix.run_pixel(context, sites, case) for case in pages))
    for case in links:
        await sites.seen(lambda request, case=case: request.path == f"/c/{case.name}/landing")
    for case in pages:
        await sites.seen(lambda request, case=case: request.host in matrix.hosts_of(case) and request.path.startswith(TRIGGER_PATH))
    await context.close()
    # Chromium also has requests.
    return Counter((request.scheme, request.host, with_hints_first(request.head), request.body)
                   for request in sites.requests if request.host.endswith(".example"))


def with_hints_first(head: bytes) -> bytes:
    """The head with its client hints before the other lines. A sort keeps the order of equals."""
    return b"\r\n".join(sorted(head.split(b"\r\n"), key=lambda line: not line.startswith(b"sec-ch-ua")))


CHECKS = [check_rounds, check_flows, check_without_driver]
