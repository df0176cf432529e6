"""Starts the service for tests, with a report endpoint to which it sends everything."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from ._binary import find_binary
from ._sync.connection import Connection

_VARIABLES = ["PCM_BROWSER_URL", "PCM_BROWSER_API_TOKEN", "PCM_RECEIVER_URL", "PCM_CA_FILE"]
# Prints the variables that `pcm-browser exec` sets, and runs until standard input ends: when the service is to stop, and
# also when this process is killed.
_COMMAND = f"for name in {' '.join(_VARIABLES)}; do printenv $name || echo; done; exec cat"


class Receiver:
    """A report endpoint for every host, `pcm-browser receive`, to which the service sends over TLS.

    Example::

        with start_service() as service, PCM(service.url) as pcm, pcm.browser("received", network="real") as browser:
            app = browser.register_app("com.example.news", report_endpoint="https://news.example")
            browser.open(app, source_identifier=4, destination_url="https://shop.example/")
            browser.trigger("https://shop.example/thanks", pixel_of="news.example", trigger_data=12)
            browser.advance_until_idle()
            assert len(service.receiver.reports()) == 2
    """

    def __init__(self, url: str, ca_file: str) -> None:
        self.url = url
        """The base URL, with a page of the received messages."""
        self.ca_file = ca_file
        """The file with the certificates to trust for it."""
        self._connection = Connection(f"{url}/admin", os.environ.get("PCM_BROWSER_ADMIN_TOKEN"), 60, ca_file)

    def reports(self) -> list[dict[str, Any]]:
        """Returns the reports that arrived, each with its headers, its body, and the verdicts on its tokens."""
        return self._connection.items("/reports", dict)

    def postbacks(self) -> list[dict[str, Any]]:
        """Returns the postbacks that arrived, each with its headers, its body, and the verdict on its signature."""
        return self._connection.items("/postbacks", dict)

    def clear(self) -> None:
        """Removes all reports, postbacks, and faults."""
        for path in ("/reports", "/postbacks", "/faults"):
            self._connection.send("DELETE", path)

    def fail(self, *faults: Mapping[str, Any], seed: int = 1) -> None:
        """Replaces the faults: `fail({"on": "report", "fault": "status", "status": 503, "times": 1})`.

        Args:
            faults: The faults, as in `pcm-browser receive --help`.
            seed: The seed of the faults that occur with a probability.

        Raises:
            PCMError: A fault is invalid.
        """
        self._connection.call("PUT", "/faults", dict, {"seed": seed, "faults": [dict(fault) for fault in faults]})


class RunningService:
    """A service that this process started. A `with` statement stops it at its end.

    Example::

        with start_service("--max-browsers", "10") as service, PCM(service.url, service.token) as pcm:
            print(service.log_file, pcm.browsers())
    """

    def __init__(self, process: subprocess.Popen[str], log_file: Path, variables: Mapping[str, str], folder: Path | None) -> None:
        self.url = variables["PCM_BROWSER_URL"]
        """The base URL of the service."""
        self.token = variables["PCM_BROWSER_API_TOKEN"] or None
        """The token of the service; None without authentication."""
        self.receiver = Receiver(variables["PCM_RECEIVER_URL"], variables["PCM_CA_FILE"])
        """The report endpoint to which the service sends everything that does not stay in a simulated network."""
        self.log_file = log_file
        """The file with the log of the service and of the report endpoint."""
        self._process = process
        self._folder = folder

    def __enter__(self) -> RunningService:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.stop()

    def stop(self) -> None:
        """Stops the service, and returns when it has stopped."""
        try:
            self._process.communicate(timeout=15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def start_service(*options: str, log_file: str | os.PathLike[str] | None = None) -> RunningService:
    """Starts a service on a free port, with its browsers in memory and a report endpoint, and returns when it is ready.

    It stops with `stop`, at the end of a `with` statement, and with this process.

    Example::

        with start_service() as service, PCM(service.url) as pcm, pcm.browser("checkout") as browser:
            browser.advance(hours=48)

    Args:
        options: Options of `pcm-browser serve`, such as `--max-browsers 10`. Entries of `--connect-to` have precedence over
            the report endpoint.
        log_file: The file to which the log is appended; None for a temporary one.

    Raises:
        BinaryNotFound: The executable is not on this machine.
        RuntimeError: The service did not start. The text has its messages.
    """
    binary = find_binary()
    folder = Path(tempfile.mkdtemp(prefix="pcm-browser-")) if log_file is None else None
    log = Path(log_file) if log_file is not None else Path(folder or "", "service.log")
    command = [str(binary), "exec", "--receiver", "--log", str(log), *options, "--", "sh", "-c", _COMMAND]
    # A separate session, because Ctrl-C in a terminal ends the tests first, and then the service.
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in _VARIABLES]
    variables = {name: line.rstrip("\n") for name, line in zip(_VARIABLES, lines, strict=True)}
    if variables["PCM_BROWSER_URL"]:
        return RunningService(process, log, variables, folder)
    _, messages = process.communicate()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    raise RuntimeError(f"{binary} exec did not start a service:\n{messages}")
