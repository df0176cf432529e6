"""Runs the recipes of examples/ci and the steps of action.yml as their systems do: run.py PROJECT BINARY

The text of each step is executed unchanged, in a copy of the examples, with the binary as `pcm-browser` on PATH or in a wheel.
"""

import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

import yaml

project, binary = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


def run(words, folder, environment, status=0):
    done = subprocess.run(
        [str(word) for word in words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    output = done.stdout + done.stderr
    assert done.returncode == status, f"{words}: status {done.returncode}\n{output}"
    return output


def prepared(folder):
    """Copies the examples, and returns the environment of a machine without pcm-browser."""
    shutil.copytree(project / "examples", folder / "examples")
    (folder / "temporary").mkdir()
    return {**os.environ, "TMPDIR": str(folder / "temporary"), "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def with_binary(environment, folder):
    (folder / "bin").mkdir()
    (folder / "bin/pcm-browser").symlink_to(binary)
    return {**environment, "PATH": f"{folder}/bin:{environment['PATH']}"}


def wheel(folder):
    """A wheel with the binary as its script, as the project's wheel has it."""
    name, info = "pcm_browser-0.0.0-py3-none-any.whl", "pcm_browser-0.0.0.dist-info"
    files = {
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: pcm-browser\nVersion: 0.0.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "pcm_browser-0.0.0.data/scripts/pcm-browser": f'#!/bin/sh\nexec {binary} "$@"\n',
    }
    with zipfile.ZipFile(folder / name, "w") as archive:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100755 << 16
            archive.writestr(entry, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"]))
    return folder / name


def perform_action(folder, environment, given, status=0):
    """Performs the steps of the composite action as its runner does, and returns the output."""
    action = yaml.safe_load((project / "action.yml").read_text())
    assert action["runs"]["using"] == "composite" and set(given) <= set(action["inputs"])
    inputs = {name: given.get(name, value["default"]) for name, value in action["inputs"].items()}
    path_file, output = folder / "path", ""
    path_file.touch()
    steps = [
        step for step in action["runs"]["steps"]
        if "run" in step and ("if" not in step or inputs[re.fullmatch(r"inputs\.(\w+) != ''", step["if"]).group(1)])
    ]
    (upload,) = [step for step in action["runs"]["steps"] if "run" not in step]
    assert upload["if"].startswith("failure()") and upload["with"]["path"] == "pcm-traces", upload
    for number, step in enumerate(steps, 1):
        assert set(step) <= {"name", "shell", "env", "run", "if"} and step["shell"] == "bash"
        variables = {
            name: inputs[re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", value).group(1)] for name, value in step["env"].items()
        }
        # The runner adds each line of the file to PATH.
        paths = [*reversed(path_file.read_text().split()), environment["PATH"]]
        step_environment = {
            **environment, **variables, "PATH": ":".join(paths), "GITHUB_PATH": str(path_file), "RUNNER_TEMP": str(folder / "runner"),
        }
        script = folder / f"step-{number}.sh"
        script.write_text(step["run"])
        output += run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script], folder, step_environment, status if step is steps[-1] else 0)
    return output


def workflow_inputs():
    """The inputs that the example of a workflow gives to the action, as strings."""
    workflow = yaml.safe_load((project / "examples/ci/github-workflow.yml").read_text())
    (step,) = [step for step in workflow["jobs"]["test"]["steps"] if "pcm-browser@" in step.get("uses", "")]
    return {name: "true" if value is True else value for name, value in step["with"].items()}


def check_action(folder):
    """The example of a workflow passes with a wheel; without commands, the action only installs."""
    environment = prepared(folder)
    output = perform_action(folder, environment, {**workflow_inputs(), "package": str(wheel(folder))})
    assert "Both reports arrived." in output, output
    assert (folder / "service.log").read_text().count(": accepted, ") == 2
    assert (folder / "runner/pcm-browser/bin").is_dir() and len(list((folder / "runner/pcm-browser/bin").iterdir())) == 1
    perform_action(folder, environment, {"binary": str(binary)})


def check_action_without_package(folder):
    """The action names the missing input."""
    output = perform_action(folder, prepared(folder), {}, status=2)
    assert "Set package to the path or the URL of a wheel" in output, output


def check_failing_action(folder):
    """A failing command fails its step with its status, and the log stays."""
    environment = prepared(folder)
    given = {"binary": str(binary), "run": "false | cat\necho unreachable", "options": "--log service.log\n--log-level info"}
    output = perform_action(folder, environment, given, status=1)
    assert "unreachable" not in output and "The log of the service is service.log" in output, output
    assert "pcm-browser is listening on" in (folder / "service.log").read_text()


def check_gitlab(folder):
    environment = prepared(folder)
    job = yaml.safe_load((project / "examples/ci/gitlab-ci.yml").read_text())["test"]
    run([sys.executable, "-m", "venv", folder / "python"], folder, environment)
    environment |= {"PCM_BROWSER_PACKAGE": str(wheel(folder)), "PATH": f"{folder}/python/bin:{environment['PATH']}"}
    # GitLab runs before_script and script in one shell.
    script = "set -eo pipefail\n" + "\n".join(job["before_script"] + job["script"])
    assert "Both reports arrived." in run(["bash", "-c", script], folder, environment)
    assert (folder / job["artifacts"]["paths"][0]).exists()


def check_make(folder):
    environment = with_binary(prepared(folder), folder)
    assert "Both reports arrived." in run(["make", "-C", "examples/ci", "test"], folder, environment)
    run(["make", "-C", "examples/ci", "shell"], folder, {**environment, "SHELL": "true"})


def check_container(folder):
    """The test passes with a process in place of the container, which the plugin starts as the image does."""
    environment = prepared(folder) | {
        "PCM_TEST_BINARY": str(binary), "PCM_TEST_DOCKERFILE": str(project / "Dockerfile"), "PYTHONPATH": str(project / "Tests/Recipes"),
    }
    run([sys.executable, "-m", "pytest", "-q", "-p", "image", "-p", "no:cacheprovider", "examples/ci/test_with_container.py"],
        folder, environment)


def check_failing_test(folder):
    """A test without a report says why."""
    environment = with_binary(prepared(folder), folder)
    test = folder / "examples/ci/first-test"
    test.write_text(test.read_text().replace('"tapVerified":true', '"tapVerified":false'))
    output = run(["pcm-browser", "exec", "--receiver", "--trace", "pcm-traces", "--", test], folder, environment, status=1)
    (trace,) = (folder / "pcm-traces").iterdir()
    assert f"is pcm-traces/{trace.name}\n" in output, output
    assert "The endpoint accepted 0 reports instead of 2" in output and "FAILED: tap-is-verified" in output, output


def check_nothing_is_left(folder):
    environment = with_binary(prepared(folder), folder)
    before = sorted(folder.rglob("*"))
    run(["pcm-browser", "exec", "--receiver", "--trace", "pcm-traces", "--", "examples/ci/first-test"], folder, environment)
    assert sorted(folder.rglob("*")) == before


def in_terminal(words, folder, environment, answers):
    """Runs a command in a new terminal: waits for each text and sends the answer."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        # A background job of a shell ignores SIGINT. The alarm ends a command that waits for ever.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.alarm(60)
        os.execvpe(words[0], words, environment)
    output = b""
    for text, answer in [*answers, (None, b"")]:
        while text is None or text not in output:
            try:
                part = os.read(terminal, 4096)
            except OSError:
                part = b""
            assert part or text is None, f"no {text} in {output}"
            if not part:
                break
            output += part
        os.write(terminal, answer) if answer else None
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    os.close(terminal)
    return status, output.decode()


def check_terminal(folder):
    """The command reads the terminal, and receives Ctrl-C once."""
    environment = with_binary(prepared(folder), folder)
    asks = ["pcm-browser", "exec", "--", "sh", "-c", "printf 'name? '; read name </dev/tty; echo hello $name"]
    status, output = in_terminal(asks, folder, environment, [(b"name? ", b"Ada\n")])
    assert status == 0 and "hello Ada" in output, output
    # A shell can miss a signal that comes just before it reads, and run the trap only after the read.
    counts = """
from signal import SIG_BLOCK, SIGINT, pthread_sigmask, sigpending, sigwait
pthread_sigmask(SIG_BLOCK, [SIGINT])
print("ready", flush=True)
sigwait([SIGINT])
print("interrupted", flush=True)
input()
raise SystemExit(2 if SIGINT in sigpending() else 1)
"""
    status, output = in_terminal(
        ["pcm-browser", "exec", "--", sys.executable, "-c", counts], folder, environment,
        [(b"ready", b"\x03"), (b"interrupted", b"a\n")])
    assert status == 1, output
    waits = ["pcm-browser", "exec", "--", "sh", "-c", "echo ready; exec sleep 600"]
    assert in_terminal(waits, folder, environment, [(b"ready", b"\x03")])[0] == 130


for check in [
    check_action, check_action_without_package, check_failing_action, check_gitlab, check_make, check_container, check_failing_test,
    check_nothing_is_left, check_terminal,
]:
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        check(pathlib.Path(folder).resolve())
        name = check.__name__.removeprefix("check_").replace("_", " ")
        print(f"passed in {time.monotonic() - start:.0f} s: {name}", flush=True)
