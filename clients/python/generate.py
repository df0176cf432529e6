"""Generates the parts of the client that follow from something else, whenever the package is built or installed.

* `models.py`, the dataclasses of the service's JSON, from the OpenAPI document;
* `_sync`, the synchronous client, from `_async`.

Git ignores both. A source distribution has them, because it has no OpenAPI document.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).resolve().parent
PACKAGE = HERE / "src" / "pcm_browser"
# Without the rest of the package, which imports the generated modules.
sys.path.append(str(PACKAGE))

from _wire import camel_case, snake_case  # type: ignore[import-not-found] # noqa: E402

Schema = dict[str, Any]

DOCUMENT = HERE / "../../Sources/COpenAPI/openapi.json"
SCHEMAS: dict[str, Schema] = json.loads(DOCUMENT.read_text())["components"]["schemas"] if DOCUMENT.exists() else {}

RENAMED = {
    "Browser": "BrowserState",
    "Device": "DeviceProperties",
    "Load": "LoadSpecification",
    "Message": "SiteMessage",
    "TestKey": "KeyPair",
}
"""The names of models that would be unclear next to the client's classes, or that pytest would collect."""

UNUSED = re.compile(r".*(Page|Detail|Filter)$|Scenario.*|OpenAPIDocument|Service|ServiceStatus|SiteScript|.*Part$")
"""Schemas that the client handles without a model. Events have one model for all kinds, because kinds are added often."""

EVENT: Schema = {
    "type": "object",
    "description": "An event of a browser's log.",
    "required": ["sequence", "at", "kind", "detail"],
    "properties": {
        "sequence": {"type": "integer", "description": "The number of the event, from 1."},
        "at": {"type": "string", "format": "date-time", "description": "The time on the browser's clock."},
        "kind": {"type": "string", "description": "The kind, such as `click-stored`. A later version may add kinds."},
        "detail": {
            "type": "object",
            "additionalProperties": True,
            "description": "The members depend on the kind, as in the OpenAPI document.",
        },
        "decision": {
            "$ref": "#/components/schemas/EventDecision",
            "description": "The verdicts of the rules that decided; only if the events were read with them.",
        },
    },
}


def referenced(schema: Schema) -> str | None:
    """The name of the schema to which one refers."""
    reference = schema.get("$ref")
    return reference.rsplit("/", 1)[1] if reference else None


def annotation(schema: Schema) -> str:
    """The Python type of a value."""
    if name := referenced(schema):
        target = SCHEMAS[name]
        return RENAMED.get(name, name) if is_named(name, target) else annotation(target)
    if choices := [part for part in schema.get("anyOf") or schema.get("oneOf") or [] if "type" in part or "$ref" in part]:
        return " | ".join(dict.fromkeys(annotation(choice) for choice in choices))
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
    kinds = schema.get("type", "object")
    return " | ".join(annotation_of_kind(kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def annotation_of_kind(kind: str, schema: Schema) -> str:
    """The Python type of a value of one JSON type."""
    if kind == "array":
        return f"list[{annotation(schema['items'])}]"
    if kind == "object":
        members = schema.get("additionalProperties")
        return f"dict[str, {annotation(members)}]" if isinstance(members, dict) and members else "dict[str, Any]"
    if kind == "string":
        return {"date-time": "datetime", "iso8601-duration": "timedelta"}.get(schema.get("format", ""), "str")
    return {"integer": "int", "number": "float", "boolean": "bool", "null": "None"}[kind]


def is_named(name: str, schema: Schema) -> bool:
    """Whether a schema has a name in Python: it is an object with known members, or a choice of words."""
    return name == "Event" or bool(properties(schema)) or "enum" in schema


def properties(schema: Schema) -> dict[str, Schema]:
    """The members of an object, or of every object that a body may be."""
    members = dict(schema.get("properties", {}))
    for choice in schema.get("oneOf", []):
        members |= choice.get("properties", {})
    return members


def required(schema: Schema) -> set[str]:
    """The members that are always present."""
    choices = [set(choice.get("required", [])) for choice in schema.get("oneOf", [])]
    return set(schema.get("required", [])) | (set.intersection(*choices) if choices else set())


def description(schema: Schema) -> str:
    """The description of a value, with the words that it may be."""
    name = referenced(schema)
    text = schema.get("description") or (description(SCHEMAS[name]) if name else "")
    words = (SCHEMAS[name] if name else schema).get("x-extensible-enum")
    if words and not all(f"`{word}`" in text for word in words):
        text = f"{text} One of {', '.join(f'`{word}`' for word in words)}, or a value of a later version.".lstrip()
    return text


def docstring(text: str, indentation: str) -> str:
    """A docstring: a summary in a line, and the rest in a paragraph."""
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    width = 120 - len(indentation)
    if len(text) + 6 <= width:
        return f'{indentation}"""{text}"""'
    summary, _, rest = re.sub(r"([^.][.]) (?=[A-Z`])", "\\1\0", text, count=1).partition("\0")
    paragraphs = ["\n".join(textwrap.wrap(part, width - 3)) for part in (summary, rest) if part]
    return textwrap.indent('"""' + "\n\n".join(paragraphs) + '\n"""', indentation)


def model(name: str, schema: Schema) -> str:
    """A dataclass, or the alias of a choice."""
    python_name = RENAMED.get(name, name)
    if not properties(schema):
        alias = textwrap.fill(f"{python_name} = {annotation(schema)}", 120, subsequent_indent="    ", break_on_hyphens=False)
        return f"{alias}\n{docstring(description(schema), '')}\n"
    lines = [
        "@dataclass(frozen=True, kw_only=True)",
        f"class {python_name}(Model):",
        docstring(description(schema), "    "),
    ]
    members = properties(schema)
    irregular = {snake_case(member): member for member in members if camel_case(snake_case(member)) != member}
    if irregular:
        lines.append(f"    _names: ClassVar[Mapping[str, str]] = {irregular!r}")
    for member, value in members.items():
        hint = annotation(value)
        optional = member not in required(schema)
        if optional and "None" not in hint.split(" | "):
            hint += " | None"
        lines.append(f"    {snake_case(member)}: {hint}" + (" = None" if optional else ""))
        if text := description(value):
            lines.append(docstring(text, "    "))
    return "\n".join(lines) + "\n"


def models() -> str:
    """The module of the models."""
    kinds_of_events = {referenced(choice) for choice in SCHEMAS["Event"]["oneOf"]}
    SCHEMAS["Event"] = EVENT
    used = {name: schema for name, schema in SCHEMAS.items() if name not in kinds_of_events and not UNUSED.fullmatch(name)}
    named = {name: schema for name, schema in used.items() if is_named(name, schema)}
    # The aliases of choices are evaluated when the module is read, so they come first.
    ordered = sorted(named.items(), key=lambda item: bool(properties(item[1])))
    head = '''"""The objects of the service's JSON, with the descriptions of its OpenAPI document.

Names are in snake_case here: `sourceSite` is `source_site`. An instant is a `datetime` in UTC, and a duration a
`timedelta`. A member that may be absent or null is None.

Generated by generate.py from openapi.json. Do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Literal

from ._wire import Model

'''
    names = sorted(RENAMED.get(name, name) for name in named)
    listed = f"__all__ = {json.dumps(names, indent=4)}\n\n"
    return head + listed + "\n\n".join(model(name, schema) for name, schema in ordered)


SYNCHRONOUS = [
    (r"AsyncGenerator\[(\w+), None\]", r"Generator[\1, None, None]"),
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"\baclose\b", "close"),
    (r"\baclosing\b", "closing"),
    (r"\baiter_bytes\b", "iter_bytes"),
    (r"\baread\b", "read"),
    (r"\b_async\b", "_sync"),
    (r"asynchronous", "synchronous"),
]
"""The differences between the two clients, as in httpcore and other clients that are generated in this way."""


def synchronous(text: str) -> str:
    """A module of the synchronous client."""
    for pattern, replacement in SYNCHRONOUS:
        text = re.sub(pattern, replacement, text)
    return "# Generated by generate.py from _async. Do not edit.\n" + text


class Generation(BuildHookInterface[Any]):
    """Writes the files before each build, also of an editable installation."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Replaces the files. A source distribution has them."""
        if not SCHEMAS and (PACKAGE / "models.py").exists():
            return
        if not SCHEMAS:
            sys.exit(f"{DOCUMENT.resolve()} is missing; install the package from the whole repository")
        modules = {PACKAGE / "_sync" / path.name: synchronous(path.read_text()) for path in (PACKAGE / "_async").glob("*.py")}
        (PACKAGE / "_sync").mkdir(exist_ok=True)
        # Complete files take their places, because scripts/package builds two wheels at the same time.
        with tempfile.TemporaryDirectory(dir=HERE) as folder:
            for path, text in {PACKAGE / "models.py": models(), **modules}.items():
                complete = Path(folder, path.name)
                complete.write_text(text)
                complete.replace(path)
