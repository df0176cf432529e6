"""Journeys through the pages: forms and the code that they copy, the pointer, the keyboard, the network, and the cost of a page."""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

import report_pages
from playwright.sync_api import expect

from pages import (ALL_BUT_COLORS, HOSTILE, MANIFEST, ROOT, Visit, api_path, await_condition, check_accessibility, check_each,
                   check_token, check_width, click, convert, furnish, passed, receiving, require, serving, show_view,
                   until)

WEB = [("Network", "Done"), ("App", "Done"), ("Tapped ad", "stored"), ("Link click", "stored"), ("Triggering event", "attributed"),
       ("Simulated site", "Done"), ("Load", "attributed")]
DEVICE = [("Ad network", "Done"), ("App that shows ads", "Done"), ("Advertised app", "Done"), ("Ad of SKAdNetwork", "recorded"),
          ("Ad of AdAttributionKit", "started"), ("Clock", "Done"), ("Tap on an ad", "recorded"), ("End of a view", "recorded"),
          ("Install", "attributed"), ("Launch", "Done"), ("Conversion value", "accepted"), ("Development postbacks", "Done"),
          ("Content cards", "Done"), ("Impression of a card", "counted"), ("Click on a card", "counted"),
          ("Dismissal of a card", "counted"),
          ("Permission to track", "prompted"), ("Answer to the prompt", "answered"), ("Tracking in the settings", "changed"),
          ("Event of a measurement SDK", "recorded")]


def open_browser(visit, name):
    """A new browser on a manual clock, created on the page."""
    page = visit.page
    page.goto(visit.service.url)
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Network").select_option("real")
    page.get_by_role("button", name="Create").click()
    expect(page.locator(".answer h1")).to_have_text(name)
    expect(page.locator("#status")).to_have_text("Live")


def form(page, title):
    """The form with this title, in its view."""
    details = page.locator("details.try").filter(has=page.locator("summary").get_by_text(title, exact=True))
    view = details.evaluate("(item) => item.closest('.view').id.replace('view-', '')")
    if not page.locator(f"#view-{view}").is_visible():
        show_view(page, view)
    if not details.evaluate("(item) => item.open"):
        details.locator("> summary").click()
    return details


def submit(page, title):
    place = form(page, title)
    place.locator("button.main").click()
    result = place.locator("[data-result] .badge")
    result.wait_for()
    return result.inner_text()


# The forms


def check_forms(visit):
    page = visit.page
    open_browser(visit, "forms")
    for title, outcome in WEB + DEVICE:
        found = submit(page, title)
        require(outcome in found, f"{title}: {found} instead of {outcome}")
    visit.look("forms")
    expect(page.locator("#timeline")).to_contain_text("example123.skadnetwork → com.example.game")
    page.get_by_role("button", name="+7 days").click()
    expect(page.locator("#answer")).to_contain_text(re.compile("postbacks? and .* delivered"))
    expect(page.locator("#timeline .ring").first).to_be_attached()
    visit.take("device-timeline")
    show_view(page, "apps")
    page.locator("#cards li", has_text="coupon_code").get_by_role("button", name="Dismiss").click()
    expect(page.locator("#card-result")).to_contain_text("card-not-dismissible")
    form(page, "Tracking in the settings").get_by_label("System").select_option("allowed")
    for title in ("Tracking in the settings", "Install", "Permission to track"):
        submit(page, title)
    show_view(page, "apps")
    page.locator("#tracking").get_by_role("button", name="Allow", exact=True).click()
    expect(page.locator("#tracking")).to_contain_text("3 authorized")
    expect(page.locator("#tracking")).to_contain_text("https://consent.adjust.com/event")
    visit.witness.check(page)


def check_problems(visit):
    """A problem is at the field that its pointer names."""
    page = visit.page
    open_browser(visit, "problems")
    submit(page, "App")
    faults = [("Tapped ad", "Source identifier", "300"), ("Tapped ad", "Destination URL", "stand"),
              ("Triggering event", "Priority", "many"), ("Advertised app", "Info plist", "{"),
              ("Advertised app", "Bundle identifier", "a b"), ("App", "Info.plist, XML", "no property list")]
    for title, label, value in faults:
        place = form(page, title)
        field = place.get_by_label(label)
        before = field.input_value()
        field.fill(value)
        place.locator("button.main").click()
        expect(place.locator("[data-problem]")).to_contain_text("Correct the marked field")
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_be_focused()
        text = page.locator(f"#{field.get_attribute('aria-describedby')}").inner_text()
        require(len(text) > 8, f"{title}, {label}: no text at the field")
        check_accessibility(page, f"the problem of {label}")
        field.fill(before)
        place.locator("button.main").click()
        expect(field).not_to_have_attribute("aria-invalid", "true")
    show_view(page, "settings")
    page.locator("#settings").locator("xpath=..").locator("> summary").click()
    page.get_by_label("Maximum count").fill("5")
    page.locator("#settings button.main").click()
    expect(page.get_by_label("Maximum count")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Maximum count").fill("5000")
    page.get_by_label("Debug mode").check()
    page.locator("#settings button.main").click()
    expect(page.locator("#settings [data-result] .badge")).to_be_visible()
    settings = visit.service.call("GET", api_path("problems"))["settings"]
    require(settings["debugMode"] and settings["logRetention"]["maximumCount"] == 5000, "the settings were not saved")
    visit.service.call("PATCH", api_path("problems"), {"settings": {"debugMode": False}})
    expect(page.get_by_label("Debug mode")).not_to_be_checked()
    visit.witness.faults = [fault for fault in visit.witness.faults if "422" not in fault]
    visit.witness.check(page)


def copied(page, title, language):
    place = form(page, title)
    place.get_by_role("button", name=f"Copy as {language}").click()
    expect(place.locator("[data-result] p").first).to_have_text("Copied.")
    return page.evaluate("navigator.clipboard.readText()")


def run(command, code, environment=None):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Info.plist").write_bytes(MANIFEST)
        done = subprocess.run(
            [*command, code], capture_output=True, text=True, timeout=60, cwd=folder, env=os.environ | (environment or {}))
    require(done.returncode == 0, f"the copied code failed:\n{code}\n{done.stderr}{done.stdout}")
    return json.loads(done.stdout) if done.stdout.strip() else None


def check_code(visit):
    """The copied code has the effect of the form. Returns the Swift code."""
    page = visit.page
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    swift = []
    commands = {"curl": ["bash", "-c"], "Python": [sys.executable, "-c"]}
    for language, command in commands.items():
        open_browser(visit, f"code's {language}")
        for title, outcome in WEB + DEVICE:
            if title == "Tap on an ad":
                # The copied call displayed the ad, so the page has not seen its name.
                device = api_path(f"code's {language}").replace("browsers", "devices")
                shown = visit.service.call("GET", f"{device}/impressions")
                for ended in ("Tap on an ad", "End of a view"):
                    form(page, ended).get_by_label("Displayed ad").fill(
                        [item for item in shown["items"] if item["state"] == "displayed"][-1]["id"])
            answer = run(command, copied(page, title, language))
            found = answer.get("outcome") or answer.get("triggeringEvents", [{}])[-1].get("outcome")
            require(outcome in ("", "Done", found), f"{title} as {language}: {answer}")
            if language == "curl":
                swift.append(copied(page, title, "Swift"))
    place = form(page, "Tapped ad")
    place.get_by_label("Source description").fill(HOSTILE + "\\b\\\\ $(touch /tmp/x) `x` é\u2028")
    for language, command in commands.items():
        answer = run(command, copied(page, "Tapped ad", language))
        require(answer["outcome"] == "stored", f"hostile text as {language}: {answer}")
    swift.append(copied(page, "Tapped ad", "Swift"))
    place = form(page, "App")
    place.locator("[data-file]").set_input_files(ROOT / "Fixtures/manifests/binary/Info.plist")
    place.get_by_role("button", name="Remove the file").wait_for()
    for language, command in commands.items():
        require("bundleIdentifier" in run(command, copied(page, "App", language)), f"a file as {language}")
    swift.append(copied(page, "App", "Swift"))
    show_view(page, "settings")
    page.locator("#settings").locator("xpath=..").locator("> summary").click()
    page.locator("#device").locator("xpath=..").locator("> summary").click()
    page.get_by_label("Private browsing").press("Space")
    page.get_by_label("Delivery policy").select_option("reliable")
    form(page, "Device").get_by_label("Country").fill("DE")
    page.get_by_label("Source domain").select_option("ad-network")
    swift += [copied(page, "Browser", "Swift"), copied(page, "Device", "Swift")]
    visit.witness.check(page)
    return swift


def check_secret(visit):
    """The code that a page with a token copies reads it from the environment. Returns the Swift code."""
    page, secret = visit.page, visit.service.token
    visit.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for language, command in (("curl", ["bash", "-c"]), ("Python", [sys.executable, "-c"])):
        code = copied(page, "App", language)
        require(secret not in code, f"the code for {language} contains the token")
        require("bundleIdentifier" in run(command, code, {"PCM_BROWSER_API_TOKEN": secret}), f"{language} with a token")
    code = copied(page, "App", "Swift")
    require(secret not in code, "the Swift code contains the token")
    visit.witness.check(page)
    return code


def check_swift(snippets):
    """Checks the types of all snippets in one file, each in a separate function."""
    imports = sorted({line for text in snippets for line in text.split("\n") if line.startswith("import ")})
    functions = ["func snippet%d() async throws {\n%s\n}" % (index, "\n".join(
        line for line in text.split("\n") if not line.startswith("import "))) for index, text in enumerate(snippets)]
    build = ROOT / ".build"
    compiled = build / ("release" if "CI" in os.environ else "debug")
    maps = [*build.glob("checkouts/*/Sources/**/module.modulemap"), *compiled.glob("*.build/module.modulemap")]
    headers = [path for path in build.glob("checkouts/*/Sources/*/include") if path.is_dir()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "Snippets.swift"
        file.write_text("\n".join([*imports, *functions]))
        command = ["swiftc", "-typecheck", "-swift-version", "6", "-I", compiled / "Modules", file]
        for path in maps:
            command += ["-Xcc", f"-fmodule-map-file={path}"]
        for path in headers:
            command += ["-I", path]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        require(done.returncode == 0, "the copied Swift code does not compile:\n" + "\n".join(errors) + "\n" + file.read_text())


def check_copies(chromium, executable, screenshots):
    """The code that pages copy, without and with a token. All Swift code is checked at once, because its imports take longest."""
    with serving(executable) as service:
        visit = Visit(chromium, service, screenshots)
        swift = check_code(visit)
        visit.context.close()
        passed(check_code)
    with serving(executable, "--api-token", "secret-of-the-test", token="secret-of-the-test") as service:
        visit = Visit(chromium, service, screenshots)
        check_token(visit)
        swift.append(check_secret(visit))
        visit.context.close()
        passed(check_token)
        check_each(chromium, service, screenshots, report_pages.check_documentation_token)
    check_swift(swift)
    passed(check_swift)


# A story with real endpoints


def check_delivery(chromium, executable, screenshots):
    """From the manifest to both reports at a TLS endpoint, with a second tab that follows, and a move that is canceled."""
    with (receiving(executable, "news.example", "shop.example") as (port, authority),
          socket.create_server(("127.0.0.1", 0)) as silent):
        silent_port = silent.getsockname()[1]
        routes = [f"slow.example:443:127.0.0.1:{silent_port}", f"::127.0.0.1:{port}"]
        arguments = [part for route in routes for part in ("--connect-to", route)] + ["--ca-file", authority]
        with serving(executable, *arguments) as service:
            visit = Visit(chromium, service, screenshots)
            page = visit.page
            open_browser(visit, "delivery")
            second = visit.context.new_page()
            second.goto(f"{page.url}#view=log")
            expect(second.locator("#status")).to_have_text("Live")
            # Chromium draws about one frame per second in a tab behind another, and a click waits for two.
            page.bring_to_front()

            place = form(page, "App")
            place.locator("[data-file]").set_input_files(
                {"name": "Info.plist", "mimeType": "application/x-plist", "buffer": MANIFEST})
            expect(place.get_by_label("Info.plist, XML")).to_have_value(re.compile("NewsReader"))
            submit(page, "App")
            place.get_by_label("Info.plist, XML").fill("")
            page.evaluate("""(text) => { const files = new DataTransfer(); files.items.add(new File([text], 'Info.plist'));
                const drop = new DragEvent('drop', { dataTransfer: files, bubbles: true });
                document.querySelector('[data-drop]').dispatchEvent(drop) }""",
                          MANIFEST.decode())
            expect(place.get_by_label("Info.plist, XML")).to_have_value(re.compile("NewsReader"))
            submit(page, "App")
            place = form(page, "Tapped ad")
            place.get_by_label("Tap verified").uncheck()
            require(submit(page, "Tapped ad") == "discarded", "an unverified tap was kept")
            place.get_by_role("link", name="Why click-").click()
            expect(page.locator("#item")).to_contain_text("UIEventAttributionView")
            rule = page.locator("#item").get_by_role("link", name="tap-is-verified")
            with page.context.expect_page() as opened:
                rule.click(modifiers=["Control"])
            expect(opened.value.locator("details[open]:target")).to_contain_text("Tap is verified")
            opened.value.bring_to_front()
            check_accessibility(opened.value, "the rules")
            opened.value.close()
            page.bring_to_front()
            form(page, "Tapped ad").get_by_label("Tap verified").check()
            require(submit(page, "Tapped ad") == "stored", "a verified tap was discarded")
            require(submit(page, "Triggering event") == "attributed", "no click was attributed")
            expect(second.locator("#log")).to_contain_text("report-scheduled")
            page.get_by_role("button", name="+48 hours").click()
            show_view(page, "log")
            for tab in (page, second):
                expect(tab.locator("#log li", has_text="report-delivered")).to_have_count(2)
            show_view(second, "reports")
            expect(second.locator("#story .badge.good", has_text="delivered")).to_have_count(2)
            page.bring_to_front()
            show_view(page, "reports")
            page.locator("#charts-box > summary").click()
            expect(page.locator("#charts")).to_contain_text("2 attempts, from the start to the last byte")
            require("ms" in page.locator("#charts table").nth(2).text_content(), "the latency has no table")
            visit.take("delivery")
            show_view(page, "story")
            visit.take("readme-browser")

            # A recipient that never responds keeps the move waiting, until the page cancels it.
            form(page, "Tapped ad").get_by_label("Destination URL").fill("https://slow.example/")
            submit(page, "Tapped ad")
            form(page, "Triggering event").get_by_label("First party URL").fill("https://slow.example/")
            submit(page, "Triggering event")
            page.get_by_role("button", name="+7 days").click()
            page.get_by_role("button", name="Cancel").click()
            expect(page.locator("#problem")).to_contain_text("Canceled")
            expect(page.get_by_role("button", name="Cancel")).to_be_hidden()
            visit.witness.check(page)
            visit.context.close()
            # The service stops after the deliveries that are under way, and this ends the delivery without a response.
            silent.close()


def check_download(visit):
    """A download of a long log has the newest 100,000 events, and the page says so."""
    page = visit.page
    open_browser(visit, "download")
    queries = []

    def answer(route):
        queries.append(urllib.parse.urlparse(route.request.url).query)
        route.fulfill(json={"items": [{"sequence": 1}] * 1_000, "next": "more"})

    page.route("**/events?limit=*", answer)
    show_view(page, "log")
    page.evaluate("one('[data-end]').dataset.end = 250000")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the log").click()
    lines = Path(download.value.path()).read_text().splitlines()
    require(len(lines) == 100_000 and len(queries) == 100, f"the download has {len(lines)} events of {len(queries)} pages")
    require(queries[0] == "limit=1000&after=150000", f"the download begins with {queries[0]}")
    expect(page.locator("#problem")).to_contain_text("newest 100,000 events")
    visit.witness.check(page)


def check_many_tabs(visit):
    """More tabs than Chromium has connections to a host follow one browser, also after the tab that holds the stream is closed."""
    service = visit.service
    service.call("PUT", api_path("tabs"), {"clock": {"mode": "manual"}})
    furnish(service, "tabs")
    tabs = [visit.page] + [visit.context.new_page() for _ in range(8)]
    for tab in tabs:
        tab.goto(f"{service.url}/browsers/tabs#view=log")
        expect(tab.locator("#status")).to_have_text("Live")
    click(service, "tabs")
    for tab in tabs:
        expect(tab.locator("#log")).to_contain_text("click-stored")
    for closed in range(2):
        tabs.pop(0).close()
        service.call("POST", api_path("tabs") + "/clock/advance", {"by": "PT1H"})
        for tab in tabs:
            expect(tab.locator("#log li", has_text="clock-advanced")).to_have_count(closed + 1)


def check_restart(chromium, executable, screenshots):
    """The stream of events reconnects after the service restarts, and continues where it was."""
    with tempfile.TemporaryDirectory() as folder:
        with serving(executable, folder=folder) as service:
            port = service.url.rsplit(":", 1)[1]
            visit = Visit(chromium, service, screenshots)
            page = visit.page
            open_browser(visit, "restart")
            show_view(page, "log")
            furnish(service, "restart")
            click(service, "restart")
            expect(page.locator("#log")).to_contain_text("click-stored")
        expect(page.locator("#status")).to_have_text(re.compile("Reconnecting|Offline"))
        with serving(executable, folder=folder, port=port) as service:
            expect(page.locator("#status")).to_have_text("Live")
            convert(service, "restart")
            expect(page.locator("#log")).to_contain_text("report-scheduled")
        visit.context.close()


# The pointer and the keyboard


def shown(page):
    data = page.locator("#timeline svg[data-from]").evaluate("(svg) => [Number(svg.dataset.from), Number(svg.dataset.to)]")
    return data[0], data[1]


def check_pointer(visit):
    page, service = visit.page, visit.service
    service.call("PUT", api_path("pointer"), {"clock": {"mode": "manual"}})
    furnish(service, "pointer")
    click(service, "pointer")
    convert(service, "pointer")
    page.goto(f"{service.url}/browsers/pointer")
    expect(page.locator("#timeline")).to_contain_text("news.example → shop.example")
    box = page.locator("#timeline svg[data-from]").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 60
    whole = shown(page)
    page.mouse.move(x, y)
    page.mouse.wheel(0, -300)
    await_condition(page, """(length) => { const { from, to } = document.querySelector('#timeline svg[data-from]').dataset;
        return to - from < length }""", (whole[1] - whole[0]) * 0.9)
    near = shown(page)
    require(near[0] > whole[0] and near[1] < whole[1], "the wheel does not zoom around the pointer")
    page.mouse.down()
    page.mouse.move(x - 60, y)
    page.mouse.move(x - 120, y)
    page.mouse.up()
    await_condition(page, "(from) => Number(document.querySelector('#timeline svg[data-from]').dataset.from) > from", near[0])
    moved = shown(page)
    shift = (moved[0] - near[0]) / (near[1] - near[0]) * box["width"]
    require(abs(shift - 120) < 3, f"a drag of 120 pixels moved the timeline by {shift:.0f}")
    require("why=" not in page.url, "a drag selected an item")
    page.get_by_role("button", name="Show all").click()
    await_condition(page, "(from) => Number(document.querySelector('#timeline svg[data-from]').dataset.from) === from", whole[0])
    page.locator("#timeline a[data-key^=attributed]").click()
    expect(page.locator("#item h2")).to_have_text(re.compile("triggering-event-"))
    expect(page.locator("#story [aria-current]")).to_contain_text("Triggering event on shop.example")
    visit.witness.check(page)


def press_until(page, name, key="Tab"):
    """Moves the focus until it is on a control with this text."""
    for _ in range(300):
        page.keyboard.press(key)
        text = page.evaluate("""() => { const e = document.activeElement;
            return (e.getAttribute('aria-label') ?? e.innerText ?? '').trim() || (e.labels?.[0]?.innerText ?? '').trim() }""")
        if text == name:
            outlined = page.evaluate("getComputedStyle(document.activeElement).outlineStyle !== 'none'")
            require(outlined, f"the focus on {name} is not visible")
            return
    sys.exit(f"scripts/test-page: the keyboard does not reach {name}")


def check_keyboard(visit):
    """Everything from the creation of a browser to an explanation without a pointer."""
    page, service = visit.page, visit.service
    page.goto(service.url)
    press_until(page, "Skip to the content")
    press_until(page, "Name")
    page.keyboard.type("keyboard")
    page.keyboard.press("Enter")
    expect(page.locator(".answer h1")).to_have_text("keyboard")
    expect(page.locator("#status")).to_have_text("Live")
    press_until(page, "Try it")
    page.keyboard.press("Enter")
    for title, button in (("Network", "Use this network"), ("App", "Register the app"), ("Tapped ad", "Tap the ad"),
                          ("Triggering event", "Load the pixel")):
        press_until(page, title)
        page.keyboard.press("Enter")
        press_until(page, button)
        page.keyboard.press("Enter")
        expect(form(page, title).locator("[data-result] .badge")).to_be_visible()
    page.locator(".answer h1").evaluate("(title) => { title.tabIndex = -1; title.focus() }")
    press_until(page, "+48 hours")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("2 reports delivered")
    page.keyboard.press("1")
    expect(page.locator("#story a[aria-current]")).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#story [aria-current]")).to_be_focused()
    before = page.locator("#item h2").inner_text()
    page.keyboard.press("ArrowUp")
    expect(page.locator("#item h2")).not_to_have_text(before)
    require(page.url.endswith(page.locator("#item h2").inner_text()), f"the address {page.url} does not name the selected item")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    press_until(page, "Zoom in")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Zoom in")).to_be_focused()
    press_until(page, "Earlier", key="Shift+Tab")
    link = page.locator("#timeline a").first.get_attribute("aria-label")
    press_until(page, link)
    page.keyboard.press("Enter")
    expect(page.locator("#item h2")).to_be_visible()
    visit.witness.check(page)


def check_zoom(visit):
    """200 % zoom of a window of 1280 by 900 pixels: half as many CSS pixels, each twice as large."""
    visit.page.set_viewport_size({"width": 640, "height": 450})
    for path in ("/", "/rules", "/browsers/forms"):
        visit.page.goto(visit.service.url + path)
        check_width(visit.page, f"{path} at 200 %")
        check_accessibility(visit.page, f"{path} at 200 %", ALL_BUT_COLORS)
        visit.take(f"zoom{path.replace('/', '-')}")
    visit.witness.check(visit.page)


def check_policy(visit):
    """The test sees a violation of the policy, and an inline script does not run."""
    page = visit.page
    page.goto(visit.service.url)
    page.evaluate("""() => { const script = document.createElement('script'); script.textContent = "document.title = 'owned'";
        document.head.append(script); document.body.setAttribute('style', 'color: red') }""")
    def found():
        return [fault for fault in visit.witness.faults if "Content Security Policy" in fault]
    require(until(page, lambda: len(found()) >= 2), f"the provoked violations were not seen: {visit.witness.faults}")
    require(page.title() != "owned", "an inline script ran")


# The cost of the page


RENDERED = """new MutationObserver(() => {
  const parts = ['#timeline svg', '#answer *', '#story .rows', '#item h2'];
  if (!window.renderedAt && parts.every((part) => document.querySelector(part))) window.renderedAt = performance.now();
}).observe(document, { childList: true, subtree: true });"""


def measure(visit, name):
    """Returns the transferred bytes, and the time until all parts are rendered."""
    page = visit.context.new_page()
    page.add_init_script(RENDERED)
    network = visit.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    sizes = []
    network.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    page.goto(f"{visit.service.url}/browsers/{name}")
    await_condition(page, "() => window.renderedAt")
    loaded = page.evaluate("performance.getEntriesByType('resource').filter((entry) => entry.responseEnd > 0).length")
    require(until(page, lambda: len(sizes) > loaded), "the sizes of some files are unknown")
    time = page.evaluate("window.renderedAt")
    page.close()
    return sum(sizes), time


def fill_crowd(service):
    service.call("PUT", api_path("crowd"), {"clock": {"mode": "manual"}})
    furnish(service, "crowd")
    for number in range(9_500):
        click(service, "crowd", destination=f"shop{number % 40}.example")
        if number % 500 == 0:
            convert(service, "crowd", destination=f"shop{number % 40}.example")
            service.call("POST", api_path("crowd") + "/clock/advance", {"by": "PT3H"})


def check_cost(chromium, executable, screenshots):
    """The page of a browser with a story, and of one with 10,000 events, whose timeline stays small."""
    with serving(executable) as service:
        visit = Visit(chromium, service, screenshots)
        open_browser(visit, "cost")
        for title, _ in WEB + DEVICE:
            submit(visit.page, title)
        visit.page.get_by_role("button", name="+7 days").click()
        expect(visit.page.locator("#answer")).to_contain_text(re.compile("postbacks? and .* delivered"))
        size, time = measure(visit, "cost")
        time = min(time, measure(visit, "cost")[1])
        print(f"a browser with a story: {size / 1024:.0f} KiB transferred, rendered after {time:.0f} ms ({executable})")
        require(size < 120 * 1024, f"the page transfers {size} bytes, more than 120 KiB")
        require("release" not in executable or time < 300, f"the page renders after {time:.0f} ms, more than 300 ms")
        fill_crowd(service)
        loads = [measure(visit, "crowd") for _ in range(3)]
        size, times = loads[0][0], sorted(time for _, time in loads)
        visit.page.goto(f"{service.url}/browsers/crowd")
        expect(visit.page.locator("#timeline")).to_contain_text("more pairs")
        single = sorted(visit.page.evaluate("""async () => { const times = []; for (let i = 0; i < 7; i++) {
            const start = performance.now(); const text = await (await fetch('/browsers/crowd/timeline?width=1200')).text();
            parts.timeline.text = null; parts.timeline.show(text); document.body.offsetHeight;
            times.push(performance.now() - start) } return times }"""))[3]
        print(f"a timeline of 10,000 events: {single:.0f} ms; its page: {times[1]:.0f} ms, {size / 1024:.0f} KiB ({executable})")
        require(size < 120 * 1024, f"the page of 10,000 events transfers {size} bytes, more than 120 KiB")
        require("release" not in executable or times[1] < 300, f"10,000 events render in {times[1]:.0f} ms, more than 300 ms")
        visit.take("crowd")
        visit.witness.check(visit.page)
        visit.context.close()


def check_trace(visit):
    """A trace, opened as a file without a network, shows why a click was discarded."""
    name = "trace"
    visit.service.call("PUT", api_path(name), {"clock": {"mode": "manual"}})
    furnish(visit.service, name)
    click(visit.service, name)
    click(visit.service, name, verified=False)
    convert(visit.service, name)
    visit.service.call("POST", api_path(name) + "/clock/advance", {"by": "PT48H"})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "trace.html")
        with urllib.request.urlopen(f"{visit.service.url}{api_path(name)}/trace", timeout=60) as answer:
            file.write_bytes(answer.read())
        visit.context.set_offline(True)
        page = visit.context.new_page()
        requests, faults = [], []
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(file.as_uri())
        expect(page.locator("#answer")).to_contain_text("1 click discarded: the tap did not land on a control")
        expect(page.locator("#item")).to_contain_text("report-attribution")
        expect(page.locator("#timeline svg").first).to_be_visible()
        page.locator("#story a", has_text="discarded").click()
        expect(page.locator("#item")).to_contain_text("the tap did not land on a control that a UIEventAttributionView covers")
        expect(page.locator("#item pre").last).to_contain_text('- {"event-attribution": {')
        page.get_by_label("Filter by site").fill("tap-not")
        expect(page.locator("#story a")).to_have_count(1)
        show_view(page, "log")
        page.get_by_label("Site or text").fill("tap-not")
        expect(page.locator("#log li")).to_have_count(1)
        show_view(page, "scenario")
        expect(page.locator("#scenario")).to_contain_text("event-attribution")
        for buttons in ("Download", "Clear the measured data", "+1 hour", "Dismiss"):
            require(not page.get_by_role("button", name=buttons).is_visible(), f"a trace offers {buttons}")
        check_accessibility(page, "a trace")
        require(requests == [file.as_uri()] and not faults, f"a trace requested {requests[1:]}, with {faults}")
        require(page.title().endswith("pcm-browser"), "hostile text ran in a trace")
        page.close()
        visit.context.set_offline(False)


def check_filter(visit):
    """The fragment of the address filters the list of browsers, also when its encoding is malformed."""
    page = visit.page
    for fragment, text in (("%66orms", "forms"), ("%", "%"), ("a%ZZ", "a%ZZ")):
        page.goto("about:blank")
        page.goto(f"{visit.service.url}/#filter={fragment}")
        expect(page.get_by_label("Filter by name or label")).to_have_value(text)
    visit.witness.check(page)


def check_rules(visit):
    """The address opens a rule or the rule of a reason, also one that the filter hides, and words filter the rules."""
    page = visit.page
    page.goto(f"{visit.service.url}/rules#tap-not-verified")
    opened = page.locator(".rule[open]")
    expect(opened).to_have_attribute("id", "tap-is-verified")
    expect(opened.locator("summary")).to_be_in_viewport()
    page.get_by_label("Filter by words").fill("Tap verified uieventattributionview")
    expect(page.locator("#found")).to_have_text(re.compile(r"^\d of \d+ rules$"))
    expect(page.locator("#topic-clicks-on-links")).to_be_hidden()
    visit.look("rules")
    page.evaluate("location.hash = 'user-gesture'")
    expect(page.locator("#user-gesture")).to_have_attribute("open", "")
    expect(page.locator("#user-gesture summary")).to_be_in_viewport()
    page.get_by_role("link", name="Clicks on links").click()
    expect(page.locator("#topic-clicks-on-links h2")).to_be_in_viewport()
    visit.witness.check(page)


def check_interaction(chromium, executable, screenshots):
    """The forms, the pointer, the keyboard, and many tabs, with one service."""
    with serving(executable) as service:
        check_each(chromium, service, screenshots, check_forms, check_problems, check_pointer, check_keyboard, check_policy,
                   check_filter, check_rules, check_download, check_many_tabs, check_trace)
        check_each(chromium, service, screenshots, check_zoom, device_scale_factor=2)


def check_services(chromium, executable, screenshots):
    for check in (check_delivery, check_restart, check_cost):
        check(chromium, executable, screenshots)
        passed(check)
