"""Compares the 99th percentile of a click during each kind of abuse with the one before it.

In production, an abuser runs on another machine, so its process hardly competes with the service. In every run, each abuser
receives the answers that it must, and no others. The service logs no error. The first row is the baseline: busy processors, and
no abuser.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import abusers
from abusers import ABUSES, BROWSER, LINK, Abuse, must
from ledger import require
from load import START
from service import PATIENCE, Caller, Failure, Gone, Service

# Clicks after which the abuse must have continued.
STRETCH = 100
# The documented seconds from SIGTERM to the end of the service, and some for a busy machine.
STOP_TIME = 10 + 5
# How far the memory may grow under an abuse.
MEMORY = 192 << 20
# The most browsers of a service, in the full and in the short form.
BROWSERS = (2000, 100)
# The baseline, without an abuser.
REFERENCE = "busy processors"
ROWS = {REFERENCE: Abuse(None, set())} | ABUSES


class Abuser:
    """The process of an abuser. It writes its counts to one file and its error to another."""

    def __init__(self, name, port, folder, is_short):
        self.name, self.required = name, ABUSES[name].required(is_short)
        self.counts, self.errors = Path(folder, "counts"), Path(folder, "errors")
        command = [sys.executable, __file__, "--abuser", name, str(port), *(["--short"] if is_short else [])]
        with open(self.counts, "wb") as counts, open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(command, stdout=counts, stderr=errors)

    def answers(self):
        lines = self.counts.read_text().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith("\n")]
        return json.loads(whole[-1]) if whole else {}

    def require_running(self):
        status = self.process.poll()
        require(status is None, f"the abuser of {self.name} ended with status {status}: {self.errors.read_text()}")

    def wait_until_effective(self):
        """Waits until each intended answer was received at least once. Before that, there may be no abuse to measure."""
        end = time.monotonic() + PATIENCE
        while missing := self.required - set(self.answers()):
            self.require_running()
            self.require_accepted()
            require(
                time.monotonic() < end,
                f"{self.name}: {sorted(missing)} missing for {PATIENCE} seconds, but there is {self.answers()}",
            )
            time.sleep(0.05)

    def require_accepted(self):
        answers = self.answers()
        others = {kind: count for kind, count in answers.items() if kind not in ABUSES[self.name].expected}
        require(not others, f"{self.name}: unexpected answers {others} in {answers}")

    def final_answers(self):
        """Returns the counts of an abuser that is still at work."""
        self.require_running()
        self.require_accepted()
        return self.answers()

    def kill(self):
        self.process.kill()
        self.process.wait()


class BusyProcessors:
    """A compute-bound process for each processor, with the priority of the service. It ends with this process."""

    COMPUTE = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"

    def __init__(self):
        self.processes = [subprocess.Popen([sys.executable, "-c", self.COMPUTE]) for _ in range(os.cpu_count())]

    def wait_until_effective(self):
        pass

    def require_running(self):
        require(all(process.poll() is None for process in self.processes), "a compute-bound process ended")

    def final_answers(self):
        self.require_running()
        return {}

    def kill(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


class Probe:
    """Clicks at a steady pace."""

    def __init__(self, port):
        self.caller = Caller(port)

    def percentiles(self, count, after_stretch=lambda: None):
        """Clicks, and returns the median, the 99th percentile, and the maximum in milliseconds."""
        times = []
        for number in range(1, count + 1):
            body = LINK | {"attributionDestination": f"https://d{number % 100}.example"}
            begin = time.monotonic()
            status, answer = self.caller.call("POST", "/v1/browsers/probe/link-clicks", body)
            times.append((time.monotonic() - begin) * 1000)
            require(status == 201, f"a click was answered with {status}: {answer}")
            if number % STRETCH == 0 or number == count:
                after_stretch()
            time.sleep(0.005)
        times.sort()
        return [round(value, 2) for value in (times[count // 2], times[int(count * 0.99)], times[-1])]


class Growth:
    """Requires that a counter of the service has grown since the last look at it."""

    def __init__(self, caller, counter):
        self.caller, self.counter = caller, counter
        self.value = self.read()

    def read(self):
        found = re.search(rf"^{re.escape(self.counter)} (\d+)$", self.caller.get("/metrics"), re.MULTILINE)
        require(found, f"there is no {self.counter}")
        return int(found[1])

    def check(self):
        before, self.value = self.value, self.read()
        require(self.value > before, f"{self.counter} stayed {before}")


def check_log(path):
    errors = [line for line in path.read_text().splitlines() if re.match(r"\S+ (error|critical) ", line)]
    require(not errors, f"the service logged {len(errors)} errors, and first: {errors[:1]}")


def prepare(service, name, is_short):
    caller = Caller(service.port)
    manual = {"seed": "1", "clock": {"mode": "manual", "start": START}}
    must(caller, "PUT", "/v1/browsers/probe", manual)
    must(caller, "PUT", BROWSER, manual | {"storage": "ephemeral", "settings": {"deliveryPolicy": "reliable"}})
    abuse = ROWS[name]
    if not abuse.has_network:
        must(caller, "PUT", f"{BROWSER}/network", {"mode": "simulated"})
    if abuse.prepare:
        abuse.prepare(caller, abuse.sizes[is_short])
    return caller


def measure(name, count, folder, is_short):
    """Returns the figures of one abuse, against a service without data."""
    log = Path(folder, "log")
    log.unlink(missing_ok=True)
    arguments = ["--allow-private-networks", "--max-browsers", str(BROWSERS[is_short])]
    service = Service(os.environ["PCM_BROWSER_BINARY"], Path(folder, name), arguments, log=log)
    abuser = None
    try:
        service.wait_until_ready()
        caller, probe = prepare(service, name, is_short), Probe(service.port)
        warm_up = min(count, 100)
        probe.percentiles(warm_up)
        calm = probe.percentiles(count)
        memory, _ = service.memory()
        abuser = BusyProcessors() if name == REFERENCE else Abuser(name, service.port, folder, is_short)
        abuser.wait_until_effective()
        probe.percentiles(warm_up)
        growth = Growth(caller, ROWS[name].grows) if ROWS[name].grows else None
        abused = probe.percentiles(count, growth.check if growth else abuser.require_running)
        answers = abuser.final_answers()
        most = service.memory()[1]
        require(most - memory <= MEMORY, f"{name}: the memory grew from {memory >> 20} to {most >> 20} MB")
        # The abuse goes on, because the documented time of a stop holds for every moment.
        begin = time.monotonic()
        service.stop()
        stop = time.monotonic() - begin
        require(stop <= STOP_TIME, f"the service stopped {stop:.1f} seconds after SIGTERM")
        check_log(log)
    finally:
        if abuser:
            abuser.kill()
        service.kill()
    return {
        "abuse": name, "calm p50": calm[0], "calm p99": calm[1], "abused p50": abused[0], "abused p99": abused[1],
        "abused maximum": abused[2], "ratio of p99": round(abused[1] / calm[1], 1), "memory before MB": memory >> 20,
        "memory maximum MB": most >> 20, "seconds until stopped": round(stop, 1), "answers": answers,
    }


def main():
    parser = argparse.ArgumentParser(prog="scripts/abuses", description=__doc__)
    parser.add_argument("--abuser", nargs=2, metavar=("NAME", "PORT"), help=argparse.SUPPRESS)
    parser.add_argument("--clicks", type=int, default=1000, help="the number of measured clicks in each phase")
    parser.add_argument("--only", choices=ROWS, help="one row")
    parser.add_argument("--short", action="store_true", help="with shorter logs and fewer browsers")
    parser.add_argument("--require-ratio", type=float, metavar="N", help="fail if an abuse multiplies the p99 by more than this")
    parser.add_argument("--json", metavar="FILE", help="write the result")
    options = parser.parse_args()
    if options.abuser:
        abusers.run(options.abuser[0], int(options.abuser[1]), options.short)
    results = []
    print(f"{'abuse':24} {'calm p99':>9} {'abused p99':>11} {'ratio':>6} {'maximum':>8} {'memory MB':>10}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name in [options.only] if options.only else ROWS:
                figures = measure(name, options.clicks, folder, options.short)
                results.append(figures)
                print(
                    f"{name:24} {figures['calm p99']:9} {figures['abused p99']:11} {figures['ratio of p99']:6} "
                    f"{figures['abused maximum']:8} {figures['memory maximum MB']:10}  {figures['answers']}", flush=True,
                )
        except (Failure, Gone) as failure:
            print(Path(folder, "log").read_text()[-4000:], end="")
            sys.exit(f"FAILED: {failure}")
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=2) + "\n")
    abuses = [figures for figures in results if figures["abuse"] != REFERENCE]
    slow = [figures["abuse"] for figures in abuses if options.require_ratio and figures["ratio of p99"] > options.require_ratio]
    if slow:
        sys.exit(f"FAILED: the p99 of a click grew to more than {options.require_ratio:g} times during {', '.join(slow)}")


if __name__ == "__main__":
    main()
