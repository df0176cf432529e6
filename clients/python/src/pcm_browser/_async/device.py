"""The device of the asynchronous client."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .._moves import AppLike, identifier
from .._wire import Duration, timedelta_of
from ..models import (
    AdDisplay,
    AdNetwork,
    AdNetworkSpecification,
    AdTap,
    BrowserChange,
    BrowserState,
    CardClick,
    CardFeed,
    CardFeedOutcome,
    CardOutcome,
    ContentCard,
    ConversionValue,
    ConversionValueOutcome,
    CrowdTiers,
    DevelopmentPostback,
    DevelopmentPostbacks,
    DeviceChange,
    DeviceProperties,
    Impression,
    ImpressionOutcome,
    Install,
    InstalledApp,
    InstallOutcome,
    KeyPair,
    Launch,
    LaunchOutcome,
    Postback,
    Presentation,
    ReportState,
    SDKEvent,
    SDKEventOutcome,
    SDKRequest,
    SignedAdSpecification,
    Tracking,
    TrackingAnswer,
    TrackingOutcome,
    TrackingRequest,
    TrackingRequestOutcome,
    TrackingSettingChange,
)
from .connection import AsyncConnection, part

__tracebackhide__ = True

if TYPE_CHECKING:
    from .browser import AsyncBrowser


class AsyncDevice:
    """The device on which a browser runs: apps, ads, installs, conversion values, and postbacks.

    It has the name, the clock, and the log of its browser, which registers apps and moves the clock. Every call may raise
    `PCMError`.

    Example::

        network, device = "example123.skadnetwork", browser.device
        await device.register_ad_network(network, postback_url="https://network.example/postbacks")
        news = await browser.register_app(
            "com.example.news", info_plist={"SKAdNetworkItems": [{"SKAdNetworkIdentifier": network}]}, item_identifier=1
        )
        game = await browser.register_app("com.example.game", info_plist={}, item_identifier=2)

        await device.display(
            news, signed_by="test", ad_network_identifier=network, advertised_app_store_item_identifier=2
        )
        install = await device.install(game)
        assert install.outcome == "attributed", install.reasons
        await device.report_conversion_value(game, fine_value=42)
        await browser.advance_until_idle()
        assert len(await device.postbacks(state=["delivered"])) == 1
    """

    def __init__(self, browser: AsyncBrowser, connection: AsyncConnection) -> None:
        self.browser = browser
        """The browser that runs on the device."""
        self._connection = connection
        self._path = f"/v1/devices/{part(browser.name)}"

    def _card(self, app: AppLike, id_string: str) -> str:
        return f"{self._path}/apps/{part(identifier(app))}/cards/{part(id_string)}"

    # The device and the ad networks

    async def properties(self) -> DeviceProperties:
        """Returns the properties of the device."""
        return (await self._connection.call("GET", self._path, BrowserState)).device

    async def change(
        self,
        *,
        system_version: str | None = None,
        country: str | None = None,
        developer_mode: bool | None = None,
        testing_profile: bool | None = None,
        minimum_view_time: Duration | None = None,
        conversion_window_start: Literal["launch", "first-update"] | None = None,
        source_domain: Literal["displaying-site", "ad-network"] | None = None,
        postback_keys: Literal["test", "test-second-development", "apple-identifiers"] | None = None,
        escaped_slashes: bool | None = None,
    ) -> DeviceProperties:
        """Changes properties, and returns all of them. None changes nothing.

        Args:
            system_version: The version of iOS, such as `18.6`.
            country: The country of the App Store account, two letters.
            developer_mode: Whether developer mode is on, from iOS 18 on. It ends after two weeks.
            testing_profile: Whether the testing profile is installed, before iOS 18. It ends after two weeks.
            minimum_view_time: The time for which a view-through ad of SKAdNetwork must be displayed, up to one hour.
            conversion_window_start: When the conversion windows of later conversions begin.
            source_domain: The site that `source_domain` of a web ad names.
            postback_keys: The keys that sign postbacks of AdAttributionKit.
            escaped_slashes: Whether postbacks have a backslash before each slash, as by Apple's serializer.
        """
        change = DeviceChange(
            system_version=system_version,
            country=country,
            developer_mode=developer_mode,
            testing_profile=testing_profile,
            minimum_view_time=None if minimum_view_time is None else timedelta_of(minimum_view_time),
            conversion_window_start=conversion_window_start,
            source_domain=source_domain,
            postback_keys=postback_keys,
            escaped_slashes=escaped_slashes,
        )
        return (await self._connection.call("PATCH", self._path, BrowserState, BrowserChange(device=change))).device

    async def keys(self) -> list[KeyPair]:
        """Returns the published key pairs: the pairs for postbacks, and the pair `ad-network` of a test ad network."""
        return await self._connection.items(f"{self._path}/keys", KeyPair)

    async def register_ad_network(self, ad_network: str, *, postback_url: str, public_key: str | None = None) -> AdNetwork:
        """Registers an ad network with Apple, or replaces its registration.

        Args:
            ad_network: The identifier in lower case, such as `example123.skadnetwork`.
            postback_url: The https URL at which the network receives postbacks.
            public_key: The key that verifies the network's ads: a SubjectPublicKeyInfo on P-256, as PEM or as Base64. None for
                the published test key, with which `display` signs ads.
        """
        if public_key is None:
            pair, *_ = [pair for pair in await self.keys() if pair.id == "ad-network"]
            public_key = pair.public_key
        body = AdNetworkSpecification(public_key=public_key, postback_url=postback_url)
        return await self._connection.call("PUT", f"{self._path}/ad-networks/{part(ad_network)}", AdNetwork, body)

    async def ad_networks(self) -> list[AdNetwork]:
        """Returns all registered ad networks."""
        return await self._connection.items(f"{self._path}/ad-networks", AdNetwork)

    async def ad_network(self, ad_network: str) -> AdNetwork:
        """Returns a registered ad network."""
        return await self._connection.call("GET", f"{self._path}/ad-networks/{part(ad_network)}", AdNetwork)

    async def remove_ad_network(self, ad_network: str) -> None:
        """Removes the registration of an ad network. Its ads remain."""
        await self._connection.send("DELETE", f"{self._path}/ad-networks/{part(ad_network)}")

    # Ads

    async def display(
        self,
        app: AppLike,
        *,
        signed_by: Literal["test"] | None = None,
        framework: Literal["skadnetwork", "adattributionkit"] | None = None,
        eligible_for_reengagement: bool | None = None,
        jws: str | None = None,
        presentation: Literal["storekit-rendered", "view-through", "custom-rendered"] | None = None,
        handle_view: bool | None = None,
        version: str | None = None,
        ad_network_identifier: str | None = None,
        ad_campaign_identifier: int | None = None,
        source_identifier: int | None = None,
        advertised_app_store_item_identifier: int | None = None,
        ad_impression_identifier: str | None = None,
        source_app_store_item_identifier: int | None = None,
        timestamp: int | None = None,
        signature: str | None = None,
    ) -> ImpressionOutcome:
        """Displays an ad in an app: of AdAttributionKit with `jws`, or of SKAdNetwork with its other values.

        Args:
            app: The registered app.
            signed_by: `test`: the service signs the ad with the published test key, and fills in absent values, such as the
                timestamp. None for an ad with `jws` or `signature`.
            framework: The framework of an ad that the service signs: `skadnetwork` by default.
            eligible_for_reengagement: Whether an ad of AdAttributionKit that the service signs can lead to re-engagements.
            jws: The compact JSON Web Signature of AdAttributionKit.
            presentation: `storekit-rendered` by default for SKAdNetwork, which also has `view-through`;
                `custom-rendered` by default for AdAttributionKit, which also has `storekit-rendered`.
            handle_view: Whether the app calls `handleView()`, which records the view at once, from iOS 26.2 on.
            version: The version of SKAdNetwork, such as `4.0`; None for 1.0, and for 4.0 with `signed_by`.
            ad_network_identifier: The identifier of the ad network, in lower case.
            ad_campaign_identifier: The campaign, 1 to 100, up to version 3.0.
            source_identifier: The source identifier, 0 to 9999, in version 4.0.
            advertised_app_store_item_identifier: The identifier of the advertised app in the App Store.
            ad_impression_identifier: The nonce, a UUID in lower case.
            source_app_store_item_identifier: The identifier of the app that displays the ad; 0 or None for none.
            timestamp: When the ad was signed, in milliseconds since 1970.
            signature: The signature in Base64.

        Returns:
            Whether the ad counts, with the reasons and Apple's error if it does not.
        """
        if (signed_by is None and (framework or eligible_for_reengagement)) or (signed_by and (jws or signature)):
            raise ValueError("display takes signed_by with framework and eligible_for_reengagement, or jws, or signature")
        body = AdDisplay(
            bundle_identifier=identifier(app),
            presentation=presentation,
            jws=jws,
            handle_view=handle_view,
            version=version,
            ad_network_identifier=ad_network_identifier,
            ad_campaign_identifier=ad_campaign_identifier,
            source_identifier=source_identifier,
            advertised_app_store_item_identifier=advertised_app_store_item_identifier,
            ad_impression_identifier=ad_impression_identifier,
            source_app_store_item_identifier=source_app_store_item_identifier,
            timestamp=timestamp,
            signature=signature,
        )
        if signed_by is not None:
            values: dict[str, Any] = {name: value for name, value in vars(body).items() if name not in ("jws", "signature")}
            ad = SignedAdSpecification(framework=framework, eligible_for_reengagement=eligible_for_reengagement, **values)
            body = await self._connection.call("POST", f"{self._path}/signed-ads", AdDisplay, ad)
        return await self._connection.call("POST", f"{self._path}/impressions", ImpressionOutcome, body)

    async def end_view(self, impression_id: str) -> ImpressionOutcome:
        """Ends the view of an ad, such as `impression-4`."""
        return await self._connection.call("POST", f"{self._path}/impressions/{part(impression_id)}/end", ImpressionOutcome)

    async def tap(
        self,
        impression_id: str,
        *,
        tap_verified: bool = True,
        reengagement_url: str | None = None,
        universal_link: bool | None = None,
        crowd_tiers: CrowdTiers | None = None,
    ) -> ImpressionOutcome:
        """Taps an ad of AdAttributionKit.

        Args:
            impression_id: The identifier of the displayed ad, such as `impression-4`.
            tap_verified: Whether a `UIEventAttributionView` covers the ad. Only for an ad that the app renders.
            reengagement_url: The argument of `handleTap(reengagementURL:)`, for an advertised app that is installed.
            universal_link: Whether the URL is a universal link of the advertised app; None for every http or https URL.
            crowd_tiers: The crowd of a re-engagement; None for a large one.
        """
        body = AdTap(
            tap_verified=tap_verified,
            reengagement_url=reengagement_url,
            universal_link=universal_link,
            crowd_tiers=crowd_tiers,
        )
        path = f"{self._path}/impressions/{part(impression_id)}/tap"
        return await self._connection.call("POST", path, ImpressionOutcome, body)

    async def impressions(self) -> list[Impression]:
        """Returns the displayed ads and the recorded ads, oldest first."""
        return await self._connection.items(f"{self._path}/impressions", Impression)

    # Installs and conversion values

    async def install(
        self,
        app: AppLike,
        *,
        redownload: bool | None = None,
        marketplace: str | None = None,
        country: str | None = None,
        crowd_tiers: CrowdTiers | None = None,
    ) -> InstallOutcome:
        """Installs a registered app.

        Args:
            app: The app.
            redownload: Whether the account had the app before; None if it had when it was installed here before.
            marketplace: The bundle identifier of the marketplace; None for the App Store.
            country: The country of the install, two letters; None for the device's country.
            crowd_tiers: The crowd of the install, which determines the contents of postbacks; None for a large one.

        Returns:
            The ad that led to the install, and why others did not.
        """
        body = Install(
            bundle_identifier=identifier(app),
            redownload=redownload,
            marketplace=marketplace,
            country=country,
            crowd_tiers=crowd_tiers,
        )
        return await self._connection.call("POST", f"{self._path}/installs", InstallOutcome, body)

    async def installed_apps(self) -> list[InstalledApp]:
        """Returns the installed apps with their pending conversions."""
        return await self._connection.items(f"{self._path}/installs", InstalledApp)

    async def launch(self, app: AppLike) -> LaunchOutcome:
        """Opens an installed app."""
        body = Launch(bundle_identifier=identifier(app))
        return await self._connection.call("POST", f"{self._path}/launches", LaunchOutcome, body)

    async def report_conversion_value(
        self,
        app: AppLike,
        *,
        fine_value: int | None = None,
        coarse_value: Literal["low", "medium", "high"] | None = None,
        lock_window: bool | None = None,
        framework: Literal["skadnetwork", "adattributionkit"] | None = None,
        conversion_types: list[Literal["install", "reengagement"]] | None = None,
        conversion_tag: str | None = None,
    ) -> ConversionValueOutcome:
        """Reports a conversion value from an installed app.

        Args:
            app: The app.
            fine_value: The fine value, 0 to 63.
            coarse_value: The coarse value.
            lock_window: Whether the window ends with this value.
            framework: The framework whose API the app calls: `skadnetwork` by default.
            conversion_types: The conversions to update, in AdAttributionKit; None for all.
            conversion_tag: The tag of the re-engagement to update, in AdAttributionKit.

        Returns:
            The effect on each pending conversion, with the reasons and Apple's error if there is none.
        """
        body = ConversionValue(
            bundle_identifier=identifier(app),
            framework=framework,
            fine_value=fine_value,
            coarse_value=coarse_value,
            lock_window=lock_window,
            conversion_types=conversion_types,
            conversion_tag=conversion_tag,
        )
        return await self._connection.call("POST", f"{self._path}/conversion-values", ConversionValueOutcome, body)

    # Postbacks

    async def postbacks(self, *, state: Collection[ReportState] = ()) -> list[Postback]:
        """Returns the postbacks in the order in which they were scheduled, with their bodies and responses.

        Args:
            state: The states of the postbacks to return; empty for all.
        """
        query = {"include": ["body", "response"], "state": state}
        return await self._connection.items(f"{self._path}/postbacks", Postback, query)

    async def postback(self, postback_id: str) -> Postback:
        """Returns a postback by its identifier, such as `postback-20`."""
        return await self._connection.call("GET", f"{self._path}/postbacks/{part(postback_id)}", Postback)

    async def wait_for_postback(self, *, after: int = 0, timeout: Duration = 30) -> Postback:
        """Returns the first delivered postback as soon as it exists.

        Args:
            after: Considers only deliveries after the event of this number.
            timeout: The longest wait on the machine's clock, up to five minutes.

        Raises:
            PCMError: The code is `timed-out` when no postback was delivered.
        """
        event = await self.browser.wait_for("postback-delivered", after=after, timeout=timeout)
        return await self.postback(event.detail["postbackId"])

    async def create_development_postback(self, postback: DevelopmentPostback) -> Postback:
        """Creates a postback in the settings, from iOS 18.4 on.

        It is due at once; on a manual clock, it leaves with the next move.
        """
        return await self._connection.call("POST", f"{self._path}/development-postbacks", Postback, postback)

    async def create_development_postbacks(self, postback: DevelopmentPostback) -> DevelopmentPostbacks:
        """Creates the postbacks of one or three conversion windows in the settings.

        Args:
            postback: The properties of each postback, with `windows`. With `send="later"`, each postback waits for the end
                of its window, or until the app locks it; otherwise, all are due at once.
        """
        return await self._connection.call("POST", f"{self._path}/development-postbacks", DevelopmentPostbacks, postback)

    async def send_development_postbacks(self) -> DevelopmentPostbacks:
        """Sends the development postbacks whose windows ended, or that the app locked.

        On a manual clock, they leave with the next move. Returns these postbacks, and the conversions that wait for values.
        """
        return await self._connection.call("POST", f"{self._path}/development-postbacks/send", DevelopmentPostbacks)

    async def clear_development_postbacks(self) -> DevelopmentPostbacks:
        """Clears the development postbacks that were not sent, and the conversions that wait for values, and returns them."""
        return await self._connection.call("POST", f"{self._path}/development-postbacks/clear", DevelopmentPostbacks)

    # Content cards

    async def replace_cards(
        self,
        app: AppLike,
        cards: Sequence[Mapping[str, Any]],
        *,
        class_key: str | None = None,
        class_types: list[str] | None = None,
        language: Literal["swift", "objective-c"] | None = None,
    ) -> CardFeedOutcome:
        """Replaces the content cards of an app. A card with the ID of an earlier one keeps its counts.

        Args:
            app: The registered app.
            cards: The cards: objects as Braze's REST API takes them, with the names of the SDKs' fields, or as the server sends
                them to the SDKs. A card that cannot be read is dropped, and no other.
            class_key: The key of the extras in which the app looks for the class of a card; None for `class_type`.
            class_types: The classes that the app knows. None for those in Braze's guide and `pcm_ad`, and with another
                `class_key` for all.
            language: How the app compares classes: `swift`, in lower case, by default.

        Returns:
            Whether the app shows each card, with the reasons if it does not, and notes.
        """
        body = CardFeed(cards=[dict(card) for card in cards], class_key=class_key, class_types=class_types, language=language)
        return await self._connection.call("PUT", f"{self._path}/apps/{part(identifier(app))}/cards", CardFeedOutcome, body)

    async def cards(self, app: AppLike) -> list[ContentCard]:
        """Returns the content cards of an app as the app sees them, in the order of the feed."""
        return await self._connection.items(f"{self._path}/apps/{part(identifier(app))}/cards", ContentCard)

    async def display_card(self, app: AppLike, id_string: str) -> CardOutcome:
        """Displays a content card by its ID in the SDK. The view of an ad begins, if the card has one."""
        return await self._connection.call("POST", f"{self._card(app, id_string)}/impressions", CardOutcome)

    async def click_card(
        self,
        app: AppLike,
        id_string: str,
        *,
        tap_verified: bool = True,
        presentation: Presentation | None = None,
        landing_url: str | None = None,
    ) -> CardOutcome:
        """Clicks a content card.

        If its extras contain measurement parameters, its URL opens with an event attribution, or the app's ad is tapped.

        Args:
            app: The app that received the card.
            id_string: The ID of the card in the SDK.
            tap_verified: Whether a `UIEventAttributionView` covered the card.
            presentation: How the app opens the URL: `openURL` by default, or `safariViewController`.
            landing_url: The URL that the main frame commits, after redirects; by default, the card's URL.
        """
        body = CardClick(tap_verified=tap_verified, presentation=presentation, landing_url=landing_url)
        return await self._connection.call("POST", f"{self._card(app, id_string)}/clicks", CardOutcome, body)

    async def dismiss_card(self, app: AppLike, id_string: str) -> CardOutcome:
        """Dismisses a content card by its ID in the SDK. The view of its ad ends."""
        return await self._connection.call("POST", f"{self._card(app, id_string)}/dismissals", CardOutcome)

    # Consent to tracking

    async def request_tracking(
        self,
        app: AppLike,
        *,
        active: bool | None = None,
        extension: bool | None = None,
        other_prompt: bool | None = None,
    ) -> TrackingRequestOutcome:
        """Asks for permission to track, as `requestTrackingAuthorization` does.

        Args:
            app: The registered app, which needs `NSUserTrackingUsageDescription`.
            active: Whether the app is active: true by default.
            extension: Whether an extension of the app makes the call: false by default.
            other_prompt: Whether a prompt for another permission is displayed: false by default.

        Returns:
            Whether the prompt is displayed, and why not.
        """
        body = TrackingRequest(
            bundle_identifier=identifier(app),
            active=active,
            extension=extension,
            other_prompt=other_prompt,
        )
        return await self._connection.call("POST", f"{self._path}/tracking-requests", TrackingRequestOutcome, body)

    async def answer_tracking(self, app: AppLike, *, allow: bool) -> TrackingOutcome:
        """Answers the prompt of an app."""
        body = TrackingAnswer(bundle_identifier=identifier(app), allow=allow)
        return await self._connection.call("POST", f"{self._path}/tracking-answers", TrackingOutcome, body)

    async def change_tracking(self, app: AppLike, *, allow: bool) -> TrackingOutcome:
        """Changes the switch of an app in the settings, after the user answered its prompt."""
        body = TrackingSettingChange(bundle_identifier=identifier(app), allow=allow)
        return await self._connection.call("POST", f"{self._path}/tracking-settings", TrackingOutcome, body)

    async def change_tracking_of_device(self, system: Literal["allowed", "off", "restricted"]) -> TrackingOutcome:
        """Changes the setting of the device: apps may ask, may not ask, or supervision forbids tracking."""
        body = TrackingSettingChange(system=system)
        return await self._connection.call("POST", f"{self._path}/tracking-settings", TrackingOutcome, body)

    async def tracking(self, app: AppLike) -> Tracking:
        """Returns the values about tracking that an app reads."""
        return await self._connection.call("GET", f"{self._path}/apps/{part(identifier(app))}/tracking", Tracking)

    async def record_sdk_event(
        self,
        app: AppLike,
        event: str,
        *,
        sdk_version: int | None = None,
        url_strategy: Literal[
            "default",
            "ADJDataResidencyEU",
            "ADJDataResidencyTR",
            "ADJDataResidencyUS",
            "ADJUrlStrategyChina",
            "ADJUrlStrategyCn",
            "ADJUrlStrategyCnOnly",
            "ADJUrlStrategyIndia",
        ]
        | None = None,
        url_strategy_domains: list[str] | None = None,
        use_subdomains: bool | None = None,
        is_data_residency: bool | None = None,
        consent_waiting_interval: Duration | None = None,
    ) -> SDKEventOutcome:
        """Records an event with a measurement SDK.

        Args:
            app: The registered app.
            event: The name of the event.
            sdk_version: The version of the SDK, 4 or 5; None for 4 with a constant in `url_strategy`, and for 5 otherwise.
            url_strategy: The constant of SDK 4 that selects the hosts.
            url_strategy_domains: The domains of `setUrlStrategy` in SDK 5, in the order in which the SDK tries them.
            use_subdomains: Whether `setUrlStrategy` puts `analytics` or `consent` before a domain, by default.
            is_data_residency: Whether the domains are for data residency.
            consent_waiting_interval: How long events wait for the user's answer, at most 360 seconds, and 120 with SDK 4.
        """
        interval = consent_waiting_interval
        body = SDKEvent(
            bundle_identifier=identifier(app),
            event=event,
            sdk_version=sdk_version,
            url_strategy=url_strategy,
            url_strategy_domains=url_strategy_domains,
            use_subdomains=use_subdomains,
            is_data_residency=is_data_residency,
            consent_waiting_interval=None if interval is None else timedelta_of(interval),
        )
        return await self._connection.call("POST", f"{self._path}/sdk-events", SDKEventOutcome, body)

    async def sdk_requests(self) -> list[SDKRequest]:
        """Returns the requests of measurement SDKs, oldest first."""
        return await self._connection.items(f"{self._path}/sdk-requests", SDKRequest)
