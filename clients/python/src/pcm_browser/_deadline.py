"""The longest time of a call, from its beginning to the last byte of the response."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Any

import anyio

# Tracebacks of pytest end in the test.
__tracebackhide__ = True


class AsyncDeadline:
    """Ends the asynchronous calls of an `async with` statement after a time, with a `TimeoutError`."""

    is_over = False
    extensions: dict[str, Any] = {}  # noqa: RUF012
    """The extensions of a request that ends with this deadline."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def __aenter__(self) -> None:
        self._scope = anyio.fail_after(self.seconds)
        self._scope.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return self._scope.__exit__(kind, error, traceback)


class Deadline:
    """Ends the calls of a `with` statement after a time, with a `TimeoutError`.

    The timeouts of httpx are for each part of a response, so that a response in small parts has no end. A timer shuts down
    the connections of the request.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.is_over = False
        self.extensions = {"trace": self._trace}
        """The extensions of a request that ends with this deadline."""
        self._connections: list[socket.socket] = []
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self._timer.cancel()
        # A body without a length ends with its connection.
        if self.is_over and (error is None or isinstance(error, Exception)):
            raise TimeoutError from None

    def _trace(self, event: str, details: dict[str, Any]) -> None:
        """Keeps the sockets that httpcore opens."""
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._connections.append(details["return_value"].get_extra_info("socket"))
            if self.is_over:
                self._end()

    def _end(self) -> None:
        self.is_over = True
        for connection in self._connections:
            # TLS detaches the socket that it wraps, and the peer may have closed the connection.
            with suppress(OSError):
                socket.socket.shutdown(connection, socket.SHUT_RDWR)
