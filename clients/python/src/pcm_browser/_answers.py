"""The responses of the service, which are checked before anything reads them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ._errors import PCMError, Problem
from ._wire import Model, decode

# Tracebacks of pytest end in the test.
__tracebackhide__ = True

MAXIMUM_BODY = 64 << 20
"""The bytes of a response. A page of a list has 1 MiB, and the requests that a receiver lists have 32 MiB."""

MAXIMUM_MESSAGE = 4 << 20
"""The bytes of an event in a stream of events, and of a line there."""


@dataclass(frozen=True, kw_only=True)
class Page(Model):
    """A page of a list."""

    items: list[dict[str, Any]]
    next: str | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A response: to a call, or a part of a stream of events.

    Every method raises a `PCMError` with the code `bad-response` when the response is not as the service sends it.
    """

    call: str
    """The method and URL of the call."""
    status: int
    media_type: str
    """The type of the content without parameters."""
    content: bytes = b""

    def checked(self, accept: str) -> Answer:
        """Returns a successful response whose content has the type that the call accepts.

        Raises:
            PCMError: The response is an error, or has another type.
        """
        if not 200 <= self.status < 300:
            raise PCMError.of_response(self.call, self.status, self._problem(), self.content.decode(errors="replace"))
        return self.of_type(accept) if self.content else self

    def of_type(self, accept: str) -> Answer:
        """Returns a response whose content has this type."""
        if self.media_type != accept:
            raise self.bad(f"its type is {self.media_type or 'missing'}, and not {accept}")
        return self

    @property
    def text(self) -> str:
        """The content as text."""
        try:
            return self.content.decode()
        except UnicodeDecodeError as error:
            raise self.bad(f"its text is not in UTF-8: {error.reason} at byte {error.start}") from None

    def json(self) -> Any:
        """Returns the content as JSON."""
        try:
            return json.loads(self.text, parse_constant=_no_constant)
        except ValueError as error:
            raise self.bad(f"it is not JSON: {error}") from None
        except RecursionError:
            raise self.bad("its JSON has too many levels") from None

    def value(self, returns: Any) -> Any:
        """Returns the JSON of the content as a type: a model, or a type with arguments such as `dict[str, Any]`."""
        return self.decoded(returns, self.json())

    def decoded(self, returns: Any, value: Any) -> Any:
        """Returns a part of the JSON as a type."""
        try:
            return decode(returns, value)
        except (ValueError, OverflowError) as error:
            raise self.bad(str(error)) from None

    def bad(self, reason: str) -> PCMError:
        """Returns the error of a response that is not as the service sends it."""
        beginning = self.content[:200].decode(errors="replace")
        detail = f"{reason}. It begins with {beginning!r}." if beginning else f"{reason}."
        return PCMError(self.call, status=self.status, code="bad-response", title="not a response of the service", detail=detail)

    def _problem(self) -> Problem | None:
        try:
            problem: Problem = self.value(Problem)
        except PCMError:
            return None
        return problem


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON")
