"""Chromium for each driver."""

from __future__ import annotations

import os
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Route

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
