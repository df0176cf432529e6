"""The Python client with Playwright and Chromium."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.async_api import Browser as AsyncChromium
from playwright.async_api import Route as AsyncRoute
from playwright.async_api import async_playwright
from playwright.sync_api import BrowserContext, Playwright

from conftest import CHROMIUM
from pcm_browser import PCM, AsyncPCM, Browser, DevToolsNotFound, ExpectationFailure, NotSettled, PCMError
from sites import PIXEL, response


def test_a_page_is_measured(pcm: PCM, sites: BrowserContext) -> None:
    with pcm.attach(sites) as safari:
        page = sites.new_page()
        page.goto("https://news.example/")
        page.click("#ad")
        page.click("#buy")
        settlement = safari.settled()
        assert [(each.kind, each.status) for each in settlement.outcomes] == [("link-click", 201), ("triggering-event", 201)]
        assert settlement.dropped == []
        assert safari.settled().outcomes == []
        assert (safari.attachment().counts.clicks, safari.attachment().counts.triggering_events) == (1, 1)
        safari.advance(hours=48)
        safari.expect_report("source", destination_site="shop.example", trigger_data=12)
        safari.expect_report("destination", source_site="news.example", source_identifier=4)
        safari.clear("shop.example")
        assert safari.events()[-1].kind == "data-cleared"
    with pytest.raises(PCMError) as failure:
        safari.state()
    assert failure.value.status == 404


def test_the_browser_of_the_test_remains(pcm: PCM, pcm_browser: Browser, sites: BrowserContext) -> None:
    with pcm.attach(sites, browser=pcm_browser, private=True) as safari:
        assert safari.state().settings.private_browsing
        page = sites.new_page()
        page.goto("https://news.example/")
        page.click("#prevented")
        assert [(each.href, each.code) for each in safari.settled().dropped] == [("https://shop.example/", "default-prevented")]
        with pytest.raises(PCMError) as failure, pcm.attach(sites):
            pass
        assert failure.value.status == 409
        with pytest.raises(ExpectationFailure):
            safari.expect_report("source")
    assert "page-click-dropped" in [event.kind for event in pcm_browser.events()]
    with pcm.attach(sites, browser=pcm_browser):
        pass


def test_routes_respond_while_the_client_waits(pcm: PCM, sites: BrowserContext) -> None:
    with pcm.attach(sites) as safari:
        page = sites.new_page()
        page.goto("https://shop.example/")
        page.evaluate("url => void fetch(url, {mode: 'no-cors'})", PIXEL)
        start = time.monotonic()
        assert [each.kind for each in safari.settled().outcomes] == ["triggering-event"]
        assert time.monotonic() - start < 5


def test_what_is_pending_is_named(pcm: PCM, sites: BrowserContext) -> None:
    sites.route("https://shop.example/never", lambda route: None)
    with pcm.attach(sites) as safari:
        page = sites.new_page()
        page.goto("https://shop.example/")
        page.evaluate("void fetch('/never')")
        with pytest.raises(NotSettled, match="1 requests have no response") as failure:
            safari.settled(within=0.5)
        assert failure.value.settlement.pending.requests == 1


def test_beacons_of_a_page_that_closes(pcm: PCM, playwright: Playwright, demo: list[str]) -> None:
    chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--remote-debugging-port=0", *demo])
    for _ in range(3):
        context = chromium.new_context()
        with pcm.attach(context) as safari:
            page = context.new_page()
            page.goto("https://news.example/article")
            page.click("#ad")
            page.wait_for_selector("#buy")
            beacon = "() => fetch('https://news.example/pixel?data=12', {mode: 'no-cors', keepalive: true})"
            page.evaluate(f"addEventListener('pagehide', {beacon})")
            page.goto("https://news.example/article")
            assert safari.wait_for("attributed", timeout=10)
            assert [each.kind for each in safari.settled().outcomes] == ["link-click", "triggering-event"]
        context.close()
    chromium.close()


def test_a_closed_browser_ends_the_attachment(pcm: PCM, playwright: Playwright) -> None:
    chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--remote-debugging-port=0"])
    with pcm.attach(chromium.new_context()) as safari:
        chromium.close()
        with pytest.raises(NotSettled, match="ended"):
            safari.settled()


def test_a_chromium_without_a_port(pcm: PCM, playwright: Playwright) -> None:
    chromium = playwright.chromium.launch(executable_path=CHROMIUM)
    with pytest.raises(DevToolsNotFound, match="remote-debugging-port=0"), pcm.attach(chromium.new_context()):
        pass
    chromium.close()


def test_two_contexts_side_by_side_in_asynchronous_code(pcm: PCM) -> None:
    async def respond(route: AsyncRoute) -> None:
        status, headers, body = response(route.request.url)
        await route.fulfill(status=status, headers=headers, body=body)

    async def measure(service: AsyncPCM, chromium: AsyncChromium, trigger: str) -> list[str]:
        context = await chromium.new_context()
        await context.route("**/*", respond)
        async with service.attach(context) as safari:
            page = await context.new_page()
            await page.goto("https://news.example/")
            await page.click("#ad")
            await page.click(trigger)
            return [each.kind for each in (await safari.settled()).outcomes]

    async def run() -> list[list[str]]:
        async with AsyncPCM(pcm.url, pcm.token) as service, async_playwright() as playwright:
            chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--remote-debugging-port=0"])
            return await asyncio.gather(*(measure(service, chromium, trigger) for trigger in ("#buy", "body")))

    # The synchronous Playwright of the other tests has an event loop in this thread.
    with ThreadPoolExecutor(1) as thread:
        kinds = thread.submit(asyncio.run, run()).result()
    assert kinds == [["link-click", "triggering-event"], ["link-click"]]
