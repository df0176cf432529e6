"""The asynchronous client, against the real service. The synchronous client is generated from it, so both have the same calls."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

import pcm_browser
from pcm_browser import AsyncBrowser, AsyncPCM, Browser, Device, ExpectationFailure, PCMError


async def convert(browser: AsyncBrowser) -> None:
    app = await browser.register_app("com.example.news", report_endpoint="https://news.example")
    await browser.open(app, source_identifier=4, destination_url="https://shop.example/")
    await browser.trigger("https://shop.example/thanks", pixel_of="news.example", trigger_data=12)


def test_browsers_work_side_by_side(pcm: pcm_browser.PCM) -> None:
    async def measure(service: AsyncPCM, name: str) -> str:
        async with await service.browser(name) as browser:
            await convert(browser)
            await browser.advance(days=2)
            report = await browser.expect_report("source", destination_site="shop.example", trigger_data=12)
            with pytest.raises(ExpectationFailure):
                await browser.expect_report("source", trigger_data=1)
            assert await browser.device.postbacks() == []
            return report.state

    async def run() -> list[str]:
        async with AsyncPCM(pcm.url) as service:
            return await asyncio.gather(*(measure(service, f"side {number}") for number in range(5)))

    assert asyncio.run(run()) == ["delivered"] * 5


def test_the_browser_of_the_test_is_used_in_any_event_loop(pcm_browser: Browser, pcm_async_browser: AsyncBrowser) -> None:
    asyncio.run(convert(pcm_async_browser))
    asyncio.run(pcm_async_browser.advance(days=2))
    pcm_browser.expect_report("source")


def test_a_stream_is_read_while_the_clock_moves(pcm_async_browser: AsyncBrowser) -> None:
    async def read() -> int:
        async with aclosing(pcm_async_browser.stream()) as events:
            async for event in events:
                if event.kind == "report-delivered":
                    return event.sequence
        return 0

    async def run() -> int:
        await convert(pcm_async_browser)
        reading = asyncio.create_task(read())
        await pcm_async_browser.advance(days=2)
        return await reading

    assert asyncio.run(run()) > 0


def test_errors_are_raised() -> None:
    with pytest.raises(PCMError) as failure:
        asyncio.run(AsyncPCM("http://127.0.0.1:9").check_readiness())
    assert failure.value.code == "unreachable"
    with pytest.raises(ValueError, match=r'"127.0.0.1:8726" is not the URL of a service: expected http://HOST:PORT'):
        AsyncPCM("127.0.0.1:8726")


def test_both_clients_have_the_same_calls() -> None:
    for asynchronous, synchronous in [(AsyncBrowser, Browser), (pcm_browser.AsyncDevice, Device)]:
        assert [name for name in dir(asynchronous) if name[0] != "_"] == [name for name in dir(synchronous) if name[0] != "_"]
