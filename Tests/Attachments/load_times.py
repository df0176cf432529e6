"""Measures how much longer a page with 40 images takes to load while an attachment observes it.

    load_times.py EXECUTABLE [FIGURES]

Loads with and without an attachment alternate. Appends the figures to a file for scripts/bench.
"""

import asyncio
import statistics
import sys
import tempfile
from pathlib import Path

from playwright.async_api import async_playwright
from programs import browsing, serving
from sites import Document, Sites

IMAGES = 40
LOADS = 40
PAGE = "https://shop.example/many"
LOAD_TIME = "() => { const [entry] = performance.getEntriesByType('navigation'); return entry.loadEventStart - entry.startTime }"


async def main() -> None:
    images = "".join(f'<img src="https://img{number % 4}.example/{number}">' for number in range(IMAGES))
    times: dict[bool, list[float]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        sites = Sites(documents={"/many": Document(f"<!doctype html><title>Many</title>{images}")})
        await sites.start(Path(folder))
        async with serving(sys.argv[1]) as service, browsing(sites) as chromium, async_playwright() as playwright:
            driver = await playwright.chromium.connect_over_cdp(chromium.address)
            browser = await service.browser("load-times")
            # The first load fills caches of connections and of code.
            for load in range(LOADS + 1):
                for is_attached in (False, True):
                    attachment = await browser.attach(chromium.address) if is_attached else None
                    page = await (await driver.new_context()).new_page()
                    await page.goto(PAGE)
                    if load:
                        times[is_attached].append(await page.evaluate(LOAD_TIME))
                    await page.context.close()
                    if attachment:
                        await browser.call("DELETE", f"/attachments/{attachment.id}")
    value, ceiling = statistics.median(times[True]), statistics.median(times[False])
    quartiles = statistics.quantiles(times[True], n=4)
    spread = (quartiles[2] - quartiles[0]) / value
    print(f"load of a page with {IMAGES} images {value:.0f} ms attached, {ceiling:.0f} ms alone, {value / ceiling - 1:+.0%}, "
          f"medians of {LOADS} loads each, spread of the quartiles {spread:.2f}")
    if len(sys.argv) > 2:
        with open(sys.argv[2], "a") as figures:
            figures.write(f"attached\t{value:.0f}\tms\t{ceiling:.0f}\t{value / ceiling:.2f}\t{spread:.2f}\t\n")


asyncio.run(main())
