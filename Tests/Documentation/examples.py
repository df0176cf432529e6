"""Prints a Swift file that contains the examples of doc comments, so that a build compiles them.

    examples.py SCOPE.swift FOLDER_OR_FILE...

The file begins with SCOPE.swift, whose type `Examples` has the values that the examples use. Each example becomes a method of
it, with the attributes after `// examples:`; an example that begins with an extension is unchanged. The compiler reports
errors at the lines of the comments. Exits with 1 when a public type has no example.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

PUBLIC_TYPE = re.compile(r"public (?:final )?(?:struct|enum|class|actor|protocol) (\w+)")


def blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The line before each example of a file, and its code."""
    code: list[str] | None = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        comment = re.fullmatch(r" *///(?: (.*))?", line)
        if code is None:
            if comment and comment[1] == "```swift":
                start, code = number, []
        elif comment is None:
            sys.exit(f"{path}:{number}: error: the example has no end")
        elif comment[1] == "```":
            yield start, code
            code = None
        else:
            code.append(comment[1] or "")


def types_without_example(path: Path) -> Iterator[str]:
    """The public types at the top level of a file whose comments have no example."""
    comment = ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("///"):
            comment += line
            continue
        found = PUBLIC_TYPE.match(line)
        if found and "```swift" not in comment:
            yield f"{path}:{number}: error: {found[1]} has no example"
        if not line.startswith("@"):
            comment = ""


def main() -> None:
    """Prints the file."""
    scope = Path(sys.argv[1]).read_text()
    given = [Path(name) for name in sys.argv[2:]]
    paths = [path for name in given for path in ([name] if name.is_file() else sorted(name.rglob("*.swift")))]
    if missing := [text for path in paths for text in types_without_example(path)]:
        sys.exit("\n".join(missing))
    attribute = re.search(r"^// examples:(.*)$", scope, re.MULTILINE)
    print(scope)
    for path in paths:
        for number, code in blocks(path):
            code = [f'#sourceLocation(file: "{path}", line: {number + 1})', *code, "#sourceLocation()"]
            if not code[1].startswith("extension "):
                name = re.sub(r"\W", "_", f"{path.stem}_{number}")
                function = f"{attribute[1].strip() if attribute else ''} func {name}() async throws {{"
                code = ["extension Examples {", function, *code, "}", "}"]
            print(*code, sep="\n")


main()
