"""Moves of a clock, and the log as server-sent events, without the network."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from ._answers import MAXIMUM_MESSAGE, Answer
from ._wire import Model
from .models import App, ClockAdvance, ClockAdvanced, Event

# Tracebacks of pytest end in the test.
__tracebackhide__ = True

AppLike = App | str
"""A registered app, or its bundle identifier."""


def identifier(app: AppLike) -> str:
    """Returns the bundle identifier of an app."""
    return app if isinstance(app, str) else app.bundle_identifier


@dataclass(frozen=True, kw_only=True)
class EventPage(Model):
    """A page of the log."""

    items: list[Event]
    next: str | None = None


@dataclass(frozen=True, kw_only=True)
class Advance:
    """The result of moving a clock.

    Example::

        move = browser.advance(days=2)
        assert move.idle
        print(move.now, [event.kind for event in move.events])
    """

    now: datetime
    """The new time of the clock."""
    idle: bool
    """Whether no report and no postback is left to send."""
    events: list[Event]
    """The events that the move recorded, in order."""


def remainder(move: ClockAdvance, part: ClockAdvanced) -> ClockAdvance:
    """Returns the rest of a move that stopped at a limit of the service."""
    if part.target is None:
        return move
    if move.until_idle:
        return ClockAdvance(until_idle=True, within=part.target - part.now)
    return ClockAdvance(to=part.target)


class ServerSentEvents:
    """Reads the messages of a stream from its bytes."""

    def __init__(self, stream: Answer) -> None:
        self._stream = stream
        self._rest = b""
        self._identity: str | None = None
        self._data: list[bytes] = []

    def read(self, part: bytes) -> Iterator[tuple[str | None, Answer]]:
        """Yields the identifier and the data of each message that ends in this part of the stream.

        Raises:
            PCMError: A message exceeds the limit, or its identifier is not the service's.
        """
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in (line.removesuffix(b"\r") for line in lines):
            name, _, value = line.partition(b":")
            if name == b"id":
                self._identity = self._checked_identity(value.removeprefix(b" "))
            elif name == b"data":
                self._data.append(value.removeprefix(b" "))
            elif not line:
                if self._data:
                    yield self._identity, replace(self._stream, content=b"\n".join(self._data))
                self._identity, self._data = None, []
        if len(self._rest) + sum(len(line) + 1 for line in self._data) > MAXIMUM_MESSAGE:
            raise self._stream.bad(f"a message of the stream has more than {MAXIMUM_MESSAGE} bytes")

    def _checked_identity(self, value: bytes) -> str:
        text = value.decode(errors="replace")
        # It is sent back in a header.
        if not (text.isascii() and text.isprintable() and len(text) < 1000):
            raise self._stream.bad(f"a message of the stream has the identifier {text[:80]!r}")
        return text
