"""The browser of the asynchronous client that observes a real Chromium."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import timedelta
from typing import Any

from .._drivers import DevToolsNotFound, Target, check_style, devtools_of, is_playwright, selenium_target
from .._errors import NotSettled
from .._wire import Duration, timedelta_of
from ..models import Attachment, AttachmentSpecification, Settlement, SettlementWait
from .browser import AsyncBrowser
from .connection import AsyncConnection

__tracebackhide__ = True

TURN = timedelta(seconds=0.25)
"""How long the service waits at once while Playwright may have routes to fulfill."""


class AsyncAttachedBrowser(AsyncBrowser):
    """A browser of the service that takes its clicks and triggering events from a Chromium, where a driver opens pages.

    Example::

        async with pcm.attach(page.context) as safari:
            await page.goto("https://news.example/")
            await page.click("#ad")
            seen = await safari.settled(within=5)
            assert [outcome.outcome for outcome in seen.outcomes] == ["stored"], seen.dropped
    """

    def __init__(self, name: str, connection: AsyncConnection, attachment_path: str, driver: Any) -> None:
        super().__init__(name, connection)
        self._attachment_path = attachment_path
        self._driver = driver

    async def attachment(self) -> Attachment:
        """Returns the state of the attachment, with its pending work."""
        return await self._connection.call("GET", self._attachment_path, Attachment)

    async def settled(self, within: Duration = 10) -> Settlement:
        """Returns when Chromium is idle and the browser has decided on every click and triggering event.

        Args:
            within: The longest wait on the machine's clock, up to 60 seconds.

        Returns:
            The observations since the last call: `outcomes`, and in `dropped` the clicks that Safari would not measure.

        Raises:
            NotSettled: Something is still pending, or Chromium is gone.
        """
        limit = timedelta_of(within)
        end = time.monotonic() + limit.total_seconds()
        outcomes, dropped = [], []
        while True:
            left = max(timedelta(), timedelta(seconds=end - time.monotonic()))
            turn = left
            if is_playwright(self._driver) and self._driver.pages:
                # Routes of Playwright respond only while its synchronous API is called.
                await self._driver.pages[-1].wait_for_timeout(20)
                turn = min(left, TURN)
            path = f"{self._attachment_path}/settle"
            body = SettlementWait(within=turn)
            settlement = await self._connection.call("POST", path, Settlement, body, patience=turn)
            outcomes += settlement.outcomes
            dropped += settlement.dropped
            if settlement.settled or settlement.state == "ended" or left <= turn:
                break
        settlement = replace(settlement, outcomes=outcomes, dropped=dropped)
        if not settlement.settled:
            raise NotSettled(self.name, settlement)
        return settlement

    async def detach(self) -> None:
        """Ends the attachment. The browser and its data remain."""
        await self._connection.send("DELETE", self._attachment_path)

    async def clear(self, site: str | None = None) -> None:
        """Removes the measurement data, as Safari does when the user removes the data of websites. Chromium keeps its data.

        Args:
            site: Removes only data that contains this registrable domain; None for all.
        """
        await self.clear_data(site)


async def attach(browser: AsyncBrowser, driver: Any, devtools: str | None, hold: Duration | None) -> AsyncAttachedBrowser:
    """Attaches a browser to the Chromium of a driver."""
    target = await find(driver, devtools)
    body = AttachmentSpecification(
        devtools=target.devtools, context=target.context, hold=None if hold is None else timedelta_of(hold)
    )
    path = f"{browser._path}/attachments"
    attachment = await browser._connection.call("POST", path, Attachment, body)
    return AsyncAttachedBrowser(browser.name, browser._connection, f"{path}/{attachment.id}", driver)


async def find(driver: Any, devtools: str | None) -> Target:
    """Returns the target of a driver."""
    if driver is None and devtools is not None:
        return Target(devtools)
    if not is_playwright(driver):
        return selenium_target(driver, devtools)
    check_style(driver.new_cdp_session, find)
    chromium = driver.browser
    if chromium is not None and chromium.browser_type.name != "chromium":
        raise DevToolsNotFound(f"{chromium.browser_type.name} has no DevTools. Use playwright.chromium.")
    if devtools is None:
        if chromium is None:
            raise DevToolsNotFound('This context names no browser. Pass devtools="http://127.0.0.1:PORT".')
        session = await chromium.new_browser_cdp_session()
        information = await session.send("SystemInfo.getInfo")
        await session.detach()
        devtools = devtools_of(information["commandLine"])
    # Only a page knows the context's identifier.
    temporary = None if driver.pages else await driver.new_page()
    session = await driver.new_cdp_session(temporary or driver.pages[0])
    information = await session.send("Target.getTargetInfo")
    await session.detach()
    if temporary:
        await temporary.close()
    return Target(devtools, information["targetInfo"]["browserContextId"])
