"""Failures around an attachment: Chromium, the service, a tab, too much of everything, and a DevTools that lies."""

import asyncio
import json
import os
import re
import signal
from collections.abc import Awaitable, Callable

import matrix
from programs import Attachment, Browser, Refusal, Service, browsing, serving
from sites import TRIGGER_PATH, Request, Sites, go
from websocket import DevTools, accept, frame

# A thousand tabs take half a minute more.
TABS = 200 if "CI" in os.environ else 1_000
CLICKS, LOADS = 1_000, 200


def pixel(host: str, **options: object) -> str:
    return go(host, f"https://{host}{TRIGGER_PATH}12", **options)


def is_trigger(host: str) -> Callable[[Request], bool]:
    return lambda request: request.host == host and request.path.startswith(TRIGGER_PATH)


async def lost(browser: Browser, attachment: Attachment) -> tuple[str, list[str]]:
    """The reason of an attachment that ends, and the reasons of the events about it."""
    events = await browser.events(kind="attachment-lost", wait="PT10S")
    state = await attachment.state()
    return state.get("reason", state["state"]), [event["detail"]["text"] for event in events]


async def check_killed(executable: str, sites: Sites, report: matrix.Report) -> None:
    """Chromium is killed with an attachment; the service is killed while it holds a request, which goes on."""
    async with serving(executable) as service, browsing(sites) as chromium:
        devtools, browser = await DevTools.connect(chromium.address), await service.browser("killed")
        attachment = await browser.attach(chromium.address)
        await check_busy(devtools, sites, attachment, report)
        page = await devtools.open("https://shop.example/")
        # A service that stands still cannot decide.
        service.send(signal.SIGSTOP)
        await devtools.evaluate(page, loading("held.example"))
        await sites.seen(lambda request: request.host == "held.example")
        report.check("failure", "a held request", 0, sum(map(is_trigger("held.example"), sites.requests)))
        await service.end()
        await sites.seen(is_trigger("held.example"))
        report.check("failure", "a request that the killed service held", 1, sum(map(is_trigger("held.example"), sites.requests)))
        async with serving(executable) as second:
            other = await second.browser("killed")
            attachment = await other.attach(chromium.address)
            await chromium.end()
            report.check("failure", "a settlement of a killed Chromium ends", "ended", (await attachment.settle())["state"])
            reason, reasons = await lost(other, attachment)
            report.check("failure", "Chromium is killed", [reason], reasons)
            report.check("failure", "the reason is about the browser", True, "browser" in reason)
        await devtools.close()


async def check_busy(devtools: DevTools, sites: Sites, attachment: Attachment, report: matrix.Report) -> None:
    """A tab is closed while its request waits, many tabs are open, and a page floods the browser."""
    page = await devtools.open("https://shop.example/")
    await devtools.evaluate(page, loading("closed.example", wait="closed"))
    await sites.seen(lambda request: request.host == "closed.example")
    await devtools.close_page(page)
    report.check("failure", "a tab that is closed", True, (await attachment.settle())["settled"])
    sites.release("closed")

    # A tab that the window does not show takes a fraction of the time.
    for _ in range(0, TABS, 50):
        await asyncio.gather(*(devtools.send("Target.createTarget", url="about:blank", hidden=True) for _ in range(50)))
    page = await devtools.open("https://shop.example/")
    await devtools.evaluate(page, loading("tabs.example"))
    settlement = await attachment.settle("PT60S")
    report.check("failure", f"{TABS} tabs", (True, 1), (settlement["settled"], len(settlement["outcomes"])))
    await devtools.close_page(page)

    sites.documents["/flood"] = matrix.document(
        "<a id=ad attributionsourceid=7 attributiondestination=https://shop.example href='/empty'>ad</a>")
    page = await devtools.open("https://flood.example/flood")
    await devtools.evaluate(
        page, f"for (let number = 0; number < {CLICKS}; number++) {{ ad.href = `/empty?${{number}}`; ad.click() }}")
    settlement = await attachment.settle("PT30S")
    report.check("failure", "a flood of clicks", (True, CLICKS), (settlement["settled"], len(settlement["dropped"])))
    for number in range(LOADS):
        await devtools.evaluate(page, loading("pixels.example", number=number))
    settlement = await attachment.settle("PT30S")
    report.check("failure", "a flood of redirects", (True, LOADS), (settlement["settled"], len(settlement["outcomes"])))
    report.check("failure", "a flood, the state", "attached", (await attachment.state())["state"])
    await devtools.close_page(page)


def loading(host: str, **options: object) -> str:
    """A script that loads a pixel."""
    return f"new Image().src = '{pixel(host, **options)}'; 0"


# A DevTools that lies


Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Liar:
    """A server that behaves as the DevTools of a browser, up to a point."""

    def __init__(self, version: bytes | None = None, talk: Talk | None = None):
        self.version, self.talk = version, talk
        self.address = ""

    async def start(self) -> None:
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.address = "http://127.0.0.1:{}".format(server.sockets[0].getsockname()[1])

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            if b"/json/version" in head:
                writer.write(self.version or self.response(json.dumps({
                    "Browser": "Liar/1", "webSocketDebuggerUrl": self.address.replace("http", "ws") + "/devtools/browser/1"})))
                if self.version == b"":
                    await reader.read()
            elif self.talk:
                key = re.search(rb"Sec-WebSocket-Key: (.*?)\r\n", head, re.IGNORECASE)
                assert key
                writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             + f"Sec-WebSocket-Accept: {accept(key[1].decode())}\r\n\r\n".encode())
                await self.talk(reader, writer)
                await reader.read()
            else:
                writer.write(self.response("no"))
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    @staticmethod
    def response(body: str, head: str = "200 OK") -> bytes:
        return f"HTTP/1.1 {head}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def sending(*data: bytes) -> Talk:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for item in data:
            writer.write(item)
            await writer.drain()
    return talk


async def endless_events(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Tabs without end, which are never answered. The service does not read faster than it can."""
    number = 0
    while True:
        for number in range(number, number + 100):
            info = {"targetId": f"T{number}", "type": "page", "url": "https://shop.example/"}
            writer.write(frame(json.dumps({"method": "Target.attachedToTarget", "params": {
                "sessionId": f"S{number}", "targetInfo": info}}).encode()))
        await writer.drain()


async def endless_fragments(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(frame(b"{", is_last=False))
    while True:
        writer.write(frame(b" " * 1_000_000, opcode=0, is_last=False))
        await writer.drain()


# Faults of a DevTools that cannot be attached, and the text of the refusal.
REFUSALS = [
    ("a redirect", Liar(Liar.response("", "302 Found\r\nLocation: http://127.0.0.1:1/json/version")), "redirect"),
    ("no JSON", Liar(Liar.response("<html>")), "webSocketDebuggerUrl"),
    ("status 500", Liar(Liar.response("{}", "500 Error")), "500"),
    ("endless headers", Liar(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200_000 + b"\r\n"), "DevTools"),
    ("a huge answer", Liar(Liar.response("x" * 1_000_000)), "DevTools"),
    ("no WebSocket", Liar(), "WebSocket"),
]
# Messages of a DevTools that end an attachment, and the text of the reason.
ENDS = [
    ("a message of 4 GB", sending(b"\x81\x7f" + (1 << 32).to_bytes(8, "big")), "16777216 bytes"),
    ("fragments without end", endless_fragments, "16777216 bytes"),
    ("no JSON", sending(frame(b"hello")), "JSON"),
    ("an answer that was not asked for", sending(frame(b'{"id": 99999, "result": {}}')), "99999"),
    ("neither event nor answer", sending(frame(b"{}")), "neither"),
    ("a deep value", sending(frame(b'{"id": 1, "result": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")), "JSON"),
    ("a closed connection", sending(frame(b"", opcode=8)), "closed"),
    ("tabs without end", endless_events, "the browser left"),
]


async def check_lies(executable: str, sites: Sites, report: matrix.Report) -> None:
    async with serving(executable) as service:
        refused = await asyncio.gather(
            *(refusal(service, f"refused-{number}", liar) for number, (_, liar, _) in enumerate(REFUSALS)))
        ended = await asyncio.gather(*(end(service, f"ended-{number}", talk) for number, (_, talk, _) in enumerate(ENDS)))
        for (name, _, text), detail in zip(REFUSALS, refused, strict=True):
            report.check("lie", name, text, text if text in detail else detail)
        for (name, _, text), (reason, reasons) in zip(ENDS, ended, strict=True):
            report.check("lie", name, text, text if text in reason else reason)
            report.check("lie", f"{name}, the event", [reason], reasons)


async def refusal(service: Service, name: str, liar: Liar) -> str:
    await liar.start()
    try:
        await (await service.browser(name)).attach(liar.address)
    except Refusal as error:
        return json.dumps(error.body) if error.status == 502 else f"status {error.status}"
    return "attached"


async def end(service: Service, name: str, talk: Talk) -> tuple[str, list[str]]:
    browser, liar = await service.browser(name), Liar(talk=talk)
    await liar.start()
    try:
        return await lost(browser, await browser.attach(liar.address))
    except Refusal as error:
        # It lied before the attachment began, which therefore has no event.
        return error.body["detail"], [error.body["detail"]]


CHECKS = [check_killed, check_lies]
