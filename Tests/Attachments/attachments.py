"""Attaches the service to Chromium, and compares its measurements with WebKit's.

    attachments.py EXECUTABLE [NAME...]

The names select rows and checks.
"""

import asyncio
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Awaitable
from pathlib import Path

import failures
import flows
import matrix
from playwright.async_api import async_playwright
from programs import Service, browsing, serving
from sites import Sites

# The kinds of checks that are rows of the tables.
ROWS = {"click", "pixel", "requests of a pixel"}


async def check_pages(executable: str, sites: Sites, report: matrix.Report) -> None:
    """The flows and the tables, with one service and one Chromium. A driver slows every page, so it comes last."""
    async with serving(executable) as service, browsing(sites) as chromium:
        for check in flows.CHECKS:
            if not report.names or check.__name__ in report.names:
                await timed(check.__name__, check(sites, service, chromium, report), report)
        async with async_playwright() as playwright:
            driver = await playwright.chromium.connect_over_cdp(chromium.address)
            for check in (flows.check_traffic, matrix.check_tables):
                if not report.names or check is matrix.check_tables or check.__name__ in report.names:
                    await timed(check.__name__, check(driver, sites, service, chromium, report), report)


async def timed(name: str, work: Awaitable, report: matrix.Report) -> None:
    """Prints the duration. A check that cannot go on is a failure, and the next one begins."""
    start = time.monotonic()
    try:
        await work
    except Exception as error:
        report.check(name, "the end", "no error", f"{error!r}\n{traceback.format_exc()}")
    print(f"    {time.monotonic() - start:.1f} s: {name}")


async def run(executable: str, names: list[str]) -> set[tuple[str, str]]:
    report = matrix.Report(names)
    with tempfile.TemporaryDirectory() as folder:
        sites = Sites()
        await sites.start(Path(folder))
        await check_pages(executable, sites, report)
        for check in failures.CHECKS:
            if not names or check.__name__ in names:
                await timed(check.__name__, check(executable, sites, report), report)
    print(f"{'failed' if report.failures else 'passed'}: attachments with Chromium: "
          + ", ".join(f"{count} {kind}" for kind, count in report.counts.items()))
    return report.failures


async def run_twice(executable: str, names: list[str]) -> int:
    """Runs failed rows again, because some depend on timing, such as a click in a window that opened a moment ago."""
    failures = await run(executable, names)
    if failures and not names and all(kind in ROWS for kind, _ in failures):
        rows = sorted({name for _, name in failures})
        print(f"again: {' '.join(rows)}")
        failures = await run(executable, rows)
    return 1 if failures else 0


async def main() -> int:
    # The programs end with the test, whatever ends it.
    task = asyncio.ensure_future(run_twice(sys.argv[1], sys.argv[2:]))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    return await task


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
