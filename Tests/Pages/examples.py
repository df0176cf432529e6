"""The examples that a page plays, the list of browsers, and the pages of missing resources."""

import re

from playwright.sync_api import expect

from journeys import form, open_browser, submit
from pages import api_path, click, furnish, require, show_view


def check_example(visit):
    """The story of a click on a new browser, whose network is real until its user agrees to simulated sites."""
    page = visit.page
    open_browser(visit, "example")
    page.get_by_role("button", name="Play the example").click()
    expect(page.locator("#story-problem")).to_contain_text("this browser sends to real endpoints")
    require(visit.service.call("GET", api_path("example") + "/apps")["items"] == [], "a refused example made a call")
    visit.look("example-refused")
    form(page, "App").get_by_label("Info.plist, XML").fill("my own")
    show_view(page, "story")
    page.get_by_role("button", name="Use simulated sites and play").click()
    steps = page.locator("#story-click > li")
    expect(steps.nth(4)).to_contain_text("report-delivered × 2")
    for index, outcome in ((1, "stored"), (3, "attributed")):
        expect(steps.nth(index)).to_contain_text(outcome)
    expect(page.locator("#answer")).to_contain_text("2 reports delivered")
    expect(page.locator("#story-problem")).to_have_text("")
    expect(page.locator("#example").get_by_role("button", name="Play the example")).to_be_enabled()
    visit.look("example")
    expect(form(page, "App").get_by_label("Info.plist, XML")).to_have_value("my own")
    # The rows of the reports are labeled, and unfold with all headers.
    for recipient in ("source", "destination"):
        expect(page.locator("#timeline .recipient", has_text=recipient)).to_have_count(1)
    show_view(page, "reports")
    page.locator("#story a").first.click()
    for text in ("accept: */*", "user-agent: Mozilla/5.0", "content-length: ", "HTTP/2 200"):
        expect(page.locator("#item")).to_contain_text(text)
    # Passed rules are collapsed.
    page.goto(f"{page.url.split('#')[0]}#why=click-2")
    expect(page.locator("#item")).to_contain_text("rules passed")
    expect(page.locator("#item .rules").first).to_be_hidden()
    visit.look("example-why")


def check_install_example(visit):
    page, service = visit.page, visit.service
    service.call("PUT", api_path("install"), {"clock": {"mode": "manual", "start": "2031-03-01T09:30:00Z"}})
    service.call("PUT", api_path("install") + "/network", {"mode": "simulated"})
    page.goto(f"{service.url}/browsers/install")
    expect(page.locator("#now")).to_have_text("2031-03-01T09:30:00Z")
    page.locator(".to > summary").click()
    expect(page.get_by_label("Instant (UTC)")).to_have_value("2031-03-01T09:30")
    page.get_by_role("button", name="Play an install").click()
    steps = page.locator("#story-install > li")
    expect(steps.nth(8)).to_contain_text("postback-delivered × 2")
    for index, outcome in ((3, "recorded"), (5, "attributed"), (7, "accepted")):
        expect(steps.nth(index)).to_contain_text(outcome)
    require("timestamp-off" not in page.locator("#story-install").inner_text(), "the ad is not signed at the browser's time")
    # The ad that the app renders is also signed at the browser's time.
    require(submit(page, "Ad of AdAttributionKit") == "started", "the signed ad was rejected")
    visit.look("example-install")
    # A load that triggers nothing says why.
    load = form(page, "Load")
    load.get_by_label("URL", exact=True).fill("https://social.example/other")
    require(submit(page, "Load") == "no triggering event", "a load without a redirect is a triggering event")
    expect(load.locator("[data-result] > p")).to_have_count(2)
    visit.witness.check(page)


def check_refusals(visit):
    """A browser on a real clock plays no example."""
    page = visit.page
    page.goto(f"{visit.service.url}/browsers/default")
    expect(page.locator("#status")).to_have_text("Live")
    show_view(page, "try")
    page.get_by_role("button", name="Play the example").click()
    expect(page.locator("#story-problem")).to_contain_text("this browser has a real clock")
    expect(page.locator("#simulate")).to_be_hidden()
    visit.look("example-real-clock")


def check_travel(visit):
    """Time travel stays visible at the end of the page."""
    page = visit.page
    page.goto(f"{visit.service.url}/browsers/example")
    expect(page.locator("#status")).to_have_text("Live")
    for size in ((1280, 900), (360, 740)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        show_view(page, "settings")
        page.get_by_role("button", name="Clear the measured data").scroll_into_view_if_needed()
        expect(page.get_by_role("button", name="+48 hours")).to_be_in_viewport()
        visit.take(f"travel-{size[0]}")
    visit.witness.check(page)


def check_creation(visit):
    """A name that exists, and the page of a browser that does not."""
    page, service = visit.page, visit.service
    for clock in ("manual", "real"):
        page.goto(service.url)
        page.get_by_label("Name", exact=True).fill("example")
        page.get_by_label("Clock").select_option(clock)
        page.get_by_role("button", name="Create").click()
        expect(page.locator("#problem")).to_contain_text('A browser with the name "example" exists.')
    visit.take("name-exists")
    page.get_by_role("link", name="Open it").click()
    expect(page.locator(".answer h1")).to_have_text("example")
    page.goto(f"{service.url}/browsers/no%20such%2Fbrowser")
    expect(page.locator("#missing")).to_contain_text("No browser has this name")
    expect(page.locator("#present")).to_be_hidden()
    visit.witness.faults = [fault for fault in visit.witness.faults if not re.search("404|409", fault)]
    visit.look("missing")
    page.locator("#missing").get_by_role("button", name="Create").click()
    expect(page.locator("#status")).to_have_text("Live")
    expect(page.locator(".answer h1")).to_have_text("no such/browser")
    require(service.call("GET", api_path("no such/browser") + "/network")["mode"] == "simulated", "a new browser has a real network")
    service.call("DELETE", api_path("no such/browser"))
    expect(page.locator("#missing")).to_be_visible()


def check_list(visit):
    """The browser with the latest call is first, and labels are shown and filter the list."""
    page, service = visit.page, visit.service
    for name, team in (("zebra", "ads & more"), ("apple", "shop")):
        service.call("PUT", api_path(name), {"clock": {"mode": "manual"}, "labels": {"team": team, "ci": "1842"}})
    page.goto(service.url)
    expect(page.locator(".browsers tbody th").first).to_have_text("apple")
    furnish(service, "zebra")
    click(service, "zebra")
    expect(page.locator(".browsers tbody th").first).to_have_text("zebra")
    page.get_by_role("link", name="team=ads & more").click()
    expect(page.locator(".browsers tbody th")).to_have_text(["zebra"])
    expect(page.get_by_label("Filter by name or label")).to_have_value("team=ads & more")
    visit.look("labels")
    page.get_by_label("Filter by name or label").fill("nope")
    expect(page.locator("#browsers")).to_contain_text("No name or label contains “nope”.")
    visit.look("no-match")
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_label("Filter by name or label")).to_have_value("")
    expect(page.locator(".browsers tbody th").first).to_have_text("zebra")
    page.get_by_role("link", name="zebra", exact=True).click()
    show_view(page, "log")
    page.get_by_label("Site or text").fill("nope")
    expect(page.locator("#log")).to_contain_text("No events match.")
    page.locator("#log").get_by_role("button", name="Show all").click()
    expect(page.locator("#log")).to_contain_text("click-stored")
    page.get_by_role("link", name="ci=1842").click()
    expect(page.locator(".browsers tbody th")).to_have_text(["zebra", "apple"])
    for number in range(60):
        service.call("PUT", api_path(f"crowd-{number}"), {"storage": "ephemeral"})
    page.get_by_label("Filter by name or label").fill("crowd")
    expect(page.get_by_role("navigation", name="Pages")).to_contain_text("1 to 50 of 60")
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".browsers tbody tr")).to_have_count(10)
    questions = []
    page.once("dialog", lambda dialog: (questions.append(dialog.message), dialog.accept()))
    page.get_by_role("button", name="Delete all ephemeral").click()
    expect(page.locator("#browsers")).to_contain_text("No name or label contains “crowd”.")
    require(questions == ["Delete 60 ephemeral browsers with all data?"], f"the question is {questions}")
    visit.witness.check(page)


CHECKS = (check_example, check_install_example, check_refusals, check_travel, check_creation)
