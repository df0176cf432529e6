"""The service of the asynchronous client."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from types import TracebackType
from typing import Any, Literal
from uuid import uuid4

from .._errors import PCMError
from .._wire import Duration, encode, timedelta_of
from ..models import (
    BrowserSpecification,
    BrowserState,
    ClockSpecification,
    DeviceChange,
    NetworkMode,
    Rule,
    RuleList,
    SettingsChange,
    StorageKind,
)
from .attachment import AsyncAttachedBrowser, attach
from .browser import AsyncBrowser
from .connection import AsyncConnection, part

__tracebackhide__ = True

START = datetime(2026, 11, 20, 10, tzinfo=timezone.utc)
"""The time at which a manual clock starts, unless a test chooses another one."""


class AsyncPCM:
    """The location of a pcm-browser service, for asynchronous tests.

    Every call may raise `PCMError`.

    Example::

        async with AsyncPCM() as pcm, await pcm.browser("checkout") as browser:
            state = await browser.state()
            assert state.clock.mode == "manual"
    """

    def __init__(self, url: str | None = None, token: str | None = None, timeout: Duration = 60) -> None:
        """Creates a location.

        Args:
            url: The base URL; by default, `PCM_BROWSER_URL`, or else `http://127.0.0.1:8726`.
            token: The service's token; by default, `PCM_BROWSER_API_TOKEN`, if set.
            timeout: The longest time of a call, from its beginning to the last byte of the response. It includes the reports that
                `advance` sends. Calls that wait add to it.
        """
        url = url or os.environ.get("PCM_BROWSER_URL") or "http://127.0.0.1:8726"
        self._connection = AsyncConnection(url, token or os.environ.get("PCM_BROWSER_API_TOKEN"), timeout)

    @property
    def url(self) -> str:
        """The base URL of the service without a path."""
        return self._connection.url

    @property
    def token(self) -> str | None:
        """The token of the service; None without authentication."""
        return self._connection.token

    async def __aenter__(self) -> AsyncPCM:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._connection.aclose()

    async def browser(
        self,
        name: str,
        *,
        clock: Literal["manual", "real"] = "manual",
        start: datetime = START,
        network: NetworkMode = "simulated",
        seed: str | None = None,
        storage: StorageKind = "ephemeral",
        settings: SettingsChange | None = None,
        device: DeviceChange | None = None,
        labels: Mapping[str, str] | None = None,
        idle_timeout: Duration | None = None,
    ) -> AsyncBrowser:
        """Creates a browser for a test. An existing browser of the same name is deleted first.

        A `with` statement deletes the browser at its end.

        Args:
            name: 1 to 200 bytes of printable characters in UTF-8. Concurrent tests need different names.
            clock: `manual` for a clock that only the test advances, or `real`.
            start: The initial time of a manual clock, with a time zone, from 1970 to 9998.
            network: `simulated` for sites in the service, without any connection, or `real`.
            seed: The seed of the browser's random numbers. The same seed, calls, and virtual times produce identical
                results. The default is the name.
            storage: `ephemeral`, lost when the service stops, or `durable`.
            settings: The settings that differ from their defaults.
            device: The properties of the device that differ from their defaults.
            labels: Up to 16 labels, by which `browsers` finds the browser.
            idle_timeout: The time without any request after which the service removes the browser, from one minute to 30
                days; None for never.
        """
        path = f"/v1/browsers/{part(name)}"
        try:
            await self._connection.send("DELETE", path)
        except PCMError as error:
            if error.status != 404:
                raise
        specification = BrowserSpecification(
            storage=storage,
            seed=name if seed is None else seed,
            clock=ClockSpecification(mode=clock, start=start if clock == "manual" else None),
            settings=settings,
            device=device,
            labels=dict(labels or {}),
            idle_timeout=None if idle_timeout is None else timedelta_of(idle_timeout),
        )
        await self._connection.call("PUT", path, BrowserState, specification)
        browser = AsyncBrowser(name, self._connection)
        if network != "real":
            await browser.use_network(network)
        return browser

    @asynccontextmanager
    async def attach(
        self,
        driver: object = None,
        *,
        browser: AsyncBrowser | None = None,
        private: bool = False,
        devtools: str | None = None,
        hold: Duration | None = None,
        name: str | None = None,
        clock: Literal["manual", "real"] = "manual",
        start: datetime = START,
        network: NetworkMode = "simulated",
        seed: str | None = None,
    ) -> AsyncIterator[AsyncAttachedBrowser]:
        """Observes the pages that a driver opens in Chromium, until the `with` statement ends.

        Clicks on links with attribution attributes, and requests that are redirected to the trigger path, are handled as in
        Safari. Start Chromium with `--remote-debugging-port=0` and, unless the driver adds it, `--user-data-dir`.

        Args:
            driver: A BrowserContext of Playwright, or a driver of Selenium; None for a Chromium at `devtools`.
            browser: The browser that handles the observations; None for a new one, which is deleted at the end.
            private: Whether the browser is a private one.
            devtools: The address of DevTools: `http://127.0.0.1:9222`, or the `ws://` URL of a browser, which is used as given;
                by default, the driver's.
            hold: The longest time for which a request to the trigger path waits for the service: two seconds by default.
            name: The name of the new browser; None for a unique one.
            clock: The clock of the new browser, as for `browser`.
            start: The initial time of its manual clock.
            network: The network that receives its reports. The pages are loaded by Chromium.
            seed: The seed of its random numbers.

        Raises:
            DevToolsNotFound: Chromium has no debugging port, or it is not known.
            PCMError: The status is 409 when a browser is attached to the context already, and 502 when DevTools does not
                respond.
        """
        created = None
        if browser is None:
            name, seed = name or f"page {uuid4().hex[:8]}", seed or name or "page"
            browser = created = await self.browser(name, clock=clock, start=start, network=network, seed=seed)
        try:
            if private:
                await browser.change(private_browsing=True)
            attached = await attach(browser, driver, devtools, hold)
            try:
                yield attached
            finally:
                await attached.detach()
        finally:
            if created:
                await created.delete()

    async def existing_browser(self, name: str) -> AsyncBrowser:
        """Returns a browser that exists.

        Raises:
            PCMError: The status is 404 when there is no browser of this name.
        """
        browser = AsyncBrowser(name, self._connection)
        await browser.state()
        return browser

    async def browsers(self, labels: Mapping[str, str] | None = None) -> list[BrowserState]:
        """Returns all browsers, or the browsers with all these labels."""
        query = {"label": [f"{name}={value}" for name, value in (labels or {}).items()]}
        return await self._connection.items("/v1/browsers", BrowserState, query)

    async def play(self, scenario: str | Mapping[str, Any]) -> dict[str, Any]:
        """Plays a scenario, YAML or an object, in a temporary browser, and returns the outcome with its steps."""
        if isinstance(scenario, str):
            headers = {"Content-Type": "application/yaml"}
            answer = await self._connection.send("POST", "/v1/scenarios", scenario.encode(), headers=headers)
        else:
            answer = await self._connection.answer("POST", "/v1/scenarios", encode(scenario))
        result: dict[str, Any] = answer.value(dict)
        return result

    async def rules(self, name: str | None = None) -> list[Rule]:
        """Returns every rule of the service: its requirement, the values that it reads, its reasons, and its origin.

        Args:
            name: Returns only the rule of this name, or the rules with this code of a reason.
        """
        return (await self._connection.call("GET", "/v1/rules", RuleList, query={"name": name})).rules

    async def check_readiness(self) -> None:
        """Returns when the service is ready to store data."""
        await self._connection.call("GET", "/readyz", dict)

    async def metrics(self) -> str:
        """Returns the service's metrics in the text format of Prometheus."""
        return (await self._connection.send("GET", "/metrics", headers={"Accept": "text/plain"})).text
