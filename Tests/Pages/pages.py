"""Drives the pages of the service with Chromium.

    pages.py EXECUTABLE [--screenshots FOLDER]
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">'\"&"
TRIGGER = "https://news.example/.well-known/private-click-measurement/trigger-attribution"
ROOT = Path(__file__).parents[2]
MANIFEST = (ROOT / "Fixtures/manifests/news-reader/Info.plist").read_bytes()
TIMEOUT = 15_000
# Options of axe-core. Colors take most of its time, and depend on the appearance alone; the other rules examine markup and layout.
ALL_RULES = {}
COLORS = {"runOnly": ["color-contrast", "link-in-text-block"]}
ALL_BUT_COLORS = {"rules": {rule: {"enabled": False} for rule in COLORS["runOnly"]}}


def require(is_so, what):
    if not is_so:
        sys.exit(f"scripts/test-page: {what}")


class Service:
    """A service on a port that the kernel chose, and a client that is not a page."""

    def __init__(self, url, token=None):
        self.url, self.token = url, token

    def call(self, method, path, body=None, media_type="application/json"):
        headers = {"Content-Type": media_type} | ({"Authorization": f"Bearer {self.token}"} if self.token else {})
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None


@contextmanager
def serving(executable, *arguments, token=None, folder=None, port="0"):
    with tempfile.TemporaryDirectory() as temporary:
        command = [executable, "serve", "--port", port, "--data", folder or temporary, *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            for line in process.stdout:
                if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                    yield Service(found[0], token)
                    break
            else:
                sys.exit("scripts/test-page: the service did not start")
        finally:
            process.terminate()
            process.wait()


@contextmanager
def receiving(executable, *names):
    """A report endpoint with these names, or with all. Returns its port and the file of its certificate authority."""
    with tempfile.TemporaryDirectory() as folder:
        command = [executable, "receive", "--port", "0", "--key-bits", "2048", "--ca-out", f"{folder}/ca.pem"]
        command += [part for name in names for part in ("--name", name)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            yield int(re.search(r"https://127\.0\.0\.1:(\d+)", process.stdout.readline())[1]), f"{folder}/ca.pem"
        finally:
            process.terminate()
            process.wait()


def api_path(name):
    return f"/v1/browsers/{urllib.parse.quote(name, safe='')}"


def click(service, name, destination="shop.example", verified=True):
    return service.call("POST", api_path(name) + "/event-attributions", {
        "bundleIdentifier": "com.example.news", "sourceIdentifier": 4, "destinationURL": f"https://{destination}/stand",
        "sourceDescription": HOSTILE[:90], "purchaser": "Shop Example", "tapVerified": verified})


def convert(service, name, destination="shop.example", data="12"):
    return service.call("POST", api_path(name) + "/triggering-events", {
        "firstPartyURL": f"https://{destination}/thanks",
        "redirect": {"from": "https://news.example/pixel", "to": f"{TRIGGER}/{data}"}})


def furnish(service, name):
    """An app, and sites of which one answers with markup."""
    service.call("PUT", api_path(name) + "/network", {"mode": "simulated"})
    service.call("PUT", api_path(name) + "/apps", MANIFEST, "application/x-plist")
    service.call("PUT", api_path(name) + "/sites/shop.example", {"report": [{"status": 400, "body": HOSTILE}]})


class Witness:
    """Fails for a violation of the policy, a script error, or a request to another host."""

    def __init__(self, page, service):
        self.faults = []
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error"
                and "401" not in message.text else None)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self.faults.append(request.url)
                if not request.url.startswith((service.url, "data:", "blob:")) else None)

    def check(self, page):
        require(not self.faults, f"{page.url}: {self.faults}")
        require(page.title() != "owned", f"{page.url}: hostile text ran")


def check_accessibility(page, what, rules=ALL_RULES):
    """Runs axe-core, which a page keeps until it is left."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    options = {"resultTypes": ["violations"]} | rules
    violations = page.evaluate("async (options) => (await axe.run(options)).violations", options)
    found = [f"{item['id']}: {node['html'][:120]}: {node.get('failureSummary', '')[:300]}" for item in violations
             for node in item["nodes"][:3]]
    require(not found, f"axe-core, {what}:\n" + "\n".join(found))


def until(page, condition, argument=None):
    """Waits for a condition, a function in the page or here. Returns whether it came true within 15 seconds. Playwright's own
    function evaluates text in the page, which the policy forbids."""
    for _ in range(300):
        if condition() if callable(condition) else page.evaluate(condition, argument):
            return True
        page.wait_for_timeout(50)
    return False


def await_condition(page, condition, argument=None):
    require(until(page, condition, argument), f"{condition} did not come true")


def check_width(page, what):
    """The parts of a page are drawn again when the window changes, so the width is read a moment later."""
    until(page, "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    width = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    wide = page.evaluate("""[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right >
        innerWidth + 1).slice(0, 5).map((e) => e.outerHTML.slice(0, 100))""")
    require(width <= 0, f"{what} scrolls horizontally by {width} pixels: {wide}")


class Visit:
    def __init__(self, chromium, service, screenshots, **options):
        self.context = chromium.new_context(viewport={"width": 1280, "height": 900}, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(TIMEOUT)
        expect.set_options(timeout=TIMEOUT)
        self.service, self.screenshots = service, screenshots
        self.witness = Witness(self.page, service)

    def look(self, name):
        """Examines the page in both appearances, which differ in colors, and at a small width, which has the same colors."""
        page = self.page
        for scheme, rules in (("light", ALL_RULES), ("dark", COLORS)):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            # Scripts learn of the appearance with the next frame.
            page.evaluate("() => new Promise(requestAnimationFrame)")
            check_accessibility(page, f"{name}, {scheme}", rules)
            self.take(f"{name}-{scheme}")
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": 360, "height": 740})
        check_width(page, f"{name} at 360 pixels")
        # A drawing for a wider window would be scaled, and its text too small.
        await_condition(page, """() => [...document.querySelectorAll('[data-width] > svg, [data-width] figure > svg')].every(
            (drawing) => drawing.viewBox.baseVal.width < innerWidth)""")
        self.take(f"{name}-360")
        check_accessibility(page, f"{name} at 360 pixels", ALL_BUT_COLORS)
        page.set_viewport_size({"width": 1280, "height": 900})
        self.witness.check(page)

    def take(self, name, last=None):
        """Writes a picture of the page, or of its beginning up to a place."""
        if self.screenshots:
            # Time travel, which stays visible, is at its own place.
            self.page.evaluate("scrollTo(0, 0)")
            clip = None
            if last:
                box = self.page.locator(last).bounding_box()
                bottom = box["y"] + box["height"] + self.page.evaluate("scrollY")
                clip = {"x": 0, "y": 0, "width": 1280, "height": bottom + 16}
            self.page.screenshot(path=str(self.screenshots / f"{name}.png"), full_page=True, clip=clip)


def show_view(page, name):
    page.locator(f"[data-view={name}]").click()
    expect(page.locator(f"[data-view={name}]")).to_have_attribute("aria-current", "page")


def check_story(visit):
    page, service = visit.page, visit.service
    page.goto(service.url)
    expect(page.locator("#browsers")).to_contain_text("default")
    page.get_by_label("Name", exact=True).fill(HOSTILE)
    page.get_by_role("button", name="Create").click()
    expect(page.locator(".answer h1")).to_have_text(HOSTILE)
    page.goto(service.url)
    page.get_by_label("Name", exact=True).fill("checkout")
    page.keyboard.press("Enter")
    expect(page.locator(".answer h1")).to_have_text("checkout")
    page.get_by_role("link", name="pcm-browser").click()
    expect(page.locator("#browsers")).to_contain_text(HOSTILE)
    visit.look("browsers")
    page.get_by_label("Filter by name").fill("check")
    expect(page.locator(".browsers tbody tr")).to_have_count(1)
    page.get_by_role("link", name="checkout", exact=True).click()
    expect(page.locator("#status")).to_have_text("Live")
    expect(page.locator("#timeline")).to_contain_text("No clicks yet")

    expect(page.locator("#answer")).to_contain_text("Nothing happened yet")
    furnish(service, "checkout")
    click(service, "checkout")
    expect(page.locator("#answer")).to_contain_text("1 click waits for a triggering event until")
    expect(page.locator("#story")).to_contain_text("Tap on an ad for shop.example")
    click(service, "checkout", verified=False)
    convert(service, "checkout")
    convert(service, "checkout", destination="other.example")
    convert(service, "checkout", data="99")
    expect(page.locator("#answer")).to_contain_text("1 click discarded: the tap did not land on a control")
    page.locator("#answer a", has_text="1 click discarded").click()
    expect(page.locator("#item")).to_contain_text("Failed")
    expect(page.locator("#item")).to_contain_text("Smallest change")
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#item").get_by_role("button", name="Copy as a scenario step").click()
    expect(page.locator("#item [data-copy]")).to_have_text("Copied")
    require('- {"event-attribution": {' in page.evaluate("navigator.clipboard.readText()"), "the step is not in the clipboard")
    expect(page.locator("#story [aria-current]")).to_contain_text("discarded")
    page.locator("#answer").get_by_role("button", name="Go there").click()
    expect(page.locator("#answer")).to_contain_text(re.compile("1 report (delivered|failed)"))
    page.get_by_role("button", name="+48 hours").click()
    expect(page.locator("#answer")).to_contain_text("Nothing is due.")
    click(service, "checkout", destination="books.example")
    page.locator("#story a", has_text="Report to news.example").click()
    expect(page.locator("#item")).to_contain_text("report-attribution")
    visit.look("browser")
    for name in ("reports", "log", "apps", "network", "try", "settings"):
        show_view(page, name)
        visit.look(f"browser-{name}")
    page.keyboard.press("1")
    expect(page.locator("#story")).to_be_visible()

    # The clock reaches the end of the delays with the keyboard only.
    button = page.get_by_role("button", name="Until idle")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#problem")).to_have_text("")
    page.get_by_role("button", name="Zoom in").click()
    page.locator("#timeline a").first.wait_for(state="attached")
    visit.witness.check(page)


def check_hostile(visit):
    page, service = visit.page, visit.service
    furnish(service, HOSTILE)
    click(service, HOSTILE)
    convert(service, HOSTILE)
    service.call("POST", api_path(HOSTILE) + "/clock/advance", {"untilIdle": True})
    page.goto(f"{service.url}/browsers/{urllib.parse.quote(HOSTILE, safe='')}")
    expect(page.locator(".answer h1")).to_have_text(HOSTILE)
    expect(page.locator("#answer")).to_contain_text("answered 400")
    expect(page.locator("#item")).to_contain_text("<script>")
    visit.look("hostile")


def check_token(visit):
    page, service = visit.page, visit.service
    page.goto(service.url)
    page.locator("#token[open]").wait_for()
    visit.look("token")
    expect(page.locator("#token-problem")).to_have_text("")
    # The second one has a character that a header cannot contain.
    for wrong in ("wrong", "\u2014wrong"):
        page.locator("#token input").fill(wrong)
        page.keyboard.press("Enter")
        expect(page.locator("#token input")).to_have_value("")
        expect(page.locator("#token-problem")).to_contain_text("The token is wrong")
        page.locator("#token-problem").evaluate("(place) => { place.textContent = '' }")
    visit.take("token-wrong")
    page.locator("#token input").fill(service.token)
    page.keyboard.press("Enter")
    expect(page.locator("#browsers")).to_contain_text("default")
    page.goto(f"{service.url}/browsers/default")
    expect(page.locator("#status")).to_have_text("Live")
    visit.witness.check(page)


def check_each(chromium, service, screenshots, *checks, **options):
    """Each check has a context, whose pages are closed after it: an open page keeps loading its parts."""
    for check in checks:
        visit = Visit(chromium, service, screenshots, **options)
        check(visit)
        visit.context.close()
        passed(check)


def passed(check):
    print(f"passed: {check.__name__}", flush=True)


def check_stories(chromium, executable, screenshots):
    import examples
    with serving(executable) as service:
        # The list comes first: its browsers are in the order of their use, which the end of another check's stream may change late.
        check_each(chromium, service, screenshots, examples.check_list, check_story, check_hostile, *examples.CHECKS)


def run(group, executable, screenshots):
    """Runs checks that depend on no other group, with a Chromium and services that only they use."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        group(chromium, executable, screenshots)
        chromium.close()


def main():
    import journeys
    import report_pages
    executable = sys.argv[1]
    screenshots = Path(sys.argv[3]) if sys.argv[2:3] == ["--screenshots"] else None
    if screenshots:
        screenshots.mkdir(parents=True, exist_ok=True)
    groups = (journeys.check_copies, check_stories, journeys.check_interaction, journeys.check_services, report_pages.check_all)
    with ProcessPoolExecutor(2) as pool:
        for _ in pool.map(partial(run, executable=executable, screenshots=screenshots), groups):
            pass
    release = ROOT / ".build/release/pcm-browser"
    # An older release build does not have the pages of this version. Its limits of time apply while nothing else runs, and with CI
    # other builds do.
    if "CI" not in os.environ and release.exists() and release.stat().st_mtime >= Path(executable).stat().st_mtime:
        run(journeys.check_cost, str(release), screenshots)
    print("passed: pages with Chromium and axe-core")


if __name__ == "__main__":
    main()
