"""The Python client with Selenium and Chromium."""

from __future__ import annotations

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from conftest import CHROMIUM
from pcm_browser import PCM, DevToolsNotFound


def start(*arguments: str) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("--headless", "--no-sandbox", *arguments):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))


def test_a_page_is_measured(pcm: PCM, demo: list[str]) -> None:
    with start(*demo) as driver, pcm.attach(driver) as safari:
        driver.implicitly_wait(10)
        driver.get("https://news.example/article")
        driver.find_element(By.ID, "ad").click()
        driver.find_element(By.ID, "buy").click()
        driver.find_element(By.XPATH, "//h1[text() = 'Thank you']")
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
