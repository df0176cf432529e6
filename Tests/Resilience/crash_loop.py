"""Kills the service at random moments under load, restarts it, and checks it against an external ledger."""

import argparse
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import disk
import endpoint
import ledger
import load
from service import Caller, Failure, Gone, Service

# The cycles that share a data folder. The log and the ledger grow with each of them.
EPISODE = 25
MOMENTS = {"write": 45, "answer": 15, "send": 20, "start": 15, "stop": 5}
WORKERS = 3
LIMIT = 60


class Plan:
    """The moment at which a cycle kills the service, drawn from the seed and the number of the cycle."""

    def __init__(self, seed, cycle):
        self.random = random.Random(f"{seed} {cycle}")
        self.moment = self.random.choices(list(MOMENTS), list(MOMENTS.values()))[0]
        # Few and many writes are equally likely. The first ones belong to the start, and about 2,000 to the load.
        self.write = int(2 ** self.random.uniform(0, 11))
        self.mode = self.random.choice(["before", "torn", "after"])
        self.answers = self.random.randint(1, WORKERS * LIMIT // 2)
        self.report = self.random.randint(1, 6)
        self.part = self.random.choice(["head", "body", "answer"])
        # A part of the time of an undisturbed start.
        self.delay = self.random.uniform(0, 1.1)

    def kill(self):
        """The store's operation at which the process is killed, for `Disk.environment`."""
        return (self.write, self.mode) if self.moment == "write" else None

    def __str__(self):
        return {
            "write": f"{self.mode} write {self.write}",
            "answer": f"after answer {self.answers}",
            "send": f"at the {self.part} of report {self.report}",
            "start": f"after {self.delay:.0%} of the start",
            "stop": "by SIGTERM",
        }[self.moment]


class Episode:
    """Cycles with one data folder, one endpoint, and one ledger."""

    def __init__(self, number, options, tools, folder):
        self.number, self.options, self.tools = number, options, tools
        self.folder = Path(folder, f"episode-{number}")
        self.folder.mkdir()
        self.disk = disk.Disk(tools.library, self.folder, options.lost_writes, options.break_fsync)
        self.endpoint = endpoint.Endpoint(tools.certificates, tools.token_key)
        self.ledger = ledger.Ledger(["webkit", "reliable"])
        self.counts = Counter()
        self.arguments = tools.certificates.arguments(self.endpoint.port)

    def start(self, kill=None):
        environment = self.disk.environment(kill)
        return Service(self.options.binary, self.disk.data, self.arguments, environment, self.folder / "service.log")

    def run(self, cycles, report):
        for cycle in cycles:
            plan = Plan(self.options.seed, cycle)
            self.position = f"cycle {cycle}, killed {plan}"
            self.cycle(plan)
            self.counts[plan.moment] += 1
            report(self, cycle, plan)
        self.position = f"after cycle {cycles[-1]}"
        self.finish()

    def cycle(self, plan):
        """One life of the service: start, check, load, death. Then the database is intact."""
        shaken = random.Random(f"endpoint {plan.random.random()}")
        self.endpoint.status = lambda: 503 if shaken.random() < 0.1 else 200
        service = self.start(plan.kill())
        if plan.moment == "start":
            time.sleep(plan.delay * self.tools.start_time)
            service.kill()
        try:
            self.live(service.wait_until_ready(), plan)
        except Gone:
            self.counts["killed before the load"] += 1
        finally:
            self.endpoint.strike = lambda moment, port: None
            if plan.moment != "stop":
                service.kill()
        status = service.wait()
        ledger.require(status == -9 or status == 0 and plan.moment == "stop", f"the service ended with status {status}")
        if self.options.lost_writes:
            lost, kept = self.disk.lose_power(plan.random)
            self.counts["lost changes"] += lost
            self.counts["unsynchronized changes that survived"] += kept
        self.check_database()

    def live(self, service, plan):
        """Checks the service, and loads it until it is killed, or until the load ends."""
        caller = Caller(service.port)
        self.check(caller)
        caller.close()
        answers = CountDown(plan.answers if plan.moment == "answer" else 0, service.kill)
        if plan.moment == "send":
            self.endpoint.strike = self.striker(service, plan)
        workers = [
            load.Worker(Caller(service.port), self.ledger, random.Random(plan.random.random()), LIMIT, answers.step)
            for _ in range(WORKERS)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
            if worker.failure:
                raise worker.failure
        if plan.moment == "stop":
            service.terminate()

    def striker(self, service, plan):
        reports = CountDown(plan.report, service.kill)
        return lambda moment, port: reports.step() if moment == plan.part else None

    def check(self, caller):
        ledger.check_service(self.ledger, caller, self.endpoint)
        load.prepare(self.ledger, caller, self.options.seed)
        load.repeat_unanswered(self.ledger, caller)

    def check_database(self):
        ledger.check_database(self.disk.data, self.folder / "copy")

    def finish(self):
        """Restarts the service without disturbance, sends all reports, and checks their number."""
        self.endpoint.status = lambda: 200
        service = self.start().wait_until_ready()
        caller = Caller(service.port)
        self.check(caller)
        ledger.send_everything(self.ledger, caller, self.endpoint)
        caller.close()
        service.stop()
        self.disk.keep_everything()
        self.check_database()
        self.endpoint.close()
        self.counts["acknowledged calls"] += self.ledger.acknowledged
        self.counts["events"] += sum(len(entry.events) for entry in self.ledger.browsers.values())
        self.counts["reports received"] += sum(self.endpoint.received.values())
        self.counts["of these, postbacks"] += sum(count for key, count in self.endpoint.received.items() if isinstance(key[0], int))
        self.counts["reports accepted"] += sum(self.endpoint.accepted.values())


class CountDown:
    """Acts at the given step. Zero never acts."""

    def __init__(self, count, act):
        self.count, self.act = count, act

    def step(self):
        self.count -= 1
        if self.count == 0:
            self.act()


class Tools:
    """The shared state of all episodes."""

    def __init__(self, binary, folder):
        self.library = disk.compile_library("disk.c", folder)
        self.certificates = endpoint.Certificates(folder)
        self.token_key = endpoint.TokenKey(folder)
        self.start_time = time_of_start(binary, Path(folder, "start"))


def time_of_start(binary, data):
    begin = time.monotonic()
    service = Service(binary, data).wait_until_ready()
    seconds = time.monotonic() - begin
    service.stop()
    return seconds


def read_arguments():
    parser = argparse.ArgumentParser(prog="scripts/crash-loop", description=__doc__)
    parser.add_argument("cycles", type=int, help="the number of kills")
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(10**9)), help="the seed of all choices")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first cycle, to repeat an episode")
    parser.add_argument("--lost-writes", action="store_true", help="lose unsynchronized writes after each kill")
    parser.add_argument("--break-fsync", action="store_true", help="make synchronization ineffective: the loop must fail")
    parser.add_argument("--json", metavar="FILE", help="write the result")
    options = parser.parse_args()
    options.binary = os.environ["PCM_BROWSER_BINARY"]
    options.lost_writes |= options.break_fsync
    return options


def progress(episode, cycle, plan):
    print(f"cycle {cycle}: killed {plan}; {episode.ledger.acknowledged} calls acknowledged in this episode", flush=True)


def main():
    options = read_arguments()
    print(f"seed {options.seed}", flush=True)
    counts, failure, begin = Counter(), None, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(options.binary, folder)
        for first in range(options.first, options.first + options.cycles, EPISODE):
            cycles = range(first, min(first + EPISODE, options.first + options.cycles))
            episode = Episode(first // EPISODE, options, tools, folder)
            try:
                episode.run(cycles, progress)
            except (Failure, Gone, sqlite3.DatabaseError) as error:
                failure = f"{episode.position}: {error}"
            counts += episode.counts
            if failure:
                keep(episode, options, failure)
                break
            shutil.rmtree(episode.folder)
    seconds = round(time.monotonic() - begin, 1)
    cycles = sum(counts[moment] for moment in MOMENTS)
    result = {"seed": options.seed, "cycles": cycles, "seconds": seconds, "failure": failure, "counts": dict(counts)}
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n")
    print(f"{cycles} cycles in {seconds} s: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    sys.exit(1 if failure else 0)


def keep(episode, options, failure):
    """Keeps the folder of a failed episode, and prints how to repeat it."""
    target = Path(".build/crash-loop", f"{options.seed}-{episode.number}")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(episode.folder, target)
    flags = " --break-fsync" if options.break_fsync else " --lost-writes" if options.lost_writes else ""
    first = episode.number * EPISODE
    print(f"FAILED: {failure}\nThe folder of the episode: {target}", flush=True)
    print(f"To repeat the episode: scripts/crash-loop {EPISODE} --seed {options.seed} --from {first}{flags}", flush=True)


main()
