"""Where the Chromium of a driver listens. The drivers, Playwright and Selenium, are not imported."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

_PORT = "--remote-debugging-port=0"
_REMEDY = f"""
  Playwright: chromium.launch(args=["{_PORT}"])
  pytest-playwright: a fixture browser_type_launch_args that returns {{"args": ["{_PORT}"]}}
  (Playwright adds a --user-data-dir, without which Chromium from 136 on ignores the port.)
  Any other Chromium: start it with --remote-debugging-port=9222 --user-data-dir=FOLDER, and pass
  devtools="http://127.0.0.1:9222\""""


class DevToolsNotFound(RuntimeError):
    """The Chromium of a driver has no debugging port, or it is not known. The text includes the remedy.

    Example::

        try:
            with pcm.attach(page.context):
                page.goto("https://news.example/")
        except DevToolsNotFound as error:
            pytest.skip(str(error))
    """


# In a traceback, the error has the name under which it is imported.
DevToolsNotFound.__module__ = "pcm_browser"


@dataclass(frozen=True)
class Target:
    """The target of an observation."""

    devtools: str
    """The address of DevTools, such as `http://127.0.0.1:9222`."""
    context: str | None = None
    """The identifier of a browser context; None for the whole Chromium."""


def is_playwright(driver: Any) -> bool:
    """Whether a driver is a BrowserContext of Playwright.

    Raises:
        TypeError: It is another object of Playwright.
    """
    if hasattr(driver, "new_cdp_session"):
        return True
    if type(driver).__module__.startswith("playwright."):
        raise TypeError(f"attach({driver!r}): expected a BrowserContext, such as page.context")
    return False


def check_style(theirs: Callable[..., Any], ours: Callable[..., Any]) -> None:
    """Checks that Playwright and the client are both synchronous, or both asynchronous."""
    if inspect.iscoroutinefunction(theirs) != inspect.iscoroutinefunction(ours):
        raise TypeError("PCM is for the synchronous API of Playwright, and AsyncPCM for the asynchronous one")


def selenium_target(driver: Any, devtools: str | None) -> Target:
    """Returns the target of a driver of Selenium."""
    capabilities = getattr(driver, "capabilities", None)
    if not isinstance(capabilities, Mapping):
        raise TypeError(f"attach({driver!r}): expected a BrowserContext of Playwright, or a driver of Selenium")
    if devtools is not None:
        return Target(devtools)
    # A grid passes DevTools on from the node.
    if address := capabilities.get("se:cdp"):
        return Target(str(address))
    if (server := _remote_server(driver)) is not None:
        raise DevToolsNotFound(
            f"The browser of this driver runs behind {server}, and no address of its DevTools is known here: its capabilities "
            'have no se:cdp, which a Selenium Grid of Chrome has. Pass devtools="ws://HOST:PORT/PATH", or run pcm-browser attach '
            "beside the browser. A host other than this machine is allowed by the option --devtools-host of the service."
        )
    for vendor in ("goog:chromeOptions", "ms:edgeOptions"):
        if address := capabilities.get(vendor, {}).get("debuggerAddress"):
            return Target(f"http://{address}")
    name = capabilities.get("browserName", "the browser")
    raise DevToolsNotFound(
        f"{name} has no debugging port. Use webdriver.Chrome, without the argument --remote-debugging-pipe, or pass "
        'devtools="http://127.0.0.1:PORT".'
    )


def _remote_server(driver: Any) -> str | None:
    """Returns the address of the server of a remote driver of Selenium; None for one on this machine."""
    executor = getattr(driver, "command_executor", None)
    configuration = getattr(executor, "client_config", getattr(executor, "_client_config", None))
    address = getattr(configuration, "remote_server_addr", None) or getattr(executor, "_url", None)
    host = urlsplit(str(address or "")).hostname
    return None if host in (None, "localhost", "127.0.0.1", "::1") else str(address)


def devtools_of(command_line: str) -> str:
    """Returns the address of DevTools of a Chromium that was started with these arguments, on this machine."""
    port = _argument("remote-debugging-port", command_line)
    if port is None:
        raise DevToolsNotFound(f"Chromium has no debugging port. Start it with {_PORT}:{_REMEDY}")
    if port == "0":
        # Chromium writes the file before it responds to a driver.
        file = Path(_argument("user-data-dir", command_line) or "", "DevToolsActivePort")
        try:
            port = file.read_text().split("\n", 1)[0]
        except OSError as error:
            message = f"The debugging port of Chromium is in {file}, which cannot be read here: {error.strerror}. "
            raise DevToolsNotFound(f'{message}If Chromium runs elsewhere, pass devtools="http://HOST:PORT".') from None
    return f"http://127.0.0.1:{port}"


def _argument(name: str, command_line: str) -> str | None:
    """Returns the value of an argument. A path may contain spaces, and Chromium quotes no arguments."""
    found = re.findall(rf"(?:^| )--{name}=(.*?)(?= --|$)", command_line)
    # The last one counts.
    return found[-1].strip('"') if found else None
