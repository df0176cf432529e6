"""Runs the README, the documentation, and the examples as they are printed: run.py CHECKOUT URL BINARY [PAGE...]

The blocks of a page run in order, in a folder with an Info.plist, against the service at the URL, in place of http://127.0.0.1:8726:

* A block whose first line is a comment with a file's name is that file.
* `sh` is run, and must succeed. `pcm-browser serve`, `receive`, `demo --serve`, servers in Python, and `node` run in the background
  until the page ends, and the last two until the next server.
* `console` has commands after `$ `, and their output. `…` stands for any text.
* `python` without a file's name is a test, which runs after the other blocks.
* `swift` must be a part of a Swift file in the checkout, which is compiled and run by its package's tests.
* `shell` needs an empty system and is not run here. `text` is output alone.
"""

import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap

import playwright

checkout, url = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
binary, selected = pathlib.Path(sys.argv[3]).resolve(), sys.argv[4:]
documentation = checkout / "Sources/PCMApp/Documentation.docc"
block = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
file_name = re.compile(r"(?:#|//) (\S*\.\w+|Makefile)\n")

# Functions, so that the text of the page stays as it is.
preamble = """
curl() { command curl -sS --fail-with-body "$@"; }
pcm-browser() {
  case $1 in
    serve) if [ $# -gt 1 ]; then background pcm-browser "$@" --port "$service_port" --data data; fi ;;
    receive) background pcm-browser "$@" --port "$receiver_port" ;;
    demo) if [[ "$*" == *--serve* ]]; then background pcm-browser "$@"; else command pcm-browser "$@"; fi ;;
    *) command pcm-browser "$@" ;;
  esac
}
python3() { if grep -qs serve_forever "$1"; then application python3 "$@"; else command python3 "$@"; fi; }
node() { application node "$@"; }
# As after Control-C, a server replaces the earlier one.
application() {
  [ -z "${application:-}" ] || { kill "$application"; wait "$application" || true; }
  background "$@"
  application=$!
}
background() {
  : >"$2.out"
  command "$@" >"$2.out" 2>"$2.log" &
  until grep -q '://' "$2.out"; do kill -0 $! || { cat "$2.log"; return 1; }; sleep 0.02; done
}
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
"""

# The output of each page, and a mistake with its consequence: the page's text, the mistake, and a part of the output.
expected = {
    "FirstTestCurl.md": ["2026-11-21T16:33:57.623Z", "1 passed"],
    "SKAdNetwork.md": ["valid, a postback of SKAdNetwork 4.0"],
    "Cards.md": ['"shownCount":2,"droppedCount":1', "card-class-unknown", "tap-not-verified", '"clicks":2', '"state":"delivered"'],
}
mistakes = [
    ("FirstTestCurl.md", '"sourceIdentifier": 4,', '"sourceIdentifier": 300,', "from 0 to 255"),
    ("FirstTestNode.md", "tapVerified: true", "tapVerified: false", "tap-not-verified"),
    ("SKAdNetwork.md", "${s}5239${s}", "${s}5238${s}", "signature-invalid"),
    ("Cards.md", "outcome: stored", "outcome: discarded", "stored"),
]


# A block of the page is the example to copy, except for comments at the beginning.
copies = {
    "FiveBugs.md": ["Fixtures/endpoints/five-bugs.py"],
    "FirstTestNode.md": ["examples/node/checkout.test.mjs"],
    "Scenarios.md": ["examples/scenario/checkout.yaml"],
    "CI.md": ["examples/ci/github-workflow.yml", "examples/ci/gitlab-ci.yml"],
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def blocks(text):
    for _, language, body in block.findall(text):
        yield language, textwrap.dedent(body)


def console_commands(body):
    """The commands of a console block with their output."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        count = next(i for i, line in enumerate(lines) if not line.endswith("\\\n")) + 1
        yield "".join(lines[:count]), "".join(lines[count:])


def script(text):
    """The blocks as a script, and the outputs that it must print between marks."""
    parts, outputs, tests = [preamble], [], []
    for language, body in blocks(text):
        if name := file_name.match(body):
            folder = shlex.quote(str(pathlib.Path(name[1]).parent))
            parts.append(f"mkdir -p {folder}; cat >{shlex.quote(name[1])} <<'END_OF_FILE'\n{body}END_OF_FILE\n")
        elif language == "python":
            tests.append(f"test_block_{len(tests)}.py")
            parts.append(f"cat >{tests[-1]} <<'END_OF_FILE'\n{body}END_OF_FILE\n")
        elif language == "sh":
            parts.append(body)
        elif language == "console":
            for command, output in console_commands(body):
                parts.append(f"printf '\\n\\036{len(outputs)}\\n'\n{{ {command.rstrip()}\n}} 2>&1 || true\nprintf '\\036'\n")
                outputs.append((command, output))
    if tests:
        parts.append(f"pytest -q {' '.join(tests)}\n")
    return "".join(parts), outputs


def same(text):
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def local(text, port, receiver, plain):
    """The text with the addresses of this run. 8000 is the port of an application server without TLS."""
    own = f"http://127.0.0.1:{port}" if re.search(r"^ *pcm-browser serve .", text, re.MULTILINE) else url
    return re.sub(r"\b8000\b", str(plain), text.replace("http://127.0.0.1:8726", own).replace("8443", str(receiver)))


def run(path, text):
    """Runs a page. Returns its status and output, with the first wrong output of a console block as an error."""
    port, receiver, plain = free_port(), free_port(), free_port()
    lines, outputs = script(local(text, port, receiver, plain))
    python = pathlib.Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(checkout / "Fixtures/manifests/news-reader/Info.plist", folder)
        modules = pathlib.Path(folder, "node_modules")
        modules.mkdir()
        modules.joinpath("pcm-browser").symlink_to(checkout / "clients/node")
        # The package for Python contains the package for Node.
        modules.joinpath("playwright").symlink_to(pathlib.Path(playwright.__file__).parent / "driver/package")
        if "examples" in path.parts:
            shutil.copytree(path.parent, folder, dirs_exist_ok=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PCM_")} | {
            "PATH": f"{binary.parent}:{python}:{os.environ['PATH']}", "PCM_BROWSER_BINARY": str(binary),
            "PCM_CHROMIUM": shutil.which("chromium") or "",
            "PYTEST_ADDOPTS": "-p no:cacheprovider", "service_port": str(port), "receiver_port": str(receiver)}
        done = subprocess.run(["bash", "-euc", lines], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    for number, (command, output) in enumerate(outputs):
        found = re.search(rf"\036{number}\n(.*?)\036", done.stdout, re.DOTALL)
        pattern = re.escape(same(output)).replace("…", ".*")
        if found and not re.fullmatch(pattern, same(found[1]), re.DOTALL):
            return 1, f"$ {command}{found[1]}\n--- instead of\n{output}"
    return done.returncode, done.stdout + done.stderr


def swift_errors(path, text):
    files = [*checkout.glob("clients/swift/**/*.swift"), *checkout.glob("examples/swift/**/*.swift")]
    sources = [file.read_text() for file in files if ".build" not in file.parts]
    for language, body in blocks(text):
        if language == "swift" and not any(contains(source, body) for source in sources):
            yield f"{path.name}: no Swift file contains\n{body}"


def contains(source, body):
    """Whether the lines of a block are in a source, with any indentation."""
    lines = [line.strip() for line in source.splitlines()]
    wanted = [line.strip() for line in body.strip().splitlines()]
    return any(lines[i : i + len(wanted)] == wanted for i in range(len(lines)))


def without_comments(text):
    return re.sub(r"\A(?:(?:#|//) .*\n)+", "", text)


def check(path):
    text = path.read_text()
    errors = list(swift_errors(path, text))
    status, output = run(path, text)
    if status != 0:
        errors.append(f"{path.relative_to(checkout)}: status {status}\n{output}")
    bodies = [without_comments(body) for _, body in blocks(text)]
    for copy in copies.get(path.name, []):
        if without_comments((checkout / copy).read_text()) not in bodies:
            errors.append(f"{path.name}: no block is {copy}")
    errors += [f"{path.name}: {part} is missing in\n{output}" for part in expected.get(path.name, []) if part not in output]
    return errors


def check_mistake(mistake):
    name, right, wrong, part = mistake
    text = (documentation / name).read_text()
    assert right in text, f"{name}: {right}"
    text = re.sub(r"-(curl|node)\b", "-mistake", text.replace(right, wrong))
    status, output = run(documentation / name, text)
    return [] if status != 0 and part in output else [f"{name}: with {wrong}, status {status}\n{output}"]


pages = [checkout / "README.md", *sorted(documentation.glob("*.md")), *sorted(checkout.glob("examples/*/README.md"))]
chosen = [page for page in pages if not selected or page.name in selected or page.parent.name in selected]
with concurrent.futures.ThreadPoolExecutor(3) as pool:
    found = [*pool.map(check, chosen), *pool.map(check_mistake, [each for each in mistakes if not selected or each[0] in selected])]
errors = sum(found, [])
print(f"{len(chosen)} pages, {sum(len(list(blocks(page.read_text()))) for page in chosen)} blocks, {len(errors)} errors")
sys.exit("\n\n".join(errors) if errors else 0)
