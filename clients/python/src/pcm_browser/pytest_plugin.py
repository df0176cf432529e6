"""The fixtures for pytest: `pcm`, `pcm_browser`, `pcm_async_browser`, and `pcm_receiver`."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import shlex
import xml.etree.ElementTree as ElementTree
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from _pytest.junitxml import bin_xml_escape, xml_key

import pcm_browser as api
from pcm_browser._wire import instant_text, printable

if TYPE_CHECKING:
    # pluggy has it from 1.1 on.
    from pluggy import Result

_BROWSER = pytest.StashKey["api.Browser"]()
_SERVICE = pytest.StashKey["api.RunningService | None"]()
_IS_FAILED = pytest.StashKey[bool]()
_LOG_START = pytest.StashKey[int]()
_LONGEST_NAME = 200
_TRACES = "pcm-traces"
_TRACE_MARK = b'<html lang="en" class="trace">'
_WARNING = re.compile(r'^\S+ (warning|error|critical)\b|"level":"(warning|error|critical)"')
_SUBJECT = re.compile(r"(impression|conversion|postback|card|tracking-request|sdk-request)-[0-9]+")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares `pcm_options`, the options of the service that the tests start, and the options of the command line."""
    parser.addini("pcm_options", "Options of `pcm-browser serve` for the service that the tests start.", default="")
    group = parser.getgroup("pcm-browser")
    group.addoption(
        "--pcm-trace",
        choices=["on", "off", "retain-on-failure"],
        default="retain-on-failure",
        help=f"Which tests leave the page of their browser as a file in the folder {_TRACES}: all (on), none (off), or the "
        "failed ones (retain-on-failure, the default).",
    )
    group.addoption("--pcm-keep", choices=["failed"], help="Keep the browsers of failed tests.")


def pytest_configure(config: pytest.Config) -> None:
    """Adds the sections of failed tests to the JUnit report."""
    config.pluginmanager.register(_JUnitOutput(config))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Removes the traces of earlier sessions. Other files in the folder stay."""
    config = session.config
    if hasattr(config, "workerinput") or config.option.collectonly or config.option.pcm_trace == "off":
        return
    for file in (config.invocation_params.dir / _TRACES).glob("*.html"):
        try:
            with file.open("rb") as content:
                is_trace = _TRACE_MARK in content.read(200)
            if is_trace:
                file.unlink()
        except OSError:
            # It stays, and the trace of a test has another name.
            continue


@pytest.fixture(scope="session")
def _pcm_service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[api.RunningService | None]:
    """The service that the session started; None when `PCM_BROWSER_URL` names another one."""
    if os.environ.get("PCM_BROWSER_URL"):
        request.config.stash[_SERVICE] = None
        yield None
        return
    log_file = tmp_path_factory.mktemp("pcm-browser") / "service.log"
    try:
        started = api.start_service(*shlex.split(request.config.getini("pcm_options")), log_file=log_file)
    except (api.BinaryNotFound, RuntimeError) as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
    with started as service:
        request.config.stash[_SERVICE] = service
        yield service


@pytest.fixture(scope="session")
def pcm(_pcm_service: api.RunningService | None) -> Iterator[api.PCM]:
    """The service: at `PCM_BROWSER_URL`, or else a new one, which stops with the session."""
    service = api.PCM(_pcm_service.url, _pcm_service.token) if _pcm_service else api.PCM()
    with service:
        yield service


@pytest.fixture
def pcm_browser(request: pytest.FixtureRequest, pcm: api.PCM) -> Iterator[api.Browser]:
    """A browser for the test, named after it, with a manual clock and simulated sites. It is deleted after the test.

    When the test fails, its report has the browser's log and an explanation, and names a file with the browser's page.
    """
    identity = request.node.nodeid
    # A service that others use may have a browser of this name, of another run. If this run is killed, its browsers go.
    is_shared = request.config.stash[_SERVICE] is None
    name = browser_name(identity, uuid4().hex[:8] if is_shared else "")
    browser = pcm.browser(name, seed=browser_name(identity), idle_timeout=3600 if is_shared else None)
    request.node.stash[_BROWSER] = browser
    service = request.config.stash[_SERVICE]
    if service and service.log_file.exists():
        request.node.stash[_LOG_START] = service.log_file.stat().st_size
    yield browser
    if request.node.stash.get(_IS_FAILED, False) and request.config.option.pcm_keep:
        return
    try:
        browser.delete()
    except api.PCMError as error:
        # The test may have deleted it.
        if error.status != 404:
            raise


@pytest.fixture
def pcm_async_browser(pcm: api.PCM, pcm_browser: api.Browser) -> api.AsyncBrowser:
    """The browser of `pcm_browser`, for asynchronous code."""
    return api.AsyncBrowser(pcm_browser.name, api.AsyncPCM(pcm.url, pcm.token)._connection)


@pytest.fixture
def pcm_receiver(_pcm_service: api.RunningService | None, pcm_browser: api.Browser) -> api.Receiver:
    """A report endpoint, `pcm-browser receive`, to which the browser of the test sends its requests over TLS."""
    if _pcm_service:
        receiver = _pcm_service.receiver
        receiver.clear()
    else:
        url, ca_file = os.environ.get("PCM_RECEIVER_URL"), os.environ.get("PCM_CA_FILE")
        if not url or not ca_file:
            pytest.fail(
                "pcm_receiver needs a service that sends to a receiver: unset PCM_BROWSER_URL, or run the tests with "
                "pcm-browser exec --receiver -- pytest",
                pytrace=False,
            )
        receiver = api.Receiver(url, ca_file)
    pcm_browser.use_network("real")
    return receiver


def browser_name(identity: str, suffix: str = "") -> str:
    """Returns the name of a test's browser: the identifier of the test, shortened if the service does not accept it.

    Args:
        identity: The identifier of the test, such as `tests/test_ads.py::test_tap[4]`.
        suffix: A text by which the name differs from the names of other runs.
    """
    ending = f" {suffix}" if suffix else ""
    name = "".join(character if character.isprintable() else "?" for character in identity).strip()
    if name != identity or len((name + ending).encode()) > _LONGEST_NAME:
        ending = f"… {hashlib.sha256(identity.encode()).hexdigest()[:12]}{ending}"
        name = name.encode()[: _LONGEST_NAME - len(ending.encode())].decode(errors="ignore")
    return name + ending


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Result[pytest.TestReport], None]:
    """Attaches a trace, the log of the browser, an explanation, and warnings of the service to the report of a failed test."""
    outcome = yield
    report = outcome.get_result()
    browser, service = item.stash.get(_BROWSER, None), item.config.stash.get(_SERVICE, None)
    if call.when == "teardown":
        return
    is_failed = report.failed and call.excinfo is not None
    if browser and (is_failed or (call.when == "call" and item.config.option.pcm_trace == "on")):
        report.sections += trace_sections(item, browser, is_failed=is_failed)
    if call.excinfo is None or not is_failed:
        return
    item.stash[_IS_FAILED] = True
    if browser:
        try:
            # The text of an unmet expectation is an explanation.
            is_explained = call.excinfo.errisinstance(api.ExpectationFailure)
            report.sections += sections(browser, with_explanations=not is_explained)
        except api.PCMError as error:
            report.sections.append(("pcm-browser", str(error)))
    # A service that ended may say why. Then a test has no browser.
    if service and (browser or call.excinfo.errisinstance(api.PCMError)):
        lines = last_lines(service.log_file, item.stash.get(_LOG_START, 0), only_warnings=browser is not None)
        if lines or not browser:
            report.sections.append(("pcm-browser service log", f"{service.log_file}\n{printable(lines)}"))


class _JUnitOutput:
    """Writes the sections of a failed test to the JUnit report, whatever `junit_logging` is."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        texts = [f"{title}\n{text}" for title, text in report.sections if title.startswith("pcm-browser")]
        xml = self._config.stash.get(xml_key, None)
        if xml and texts and report.failed:
            output = ElementTree.Element("system-out")
            output.text = str(bin_xml_escape("\n\n".join(texts)))
            xml.node_reporter(report).append(output)


def trace_sections(item: pytest.Item, browser: api.Browser, *, is_failed: bool) -> list[tuple[str, str]]:
    """Writes the page of a test's browser as a file, and returns the section that names it, and the page while it lives."""
    config = item.config
    lines: list[str] = []
    if config.option.pcm_trace != "off":
        try:
            file = write_trace(config.invocation_params.dir / _TRACES, item.nodeid, browser.trace())
            item.user_properties.append(("pcm_trace", file))
            lines.append(file)
        except (api.PCMError, OSError) as error:
            # The service may be older than traces, and the test may have deleted its browser.
            lines.append(f"No trace: {' '.join(str(error).split())}")
    if is_failed and (config.option.pcm_keep or config.getoption("usepdb", False)):
        lines.append(browser.url)
    return [("pcm-browser trace", "\n".join(lines))] if lines else []


def write_trace(folder: Path, identity: str, document: str) -> str:
    """Writes a file that does not exist, so that parallel tests and repetitions have different ones, and returns its path.

    Args:
        folder: The folder, which is created.
        identity: The identifier of the test, from which the name is made.
        document: The trace.
    """
    folder.mkdir(exist_ok=True)
    name = re.sub(r"[^A-Za-z0-9_.]+", "-", identity)[:120].strip(".-") or "test"
    for number in itertools.count(1):
        file = folder / (f"{name}.html" if number == 1 else f"{name}-{number}.html")
        try:
            with file.open("x", encoding="utf-8") as output:
                output.write(document)
        except FileExistsError:
            continue
        return f"{folder.name}/{file.name}"
    raise AssertionError("numbers do not end")


def sections(browser: api.Browser, *, with_explanations: bool) -> list[tuple[str, str]]:
    """Returns the sections of a failed test's report: explanations of the browser's decisions, and the end of its log."""
    events = browser.events()
    log = printable("\n".join(line(event) for event in events[-100:]))
    found = [(f"pcm-browser log of {browser.name}", log)] if log else []
    if with_explanations:
        explained = [(subject, printable(browser.explanation_text(subject))) for subject in subjects(events)]
        found += [(f"pcm-browser explains {subject}", text) for subject, text in explained]
    return found


def subjects(events: list[api.Event], count: int = 3) -> list[str]:
    """Returns the subjects to explain: destinations of ads, installs, and rejections of the device.

    Failures are first, and among equals, the latest.
    """
    failures: dict[str, None] = {}
    others: dict[str, None] = {}
    for event in reversed(events):
        is_failure = event.kind.endswith(("-rejected", "-failed", "-dropped", "-discarded", "-unmatched"))
        found = failures if is_failure else others
        if site := event.detail.get("destinationSite"):
            found[site] = None
        elif event.kind == "app-installed":
            found[f"install-{event.sequence}"] = None
        elif is_failure:
            found |= {value: None for value in event.detail.values() if isinstance(value, str) and _SUBJECT.fullmatch(value)}
    return list(failures | others)[:count]


def line(event: api.Event) -> str:
    """Returns an event as a line of text: `3  2026-11-20T10:00:00.000Z  click-stored  clickId click-3, ...`."""
    members = (f"{name} {brief(value)}" for name, value in event.detail.items() if value not in (None, []))
    return f"{event.sequence:4}  {instant_text(event.at)}  {event.kind}  {', '.join(members)}"


def brief(value: Any) -> str:
    """Returns a value of an event's details as text. Reasons and findings are shown by their codes."""
    if isinstance(value, list):
        return " ".join(brief(item) for item in value)
    if isinstance(value, dict) and "code" in value:
        return str(value["code"])
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def last_lines(file: Path, start: int, count: int = 20, *, only_warnings: bool) -> str:
    """Returns the last lines of a file, from a position in bytes on.

    Args:
        file: The log of the service; it may be absent.
        start: The position.
        count: The most lines.
        only_warnings: Whether only lines about warnings and errors are returned.
    """
    if not file.exists():
        return ""
    lines = file.read_bytes()[start:].decode(errors="replace").splitlines()
    return "\n".join([line for line in lines if not only_warnings or _WARNING.search(line)][-count:])
