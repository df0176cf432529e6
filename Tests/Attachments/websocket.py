"""The parts of the WebSocket protocol that DevTools needs: a client without a driver, and the frames of a server."""

import asyncio
import base64
import hashlib
import http.client
import itertools
import json
import os
from collections.abc import Awaitable
from typing import Any

# Seconds. With a thousand tabs, Chromium takes tens of seconds for a command.
PATIENCE = 120


def accept(key: str) -> str:
    """A server's response to the key of a client."""
    return base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()


def frame(data: bytes, opcode: int = 1, mask: bytes = b"", is_last: bool = True) -> bytes:
    """A frame, which a client masks."""
    length, flag = len(data), 0x80 if mask else 0
    if length < 126:
        size = bytes([flag | length])
    elif length < 65_536:
        size = bytes([flag | 126]) + length.to_bytes(2, "big")
    else:
        size = bytes([flag | 127]) + length.to_bytes(8, "big")
    masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data)) if mask else data
    return bytes([opcode | (0x80 if is_last else 0)]) + size + mask + masked


async def read_frame(reader: asyncio.StreamReader) -> bytes:
    """The data of the next frame."""
    _, size = await reader.readexactly(2)
    length = size & 0x7F
    if length > 125:
        length = int.from_bytes(await reader.readexactly(2 if length == 126 else 8), "big")
    mask = await reader.readexactly(4) if size & 0x80 else b""
    data = await reader.readexactly(length)
    return bytes(byte ^ mask[index % 4] for index, byte in enumerate(data)) if mask else data


class DevTools:
    """A client of a browser's DevTools, without a driver."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.reader, self.writer = reader, writer
        self.numbers = itertools.count(1)
        self.answers: dict[int, asyncio.Future] = {}
        self.events: list[dict] = []
        self.waiting: list[tuple[str, asyncio.Future]] = []
        self.task = asyncio.create_task(self._receive())

    @classmethod
    async def connect(cls, address: str) -> "DevTools":
        place = address.removeprefix("http://")
        host, port = place.split(":")

        def version() -> dict:
            connection = http.client.HTTPConnection(host, int(port), timeout=10)
            connection.request("GET", "/json/version")
            return json.loads(connection.getresponse().read())
        path = (await asyncio.to_thread(version))["webSocketDebuggerUrl"].partition(place)[2]
        reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 24)
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {place}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert accept(key).encode() in head
        return cls(reader, writer)

    async def send(self, method: str, session: str | None = None, **params: Any) -> dict:
        """The result of a command."""
        number = next(self.numbers)
        command = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        future = self.answers[number] = asyncio.get_running_loop().create_future()
        self.writer.write(frame(json.dumps(command).encode(), mask=os.urandom(4)))
        return await asyncio.wait_for(future, PATIENCE)

    def event(self, method: str) -> asyncio.Future:
        """The parameters of the next event with a name."""
        future = asyncio.get_running_loop().create_future()
        self.waiting.append((method, future))
        return future

    async def open(self, url: str, **options: str) -> str:
        """A new tab that has loaded a page. The result is its session."""
        target = (await self.send("Target.createTarget", url="about:blank", **options))["targetId"]
        session = (await self.send("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        await self.send("Page.enable", session)
        await self.load(session, url)
        return session

    async def load(self, session: str, url: str) -> None:
        await self.shows(self.send("Page.navigate", session, url=url), "Page.loadEventFired")

    async def press(self, session: str) -> None:
        """Presses and releases the mouse on the page."""
        for kind in ("mousePressed", "mouseReleased"):
            await self.send("Input.dispatchMouseEvent", session, type=kind, x=20, y=20, button="left", clickCount=1)

    async def new_context(self, *hosts: str) -> str:
        """A context with a tab of each site, whose process its other tabs then share."""
        context = (await self.send("Target.createBrowserContext"))["browserContextId"]
        for host in hosts:
            await self.open(f"https://{host}/", browserContextId=context)
        return context

    async def shows(self, action: Awaitable, event_name: str = "Page.frameNavigated") -> None:
        """Does something that shows another document, and waits for it."""
        event = self.event(event_name)
        await action
        await asyncio.wait_for(event, PATIENCE)

    async def evaluate(self, session: str, script: str) -> Any:
        result = await self.send("Runtime.evaluate", session, expression=script, returnByValue=True, userGesture=True)
        return result["result"].get("value")

    async def close_page(self, session: str) -> None:
        await self.send("Target.closeTarget", targetId=(await self.send("Target.getTargetInfo", session))["targetInfo"]["targetId"])

    async def close(self) -> None:
        self.task.cancel()
        self.writer.close()

    async def _receive(self) -> None:
        while True:
            try:
                message = json.loads(await read_frame(self.reader))
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            if future := self.answers.pop(message.get("id", 0), None):
                if not future.done():
                    future.set_result(message.get("result", {}))
            for entry in [entry for entry in self.waiting if entry[0] == message.get("method")]:
                self.waiting.remove(entry)
                entry[1].set_result(message["params"])
