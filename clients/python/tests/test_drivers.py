"""Where the Chromium of a driver listens. Tests/Drivers has the tests with Playwright, Selenium, and Chromium."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pcm_browser import PCM, DevToolsNotFound, NotSettled, PCMError
from pcm_browser._drivers import devtools_of
from pcm_browser._sync.attachment import find
from pcm_browser.models import AttachmentPending, Settlement


class Session:
    """A session of DevTools."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers

    def send(self, method: str) -> Any:
        return self.answers[method.replace(".", "_")]

    def detach(self) -> None:
        pass


class Chromium:
    """A Browser of Playwright."""

    def __init__(self, command_line: str, name: str = "chromium") -> None:
        self.command_line = command_line
        self.browser_type = SimpleNamespace(name=name)

    def new_browser_cdp_session(self) -> Session:
        return Session(SystemInfo_getInfo={"commandLine": self.command_line})


class Context:
    """A BrowserContext of Playwright."""

    def __init__(self, browser: Chromium | None) -> None:
        self.browser = browser
        self.pages: list[Any] = []
        self.closed = 0

    def new_page(self) -> Any:
        return SimpleNamespace(close=self.close)

    def close(self) -> None:
        self.closed += 1

    def new_cdp_session(self, page: Any) -> Session:
        return Session(Target_getTargetInfo={"targetInfo": {"browserContextId": "C0FFEE"}})


def driver(**capabilities: Any) -> Any:
    """A driver of Selenium."""
    return SimpleNamespace(capabilities=capabilities)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """The folder of a running Chromium."""
    folder = tmp_path / "a profile"
    folder.mkdir()
    (folder / "DevToolsActivePort").write_text("41107\n/devtools/browser/b3c239c6")
    return folder


def test_a_context_of_playwright(profile: Path) -> None:
    command_line = f"/usr/bin/chromium --remote-debugging-port=0 --no-sandbox --user-data-dir={profile} --remote-debugging-pipe"
    context = Context(Chromium(command_line))
    target = find(context, None)
    assert (target.devtools, target.context, context.closed) == ("http://127.0.0.1:41107", "C0FFEE", 1)
    assert find(context, "http://127.0.0.1:9222").devtools == "http://127.0.0.1:9222"


@pytest.mark.parametrize(
    ("arguments", "devtools"),
    [
        ("--remote-debugging-port=9222 --no-sandbox", "http://127.0.0.1:9222"),
        ("--remote-debugging-port=1 --remote-debugging-port=9333", "http://127.0.0.1:9333"),
        ("--user-data-dir={profile} --remote-debugging-port=0", "http://127.0.0.1:41107"),
        ('--remote-debugging-port=0 --user-data-dir="{profile}"', "http://127.0.0.1:41107"),
    ],
)
def test_the_arguments_of_chromium(arguments: str, devtools: str, profile: Path) -> None:
    assert devtools_of("chromium " + arguments.format(profile=profile)) == devtools


def test_a_chromium_without_a_port_names_the_argument_to_add() -> None:
    with pytest.raises(DevToolsNotFound) as failure:
        find(Context(Chromium("chromium --remote-debugging-pipe --user-data-dir=/tmp/profile")), None)
    assert 'chromium.launch(args=["--remote-debugging-port=0"])' in str(failure.value)
    assert "browser_type_launch_args" in str(failure.value)
    assert "--remote-debugging-port=9222 --user-data-dir=FOLDER" in str(failure.value)


def test_a_chromium_on_another_machine_needs_its_address() -> None:
    with pytest.raises(DevToolsNotFound, match=r"DevToolsActivePort, which cannot be read here.*pass devtools="):
        find(Context(Chromium("chromium --remote-debugging-port=0 --user-data-dir=/not/here")), None)
    with pytest.raises(DevToolsNotFound, match="names no browser"):
        find(Context(None), None)
    assert find(Context(None), "http://127.0.0.1:9222").context == "C0FFEE"


def test_firefox_has_no_devtools() -> None:
    with pytest.raises(DevToolsNotFound, match=r"firefox has no DevTools. Use playwright\.chromium"):
        find(Context(Chromium("", name="firefox")), None)


def test_a_driver_of_selenium() -> None:
    chrome = driver(browserName="chrome", **{"goog:chromeOptions": {"debuggerAddress": "localhost:41107"}})
    assert (find(chrome, None).devtools, find(chrome, None).context) == ("http://localhost:41107", None)
    assert find(driver(browserName="chrome"), "http://127.0.0.1:9222").devtools == "http://127.0.0.1:9222"
    with pytest.raises(DevToolsNotFound, match=r"firefox has no debugging port. Use webdriver\.Chrome"):
        find(driver(browserName="firefox"), None)


def test_a_driver_of_a_grid() -> None:
    options = {"goog:chromeOptions": {"debuggerAddress": "localhost:41233"}}
    address = "ws://10.0.0.5:4444/session/ab/se/cdp"
    assert find(driver(browserName="chrome", **options, **{"se:cdp": address}), None).devtools == address
    assert find(driver(browserName="chrome", **{"se:cdp": address}), "http://127.0.0.1:9222").devtools == "http://127.0.0.1:9222"
    # Without the capability, the address is one on the node.
    remote = driver(browserName="chrome", **options)
    remote.command_executor = SimpleNamespace(client_config=SimpleNamespace(remote_server_addr="http://10.0.0.5:4444"))
    with pytest.raises(DevToolsNotFound, match=r"runs behind http://10\.0\.0\.5:4444.*se:cdp.*--devtools-host"):
        find(remote, None)
    remote.command_executor = SimpleNamespace(_url="http://localhost:41107")
    assert find(remote, None).devtools == "http://localhost:41233"


def test_a_grid_needs_an_allowed_host(pcm: PCM) -> None:
    remote = driver(browserName="chrome", **{"se:cdp": "ws://10.0.0.5:4444/session/ab/se/cdp"})
    with pytest.raises(PCMError, match=r"10\.0\.0\.5 is not a loopback address.*--devtools-host"), pcm.attach(remote):
        pass


def test_no_driver() -> None:
    assert find(None, "http://127.0.0.1:9222").context is None
    with pytest.raises(TypeError, match="expected a BrowserContext of Playwright, or a driver of Selenium"):
        find(object(), None)


def test_the_client_and_playwright_are_both_synchronous() -> None:
    class AsyncContext:
        async def new_cdp_session(self, page: object) -> None: ...

    with pytest.raises(TypeError, match="AsyncPCM for the asynchronous one"):
        find(AsyncContext(), None)


@pytest.mark.parametrize(
    ("requests", "text"),
    [(2, "2 requests have no response"), (0, "its pages load without a pause, or one of them does not respond")],
)
def test_a_browser_that_does_not_settle_has_a_reason(requests: int, text: str) -> None:
    pending = AttachmentPending(clicks=0, held_requests=0, requests=requests)
    settlement = Settlement(settled=False, state="attached", outcomes=[], dropped=[], pending=pending)
    assert f'browser "shop":\n  {text}' in str(NotSettled("shop", settlement))


def test_nothing_remains_of_a_failed_attachment(pcm: PCM) -> None:
    with pytest.raises(TypeError), pcm.attach(object(), name="not attached"):
        pass
    assert "not attached" not in [state.name for state in pcm.browsers()]
