"""Shared by the tests of the client, which run against the real service, which the plugin starts."""

from __future__ import annotations

# httpx imports it when it sends, and pytester forgets the modules that a test imports.
import httpcore  # noqa: F401
import pytest

from pcm_browser import Browser

pytest_plugins = ["pytester"]


def convert(browser: Browser) -> None:
    """Registers an app, taps its ad, and buys."""
    app = browser.register_app("com.example.news", report_endpoint="https://news.example")
    browser.open(app, source_identifier=4, destination_url="https://shop.example/")
    browser.trigger("https://shop.example/thanks", pixel_of="news.example", trigger_data=12, priority=3)


@pytest.fixture
def converted(pcm_browser: Browser) -> Browser:
    """A browser with an attribution, whose reports are scheduled."""
    convert(pcm_browser)
    return pcm_browser
