"""The browser of the asynchronous client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping
from datetime import datetime, timedelta
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

import httpx

from .._errors import ExpectationFailure, PCMError
from .._moves import Advance, AppLike, EventPage, ServerSentEvents, identifier, remainder
from .._wire import Duration, duration_text, timedelta_of
from ..models import (
    App,
    AppRegistration,
    Attribution,
    BrowserChange,
    BrowserState,
    ClickOutcome,
    ClickState,
    ClockAdvance,
    ClockAdvanced,
    DeliveryPolicy,
    Event,
    EventAttribution,
    EventKind,
    Expectation,
    ExpectationResult,
    ExpectedReport,
    Explanation,
    LinkClick,
    LoadOutcome,
    LoadSpecification,
    LogRetentionChange,
    Network,
    NetworkMode,
    NetworkSpecification,
    Presentation,
    Provenance,
    Recipient,
    Redirect,
    Report,
    ReportState,
    ReportURLChoice,
    Settings,
    SettingsChange,
    SiteBehavior,
    SiteMessage,
    SiteResponse,
    SiteSignature,
    SiteSignedPayload,
    TriggeringEvent,
    TriggerOutcome,
)
from .connection import AsyncConnection, head, part
from .device import AsyncDevice

__tracebackhide__ = True


class AsyncBrowser:
    """A browser of the service: an isolated profile, with the device on which it runs.

    Parameters have the names of the API's members in snake_case. A parameter that is None is absent in the call and has the
    service's default. Every call may raise `PCMError`.

    Example::

        app = await browser.register_app("com.example.news", report_endpoint="https://news.example")
        await browser.open(app, source_identifier=4, destination_url="https://shop.example/")
        await browser.trigger("https://shop.example/thanks", pixel_of="news.example", trigger_data=12)
        await browser.advance(hours=48)
        await browser.expect_report("source", destination_site="shop.example", trigger_data=12)
    """

    def __init__(self, name: str, connection: AsyncConnection) -> None:
        self.name = name
        """The name of the browser."""
        self.device = AsyncDevice(self, connection)
        """The device on which the browser runs."""
        self._connection = connection
        self._path = f"/v1/browsers/{part(name)}"

    @property
    def url(self) -> str:
        """The address of the browser's page."""
        return f"{self._connection.url}/browsers/{part(self.name)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r} at {self._connection.url})"

    async def __aenter__(self) -> AsyncBrowser:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.delete()

    # The browser

    async def state(self) -> BrowserState:
        """Returns the browser's clock, seed, storage, settings, and labels."""
        return await self._connection.call("GET", self._path, BrowserState)

    async def change(
        self,
        *,
        measurement_enabled: bool | None = None,
        private_browsing: bool | None = None,
        debug_mode: bool | None = None,
        delivery_policy: DeliveryPolicy | None = None,
        report_url: ReportURLChoice | None = None,
        log_retention: LogRetentionChange | None = None,
        labels: Mapping[str, str] | None = None,
        idle_timeout: Duration | None = None,
    ) -> Settings:
        """Changes settings, labels, and the idle timeout, and returns the new settings. None changes nothing.

        Args:
            measurement_enabled: Whether the browser measures clicks.
            private_browsing: Whether the session is private. A private session keeps a single ephemeral click.
            debug_mode: Whether reports are sent after ten seconds, as in Safari's debug mode.
            delivery_policy: `webkit` sends each report at most once; `reliable` until the endpoint accepts it.
            report_url: The URL of reports to the source: `well-known`, or the URL in the `manifest`.
            log_retention: How much of the event log the browser keeps.
            labels: Replaces all labels.
            idle_timeout: The time without any request after which the service removes the browser; 0 for never.
        """
        settings = SettingsChange(
            measurement_enabled=measurement_enabled,
            private_browsing=private_browsing,
            debug_mode=debug_mode,
            delivery_policy=delivery_policy,
            report_url=report_url,
            log_retention=log_retention,
        )
        body = BrowserChange(
            settings=settings,
            labels=None if labels is None else dict(labels),
            idle_timeout=None if idle_timeout is None else timedelta_of(idle_timeout),
        )
        return (await self._connection.call("PATCH", self._path, BrowserState, body)).settings

    async def fork(self, name: str | None = None) -> AsyncBrowser:
        """Copies the browser with all its data. Both continue independently, and with the same calls in the same way.

        Args:
            name: The name of the copy; None for a generated one.
        """
        copy = await self._connection.call("POST", f"{self._path}/forks", BrowserState, {"name": name} if name else {})
        return AsyncBrowser(copy.name, self._connection)

    async def delete(self) -> None:
        """Deletes the browser and all its data."""
        await self._connection.send("DELETE", self._path)

    async def clear_data(self, site: str | None = None) -> None:
        """Removes the measurement data: all, or only data that contains this registrable domain."""
        await self._connection.send("DELETE", f"{self._path}/data", query={"site": site})

    # The clock

    async def advance(
        self, by: timedelta = timedelta(), *, days: float = 0, hours: float = 0, minutes: float = 0, seconds: float = 0
    ) -> Advance:
        """Advances a manual clock, and returns when all due work, including sending reports, is done."""
        if not isinstance(by, timedelta):
            raise TypeError(f"advance({by!r}): expected a timedelta, or a name such as hours={by!r}")
        by += timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
        return await self._advance(ClockAdvance(by=by))

    async def advance_to(self, instant: datetime) -> Advance:
        """Advances a manual clock to an instant with a time zone, not in its past and not after the year 9998."""
        return await self._advance(ClockAdvance(to=instant))

    async def advance_to_next_event(self) -> Advance:
        """Advances a manual clock to the next instant at which something is due, and performs it."""
        return await self._advance(ClockAdvance(to_next_event=True))

    async def advance_until_idle(self, within: Duration = timedelta(days=60)) -> Advance:
        """Advances a manual clock until nothing is due.

        Args:
            within: The maximum distance. Under `reliable`, a report that fails is retried for 30 days.
        """
        return await self._advance(ClockAdvance(until_idle=True, within=timedelta_of(within)))

    async def _advance(self, move: ClockAdvance) -> Advance:
        """Advances the clock, in as many calls as the service's limits require."""
        events: list[Event] = []
        while True:
            moved = await self._connection.call("POST", f"{self._path}/clock/advance", ClockAdvanced, move)
            events += moved.events
            missing, cursor = moved.event_count - len(moved.events), moved.next
            while missing > 0 and cursor:
                query = {"cursor": cursor, "limit": min(missing, 1000)}
                page = await self._connection.call("GET", f"{self._path}/events", EventPage, query=query)
                events += page.items
                missing, cursor = missing - len(page.items), page.next
            if moved.finished:
                return Advance(now=moved.now, idle=moved.idle, events=events)
            move = remainder(move, moved)

    # Apps

    async def register(self, info_plist: str | PathLike[str] | bytes) -> App:
        """Registers an app with its `Info.plist`, or replaces its registration.

        Args:
            info_plist: The path of the file, or its bytes, in XML or binary format.
        """
        content = info_plist if isinstance(info_plist, bytes) else Path(info_plist).read_bytes()
        headers = {"Content-Type": "application/x-plist"}
        app: App = (await self._connection.send("PUT", f"{self._path}/apps", content, headers=headers)).value(App)
        return app

    async def register_app(
        self,
        bundle_identifier: str,
        *,
        report_endpoint: str | None = None,
        info_plist: Mapping[str, Any] | None = None,
        item_identifier: int | None = None,
        sdk_version: str | None = None,
        signing: Literal["store", "development"] | None = None,
        platform: Literal["ios", "mac-catalyst", "app-clip", "visionos"] | None = None,
    ) -> App:
        """Registers an app by its report endpoint or by the keys of its `Info.plist`, or replaces its registration.

        Args:
            bundle_identifier: `CFBundleIdentifier` of the app.
            report_endpoint: `NSAdvertisingAttributionReportEndpoint`, such as `https://news.example`.
            info_plist: The keys of the `Info.plist`, in place of `report_endpoint`.
            item_identifier: The identifier of the app in the App Store, by which ads name it.
            sdk_version: The version of the iOS SDK with which the app was built, such as `18.2`; None when it is unknown.
            signing: How the app is signed: `store` by default.
            platform: The platform of the app: by default, from its `Info.plist`, or else `ios`.
        """
        body = AppRegistration(
            report_endpoint=report_endpoint,
            info_plist=None if info_plist is None else dict(info_plist),
            item_identifier=item_identifier,
            sdk_version=sdk_version,
            signing=signing,
            platform=platform,
        )
        return await self._connection.call("PUT", f"{self._path}/apps/{part(bundle_identifier)}", App, body)

    async def apps(self) -> list[App]:
        """Returns all registered apps."""
        return await self._connection.items(f"{self._path}/apps", App)

    async def app(self, bundle_identifier: str) -> App:
        """Returns a registered app."""
        return await self._connection.call("GET", f"{self._path}/apps/{part(bundle_identifier)}", App)

    async def remove_app(self, app: AppLike) -> None:
        """Removes the registration of an app. Its clicks remain."""
        await self._connection.send("DELETE", f"{self._path}/apps/{part(identifier(app))}")

    # Clicks and triggering events

    async def open(
        self,
        app: AppLike,
        *,
        source_identifier: int,
        destination_url: str,
        tap_verified: bool = True,
        source_description: str | None = None,
        purchaser: str | None = None,
        source_nonce: str | None = None,
        presentation: Presentation | None = None,
        opened_url: str | None = None,
        landing_url: str | None = None,
    ) -> ClickOutcome:
        """Opens a URL with an event attribution from an app, as after a tap on an ad.

        Args:
            app: The registered app.
            source_identifier: The identifier of the ad or its campaign, 0 to 255.
            destination_url: The URL of the ad's destination, as the app passes it.
            tap_verified: Whether the tap is on a control that a `UIEventAttributionView` covers.
            source_description: A description of the ad.
            purchaser: The party that purchased the ad.
            source_nonce: 16 bytes in base64url, for which the source's site signs a token. An extension:
                `UIEventAttribution` has no nonce.
            presentation: How the app opens the URL: `openURL` by default, or `safariViewController`.
            opened_url: The opened URL; by default, the destination.
            landing_url: The URL of the page after redirects; by default, the opened URL.

        Returns:
            Whether the browser keeps the click, with the reasons if it does not.
        """
        body = EventAttribution(
            bundle_identifier=identifier(app),
            source_identifier=source_identifier,
            destination_url=destination_url,
            source_description=source_description,
            purchaser=purchaser,
            source_nonce=source_nonce,
            tap_verified=tap_verified,
            presentation=presentation,
            opened_url=opened_url,
            landing_url=landing_url,
        )
        return await self._connection.call("POST", f"{self._path}/event-attributions", ClickOutcome, body)

    async def follow(
        self,
        page_url: str,
        *,
        attribution_source_id: str | None = None,
        attribution_destination: str | None = None,
        attribution_source_nonce: str | None = None,
        href: str | None = None,
        landing_url: str | None = None,
        landed: bool | None = None,
        clicked_at: datetime | None = None,
        user_gesture: bool | None = None,
        target: str | None = None,
        in_frame: bool | None = None,
        app: AppLike | None = None,
        observed: Provenance | None = None,
    ) -> ClickOutcome:
        """Follows a link that has attribution attributes.

        Args:
            page_url: The URL of the page that contains the link.
            attribution_source_id: `attributionsourceid` as written; None when missing.
            attribution_destination: `attributiondestination` as written; None when missing.
            attribution_source_nonce: `attributionsourcenonce` as written; None when missing.
            href: The URL of the link, which matters only for links to the App Store.
            landing_url: The URL of the page after redirects; by default, the destination.
            landed: Whether the navigation commits a page: true by default. A failure or a download does not, and nothing is
                stored.
            clicked_at: The time of the user's action, at most a minute before the browser's time, which is the default.
            user_gesture: Whether the user followed the link, as opposed to a script: true by default.
            target: `target`; None when missing. It matters only for links in an iframe.
            in_frame: Whether the link is in an iframe of the page: false by default.
            app: The app whose web view shows the page; None for the browser itself.
            observed: An observation of the page, for events and explanations.

        Returns:
            Whether the browser keeps the click, with the reasons if it does not.
        """
        body = LinkClick(
            page_url=page_url,
            attribution_source_id=attribution_source_id,
            attribution_destination=attribution_destination,
            attribution_source_nonce=attribution_source_nonce,
            href=href,
            landing_url=landing_url,
            landed=landed,
            clicked_at=clicked_at,
            user_gesture=user_gesture,
            target=target,
            in_frame=in_frame,
            bundle_identifier=None if app is None else identifier(app),
            observed=observed,
        )
        return await self._connection.call("POST", f"{self._path}/link-clicks", ClickOutcome, body)

    async def trigger(
        self,
        first_party_url: str,
        *,
        pixel_of: str | None = None,
        trigger_data: int | None = None,
        priority: int | None = None,
        redirect: Redirect | None = None,
        app: AppLike | None = None,
        observed: Provenance | None = None,
    ) -> TriggerOutcome:
        """Handles a request of a destination page that was redirected to the trigger path.

        Args:
            first_party_url: The URL of the page that made the request.
            pixel_of: The site whose pixel the page contains, such as `news.example`, which redirects to its trigger path.
            trigger_data: The trigger data of the pixel, 0 to 15.
            priority: The priority of the pixel, 0 to 63.
            redirect: Any redirect, valid or not, in place of a pixel.
            app: The app whose embedded Safari view shows the page; None for the browser itself.
            observed: An observation of the page, for events and explanations.

        Returns:
            Whether a click was attributed, with the reasons if none was.
        """
        body = TriggeringEvent(
            first_party_url=first_party_url,
            redirect=redirect,
            pixel_of=pixel_of,
            trigger_data=trigger_data,
            priority=priority,
            bundle_identifier=None if app is None else identifier(app),
            observed=observed,
        )
        return await self._connection.call("POST", f"{self._path}/triggering-events", TriggerOutcome, body)

    async def load(
        self,
        url: str,
        *,
        first_party_url: str,
        kind: Literal["image", "imageset", "script", "fetch", "xhr", "sync-xhr", "frame", "style"] | None = None,
        method: Literal["GET", "POST"] | None = None,
        app: AppLike | None = None,
    ) -> LoadOutcome:
        """Loads a URL over the browser's network, follows redirects, and handles triggering events among them.

        Args:
            url: The URL to load, such as a tracking pixel.
            first_party_url: The URL of the page.
            kind: The kind of resource, which determines how an https page treats plain HTTP: `image` by default.
            method: The method of the first request: `GET` by default.
            app: The app whose embedded Safari view shows the page; None for the browser itself.
        """
        body = LoadSpecification(
            first_party_url=first_party_url,
            url=url,
            kind=kind,
            method=method,
            bundle_identifier=None if app is None else identifier(app),
        )
        return await self._connection.call("POST", f"{self._path}/loads", LoadOutcome, body)

    async def clicks(self, *, state: Collection[ClickState] = (), site: Collection[str] = ()) -> list[ClickOutcome]:
        """Returns the clicks in their order, discarded ones included, with the state of each.

        Args:
            state: The states of the clicks to return; empty for all.
            site: Hosts. The site of the source or the destination is a site of one of them; empty for all.
        """
        return await self._connection.items(f"{self._path}/clicks", ClickOutcome, {"state": state, "site": site})

    async def click(self, click_id: str) -> ClickOutcome:
        """Returns a click by its identifier, such as `click-12`."""
        return await self._connection.call("GET", f"{self._path}/clicks/{part(click_id)}", ClickOutcome)

    async def triggering_events(
        self,
        *,
        outcome: Collection[str] = (),
        site: Collection[str] = (),
    ) -> list[TriggerOutcome]:
        """Returns the triggering events in their order, rejected ones included.

        Args:
            outcome: The outcomes of the events to return, such as `attributed`; empty for all.
            site: Hosts. The site of the source or the destination is a site of one of them; empty for all.
        """
        query = {"outcome": outcome, "site": site}
        return await self._connection.items(f"{self._path}/triggering-events", TriggerOutcome, query)

    async def triggering_event(self, event_id: str) -> TriggerOutcome:
        """Returns a triggering event by its identifier, such as `triggering-event-13`."""
        return await self._connection.call("GET", f"{self._path}/triggering-events/{part(event_id)}", TriggerOutcome)

    async def attributions(
        self,
        *,
        state: Collection[str] = (),
        site: Collection[str] = (),
    ) -> list[Attribution]:
        """Returns the attributions in their order.

        Args:
            state: The states of the attributions to return; empty for all.
            site: Hosts. The site of the source or the destination is a site of one of them; empty for all.
        """
        return await self._connection.items(f"{self._path}/attributions", Attribution, {"state": state, "site": site})

    async def attribution(self, attribution_id: str) -> Attribution:
        """Returns an attribution by its identifier, such as `attribution-14`."""
        return await self._connection.call("GET", f"{self._path}/attributions/{part(attribution_id)}", Attribution)

    # Reports

    async def reports(
        self, *, state: Collection[ReportState] = (), recipient: Collection[Recipient] = (), site: Collection[str] = ()
    ) -> list[Report]:
        """Returns the reports in the order in which they were scheduled, with their bodies and responses.

        Args:
            state: The states of the reports to return; empty for all.
            recipient: The recipients of the reports to return; empty for all.
            site: Hosts, at most 16. The source or the destination of a report is a site of one of them; empty for all.
        """
        query = {"include": ["body", "response"], "state": state, "recipient": recipient, "site": site}
        return await self._connection.items(f"{self._path}/reports", Report, query)

    async def report(self, report_id: str) -> Report:
        """Returns a report by its identifier, such as `report-16`."""
        return await self._connection.call("GET", f"{self._path}/reports/{part(report_id)}", Report)

    async def expect_report(
        self,
        to: Recipient,
        *,
        source_site: str | None = None,
        destination_site: str | None = None,
        source_identifier: int | None = None,
        trigger_data: int | None = None,
        state: ReportState | None = None,
        within: Duration = 0,
    ) -> Report:
        """Returns the expected report.

        Args:
            to: The recipient of the report.
            source_site: The registrable domain on which the click was made; None for any.
            destination_site: The registrable domain of the click's destination; None for any.
            source_identifier: The click's source identifier; None for any.
            trigger_data: The trigger data of the triggering event; None for any.
            state: The state of the report: `delivered` by default.
            within: How long to wait for the report on the machine's clock. Use it for browsers with a real clock. A manual
                clock needs no wait, because `advance` returns when all due work is done.

        Raises:
            ExpectationFailure: There is no such report. The text has the existing reports and an explanation.
        """
        report = ExpectedReport(
            recipient=to,
            source_site=source_site,
            destination_site=destination_site,
            source_identifier=source_identifier,
            trigger_data=trigger_data,
            state=state,
        )
        left = timedelta_of(within)
        while True:
            wait = min(left, timedelta(minutes=5))
            result = await self._check(Expectation(report=report, wait=wait if wait else None))
            left -= wait
            if result.met and result.report is not None:
                return result.report
            if not left:
                raise ExpectationFailure(self.name, result)

    async def expect_no_report(
        self,
        to: Recipient | None = None,
        *,
        source_site: str | None = None,
        destination_site: str | None = None,
        source_identifier: int | None = None,
        trigger_data: int | None = None,
    ) -> None:
        """Returns if no matching report is scheduled, sending, delivered, or failed.

        Superseded and cleared reports do not count.

        Args:
            to: The recipient of the report; None for any.
            source_site: The registrable domain on which the click was made; None for any.
            destination_site: The registrable domain of the click's destination; None for any.
            source_identifier: The click's source identifier; None for any.
            trigger_data: The trigger data of the triggering event; None for any.

        Raises:
            ExpectationFailure: There is such a report.
        """
        unwanted = ExpectedReport(
            recipient=to,
            source_site=source_site,
            destination_site=destination_site,
            source_identifier=source_identifier,
            trigger_data=trigger_data,
        )
        result = await self._check(Expectation(no_report=unwanted))
        if not result.met:
            raise ExpectationFailure(self.name, result)

    async def _check(self, expectation: Expectation) -> ExpectationResult:
        path = f"{self._path}/expectations"
        return await self._connection.call("POST", path, ExpectationResult, expectation, patience=expectation.wait or timedelta())

    # The log

    async def events(
        self, *, after: int = 0, kind: Collection[EventKind] = (), about: Collection[str] = (), decisions: bool = False
    ) -> list[Event]:
        """Returns the events of the log.

        Args:
            after: Returns only events after this number.
            kind: The kinds of the events to return; empty for all.
            about: The subjects of the events to return, at most 16: identifiers such as `click-12`, the bundle identifier
                of an app, or a registrable domain; empty for all.
            decisions: Whether the events have the verdicts of the rules that decided.
        """
        query = {"after": after, "kind": kind, "about": about, "include": "decision" if decisions else None}
        return await self._connection.items(f"{self._path}/events", Event, query)

    async def wait_for(self, kind: EventKind, *, after: int = 0, about: Collection[str] = (), timeout: Duration = 30) -> Event:
        """Returns the first event of a kind as soon as it exists.

        Args:
            kind: The kind of event.
            after: Considers only events after this number.
            about: The subjects of the event, as in `events`.
            timeout: The longest wait on the machine's clock, up to five minutes.

        Raises:
            PCMError: The code is `timed-out` when no such event occurred.
        """
        path, wait = f"{self._path}/events", duration_text(timeout)
        query = {"kind": kind, "after": after, "about": about, "wait": wait, "limit": 1}
        page = await self._connection.call("GET", path, EventPage, query=query, patience=timeout)
        if page.items:
            return page.items[0]
        detail = f"no event {kind} after {after} occurred within {wait}"
        request = f"GET {self._connection.url}{path}"
        raise PCMError(request, status=200, code="timed-out", title="Timed out", detail=detail, retryable=True)

    async def stream(self, *, after: int = 0, about: Collection[str] = ()) -> AsyncGenerator[Event, None]:
        """Yields the events of the log, including future ones, until the browser is deleted or the service stops.

        After a broken connection, it continues after the last event. When the new connection delivers nothing either, it
        ends, or raises `PCMError`. A loop that leaves the stream early closes it with `contextlib.aclosing`.

        Args:
            after: Yields only events after this number.
            about: The subjects of the events, as in `events`.
        """
        last: str | None = None
        incarnation: str | None = None
        fruitless = 0
        while fruitless < 2:
            fruitless += 1
            async with self._connection.stream(f"{self._path}/events", {"after": after, "about": about}, last) as response:
                # A later browser of the same name has another log.
                if incarnation not in (None, response.headers.get("Browser-Incarnation")):
                    return
                incarnation = response.headers.get("Browser-Incarnation")
                messages = ServerSentEvents(head(response))
                try:
                    async for chunk in response.aiter_bytes():
                        for identity, message in messages.read(chunk):
                            if identity is not None:
                                last, fruitless = identity, 0
                                yield message.value(Event)
                            # A message without an identifier is a notice of the service.
                            elif message.value(dict).get("kind") == "browser-deleted":
                                return
                except httpx.DecodingError as error:
                    raise head(response).bad(f"its content is not encoded as its header says: {error}") from None
                except httpx.TransportError:
                    continue

    async def explain(self, about: str) -> Explanation:
        """Returns an explanation of a subject: each rule with its input and verdict.

        Args:
            about: An identifier, such as `click-12`, `report-16`, or `postback-20`, or a registrable domain.

        Raises:
            PCMError: The status is 404 when the browser has no such subject.
        """
        return await self._connection.call("GET", f"{self._path}/explain", Explanation, query={"about": about})

    async def explanation_text(self, about: str) -> str:
        """Returns an explanation as text for people."""
        headers = {"Accept": "text/plain"}
        return (await self._connection.send("GET", f"{self._path}/explain", None, {"about": about}, headers)).text

    async def scenario(self) -> str:
        """Returns the history of the browser as a scenario in YAML, which `pcm-browser run` replays to the same log.

        Raises:
            PCMError: The status is 409 for a browser on the real clock, and for a history beyond the limits of a scenario.
        """
        headers = {"Accept": "application/yaml"}
        return (await self._connection.send("GET", f"{self._path}/scenario", headers=headers)).text

    async def trace(self) -> str:
        """Returns the page of the browser as one HTML file, which works without the service."""
        return (await self._connection.send("GET", f"{self._path}/trace", headers={"Accept": "text/html"})).text

    # The network

    async def network(self) -> Network:
        """Returns the network that responds to the browser's requests."""
        return await self._connection.call("GET", f"{self._path}/network", Network)

    async def use_network(self, mode: NetworkMode) -> None:
        """Changes the network that responds to the browser's requests.

        A simulated site without a script accepts reports and postbacks, serves a token key, and signs; its pages return
        404.

        Args:
            mode: `simulated` for sites in the service, without any connection, or `real`.
        """
        await self._connection.call("PUT", f"{self._path}/network", Network, NetworkSpecification(mode=mode))

    async def script(
        self,
        host: str,
        *,
        key: Literal["first", "second"] | None = None,
        report: SiteResponse | list[SiteResponse] | None = None,
        token_key: SiteResponse | list[SiteResponse] | None = None,
        sign: SiteSignature | list[SiteSignature] | None = None,
        postback: SiteResponse | list[SiteResponse] | None = None,
        signed_payload: SiteSignedPayload | list[SiteSignedPayload] | None = None,
        sdk_request: SiteResponse | list[SiteResponse] | None = None,
        loads: Mapping[str, SiteResponse | list[SiteResponse]] | None = None,
    ) -> None:
        """Adds the script of a simulated site, or replaces it.

        Of several responses, each is used once, in order, and the last one repeatedly. None is for a good endpoint.

        Args:
            host: A site or one of its hosts, in lower case.
            key: The token key that the site serves and signs with: `first` or `second`.
            report: The responses to reports: `[SiteResponse(status=503), SiteResponse()]` fails once.
            token_key: The responses to requests for the token key.
            sign: The responses to requests for signatures.
            postback: The responses to postbacks.
            signed_payload: The responses to requests for the signed values of a web ad.
            sdk_request: The responses to requests of a measurement SDK.
            loads: The responses of pages, by path and query. Other pages return 404.
        """
        body = SiteBehavior(
            key=key,
            report=report,
            token_key=token_key,
            sign=sign,
            postback=postback,
            signed_payload=signed_payload,
            sdk_request=sdk_request,
            loads=None if loads is None else dict(loads),
        )
        await self._connection.call("PUT", f"{self._path}/sites/{part(host)}", dict, body)

    async def remove_script(self, host: str) -> None:
        """Removes the script of a simulated site, which is a good endpoint then."""
        await self._connection.send("DELETE", f"{self._path}/sites/{part(host)}")

    async def messages(self, host: str | None = None) -> list[SiteMessage]:
        """Returns the requests that simulated sites received, oldest first: the newest 1,000, up to 1 MiB.

        Args:
            host: Returns only requests to this host; None for all.
        """
        return await self._connection.items(f"{self._path}/messages", SiteMessage, {"host": host})
