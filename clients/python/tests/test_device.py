"""The calls of a device, against the real service."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from pcm_browser import Browser, CrowdTiers, DevelopmentPostback, Device
from pcm_browser.models import App, ImpressionOutcome

NETWORK = "example123.skadnetwork"
ITEM, SOURCE_ITEM = 525463029, 1234567891
NONCE = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
START = 1795168800000


class Scene:
    """A device with a registered ad network, an app that displays its ads, and an advertised app."""

    def __init__(self, browser: Browser) -> None:
        self.device: Device = browser.device
        keys = next(pair for pair in browser.device.keys() if pair.id == "ad-network")  # noqa: SIM118
        key = serialization.load_pem_private_key(keys.private_key_pem.encode(), None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        self.key = key
        network = self.device.register_ad_network(NETWORK, public_key=keys.public_key_pem, postback_url="https://ads.example/p")
        assert network.public_key == keys.public_key
        self.news = browser.register_app(
            "com.example.news",
            info_plist={"SKAdNetworkItems": [{"SKAdNetworkIdentifier": NETWORK}], "AdNetworkIdentifiers": [NETWORK]},
            item_identifier=SOURCE_ITEM,
        )
        self.shop = browser.register_app(
            "com.example.shop",
            info_plist={
                "NSAdvertisingAttributionReportEndpoint": "https://shop.example",
                "AttributionCopyEndpoint": "https://shop.example",
            },
            item_identifier=ITEM,
        )

    def display(self, app: App) -> ImpressionOutcome:
        """Displays an ad of SKAdNetwork 4.0, which StoreKit renders."""
        values = ["4.0", NETWORK, "4239", str(ITEM), NONCE, str(SOURCE_ITEM), "1", str(START)]
        signature = self.key.sign("\u2063".join(values).encode(), ec.ECDSA(hashes.SHA256()))
        return self.device.display(
            app,
            version="4.0",
            ad_network_identifier=NETWORK,
            source_identifier=4239,
            advertised_app_store_item_identifier=ITEM,
            ad_impression_identifier=NONCE,
            source_app_store_item_identifier=SOURCE_ITEM,
            timestamp=START,
            signature=base64.b64encode(signature).decode(),
        )


@pytest.fixture
def scene(pcm_browser: Browser) -> Scene:
    return Scene(pcm_browser)


def test_an_ad_leads_to_an_install_and_to_postbacks(pcm_browser: Browser, scene: Scene) -> None:
    device = scene.device
    ad = scene.display(scene.news)
    assert (ad.outcome, ad.interaction) == ("recorded", "click"), ad
    assert [impression.id for impression in device.impressions()] == [ad.id]
    install = device.install(scene.shop, crowd_tiers=CrowdTiers(two_digits=2))
    assert (install.outcome, install.winner_id) == ("attributed", ad.id)
    assert [compared.outcome for compared in install.impressions] == ["won"]
    assert device.launch(scene.shop).first
    value = device.report_conversion_value(scene.shop, fine_value=42, coarse_value="high")
    assert value.outcome == "accepted", value
    assert [app.bundle_identifier for app in device.installed_apps()] == ["com.example.shop"]
    assert pcm_browser.advance_until_idle().idle
    postbacks = device.postbacks(state=["delivered"])
    assert [postback.recipient for postback in postbacks] == ["ad-network", "developer"]
    assert postbacks[0].body is not None
    assert postbacks[0].body["ad-network-id"] == NETWORK
    assert device.postback(postbacks[0].id) == device.wait_for_postback() == postbacks[0]
    assert {message.kind for message in pcm_browser.messages()} == {"postback"}
    assert pcm_browser.explain(postbacks[0].id).subject["kind"] == "postback"


def test_a_rejected_ad_has_reasons_and_the_error_of_apple(scene: Scene) -> None:
    ad = scene.display(scene.shop)
    assert ad.outcome == "rejected"
    assert ad.reasons[0].code == "ad-network-not-declared"
    assert ad.apple_error is not None
    assert ad.apple_error.name == "adNetworkIdMissing"
    assert ad.change is not None
    install = scene.device.install(scene.shop)
    assert (install.outcome, install.winner_id) == ("unattributed", None)


def test_the_device_and_its_networks_change(scene: Scene) -> None:
    device = scene.device
    assert device.change(country="DE", minimum_view_time=3).country == "DE"
    assert device.properties().minimum_view_time.total_seconds() == 3
    assert [network.ad_network_identifier for network in device.ad_networks()] == [NETWORK]
    assert device.ad_network(NETWORK).postback_url == "https://ads.example/p"
    assert device.ad_network(NETWORK).findings == []
    unusual = device.register_ad_network("foo", postback_url="https://ads.example/p")
    assert [finding.code for finding in unusual.findings] == ["ad-network-identifier-without-suffix"]
    device.remove_ad_network("foo")
    device.remove_ad_network(NETWORK)
    assert device.ad_networks() == []


def test_development_postbacks_are_created_sent_and_cleared(pcm_browser: Browser, scene: Scene) -> None:
    device = scene.device
    device.install(scene.shop)
    one = DevelopmentPostback(bundle_identifier="com.example.shop", url="https://ads.example/p", fine_value=5)
    postback = device.create_development_postback(one)
    pcm_browser.advance_until_idle()
    assert device.postback(postback.id).state == "delivered"
    later = DevelopmentPostback(bundle_identifier="com.example.shop", windows=3, send="later")
    assert len(device.create_development_postbacks(later).conversions) == 1
    assert device.send_development_postbacks().postbacks == []
    assert len(device.clear_development_postbacks().conversions) == 1


def test_cards_are_shown_clicked_and_dismissed(scene: Scene) -> None:
    device, news = scene.device, scene.news
    extras = {"class_type": "pcm_ad", "attribution_source_id": "4"}
    card = {"idString": "a/b", "created": 1, "dismissible": True, "urlString": "https://shop.example/", "extras": extras}
    feed = device.replace_cards(news, [card])
    assert (feed.shown_count, feed.cards[0].id_string) == (1, "a/b")
    assert device.display_card(news, "a/b").analytics.impressions == 1
    click = device.click_card(news, "a/b")
    assert click.outcome == "counted"
    assert click.attribution is not None
    assert click.attribution.reasons[0].code == "no-report-endpoint"
    assert device.dismiss_card(news, "a/b").outcome == "counted"
    assert [shown.outcome for shown in device.cards(news)] == ["dropped"]


def test_an_app_asks_for_tracking(pcm_browser: Browser) -> None:
    device = pcm_browser.device
    app = pcm_browser.register_app("com.example.shop", info_plist={"NSUserTrackingUsageDescription": "To measure ads."})
    assert device.request_tracking(app).outcome == "prompted"
    assert device.answer_tracking(app, allow=True).status == 3
    assert device.tracking(app).advertising_identifier != "00000000-0000-0000-0000-000000000000"
    assert device.change_tracking(app, allow=False).status == 2
    assert device.change_tracking_of_device("restricted").outcome == "changed"
    assert device.record_sdk_event(app, "purchase", consent_waiting_interval=10).reasons[0].code == "status-determined"
    pcm_browser.advance_until_idle()
    assert len(device.sdk_requests()) == 1


def test_a_signed_ad_of_adattributionkit_is_tapped(scene: Scene) -> None:
    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    broken = f"{part({'alg': 'ES256', 'kid': NETWORK})}.{part({})}.AAAA"
    ad = scene.device.display(scene.news, jws=broken)
    assert ad.outcome == "rejected"
    assert ad.reasons


@pytest.mark.parametrize(
    ("values", "outcome"),
    [
        ({}, "recorded"),
        ({"version": "4.0", "presentation": "view-through"}, "started"),
        ({"version": "3.0", "ad_campaign_identifier": 7}, "recorded"),
        ({"framework": "adattributionkit", "eligible_for_reengagement": True}, "started"),
    ],
)
def test_the_service_signs_an_ad(pcm_browser: Browser, scene: Scene, values: dict[str, Any], outcome: str) -> None:
    ad = scene.device.display(scene.news, signed_by="test", **values)
    assert ad.outcome == outcome, ad
    assert "signedBy" not in pcm_browser.scenario()
    assert scene.device.display(scene.news, signed_by="test", **values).signed_text != ad.signed_text


def test_a_signed_ad_is_not_signed_again(scene: Scene) -> None:
    for values in ({"signed_by": "test", "jws": "a.b.c"}, {"framework": "adattributionkit"}):
        with pytest.raises(ValueError, match="signed_by"):
            scene.device.display(scene.news, **values)  # type: ignore[arg-type]
