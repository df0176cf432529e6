"""The examples in the docstrings, against the real service.

Examples with a page of Chromium, a certificate, or Spark are compiled only.
"""

from __future__ import annotations

import ast
import asyncio
import subprocess
import textwrap
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import pyarrow
import pytest

import pcm_browser as api


def examples() -> Iterator[object]:
    """The example of each public name that is written by hand, with its file and the line before it."""
    for path in sorted(Path(api.__file__).parent.rglob("*.py")):
        lines = path.read_text().splitlines(keepends=True)
        for node in ast.parse("".join(lines)).body if path.name != "models.py" else []:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name not in api.__all__:
                continue
            first = next((number for number, line in enumerate(lines[node.lineno :], node.lineno) if "Example::" in line), 0)
            assert 0 < first < (node.body[0].end_lineno or 0), f"{path}:{node.lineno}: {node.name} has no example"
            code = takewhile(lambda line: not line.strip() or line.startswith("        "), lines[first + 1 :])
            yield pytest.param(str(path), first + 1, textwrap.dedent("".join(code)), id=node.name)


@pytest.mark.parametrize(("path", "line", "source"), list(examples()))
def test_an_example(
    path: str, line: int, source: str, pcm: api.PCM, converted: api.Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = compile("\n" * line + source, path, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if any(name in source for name in ("page.", "certificate.pem", "spark.")):
        return
    monkeypatch.setenv("PCM_BROWSER_URL", pcm.url)
    values = {name: getattr(api, name) for name in api.__all__}
    values |= {"pyarrow": pyarrow, "pytest": pytest, "subprocess": subprocess, "pcm": pcm}

    async def run() -> None:
        async with api.AsyncPCM(pcm.url) as service:
            values["browser"] = await service.existing_browser(converted.name) if "await " in source else converted
            if asyncio.iscoroutine(ended := eval(code, values)):
                await ended

    asyncio.run(run())
