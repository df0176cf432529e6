"""Names and values in JSON."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from pcm_browser._wire import camel_case, duration, duration_text, encode, instant, instant_text, snake_case
from pcm_browser.models import BrowserSpecification, ClockSpecification, EventAttribution, Redirect


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("sourceSite", "source_site"),
        ("attributionId", "attribution_id"),
        ("destinationURL", "destination_url"),
        ("publicKeyPEM", "public_key_pem"),
        ("token-key", "token_key"),
        ("from", "from_"),
        ("source_id", "source_id"),
    ],
)
def test_names_are_in_snake_case(name: str, field: str) -> None:
    assert snake_case(name) == field


def test_regular_names_lead_back() -> None:
    assert [camel_case(name) for name in ("source_site", "from_", "attribution_id")] == ["sourceSite", "from", "attributionId"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("PT9600H", timedelta(days=400)),
        ("PT1H30M", timedelta(minutes=90)),
        ("PT0.500S", timedelta(milliseconds=500)),
        ("PT0S", timedelta()),
    ],
)
def test_durations_are_read(text: str, value: timedelta) -> None:
    assert duration(text) == value


@pytest.mark.parametrize(("value", "text"), [(timedelta(days=2), "PT172800S"), (0.5, "PT0.500S"), (-1, "-PT1S"), (30, "PT30S")])
def test_durations_are_written(value: timedelta | float, text: str) -> None:
    assert duration_text(value) == text


def test_instants_are_in_utc_with_milliseconds() -> None:
    assert instant_text(instant("2026-11-20T10:00:00.123Z")) == "2026-11-20T10:00:00.123Z"
    east = datetime(2026, 11, 20, 12, tzinfo=timezone(timedelta(hours=2)))
    assert instant_text(east) == "2026-11-20T10:00:00.000Z"


def test_a_model_is_written_without_absent_members() -> None:
    assert encode(EventAttribution(bundle_identifier="a.b", source_identifier=4, destination_url="https://shop.example/")) == {
        "bundleIdentifier": "a.b",
        "sourceIdentifier": 4,
        "destinationURL": "https://shop.example/",
    }
    start = datetime(2026, 11, 20, 10, tzinfo=timezone.utc)
    body = BrowserSpecification(clock=ClockSpecification(mode="manual", start=start), idle_timeout=timedelta(hours=1))
    assert body.json == {"clock": {"mode": "manual", "start": "2026-11-20T10:00:00.000Z"}, "idleTimeout": "PT3600S"}
    assert Redirect(from_="a", to="b").json == {"from": "a", "to": "b"}
