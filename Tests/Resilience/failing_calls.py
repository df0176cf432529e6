"""Lets one call after the other fail in the running service: of files, of the resolver, and of libcurl.

In each run, the call of the API in which the failure occurs has its usual status, or is refused with 503 and succeeds when it is
repeated. Everything acknowledged is there, before and after a restart, and reports arrive as the delivery policies promise.
"""

import argparse
import json
import mmap
import os
import random
import re
import sqlite3
import struct
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import endpoint
import ledger
import load
from disk import compile_library
from service import Caller, Failure, Gone, Service

KINDS = ["file", "resolver", "curl", "memory"]
# The memory that the library maps: the number of calls, and the number of the failed one.
STATE = struct.Struct("<Q504s")
CALLS = 40
# The second one follows from a write without space.
REFUSALS = ["unavailable", "storage-full"]
START_ERROR = re.compile(r"pcm-browser: \S.*; \S.*\n")
# A failed lookup is repeated in the next move of a clock, and a retry of a report comes within a day.
MOVE = {"by": "P1D"}
# A sign of a faulty text for people: a value as the compiler or a library prints it.
DUMP = re.compile(r"Optional\(|Error Domain=|\w+Error\(|\.\w+\(\w+: |0x[0-9a-f]{6}")


class Failing:
    """One call that fails, for a process with the library."""

    def __init__(self, tools, folder, kind, number):
        path = Path(folder, "state")
        path.write_bytes(bytes(STATE.size))
        with path.open("r+b") as file:
            self.memory = mmap.mmap(file.fileno(), STATE.size)
        self.environment = {
            "LD_PRELOAD": str(tools.library),
            "PCM_CALLS_KIND": kind,
            "PCM_CALLS_FAIL": str(number),
            "PCM_CALLS_FOLDER": str(tools.folder),
            "PCM_CALLS_STATE": str(path),
        }

    @property
    def calls(self):
        return STATE.unpack(self.memory)[0]

    @property
    def failed(self):
        """The call that failed; empty before."""
        return STATE.unpack(self.memory)[1].rstrip(b"\0").decode().strip()


class PatientCaller(Caller):
    """Repeats a call that is refused because of the failure, once and at once."""

    def __init__(self, port, failing):
        super().__init__(port)
        self.failing, self.refused = failing, 0

    def call(self, method, path, body=None, headers=None):
        return self.repeat_refused(f"{method} {path}", super().call, method, path, body, headers)

    def read_stream(self, path, last, identifier=None):
        return self.repeat_refused(f"GET {path}", super().read_stream, path, last, identifier)

    def repeat_refused(self, what, call, *arguments):
        before = self.failing.failed
        try:
            status, answer = call(*arguments)
            if status < 500:
                return status, answer
            refusal = f"{what} was answered with {status} {answer}"
            ledger.require(self.failing.failed and not before, f"{refusal} without a failure")
            ledger.require(status == 503 and answer["code"] in REFUSALS and answer["retryable"], refusal)
            ledger.require(not DUMP.search(answer["detail"]), f"{refusal}, which shows an internal value")
            self.refused += 1
            return call(*arguments)
        except Gone as gone:
            # The worker would take it for the end of the service.
            raise Failure(f"{what} had no answer: {gone}") from gone


class Play:
    """One performance of the story, with a data folder, an endpoint, and a ledger."""

    def __init__(self, tools, folder, kind, number, seed):
        self.tools, self.folder, self.seed = tools, Path(folder), seed
        self.data = self.folder / "data"
        self.failing = Failing(tools, folder, kind, number)
        self.endpoint = endpoint.Endpoint(tools.certificates, tools.token_key)
        self.ledger = ledger.Ledger(["webkit", "reliable"])
        self.refused = 0

    def start(self, environment=None):
        # Each site is resolved, by the library, to this machine.
        arguments = [*self.tools.certificates.arguments(self.endpoint.port, host=""), "--allow-private-networks"]
        return Service(self.tools.binary, self.data, arguments, environment, self.folder / "log")

    def run(self):
        service = self.start(self.failing.environment)
        try:
            service = self.started(service)
            self.perform(service.port)
            service.stop()
            ledger.check_database(self.data, self.folder / "copy")
            # The next service reads the failing service's data.
            service = self.start().wait_until_ready()
            ledger.send_everything(self.ledger, Caller(service.port), self.endpoint, MOVE)
            service.stop()
        finally:
            service.kill()
            self.endpoint.close()
        text = (self.folder / "log").read_text()
        ledger.require(not DUMP.search(text), f"the log shows an internal value: {text}")

    def started(self, service):
        """A start that fails ends with status 2 and an error, and the next one succeeds."""
        try:
            return service.wait_until_ready()
        except Gone:
            status = service.wait()
            text = (self.folder / "log").read_text()
            ledger.require(self.failing.failed, f"the service did not start: {text}")
            ledger.require(status == 2 and START_ERROR.fullmatch(text), f"the start ended with status {status}: {text}")
            self.refused += 1
            return self.start(self.failing.environment | {"PCM_CALLS_FAIL": "0"}).wait_until_ready()

    def perform(self, port):
        caller = PatientCaller(port, self.failing)
        load.prepare(self.ledger, caller, self.seed)
        worker = load.Worker(caller, self.ledger, random.Random(self.seed), CALLS, is_complete=True)
        worker.run()
        if worker.failure:
            raise worker.failure
        ledger.send_everything(self.ledger, caller, self.endpoint, MOVE)
        self.refused += caller.refused


class Tools:
    """The shared state of all performances. The files in the folder are those whose calls fail."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, Path(folder).resolve()
        self.library = compile_library("calls.c", folder)
        self.certificates = endpoint.Certificates(folder)
        self.token_key = endpoint.TokenKey(folder)


def play(tools, kind, number, seed):
    """Returns the number of calls, the call that failed, and the number of refused calls of the API."""
    with tempfile.TemporaryDirectory(dir=tools.folder) as folder:
        performance = Play(tools, folder, kind, number, seed)
        try:
            performance.run()
        except (Failure, Gone, sqlite3.DatabaseError) as failure:
            log = Path(folder, "log")
            failed = performance.failing.failed or "nothing failed"
            raise Failure(f"{kind} {number} ({failed}): {failure}\n{log.read_text() if log.exists() else ''}") from failure
        return performance.failing.calls, performance.failing.failed, performance.refused


def chosen(total, count, seed):
    """The numbers of the calls that fail: all, or some that are spread over the story."""
    if count >= total:
        return range(1, total + 1)
    width, choice = total / count, random.Random(seed)
    return [1 + int((number + choice.random()) * width) for number in range(count)]


def read_arguments():
    parser = argparse.ArgumentParser(prog="scripts/failing-calls", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=24, help="how many calls of each kind fail (default: 24)")
    parser.add_argument("--all", action="store_true", help="each call fails once")
    parser.add_argument("--kind", choices=KINDS, action="append", help="only this kind; may be repeated")
    parser.add_argument("--call", type=int, help="only the call with this number")
    parser.add_argument("--seed", default="1", help="the seed of the story and of the choice")
    parser.add_argument("--json", metavar="FILE", help="write the result")
    return parser.parse_args()


def main():
    options = read_arguments()
    result, failures, begin = {}, [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(os.environ["PCM_BROWSER_BINARY"], folder)
        for kind in options.kind or KINDS:
            total, failed, _ = play(tools, kind, 0, options.seed)
            ledger.require(total > 0 and not failed, f"{kind}: {total} calls, and {failed} failed")
            numbers = [options.call] if options.call else chosen(total, total if options.all else options.count, options.seed)
            counts = Counter(calls=total)
            for number in numbers:
                try:
                    _, failed, refused = play(tools, kind, number, options.seed)
                except Failure as failure:
                    failures.append(str(failure))
                    print(f"FAILED: {failure}", flush=True)
                    continue
                counts["failed"] += bool(failed)
                counts["refused"] += refused
                print(f"{kind} {number} of {total}: {failed or 'not reached'}, {refused} refused", flush=True)
            result[kind] = dict(counts)
    seconds = round(time.monotonic() - begin, 1)
    if options.json:
        Path(options.json).write_text(json.dumps({"seconds": seconds, "kinds": result, "failures": failures}, indent=2) + "\n")
    for kind, counts in result.items():
        print(f"{kind}: {counts['calls']} calls, {counts.get('failed', 0)} failed, {counts.get('refused', 0)} of the API refused")
    sys.exit(1 if failures else 0)


main()
