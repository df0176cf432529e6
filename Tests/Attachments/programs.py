"""The programs of a test: the service with its API, and Chromium with a port for DevTools."""

import asyncio
import http.client
import json
import os
import re
import signal
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from sites import Sites

JSON = Any


class Refusal(Exception):
    """A response with a status of 400 or above."""

    def __init__(self, status: int, body: JSON):
        super().__init__(f"status {status}: {body}")
        self.status, self.body = status, body


@dataclass
class Program:
    """A process that is the first of a group."""

    process: asyncio.subprocess.Process
    address: str
    # The program's later output must not fill the pipe.
    drain: asyncio.Task

    def send(self, number: signal.Signals) -> None:
        """Sends a signal to the process and to its children."""
        if self.process.returncode is None:
            os.killpg(self.process.pid, number)

    async def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        self.send(number)
        await self.process.wait()


class Service(Program):
    """The service, and a client of its API."""

    async def call(self, method: str, path: str, body: JSON = None) -> JSON:
        """Returns the response's body. Raises an error for a status of 400 or above."""
        return await asyncio.to_thread(self._call, method, path, body)

    def _call(self, method: str, path: str, body: JSON) -> JSON:
        connection = http.client.HTTPConnection("127.0.0.1", int(self.address.rpartition(":")[2]), timeout=90)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, "/v1" + path, data, {"Content-Type": "application/json"} if data else {})
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        content = json.loads(text) if text else None
        if response.status >= 400:
            raise Refusal(response.status, content)
        return content

    async def browser(self, name: str) -> "Browser":
        """A new simulated browser on a manual clock, without connections."""
        await self.call("PUT", f"/browsers/{name}", {"clock": {"mode": "manual"}})
        await self.call("PUT", f"/browsers/{name}/network", {"mode": "simulated"})
        return Browser(self, name)


@dataclass
class Browser:
    """A browser of the service, which decides."""

    service: Service
    name: str

    async def call(self, method: str, path: str = "", body: JSON = None) -> JSON:
        return await self.service.call(method, f"/browsers/{self.name}{path}", body)

    async def attach(self, address: str, **options: str) -> "Attachment":
        """An attachment to the DevTools at an address."""
        attachment = await self.call("POST", "/attachments", {"devtools": address, **options})
        return Attachment(self, attachment["id"])

    @asynccontextmanager
    async def attached(self, chromium: "Chromium", **options: str) -> AsyncIterator["Attachment"]:
        """An attachment to Chromium, which ends with the block."""
        attachment = await self.attach(chromium.address, **options)
        try:
            yield attachment
        finally:
            await self.call("DELETE", f"/attachments/{attachment.id}")

    async def events(self, **options: str) -> list[JSON]:
        query = "&".join(f"{name}={value}" for name, value in {"limit": "1000", **options}.items())
        return (await self.call("GET", f"/events?{query}"))["items"]


@dataclass
class Attachment:
    """An attachment of a browser to Chromium."""

    browser: Browser
    id: str

    async def state(self) -> JSON:
        return await self.browser.call("GET", f"/attachments/{self.id}")

    async def settle(self, within: str = "PT10S") -> JSON:
        return await self.browser.call("POST", f"/attachments/{self.id}/settle", {"within": within})


class Chromium(Program):
    """Chromium without a driver. Its address is DevTools' address."""


async def start(command: list[str], pattern: str, kind: type[Program]) -> Any:
    """Starts a program, which prints its address."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, start_new_session=True)
    assert process.stdout
    printed = []
    async for line in process.stdout:
        printed.append(line.decode(errors="replace"))
        if found := re.search(pattern, printed[-1]):
            return kind(process, f"http://{found[1]}", asyncio.create_task(drain(process.stdout)))
    raise RuntimeError(f"{command[0]} printed no address:\n" + "".join(printed[-20:]))


async def drain(stream: asyncio.StreamReader) -> None:
    while await stream.read(65_536):
        pass


@asynccontextmanager
async def serving(executable: str, *arguments: str) -> AsyncIterator[Service]:
    """A service on a port that the kernel chooses."""
    with tempfile.TemporaryDirectory() as folder:
        command = [executable, "serve", "--port", "0", "--data", folder, *arguments]
        service = await start(command, r"http://(127\.0\.0\.1:\d+)", Service)
        try:
            yield service
        finally:
            await service.end(signal.SIGTERM)


@asynccontextmanager
async def browsing(sites: Sites) -> AsyncIterator[Chromium]:
    """Chromium with a fresh profile, for which the sites are the whole network."""
    rules = f"MAP *:443 127.0.0.1:{sites.secure_port},MAP *:80 127.0.0.1:{sites.plain_port},MAP * ~NOTFOUND,EXCLUDE 127.0.0.1"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [
            "/usr/bin/chromium", "--headless", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={folder}",
            f"--host-resolver-rules={rules}", f"--ignore-certificate-errors-spki-list={sites.key}", "--no-first-run",
            "--disable-popup-blocking", "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-dev-shm-usage", "--process-per-site", "--window-size=400,300", "--disable-gpu", "--mute-audio",
            "about:blank"]
        chromium = await start(command, r"DevTools listening on ws://(127\.0\.0\.1:\d+)/", Chromium)
        try:
            yield chromium
        finally:
            await chromium.end()
