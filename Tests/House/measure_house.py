"""Measures the size and the structure of the sources.

  scripts/measure-house             lines and files for each target, the hops of four flows, and the files that a feature touches
  scripts/measure-house --json      the same as JSON
  scripts/measure-house --files     also the files that a feature touches, and the functions of each flow

A hop is a function of the project that hands the call of a flow on. scripts/lib/flows lists them, with the functions that return to
a hop, and each must exist in its file. A feature touches the Swift files of Sources and of the client's that name it.

Exit status: 0 measured, 1 a function of a flow does not exist, 2 wrong usage.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "Sources"
CLIENT = ROOT / "clients/swift/Sources"

OPERATION = r"\b[lL]aunchInput\b|\"launches\"|\.launches?\b"
# An example of each kind of feature, as its name occurs in the sources.
FEATURES = {
    "a member with an effect (tapVerified of a click)": r"\btapVerified\b",
    "a member with an effect (tapVerified of a tap on an ad)": r"\btapVerified\b",
    "a member with an effect (userGesture)": r"\buserGesture\b",
    "an event kind (log-trimmed)": r"log-trimmed|\b[lL]ogTrimmed\b",
    "an operation with a function in the client (POST launches)": OPERATION,
    "an operation without one (POST launches)": OPERATION,
}
# The files that a feature does not touch, although they have its name: the same member of another operation, the demo, which uses
# the member, and the client's functions, a convenience of test authors that an operation does not need.
OTHERS = {
    "a member with an effect (tapVerified of a click)": r"Card|Device|Demo",
    "a member with an effect (tapVerified of a tap on an ad)": r"Card|ClickInputs|AppTap|Measuring|Demo",
    "an operation without one (POST launches)": "PCMClient/",
}


def swift_files(folder):
    return sorted(path for path in folder.rglob("*.swift"))


def targets():
    sizes = {}
    for folder in sorted([*SOURCES.iterdir(), *CLIENT.iterdir()], key=lambda folder: folder.name):
        files = swift_files(folder)
        if files:
            sizes[folder.name] = {"files": len(files), "lines": sum(path.read_text().count("\n") for path in files)}
    return sizes


def flows():
    """The flows with their functions, each as a file below Sources and a name; one that is no hop after a dash."""
    found, missing = {}, []
    for line in (ROOT / "scripts/lib/flows").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            hops = found.setdefault(line.strip(), [])
            continue
        path, name = line.removeprefix("  - ").split()
        hops.append(line.strip())
        file = SOURCES / path
        text = file.read_text() if file.exists() else ""
        declaration = r"\binit\b" if name == "init" else rf"\b(func|var|let|static func) `?{re.escape(name)}`?\b"
        if not re.search(declaration, text):
            missing.append(f"{path}: no {name}")
    return found, missing


def touched():
    texts = {str(path.relative_to(ROOT)): path.read_text() for path in swift_files(SOURCES) + swift_files(CLIENT)}

    return {
        name: [
            path for path, text in texts.items()
            if re.search(pattern, text) and not (name in OTHERS and re.search(OTHERS[name], path))
        ]
        for name, pattern in FEATURES.items()
    }


def main():
    options = set(sys.argv[1:])
    if options & {"-h", "--help"}:
        print(__doc__.strip())
        return 0
    if options - {"--json", "--files"}:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    sizes, (hops, missing), features = targets(), flows(), touched()
    lines, files = (sum(size[key] for size in sizes.values()) for key in ("lines", "files"))
    if "--json" in options:
        print(json.dumps({"targets": sizes, "lines": lines, "files": files, "flows": hops, "features": features}, indent=2))
    else:
        for target, size in sizes.items():
            print(f"{target:20} {size['lines']:7} lines {size['files']:5} files")
        print(f"{'all targets':20} {lines:7} lines {files:5} files")
        tests = swift_files(ROOT / "Tests")
        print(f"{'tests':20} {sum(path.read_text().count(chr(10)) for path in tests):7} lines {len(tests):5} files")
        for name, items in hops.items():
            beside = sum(item.startswith("- ") for item in items)
            print(f"{len(items) - beside:4} hops, {beside:2} functions beside them: {name}")
            if "--files" in options:
                print("".join(f"       {item}\n" for item in items), end="")
        for name, items in features.items():
            print(f"{len(items):4} files: {name}")
            if "--files" in options:
                print("".join(f"       {item}\n" for item in items), end="")
    for text in missing:
        print(text, file=sys.stderr)
    return 1 if missing else 0


sys.exit(main())
