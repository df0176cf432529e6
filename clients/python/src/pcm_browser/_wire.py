"""The JSON of the service as Python values: names, instants, durations, and models."""

from __future__ import annotations

import dataclasses
import json
import keyword
import re
import types
import typing
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any, ClassVar, TypeVar

Duration = timedelta | float
"""A duration: a `timedelta`, or a number of seconds."""

M = TypeVar("M", bound="Model")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Model:
    """A JSON object of the service.

    Members that this version of the client does not know are in `json`.
    """

    _names: ClassVar[Mapping[str, str]] = {}

    _known: ClassVar[dict[str, tuple[str, Any]]]
    """The name in JSON, and the type, of each field."""

    @property
    def json(self) -> dict[str, Any]:
        """The object as in the service's JSON."""
        received: dict[str, Any] | None = self.__dict__.get("_received")
        return received if received is not None else self._encoded()

    def _encoded(self) -> dict[str, Any]:
        members = {wire: getattr(self, name) for name, (wire, _) in self._members().items()}
        return {wire: encode(value) for wire, value in members.items() if value is not None}

    @classmethod
    def _decoded(cls: type[M], value: Mapping[str, Any]) -> M:
        members = {}
        for field in dataclasses.fields(cls):
            wire, hint = cls._members()[field.name]
            if wire in value:
                members[field.name] = _decode_at(wire, hint, value[wire])
            elif field.default is dataclasses.MISSING:
                raise ValueError(f"the member {wire} is missing")
        model = cls(**members)
        model.__dict__["_received"] = dict(value)
        return model

    @classmethod
    def _members(cls) -> dict[str, tuple[str, Any]]:
        if "_known" not in cls.__dict__:
            hints = typing.get_type_hints(cls)
            names = [field.name for field in dataclasses.fields(cls)]
            cls._known = {name: (cls._names.get(name, camel_case(name)), hints[name]) for name in names}
        return cls._known


def camel_case(name: str) -> str:
    """Returns a member's name in JSON: `source_site` is `sourceSite`."""
    return re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name.removesuffix("_"))


def snake_case(name: str) -> str:
    """Returns the name of a field: `destinationURL` is `destination_url`."""
    words = re.sub(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", lambda m: f"{m[1] or m[3]}_{m[2] or m[4]}", name)
    word = words.replace("-", "_").lower()
    return f"{word}_" if keyword.iskeyword(word) else word


def encode(value: Any) -> Any:
    """Returns a value as JSON. Members of a model that are None are absent."""
    match value:
        case Model():
            return value._encoded()
        case datetime():
            return instant_text(value)
        case timedelta():
            return duration_text(value)
        case Mapping():
            return {key: encode(item) for key, item in value.items()}
        case str() | bytes():
            return value
        case Sequence() | set() | frozenset():
            return [encode(item) for item in value]
        case _:
            return value


def decode(hint: Any, value: Any) -> Any:
    """Returns a JSON value as the type of a field.

    Raises:
        ValueError: The value has another type. The text begins with its JSON pointer.
    """
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin in (typing.Union, types.UnionType):
        return _decode_choice(arguments, value)
    if origin is list:
        return [_decode_at(index, arguments[0], item) for index, item in enumerate(_of_kind(list, value))]
    if origin is dict:
        return {key: _decode_at(key, arguments[1], item) for key, item in _of_kind(dict, value).items()}
    if origin is typing.Literal:
        # A later version may add words.
        return _of_kind(type(arguments[0]), value)
    if issubclass(hint, Model):
        return hint._decoded(_of_kind(dict, value))
    if hint is datetime:
        return instant(_of_kind(str, value))
    return duration(_of_kind(str, value)) if hint is timedelta else _of_kind(hint, value)


_NAMES = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    list: "an array",
    dict: "an object",
    types.NoneType: "null",
}


def _of_kind(kind: type, value: Any) -> Any:
    accepted = (int, float) if kind is float else kind
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        kinds = (name for each, name in _NAMES.items() if isinstance(value, each))
        shown = json.dumps(value)[:80] if isinstance(value, (str, int, float)) else next(kinds)
        raise ValueError(f"expected {_NAMES[kind]}, got {shown}")
    return value


def _decode_choice(hints: Sequence[Any], value: Any) -> Any:
    """Returns a value as the first type that it has."""
    if value is None and types.NoneType in hints:
        return None
    hints = [hint for hint in hints if hint is not types.NoneType]
    for hint in hints[:-1]:
        try:
            return decode(hint, value)
        except ValueError:
            continue
    return decode(hints[-1], value)


def _decode_at(place: str | int, hint: Any, value: Any) -> Any:
    try:
        return decode(hint, value)
    except ValueError as error:
        inner = str(error)
        raise ValueError(f"/{place}{inner}" if inner.startswith("/") else f"/{place}: {inner}") from None


def instant(text: str) -> datetime:
    """Parses an instant of RFC 3339 in UTC, such as `2026-11-20T10:00:00.000Z`."""
    return datetime.fromisoformat(text.removesuffix("Z") + "+00:00")


def instant_text(value: datetime) -> str:
    """Returns an instant in RFC 3339 in UTC with milliseconds.

    Raises:
        ValueError: The value has no time zone.
    """
    if value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone; use datetime(…, tzinfo=timezone.utc)")
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def duration(text: str) -> timedelta:
    """Parses a duration of ISO 8601 in hours, minutes, and seconds, such as `PT48H` or `PT0.500S`."""
    found = re.fullmatch(r"PT(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9.]+)S)?", text)
    if not found:
        raise ValueError(f"{text!r} is not a duration in hours, minutes, and seconds")
    hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return timedelta(hours=hours, minutes=minutes, seconds=seconds)


def timedelta_of(value: Duration) -> timedelta:
    """Returns a duration as a `timedelta`."""
    return value if isinstance(value, timedelta) else timedelta(seconds=value)


def duration_text(value: Duration) -> str:
    """Returns a duration in ISO 8601, in milliseconds: `PT172800S`, `PT0.500S`."""
    milliseconds = timedelta_of(value) // timedelta(milliseconds=1)
    sign = "-" if milliseconds < 0 else ""
    seconds, rest = divmod(abs(milliseconds), 1000)
    return f"{sign}PT{seconds}" + (f".{rest:03}S" if rest else "S")


def printable(text: str) -> str:
    """Returns a text whose control characters, other than newlines, are escaped, so that no terminal obeys them."""
    return "".join(each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode() for each in text)
