"""The Python client with Selenium and Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from conftest import CHROMIUM
from pcm_browser import PCM, DevToolsNotFound
from sites import over_tls


def start(*arguments: str) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless", "--no-sandbox", *arguments):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[webdriver.Chrome]:
    with over_tls(tmp_path) as arguments, start(*arguments) as driver:
        yield driver


def test_a_page_is_measured(pcm: PCM, driver: webdriver.Chrome) -> None:
    with pcm.attach(driver) as safari:
        driver.get("https://news.example/")
        driver.find_element(By.ID, "ad").click()
        driver.implicitly_wait(5)
        driver.find_element(By.ID, "buy").click()
        assert [each.kind for each in safari.settled().outcomes] == ["link-click", "triggering-event"]
        safari.advance(hours=48)
        safari.expect_report("source", destination_site="shop.example", trigger_data=12)


def test_a_chromium_without_a_port(pcm: PCM) -> None:
    with (
        start("--remote-debugging-pipe") as driver,
        pytest.raises(DevToolsNotFound, match="without the argument"),
        pcm.attach(driver),
    ):
        pass
