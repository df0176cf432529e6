"""The HTTP calls of the asynchronous client."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import uuid4

import httpx

from .._errors import PCMError
from .._wire import Duration, Model, encode, timedelta_of

# Tracebacks of pytest end in the test.
__tracebackhide__ = True

M = TypeVar("M", bound=Model)

Query = Mapping[str, Any]
"""The parameters of a URL. A list is a repeated parameter, and None an absent one."""

DISCONNECTION = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)
"""A connection that existed closed before the response was complete."""


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
    ) -> httpx.Response:
        """Sends a request and returns the successful response.

        A request whose connection closes before the response is sent once more. A POST has the same idempotency key then,
        so that it takes effect once. A DELETE is not repeated.

        Args:
            method: The method.
            path: The path with percent-encoded segments.
            body: The body.
            query: The parameters of the URL.
            headers: Headers besides the client's.
            patience: The time that the service may wait by design before it responds.
        """
        key = {"Idempotency-Key": str(uuid4())} if method == "POST" else {}
        request = self._http.build_request(
            method,
            self.url + path,
            content=body,
            params=parameters(query),
            headers={"Accept": "application/json", **key, **(headers or {})},
            timeout=httpx.Timeout((self.timeout + timedelta_of(patience)).total_seconds(), connect=10),
        )
        try:
            try:
                response = await self._http.send(request)
            except DISCONNECTION:
                if method == "DELETE":
                    raise
                response = await self._http.send(request)
        except httpx.HTTPError as error:
            raise self._no_response(request, error) from None
        return checked(response)

    async def value(
        self,
        method: str,
        path: str,
        body: Model | Mapping[str, Any] | None = None,
        query: Query | None = None,
        patience: Duration = 0,
    ) -> Any:
        """Sends a JSON body, if any, and returns the JSON of the response."""
        content = None if body is None else json.dumps(encode(body), ensure_ascii=False, allow_nan=False).encode()
        headers = {} if content is None else {"Content-Type": "application/json"}
        response = await self.send(method, path, content, query, headers, patience)
        return response.json() if response.content else None

    async def call(
        self,
        method: str,
        path: str,
        returns: type[M],
        body: Model | Mapping[str, Any] | None = None,
        query: Query | None = None,
        patience: Duration = 0,
    ) -> M:
        """Sends a JSON body, if any, and returns the response as a model."""
        return returns._decoded(await self.value(method, path, body, query, patience))

    async def items(self, path: str, returns: type[M], query: Query | None = None) -> list[M]:
        """Returns all items of a list as models."""
        return [returns._decoded(item) for item in await self.objects(path, query)]

    async def objects(self, path: str, query: Query | None = None) -> list[dict[str, Any]]:
        """Returns all items of a list by requesting each page."""
        found: list[dict[str, Any]] = []
        cursor = None
        while True:
            page = await self.value("GET", path, query={**(query or {}), "limit": 1000, "cursor": cursor})
            found += page["items"]
            if page["next"] in (None, cursor):
                return found
            cursor = page["next"]

    @asynccontextmanager
    async def stream(self, path: str, query: Query, last_event_id: str | None) -> AsyncIterator[httpx.Response]:
        """Opens the log as server-sent events."""
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last_event_id} if last_event_id else {})
        timeout = httpx.Timeout(None, connect=10)
        request = self._http.build_request("GET", self.url + path, params=parameters(query), headers=headers, timeout=timeout)
        try:
            response = await self._http.send(request, stream=True)
        except httpx.HTTPError as error:
            raise self._no_response(request, error) from None
        try:
            if not response.is_success:
                await response.aread()
            yield checked(response)
        finally:
            await response.aclose()

    def _no_response(self, request: httpx.Request, error: httpx.HTTPError) -> PCMError:
        call = f"{request.method} {request.url}"
        if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
            title = "received no response before the timeout"
            return PCMError(call, code="timed-out", title=title, detail=f"PCM(timeout=…) allows {self.timeout} for a call")
        title = f"received no response: no service listens at {self.url}"
        return PCMError(call, code="unreachable", title=title, detail=f"{type(error).__name__}: {error}")


def parameters(query: Query | None) -> dict[str, Any]:
    """Returns the parameters of a URL without the absent ones."""
    return {name: encode(value) for name, value in (query or {}).items() if value is not None}


def checked(response: httpx.Response) -> httpx.Response:
    """Returns a successful response.

    Raises:
        PCMError: The response is an error.
    """
    if response.is_success:
        return response
    try:
        problem = response.json()
    except ValueError:
        problem = None
    call = f"{response.request.method} {response.request.url}"
    raise PCMError.of_response(call, response.status_code, problem if isinstance(problem, dict) else None, response.text)
