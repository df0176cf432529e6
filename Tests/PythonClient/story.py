"""Plays the story of a tap and a purchase with a generated client: tap, advance, trigger, reports, explain."""

import datetime
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager

from pcm_browser_client import Client
from pcm_browser_client.api.ads import put_ad_network
from pcm_browser_client.api.apps import put_named_app
from pcm_browser_client.api.browsers import put_browser
from pcm_browser_client.api.clicks import open_event_attribution
from pcm_browser_client.api.clock import advance_clock
from pcm_browser_client.api.devices import patch_device
from pcm_browser_client.api.installs import install_app
from pcm_browser_client.api.network import put_network
from pcm_browser_client.api.postbacks import list_keys, list_postbacks
from pcm_browser_client.api.results import explain, get_report, list_events, list_reports
from pcm_browser_client.api.triggers import observe_triggering_event
from pcm_browser_client.models import (
    AdNetworkSpecification,
    AppEndpoint,
    BrowserChange,
    BrowserSpecification,
    By,
    ClickStoredEvent,
    DeviceChange,
    EventAttribution,
    EventPage,
    EventPart,
    Install,
    ManualClock,
    NetworkMode,
    NetworkSpecification,
    OtherEvent,
    Recipient,
    ReportPart,
    ReportState,
    StorageKind,
    TriggeringEvent,
)

NAME = "tests/test_ads.py::test_tap[https://shop.example]"
APP = "com.example.news"


def require(is_so, what):
    if not is_so:
        sys.exit(f"scripts/test-python-client: {what}")


@contextmanager
def service(executable):
    """The service; its first line says where it listens, and that it is ready."""
    folder = tempfile.TemporaryDirectory()
    command = [executable, "serve", "--port", "0", "--connect-to", "::127.0.0.1:9", "--data", folder.name]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        line = process.stdout.readline()
        found = re.search(r" is listening on (http://127\.0\.0\.1:\d+)", line)
        require(found, f"serve said {line!r}")
        yield found[1]
    finally:
        process.terminate()
        process.wait()
        folder.cleanup()


def play(client):
    start = datetime.datetime(2026, 11, 20, 10, tzinfo=datetime.timezone.utc)
    specification = BrowserSpecification(
        storage=StorageKind.EPHEMERAL, seed="seed", clock=ManualClock(mode="manual", start=start)
    )
    browser = put_browser.sync(NAME, client=client, body=specification)
    require(browser.name == NAME and browser.storage == "ephemeral", f"the browser is {browser}")
    put_network.sync(NAME, client=client, body=NetworkSpecification(mode=NetworkMode.SIMULATED))
    put_named_app.sync(NAME, APP, client=client, body=AppEndpoint(report_endpoint="https://news.example"))

    tap = EventAttribution(
        bundle_identifier=APP, source_identifier=4, destination_url="https://shop.example/", tap_verified=True
    )
    first = open_event_attribution.sync(NAME, client=client, body=tap, idempotency_key="tap")
    again = open_event_attribution.sync(NAME, client=client, body=tap, idempotency_key="tap")
    require(first.outcome == "stored" and again == first, f"the tap was {first}, and repeated {again}")

    advance_clock.sync(NAME, client=client, body=By(by="PT3H"))
    pixel = TriggeringEvent(
        first_party_url="https://shop.example/thanks", pixel_of="news.example", trigger_data=12
    )
    purchase = observe_triggering_event.sync(NAME, client=client, body=pixel)
    require(purchase.outcome == "attributed", f"the purchase was {purchase}")
    moved = advance_clock.sync(NAME, client=client, body=By(by="PT48H"))
    require(moved.finished and moved.idle, f"the move was {moved}")

    reports = list_reports.sync(NAME, client=client).items
    require([report.state for report in reports] == ["delivered"] * 2, f"the reports are {reports}")
    require(all("body" not in report.to_dict() for report in reports), f"a list has the bodies of {reports}")
    selected = list_reports.sync(
        NAME, client=client, state=[ReportState.DELIVERED, ReportState.FAILED], recipient=[Recipient.SOURCE],
        site=["www.shop.example"], include=[ReportPart.BODY, ReportPart.RESPONSE],
    ).items
    complete = get_report.sync(NAME, selected[0].id, client=client)
    require(selected == [complete] and complete.body.trigger_data == 12, f"the source's report is {selected}")
    require(complete.attempts[0].response.body == "", f"the attempts are {complete.attempts}")
    explanation = explain.sync(NAME, client=client, about=reports[0].id)
    require(explanation.first_failure is None and explanation.steps, f"the explanation is {explanation}")

    events = list_events.sync(NAME, client=client, include=[EventPart.DECISION]).items
    require(not any(isinstance(event, OtherEvent) for event in events), f"the events are {events}")
    stored = next(event for event in events if isinstance(event, ClickStoredEvent))
    require(stored.detail.source_identifier == 4 and stored.decision.rules, f"the stored click is {stored}")
    return stored


def play_on_the_device(client):
    """The device of the same browser: an ad network, and an install without an ad."""
    key = next(key for key in list_keys.sync(NAME, client=client).items if key.id == "ad-network")
    registration = AdNetworkSpecification(public_key=key.public_key_pem, postback_url="https://ads.example/postbacks")
    network = put_ad_network.sync(NAME, "example123.skadnetwork", client=client, body=registration)
    require(network.public_key == key.public_key, f"the ad network is {network}")
    changed = patch_device.sync(NAME, client=client, body=BrowserChange(device=DeviceChange(country="DE")))
    require(changed.device.country == "DE" and changed.name == NAME, f"the device is {changed.device}")
    install = install_app.sync(NAME, client=client, body=Install(bundle_identifier=APP))
    require(install.outcome == "unattributed" and install.winner_id is None, f"the install was {install}")
    require(list_postbacks.sync(NAME, client=client, state=[ReportState.DELIVERED]).items == [], "there are postbacks")


def read_the_unknown(event):
    """A kind, and a member of the detail, that the client does not know."""
    known = event.to_dict()
    known["detail"]["moment"] = "noon"
    later = known | {"kind": "ad-forgotten", "detail": {"moment": "noon"}}
    first, second = EventPage.from_dict({"items": [known, later], "next": None, "resumeAfter": "2"}).items
    require(isinstance(first, ClickStoredEvent) and first.detail["moment"] == "noon", f"the known event is {first}")
    require(isinstance(second, OtherEvent) and second.kind == "ad-forgotten", f"the later event is {second}")
    require(second.detail["moment"] == "noon", f"the later event is {second}")


with service(sys.argv[1]) as url:
    client = Client(base_url=url, raise_on_unexpected_status=True)
    stored = play(client)
    play_on_the_device(client)
    read_the_unknown(stored)
print("a generated Python client played tap, advance, trigger, reports, explain, and an install")
