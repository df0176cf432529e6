"""Measures how much longer a page with 40 images of 12 KB takes to load while an attachment observes it.

    load_times.py EXECUTABLE [FIGURES]

Loads with and without an attachment alternate, from a server that responds at once, and from one at a distance. Appends the
figures to a file for scripts/bench.
"""

import asyncio
import random
import statistics
import struct
import sys
import tempfile
import zlib
from pathlib import Path

from playwright.async_api import async_playwright
from programs import browsing, serving
from sites import Document, Sites

IMAGES = 40
LOADS = 40
# Seconds until the server responds. From the first one, loads take processors' time only, which the browser, the server, and the
# service share.
DISTANCES = (0.0, 0.05)
PAGE = "https://shop.example/many"
LOAD_TIME = "() => { const [entry] = performance.getEntriesByType('navigation'); return entry.loadEventStart - entry.startTime }"


def png(width: int) -> bytes:
    """A square of random colors, which no compression makes smaller."""
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + random.Random(row).randbytes(3 * width) for row in range(width))
    header = struct.pack(">IIBBBBB", width, width, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


async def measure(executable: str, distance: float) -> tuple[list[float], list[float]]:
    """The milliseconds of loads with an attachment and without."""
    tags = "".join(f'<img src="https://img{number % 4}.example/{number}">' for number in range(IMAGES))
    image = Document(png(64), "image/png")
    documents = {"/many": Document(f"<!doctype html><title>Many</title>{tags}")}
    documents |= {f"/{number}": image for number in range(IMAGES)}
    times: dict[bool, list[float]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as folder:
        sites = Sites(documents=documents, distance=distance)
        await sites.start(Path(folder))
        async with serving(executable) as service, browsing(sites) as chromium, async_playwright() as playwright:
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
    return times[True], times[False]


async def main() -> None:
    for distance in DISTANCES:
        attached, alone = await measure(sys.argv[1], distance)
        value, ceiling = statistics.median(attached), statistics.median(alone)
        ratio, quartiles = value / ceiling, statistics.quantiles(attached, n=4)
        spread = (quartiles[2] - quartiles[0]) / value
        name = f"{distance * 1000:.0f} ms"
        print(f"load of a page with {IMAGES} images, a response takes {name}: {value:.0f} ms attached, {ceiling:.0f} ms alone, "
              f"{ratio - 1:+.0%}, medians of {LOADS} loads each, spread of the quartiles {spread:.2f}")
        if len(sys.argv) > 2:
            with open(sys.argv[2], "a") as figures:
                figures.write(f"attached, {name}\t{value:.0f}\tms\t{ceiling:.0f}\t{ratio:.2f}\t{spread:.2f}\t\n")


asyncio.run(main())
