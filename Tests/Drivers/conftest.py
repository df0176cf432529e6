"""Chromium for each driver."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Route

from pcm_browser import certificate_switch, find_binary
from sites import response

CHROMIUM = os.environ.get("PCM_CHROMIUM", "/usr/bin/chromium")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": ["--remote-debugging-port=0"]}


def fulfill(route: Route) -> None:
    """Responds in place of the sites."""
    status, headers, body = response(route.request.url)
    route.fulfill(status=status, headers=headers, body=body)


@pytest.fixture
def sites(context: BrowserContext) -> BrowserContext:
    """A context in which the sites exist."""
    context.route("**/*", fulfill)
    return context


@pytest.fixture
def demo() -> Iterator[list[str]]:
    """The sites of the demo, as arguments of Chromium."""
    command = [str(find_binary()), "demo", "--pages", "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = re.search(r"sites on https://([0-9.]+:[0-9]+)", process.stdout.readline())
        assert address is not None
        yield [f"--host-resolver-rules=MAP *.example {address[1]}", certificate_switch(address[1])]
        process.terminate()
