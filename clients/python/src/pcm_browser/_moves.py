"""Moves of a clock, and the log as server-sent events: what both clients do without the network."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .models import App, ClockAdvance, ClockAdvanced, Event

AppLike = App | str
"""A registered app, or its bundle identifier."""


def identifier(app: AppLike) -> str:
    """Returns the bundle identifier of an app."""
    return app if isinstance(app, str) else app.bundle_identifier


@dataclass(frozen=True, kw_only=True)
class Advance:
    """The result of moving a clock."""

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
    """Reads the lines of a stream."""

    def __init__(self) -> None:
        self._fields: dict[str, str] = {}

    def read(self, line: str) -> tuple[str | None, dict[str, Any]] | None:
        """Returns the identifier and the data of a message with its last line, and None before."""
        if line:
            name, _, value = line.partition(":")
            self._fields[name] = value.removeprefix(" ")
            return None
        fields, self._fields = self._fields, {}
        return (fields.get("id"), json.loads(fields["data"])) if "data" in fields else None
