"""The pages of the other commands, and the documentation of the API: the report of `run`, the report endpoint's page, `/docs`."""

import json
import ssl
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from pages import ALL_RULES, COLORS, HOSTILE, Service, Visit, check_accessibility, check_each, passed, receiving, require, serving
from playwright.sync_api import expect

REPORT = "/.well-known/private-click-measurement/report-attribution/"
SCENARIO = """\
scenario: "A tap is stored"
apps:
  com.example.news: { reportEndpoint: "https://news.example" }
steps:
  - event-attribution: { bundleIdentifier: com.example.news, sourceIdentifier: 4, destinationURL: "https://shop.example/" }
    expect: { outcome: OUTCOME, reasons: [] }
"""


def check_report(executable, visit):
    """The HTML report of `check` about the reference endpoint."""
    with tempfile.TemporaryDirectory() as folder:
        with receiving(executable) as (port, authority):
            subprocess.run(
                [executable, "check", "https://shop.example", "--connect-to", f"shop.example:443:127.0.0.1:{port}",
                 "--ca-file", authority, "--html", f"{folder}/check.html"], stdout=subprocess.DEVNULL, timeout=120)
        visit.page.set_content(Path(f"{folder}/check.html").read_text())
        for scheme, rules in (("light", ALL_RULES), ("dark", COLORS)):
            visit.page.emulate_media(color_scheme=scheme)
            check_accessibility(visit.page, f"the report of check, {scheme}", rules)
            visit.take(f"check-{scheme}")


def check_run_report(executable, visit):
    """The HTML report of `run`, with a passed, a failed, and an unreadable scenario."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in [("passed", SCENARIO.replace("OUTCOME", "stored")),
                           ("failed", SCENARIO.replace("OUTCOME", "discarded")),
                           ("unreadable", SCENARIO.replace("outcome:", "outcom:"))]:
            (Path(folder) / f"{name}.yaml").write_text(text.replace("A tap is stored", HOSTILE.replace('"', "")))
        subprocess.run([executable, "run", folder, "--html", f"{folder}/run.html"], stdout=subprocess.DEVNULL, timeout=120)
        visit.page.goto(f"file://{folder}/run.html")
        expect(visit.page.locator("h1")).to_contain_text("3 scenarios")
        expect(visit.page.locator("article")).to_have_count(2)
        expect(visit.page.locator("article svg .title").first).to_have_text("news.example → shop.example")
        visit.page.locator(".passed > summary").click()
        visit.witness.faults = [fault for fault in visit.witness.faults if not fault.startswith(f"file://{folder}/")]
        visit.look("run")


def check_simulation_report(executable, visit):
    """The HTML report of `simulate`, with a report and a loss, and a hostile name of the file."""
    with tempfile.TemporaryDirectory() as folder:
        events = Path(folder) / HOSTILE.replace("/", "")
        events.write_text("".join(f"{user},2026-11-20T1{hour}:00:00Z,{rest}\n" for user, hour, rest in [
            ("anna", 0, "click,news.example,shop.example,7,,"), ("anna", 1, "trigger,news.example,shop.example,,3,1"),
            ("bob", 0, "click,news.example,shop.example,300,,")]))
        subprocess.run([executable, "simulate", str(events), "--reports", "/dev/null", "--html", f"{folder}/simulate.html"],
                       stderr=subprocess.DEVNULL, timeout=120)
        visit.page.goto(f"file://{folder}/simulate.html")
        expect(visit.page.locator("h1")).to_contain_text("100.0% of last click")
        expect(visit.page.locator("tbody code")).to_have_text(["source-id-too-large"])
        expect(visit.page.locator(".chart")).to_have_count(2)
        visit.witness.faults = [fault for fault in visit.witness.faults if not fault.startswith(f"file://{folder}/")]
        visit.look("simulate")


def post(url, body):
    context = ssl._create_unverified_context()
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=60, context=context) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def check_receiver(chromium, executable, screenshots):
    """The report endpoint's page: received messages, faults, a hostile body, and an endpoint that stops."""
    report = {"source_engagement_type": "click", "source_site": "news.example", "source_id": 4,
              "attributed_on_site": "shop.example", "trigger_data": 12, "version": 3}
    with receiving(executable, "127.0.0.1") as (port, _):
        url = f"https://127.0.0.1:{port}"
        visit = Visit(chromium, Service(url), screenshots, ignore_https_errors=True)
        page = visit.page
        page.goto(url)
        expect(page.locator("#status")).to_have_text("Live")
        expect(page.locator("#received")).to_contain_text("No requests yet")
        require(post(url + REPORT, report) == 200, "the endpoint rejects a report")
        expect(page.locator("#received")).to_contain_text("report: accepted")
        require(post(url + REPORT, report | {"source_site": HOSTILE, "version": 99}) == 400, "the endpoint accepts version 99")
        expect(page.locator("#received")).to_contain_text("report: rejected")
        page.locator("#received summary").first.click()
        expect(page.locator("#received details[open]")).to_contain_text("<script>")
        expect(page.locator("#received details[open]")).to_contain_text("Change: Correct the value of the member.")
        expect(page.locator("#received summary").last).to_contain_text("source_id 4 trigger_data 12")

        page.locator("#fault [name=fault]").select_option("status")
        page.locator("#fault [name=times]").fill("1")
        page.locator("#fault [name=status]").fill("500")
        page.get_by_role("button", name="Add", exact=True).focus()
        page.keyboard.press("Enter")
        expect(page.locator("#faults")).to_contain_text("on all requests, status 500, 1 more time")
        visit.look("receive")
        require(post(url + REPORT, report) == 500, "the fault does not apply")
        expect(page.locator("#faults")).to_contain_text("used up")
        page.locator("#fault [name=fault]").select_option("delay")
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.locator("#faults li")).to_have_count(1)
        page.get_by_role("button", name="Remove delay").click()
        expect(page.locator("#faults")).to_contain_text("No faults")
        visit.witness.check(page)
    expect(page.locator("#status")).to_have_text("Reconnecting")
    visit.context.close()


def check_documentation(visit):
    """The viewer lists all operations, sends a request, and needs no other host."""
    page, service = visit.page, visit.service
    operations = sum(len([method for method in path if method in ("get", "put", "post", "delete", "patch")])
                     for path in service.call("GET", "/openapi.json")["paths"].values())
    page.goto(service.url + "/docs")
    page.locator(".opblock").first.wait_for()
    require(page.locator(".opblock").count() == operations, f"the viewer does not list {operations} operations")
    for name in ("Service-getService", "Browsers-listBrowsers"):
        # Optional parameters such as cursor stay empty, so the first click on Execute succeeds.
        block = page.locator(f"#operations-{name}")
        block.locator(".opblock-summary-control").click()
        block.get_by_role("button", name="Execute").click()
        expect(block.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    visit.look("docs")


def check_documentation_token(visit):
    """The page asks for the token by itself, also after a wrong one, and its requests have it."""
    page, service = visit.page, visit.service
    page.goto(service.url + "/docs")
    for token in ("wrong", service.token):
        page.locator("#token[open]").wait_for()
        page.locator("#token input").fill(token)
        page.keyboard.press("Enter")
    block = page.locator("#operations-Service-getService")
    block.locator(".opblock-summary-control").click()
    block.get_by_role("button", name="Execute").click()
    expect(block.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    require(page.locator("#token[open]").count() == 0, "the dialog is still open")
    visit.witness.check(page)


def check_all(chromium, executable, screenshots):
    with serving(executable) as service:
        for check in (check_report, check_run_report, check_simulation_report):
            visit = Visit(chromium, service, screenshots)
            check(executable, visit)
            visit.context.close()
            passed(check)
        check_each(chromium, service, screenshots, check_documentation)
    check_receiver(chromium, executable, screenshots)
    passed(check_receiver)
