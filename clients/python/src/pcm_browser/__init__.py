"""Test Private Click Measurement, SKAdNetwork, and AdAttributionKit without an iPhone.

A test that takes the fixture `pcm_browser` has an isolated browser with a clock that it moves:

    def test_a_tapped_ad_is_reported(pcm_browser):
        app = pcm_browser.register("Info.plist")
        pcm_browser.open(app, source_identifier=4, destination_url="https://shop.example/")
        pcm_browser.trigger("https://shop.example/thanks", pixel_of="news.example", trigger_data=12)
        pcm_browser.advance(hours=48)
        pcm_browser.expect_report("source", destination_site="shop.example", trigger_data=12)

Without pytest, `with start_service() as service:` runs the service, and `PCM(service.url)` is its location. `AsyncPCM` is
for asynchronous code.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._async.attachment import AsyncAttachedBrowser
    from ._async.browser import AsyncBrowser
    from ._async.device import AsyncDevice
    from ._async.service import AsyncPCM
    from ._binary import BinaryNotFound, find_binary
    from ._certificates import certificate_switch
    from ._drivers import DevToolsNotFound
    from ._errors import ExpectationFailure, NotSettled, PCMError
    from ._moves import Advance
    from ._process import Receiver, RunningService, start_service
    from ._simulation import SimulationError, simulate
    from ._sync.attachment import AttachedBrowser
    from ._sync.browser import Browser
    from ._sync.device import Device
    from ._sync.service import PCM
    from .models import (
        CrowdTiers,
        DevelopmentPostback,
        DeviceChange,
        Event,
        Provenance,
        Redirect,
        Report,
        SettingsChange,
        SiteResponse,
        SiteSignature,
    )

__all__ = [
    "PCM",
    "Advance",
    "AsyncAttachedBrowser",
    "AsyncBrowser",
    "AsyncDevice",
    "AsyncPCM",
    "AttachedBrowser",
    "BinaryNotFound",
    "Browser",
    "CrowdTiers",
    "DevToolsNotFound",
    "DevelopmentPostback",
    "Device",
    "DeviceChange",
    "Event",
    "ExpectationFailure",
    "NotSettled",
    "PCMError",
    "Provenance",
    "Receiver",
    "Redirect",
    "Report",
    "RunningService",
    "SettingsChange",
    "SimulationError",
    "SiteResponse",
    "SiteSignature",
    "certificate_switch",
    "find_binary",
    "simulate",
    "start_service",
]

_MODULES = {
    "_async.attachment": ["AsyncAttachedBrowser"],
    "_async.browser": ["AsyncBrowser"],
    "_async.device": ["AsyncDevice"],
    "_async.service": ["AsyncPCM"],
    "_binary": ["BinaryNotFound", "find_binary"],
    "_certificates": ["certificate_switch"],
    "_drivers": ["DevToolsNotFound"],
    "_errors": ["ExpectationFailure", "NotSettled", "PCMError"],
    "_moves": ["Advance"],
    "_process": ["Receiver", "RunningService", "start_service"],
    "_simulation": ["SimulationError", "simulate"],
    "_sync.attachment": ["AttachedBrowser"],
    "_sync.browser": ["Browser"],
    "_sync.device": ["Device"],
    "_sync.service": ["PCM"],
    "models": [
        "CrowdTiers",
        "DevelopmentPostback",
        "DeviceChange",
        "Event",
        "Provenance",
        "Redirect",
        "Report",
        "SettingsChange",
        "SiteResponse",
        "SiteSignature",
    ],
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Imports a name when it is first used, so that the command `pcm-browser` and pytest start without the client."""
        for module, names in _MODULES.items():
            if name in names:
                return getattr(import_module(f"{__name__}.{module}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
