"""Holds the JUnit files of `run` and `check` against a parser that CI systems use.

usage: read.py PATH-OF-PCM-BROWSER
"""

import pathlib
import subprocess
import sys
import tempfile

from junitparser import Failure, JUnitXml

executable = sys.argv[1]

FAILING = """\
scenario: An unverified tap
steps:
  - name: the user <taps> & "waits"
    event-attribution:
      bundleIdentifier: com.example.news
      sourceIdentifier: 4
      destinationURL: https://shop.example/
      tapVerified: false
    expect: { outcome: stored }
apps:
  com.example.news: { reportEndpoint: "https://news.example" }
"""


def call(status, *arguments):
    result = subprocess.run([executable, *arguments], capture_output=True, text=True, timeout=120)
    assert result.returncode == status, f"{arguments}: {result.returncode}\n{result.stdout}{result.stderr}"


def scenarios(folder):
    good = "Fixtures/scenarios/recipe-web-to-web.yaml"
    bad = folder / "failing.yaml"
    bad.write_text(FAILING)
    file = folder / "run.xml"
    call(1, "run", good, str(bad), "--junit", str(file))
    passed, failed = JUnitXml.fromfile(str(file))
    assert passed.name == good and failed.name == str(bad), (passed.name, failed.name)
    assert passed.tests > 1 and passed.failures == 0, "the good scenario's steps"
    (case,) = failed
    assert case.name == 'the user <taps> & "waits"', case.name
    (failure,) = case.result
    assert isinstance(failure, Failure) and "discarded" in failure.message and "stored" in failure.message, failure.message
    assert "tap-not-verified" in failure.text and f"{bad}:9:" in failure.text, failure.text


def failures(file, *arguments):
    """The names of the failed rules."""
    call(1, "check", "https://ads.example", "--junit", str(file), *arguments)
    cases = [case for suite in JUnitXml.fromfile(str(file)) for case in suite]
    assert len(cases) > 30 and len({case.name for case in cases}) == len(cases), "each rule once"
    return [case.name for case in cases if any(isinstance(result, Failure) for result in case.result)]


def examination(folder):
    file = folder / "check.xml"
    # Nothing listens there.
    assert failures(file, "--connect-to", "::127.0.0.1:9") == ["connections-are-accepted"]
    endpoint = pathlib.Path("Fixtures/endpoints/five-bugs.py").read_text().replace("8000", "0").replace("sleep(11)", "sleep(0)")
    with subprocess.Popen([sys.executable, "-c", endpoint], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            failed = failures(file, "--forward-to", server.stdout.readline().split()[-1], "--tokens", "required")
        finally:
            server.kill()
    assert failed == ["report-is-not-redirected", "report-status-is-2xx", "repetition-is-accepted", "key-is-served"], failed


with tempfile.TemporaryDirectory() as name:
    scenarios(pathlib.Path(name))
    examination(pathlib.Path(name))
print("  2 JUnit files read by junitparser")
