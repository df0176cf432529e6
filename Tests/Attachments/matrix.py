"""Runs the rows of the tables: many pages at once, one settlement for all."""

import asyncio
import re
from collections import Counter
from string import Template

from clicks import CLICKS, ClickCase
from gestures import GESTURES
from pixels import PIXELS, PixelCase
from playwright.async_api import Browser as Driver
from playwright.async_api import BrowserContext, Error
from programs import JSON, Attachment, Browser, Chromium, Service
from sites import TRIGGER_PATH, Document, Sites, go

# Pages that are open at once. A settlement waits for all of them.
BATCH = 16
ROWS = CLICKS + GESTURES
ANCHORS = 3
# In milliseconds. The machine may be busy.
PATIENCE = 30_000
# Notes that depend on the order of the rows, and of a frame's first messages.
NOTES = ("click-replaced", "redirect-from-unknown")


class Report:
    """The counts of checks and their failures."""

    def __init__(self, names: list[str]) -> None:
        # The rows and checks to run, or none for all.
        self.names = names
        self.counts: Counter[str] = Counter()
        # The kinds and names of the checks that failed.
        self.failures: set[tuple[str, str]] = set()

    def check(self, kind: str, name: str, expected: object, seen: object) -> None:
        self.counts[kind] += 1
        if expected != seen:
            self.failures.add((kind, name))
            print(f"failed: {kind}, {name}: expected {expected}, saw {seen}")


def outcome(entry: JSON) -> str:
    """The outcome of a call in words: its kind, then the codes of its reasons."""
    if entry["status"] != 201:
        return f"status {entry['status']}"
    codes = (reason["code"] for reason in entry["response"]["reasons"])
    return " ".join([entry["response"]["outcome"], *(code for code in codes if code not in NOTES)])


async def anchored(context: BrowserContext, *hosts: str) -> BrowserContext:
    """Opens a page of each site, whose process the pages of the rows then share."""
    for host in hosts:
        await (await context.new_page()).goto(f"https://{host}/")
    return context


def batches(rows: list) -> list[list]:
    return [rows[start:start + BATCH] for start in range(0, len(rows), BATCH)]


def document(body: str, headers: dict[str, str] | None = None) -> Document:
    """A document that asks for no icon."""
    return Document("<!doctype html><meta charset=utf-8><link rel=icon href=data:,>" + body, headers=tuple((headers or {}).items()))


def publish(sites: Sites, case: ClickCase | PixelCase, values: dict[str, str], headers: dict[str, str]) -> None:
    folder = f"/c/{case.name}/"
    headers = {field: Template(text).safe_substitute(values) for field, text in headers.items()}
    sites.documents[folder] = document(Template(case.html).safe_substitute(values), headers)
    for name, text in case.files.items():
        text = Template(text).safe_substitute(values)
        sites.documents[folder + name] = Document(text, "text/javascript") if name.endswith(".js") else document(text)


async def check_tables(driver: Driver, sites: Sites, service: Service, chromium: Chromium, report: Report) -> None:
    sites.requests.clear()
    browser = await service.browser("matrix")
    async with browser.attached(chromium) as attachment:
        await run_clicks(
            driver, sites, attachment, report, [case for case in ROWS if not report.names or case.name in report.names])
        await run_pixels(
            driver, sites, browser, attachment, report, [case for case in PIXELS if not report.names or case.name in report.names])


# Clicks


def click_values(case: ClickCase) -> dict[str, str]:
    to = f"https://shop.example/c/{case.name}/landing"
    attributes = "attributionsourceid=7 attributiondestination=https://shop.example"
    return {"name": case.name, "here": f"/c/{case.name}", "to": to,
            "via": go("news.example", go("shop.example", to, 301)) + f"&/c/{case.name}/",
            "attributes": attributes, "ad": f"<a id=ad {attributes} href='{to}'>ad</a>", "number": str(1_000 + ROWS.index(case))}


async def run_clicks(driver: Driver, sites: Sites, attachment: Attachment, report: Report, cases: list) -> None:
    context = await anchored(await driver.new_context(has_touch=True), "news.example", "shop.example", "other.example")
    for batch in batches(cases):
        # A window hides the other tabs of its context, which then get no input.
        contexts = [await driver.new_context() if case.opens_window else context for case in batch]
        problems = await asyncio.gather(*(run_click(place, sites, case) for place, case in zip(contexts, batch, strict=True)))
        settlement = await attachment.settle()
        report.check("click", "settled", True, settlement["settled"])
        for case, problem in zip(batch, problems, strict=True):
            report.check("click", case.name, list(case.expected), problem or outcomes_of_click(case, settlement))
        await asyncio.gather(*(page.close() for page in context.pages[ANCHORS:]),
                             *(place.close() for place in contexts if place is not context))
    await context.close()


async def run_click(context: BrowserContext, sites: Sites, case: ClickCase) -> str | None:
    publish(sites, case, click_values(case), {})
    page = await context.new_page()
    page.set_default_timeout(PATIENCE)
    try:
        await page.goto(f"https://news.example/c/{case.name}/")
        await case.act(page, sites, case.name)
    except (Error, TimeoutError) as error:
        return f"a problem: {error!r}"
    return None


def outcomes_of_click(case: ClickCase, settlement: JSON) -> list[str]:
    """The outcomes of the clicks, dropped clicks first."""
    # The URL of a link to the App Store has a number.
    mark = re.compile(rf"/c/{case.name}/|/id{1_000 + ROWS.index(case)}$")
    dropped = [f"dropped {drop['code']}" for drop in settlement["dropped"] if mark.search(drop["href"])]
    found = [entry for entry in settlement["outcomes"] if entry["kind"] == "link-click" and mark.search(entry["url"])]
    for entry in found:
        click = entry["response"].get("click")
        if click and (click["sourceSite"], click["destinationSite"]) != ("news.example", "shop.example"):
            return [f"a click from {click['sourceSite']} to {click['destinationSite']}"]
    return dropped + [outcome(entry) for entry in found]


# Pixels


def hosts_of(case: PixelCase) -> tuple[str, str]:
    """The hosts of the pixel and of the page."""
    return f"news-{case.name}.example", f"{case.name}.shop.example"


def pixel_values(case: PixelCase) -> dict[str, str]:
    host, shop = hosts_of(case)
    trigger = f"https://{host}{TRIGGER_PATH}12"
    statuses = {f"pixel{status}": go(host, trigger, status) for status in (301, 302, 303, 307, 308)}
    return {
        "name": case.name, "here": f"/c/{case.name}", "site": shop, "news": host, "trigger": trigger,
        "path": TRIGGER_PATH.strip("/"), "pixel": go(host, trigger), "cors": go(host, trigger, cors=1),
        "held": go(host, trigger, wait=case.name), "cached": go(host, trigger, 301, cache=1),
        "chain": go("tracker.example", go(host, trigger), 307), **statuses}


async def run_pixels(driver: Driver, sites: Sites, browser: Browser, attachment: Attachment, report: Report, cases: list) -> None:
    # A click of each pixel's site, which the pixel converts.
    await asyncio.gather(*(browser.call("POST", "/link-clicks", {
        "pageURL": f"https://{hosts_of(case)[0]}/", "attributionSourceID": "7",
        "attributionDestination": "https://shop.example"}) for case in cases))
    context = await anchored(await driver.new_context(), "www.shop.example", "www.other.example", "www.news.example")
    for batch in batches(cases):
        problems = await asyncio.gather(*(run_pixel(context, sites, case) for case in batch))
        settlement = await attachment.settle()
        report.check("pixel", "settled", True, settlement["settled"])
        for case, problem in zip(batch, problems, strict=True):
            report.check("pixel", case.name, list(case.expected), problem or outcomes_of_pixel(case, settlement))
            report.check("requests of a pixel", case.name, case.requests, trigger_requests(sites, case))
        await asyncio.gather(*(page.close() for page in context.pages[ANCHORS:]))
    await context.close()


async def run_pixel(context: BrowserContext, sites: Sites, case: PixelCase) -> str | None:
    publish(sites, case, pixel_values(case), case.headers)
    page = await context.new_page()
    page.set_default_timeout(PATIENCE)
    try:
        await page.goto(f"https://{hosts_of(case)[1]}/c/{case.name}/")
        if case.act:
            await case.act(page, sites, case.name)
    except (Error, TimeoutError) as error:
        return f"a problem: {error!r}"
    return None


def trigger_requests(sites: Sites, case: PixelCase) -> int:
    return sum(request.host in hosts_of(case) and request.path.startswith(TRIGGER_PATH) for request in sites.requests)


def outcomes_of_pixel(case: PixelCase, settlement: JSON) -> list[str]:
    marks = tuple(f"{scheme}://{host}/" for host in hosts_of(case) for scheme in ("https", "http"))
    found = [entry for entry in settlement["outcomes"] if entry["kind"] == "triggering-event" and entry["url"].startswith(marks)]
    for entry in found:
        load = entry["request"]["observed"].get("load")
        if case.load and load != case.load:
            return [f"a load of the kind {load} instead of {case.load}"]
        trigger = entry["response"].get("trigger")
        if trigger and entry["response"]["outcome"] != "rejected":
            pair = trigger["sourceSite"], trigger["destinationSite"]
            if pair != (hosts_of(case)[0], "shop.example"):
                return [f"a trigger of {pair[0]} on {pair[1]}"]
    dropped = [f"dropped {drop['code']}" for drop in settlement["dropped"] if drop["href"].startswith(marks)]
    return dropped + [outcome(entry) for entry in found]
