"""The sites that the browser visits: one server for every host, over TLS and without."""

import asyncio
import base64
import hashlib
import re
import ssl
import subprocess
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

TRIGGER_PATH = "/.well-known/private-click-measurement/trigger-attribution/"
REASONS = {200: "OK", 204: "No Content", 404: "Not Found"}


@dataclass(frozen=True)
class Document:
    """The sites' responses at a path, on any host."""

    body: str | bytes
    media_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


@dataclass(frozen=True)
class Request:
    """A request as it arrived, byte for byte."""

    scheme: str
    host: str
    target: str
    head: bytes
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    def field(self, name: str) -> str | None:
        found = re.search(rb"\r\n" + name.encode() + rb": ([^\r]*)", self.head, re.IGNORECASE)
        return found[1].decode() if found else None


@dataclass
class Sites:
    """Responds on every host:

    * a document that is in the table,
    * `/go/STATUS?to=URL` with a redirect, with `cors=1` for any origin, with `corp=POLICY` and this policy, with `cache=1` for an
      hour, and with `wait=NAME` as soon as the name is released,
    * `/hang/NAME` with a page, as soon as the name is released,
    * `/close` by closing the connection,
    * `/status/STATUS` with a status and no body,
    * `/empty` with 204, `/file` with a download, and the trigger path with 404,
    * everything else with a small page.
    """

    documents: dict[str, Document] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    # Seconds until a response.
    distance: float = 0
    key: str = ""
    secure_port: int = 0
    plain_port: int = 0
    _waiting: list[tuple[Callable[[Request], bool], asyncio.Future]] = field(default_factory=list)
    _gates: dict[str, asyncio.Event] = field(default_factory=dict)

    async def start(self, folder: Path) -> None:
        """Listens on ports that the kernel chooses, with a certificate in the folder."""
        names = "subjectAltName=DNS:*.example"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=example", "-addext", names, "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
            check=True, capture_output=True)
        public = subprocess.run(["openssl", "pkey", "-in", folder / "key.pem", "-pubout", "-outform", "DER"], check=True,
                                capture_output=True).stdout
        self.key = base64.b64encode(hashlib.sha256(public).digest()).decode()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        secure = await asyncio.start_server(lambda *streams: self._serve("https", *streams), "127.0.0.1", 0, ssl=context)
        plain = await asyncio.start_server(lambda *streams: self._serve("http", *streams), "127.0.0.1", 0)
        self.secure_port, self.plain_port = (server.sockets[0].getsockname()[1] for server in (secure, plain))

    async def seen(self, is_wanted: Callable[[Request], bool], within: float = 30) -> Request:
        """Waits for a request, unless it arrived before."""
        if found := next((request for request in self.requests if is_wanted(request)), None):
            return found
        future: asyncio.Future[Request] = asyncio.get_running_loop().create_future()
        self._waiting.append((is_wanted, future))
        return await asyncio.wait_for(future, within)

    def release(self, name: str) -> None:
        """Lets the requests for `/hang/NAME` go on."""
        self._gate(name).set()

    def _gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())

    async def _serve(self, scheme: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                target, host = head.split(b" ", 2)[1].decode(), re.search(rb"\r\nHost: ([^\r:]*)", head)
                length = re.search(rb"\r\nContent-Length: (\d+)", head)
                body = await reader.readexactly(int(length[1])) if length else b""
                request = Request(scheme, host[1].decode() if host else "", target, head, body)
                self._record(request)
                if self.distance:
                    await asyncio.sleep(self.distance)
                document = await self._document(request)
                if document is None:
                    return
                writer.write(self._response(request, document))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
            pass
        finally:
            writer.close()

    def _record(self, request: Request) -> None:
        self.requests.append(request)
        for is_wanted, future in [entry for entry in self._waiting if entry[0](request)]:
            self._waiting.remove((is_wanted, future))
            if not future.done():
                future.set_result(request)

    async def _document(self, request: Request) -> Document | None:
        """The response, or nothing."""
        path, _, query = request.target.partition("?")
        values = dict(urllib.parse.parse_qsl(query))
        if request.head.startswith(b"OPTIONS "):
            return Document("", status=204, headers=(("Access-Control-Allow-Headers", "*"), *self._cors(request)))
        if document := self.documents.get(path):
            return document
        kind, _, rest = path[1:].partition("/")
        match kind:
            case "go":
                if name := values.get("wait"):
                    await self._gate(name).wait()
                caching = (("Cache-Control", "max-age=3600" if "cache" in values else "no-store"),)
                allowed = self._cors(request) if "cors" in values else ()
                policy = (("Cross-Origin-Resource-Policy", values["corp"]),) if "corp" in values else ()
                return Document("", status=int(rest), headers=(("Location", values["to"]), *caching, *allowed, *policy))
            case "hang":
                await self._gate(rest).wait()
            case "close":
                return None
            case "status":
                return Document("", status=int(rest))
            case "empty":
                return Document("", status=204)
            case "file":
                return Document("file", "application/octet-stream", (("Content-Disposition", "attachment; filename=file"),))
            case ".well-known":
                return Document("", "text/plain", self._cors(request), 404)
        return Document("<!doctype html><link rel=icon href=data:,><title>page</title><p>page")

    @staticmethod
    def _cors(request: Request) -> tuple[tuple[str, str], ...]:
        return (("Access-Control-Allow-Origin", request.field("Origin") or "*"), ("Access-Control-Allow-Credentials", "true"))

    @staticmethod
    def _response(request: Request, document: Document) -> bytes:
        body = document.body.encode() if isinstance(document.body, str) else document.body
        fields = [("Content-Type", document.media_type), *document.headers]
        if not any(name == "Cache-Control" for name, _ in fields):
            fields.append(("Cache-Control", "no-cache"))
        if document.status != 204:
            fields.append(("Content-Length", str(len(body))))
        lines = [f"HTTP/1.1 {document.status} {REASONS.get(document.status, 'Found')}",
                 *(f"{name}: {value}" for name, value in fields)]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if request.head.startswith(b"HEAD ") else body)


def go(site: str, to: str, status: int = 302, **options: object) -> str:
    """The URL on a site that redirects to another URL."""
    return f"https://{site}/go/{status}?" + urllib.parse.urlencode({"to": to, **options})
