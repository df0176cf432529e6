"""The HTTP calls of the asynchronous client."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import uuid4

import httpx

from .._answers import MAXIMUM_BODY, Answer, Page
from .._deadline import AsyncDeadline
from .._errors import PCMError
from .._wire import Duration, Model, encode, timedelta_of

# Tracebacks of pytest end in the test.
__tracebackhide__ = True

T = TypeVar("T")

Query = Mapping[str, Any]
"""The parameters of a URL. A list is a repeated parameter, and None an absent one."""

DISCONNECTION = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)
"""A connection that existed closed before the response was complete."""

CONNECTING = 10.0
"""The longest time in seconds for which the client waits for a connection."""


def part(name: str) -> str:
    """Returns a name percent-encoded as a segment of a path."""
    return quote(name, safe="")


class AsyncConnection:
    """Sends requests to a service and decodes its JSON responses."""

    def __init__(self, url: str, token: str | None, timeout: Duration, ca_file: str | None = None) -> None:
        self.url = url.rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise ValueError(f'"{self.url}" is not the URL of a service: expected http://HOST:PORT')
        self.token = token or None
        self.timeout = timedelta_of(timeout)
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        # A connection serves one call, so that a client works in any event loop and needs no closing. The environment's
        # proxies are not for a service in a test, but its certificates (SSL_CERT_FILE) are.
        limits = httpx.Limits(max_keepalive_connections=0)
        context = ssl.create_default_context(cafile=ca_file) if ca_file else httpx.create_ssl_context()
        self._http = httpx.AsyncClient(headers=headers, limits=limits, trust_env=False, verify=context)

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._http.aclose()

    async def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
        patience: Duration = 0,
    ) -> Answer:
        """Sends a request and returns the successful response.

        A request whose connection closes before the response is sent once more. A POST has the same idempotency key then,
        so that it takes effect once. A DELETE is not repeated.

        Args:
            method: The method.
            path: The path with percent-encoded segments.
            body: The body.
            query: The parameters of the URL.
            headers: Additional headers.
            patience: The time that the service may wait by design before it responds.
        """
        key = {"Idempotency-Key": str(uuid4())} if method == "POST" else {}
        headers = {"Accept": "application/json", **key, **(headers or {})}
        deadline = AsyncDeadline((self.timeout + timedelta_of(patience)).total_seconds())
        request = self._request(method, path, query, headers, deadline, body)
        try:
            async with deadline:
                try:
                    answer = await received(await self._http.send(request, stream=True))
                except DISCONNECTION:
                    if method == "DELETE" or deadline.is_over:
                        raise
                    answer = await received(await self._http.send(request, stream=True))
        except (httpx.HTTPError, TimeoutError) as error:
            raise self._no_response(request, error) from None
        answer = answer.checked(headers["Accept"])
        if method == "DELETE" and answer.content:
            raise answer.bad("a deletion returns no content")
        return answer

    def _request(
        self,
        method: str,
        path: str,
        query: Query | None,
        headers: Mapping[str, str],
        deadline: AsyncDeadline,
        body: bytes | None = None,
    ) -> httpx.Request:
        return self._http.build_request(
            method,
            self.url + path,
            content=body,
            params=parameters(query),
            headers=headers,
            timeout=httpx.Timeout(None, connect=min(CONNECTING, deadline.seconds)),
            extensions=deadline.extensions,
        )

    async def answer(
        self,
        method: str,
        path: str,
        body: Model | Mapping[str, Any] | None = None,
        query: Query | None = None,
        patience: Duration = 0,
    ) -> Answer:
        """Sends a JSON body, if any, and returns the successful response."""
        content = None if body is None else json.dumps(encode(body), ensure_ascii=False, allow_nan=False).encode()
        headers = {} if content is None else {"Content-Type": "application/json"}
        return await self.send(method, path, content, query, headers, patience)

    async def call(
        self,
        method: str,
        path: str,
        returns: type[T],
        body: Model | Mapping[str, Any] | None = None,
        query: Query | None = None,
        patience: Duration = 0,
    ) -> T:
        """Sends a JSON body, if any, and returns the response as a model, or as a `dict`."""
        value: T = (await self.answer(method, path, body, query, patience)).value(returns)
        return value

    async def items(self, path: str, returns: type[T], query: Query | None = None) -> list[T]:
        """Returns all items of a list as models, or each as a `dict`, by requesting each page."""
        found: list[T] = []
        cursor = None
        while True:
            answer = await self.answer("GET", path, query={**(query or {}), "limit": 1000, "cursor": cursor})
            page: Page = answer.value(Page)
            found += [answer.decoded(returns, item) for item in page.items]
            if page.next in (None, cursor):
                return found
            cursor = page.next

    @asynccontextmanager
    async def stream(self, path: str, query: Query, last_event_id: str | None) -> AsyncIterator[httpx.Response]:
        """Opens the log as server-sent events."""
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last_event_id} if last_event_id else {})
        deadline = AsyncDeadline(self.timeout.total_seconds())
        request = self._request("GET", path, query, headers, deadline)
        try:
            async with deadline:
                response = await self._http.send(request, stream=True)
                if not response.is_success:
                    (await received(response)).checked(headers["Accept"])
        except (httpx.HTTPError, TimeoutError) as error:
            raise self._no_response(request, error) from None
        try:
            head(response).of_type(headers["Accept"])
            yield response
        finally:
            await response.aclose()

    def _no_response(self, request: httpx.Request, error: Exception) -> PCMError:
        call = f"{request.method} {request.url}"
        if isinstance(error, TimeoutError):
            title = "received no response before the timeout"
            return PCMError(call, code="timed-out", title=title, detail=f"PCM(timeout=…) allows {self.timeout} for a call")
        title = f"received no response: no service listens at {self.url}"
        if isinstance(error, DISCONNECTION):
            title = "received no complete response: the connection closed"
        return PCMError(call, code="unreachable", title=title, detail=f"{type(error).__name__}: {error}")


def parameters(query: Query | None) -> dict[str, Any]:
    """Returns the parameters of a URL without the absent ones."""
    return {name: encode(value) for name, value in (query or {}).items() if value is not None}


def head(response: httpx.Response) -> Answer:
    """Returns a response without its content."""
    media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    call = f"{response.request.method} {response.request.url}"
    return Answer(call=call, status=response.status_code, media_type=media_type)


async def received(response: httpx.Response) -> Answer:
    """Receives the content of a response.

    Raises:
        PCMError: The content exceeds the limit, or is not encoded as its header says.
    """
    answer, content = head(response), bytearray()
    try:
        async for chunk in response.aiter_bytes():
            content += chunk
            if len(content) > MAXIMUM_BODY:
                raise answer.bad(f"it has more than {MAXIMUM_BODY} bytes")
    except httpx.DecodingError as error:
        coding = response.headers.get("Content-Encoding")
        raise answer.bad(f"its content is not encoded with {coding}: {error}") from None
    finally:
        await response.aclose()
    return replace(answer, content=bytes(content))
