"""Kills, pauses, and starts again instances of the service that share a PostgreSQL database, restarts the database, and checks the
browsers against an external ledger: nothing acknowledged is lost, and no report leaves twice under `webkit`.

In each round, half of the browsers click and trigger. Their reports are due after 10 and 20 seconds. Meanwhile, one instance is
killed and started again, another one is paused for about its lease and resumed, and PostgreSQL is restarted.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import endpoint
import ledger
import load
from deliveries import NAMES, Account, check_unknown, totals
from instances import Balancer, Database, Instance
from service import Failure, Gone

WORKERS = 8
# The fraction of the browsers that click and trigger in a round, and the number of those in which all workers click at once.
SHARE = 0.5
SHARED = 16
# The second reports of a round are due at the beginning of the next one.
ROUND = 16
LEASE = 10
# The latest start of a disturbance, in seconds: too few reports may arrive before.
LATEST = 12
# The range of the start of a disturbance that waits for neither an answer nor a report, in seconds.
TIMES = (6, 14)
# The greatest number of reports that an instance sends at once.
CAPACITY = 128
PARTS = ["head", "body", "answer"]
EXAMPLES = """examples:
  scripts/failover 5                        two and four instances in turn, and 2,000 browsers, from a random seed
  scripts/failover 100 --instances 4 --json FILE
  scripts/failover 1 --seed 7 --from 3      the choices of round 3 of an earlier run
"""


class Moment:
    """When a disturbance begins: after an answer or a report since the beginning of the round, or after a time."""

    def __init__(self, drawn, kinds, browsers, instances):
        self.kind = drawn.choices(list(kinds), list(kinds.values()))[0]
        calls = int(2 * SHARE * browsers)
        self.instance = drawn.randrange(instances)
        self.part = drawn.choice(PARTS)
        self.count = drawn.randint(1, max(1, calls if self.kind == "answer" else calls // (4 * instances)))
        self.delay = drawn.uniform(*TIMES) if self.kind == "time" else LATEST

    def __str__(self):
        return {
            "answer": f"after answer {self.count}",
            "report": f"at the {self.part} of report {self.count} of instance {self.instance}",
            "time": f"after {self.delay:.1f} s",
        }[self.kind]


class Plan:
    """The disturbances of a round, drawn from the seed and the number of the round."""

    def __init__(self, seed, number, browsers, instances):
        self.random = random.Random(f"{seed} {number}")
        order = self.random.sample(range(instances), instances)
        # A single instance is also paused.
        self.killed, self.paused = order[0], order[-1]
        self.kill, self.pause, self.restart = (
            Moment(self.random, kinds, browsers, instances)
            for kinds in (
                {"answer": 20, "report": 40, "time": 40},
                {"answer": 25, "report": 75},
                {"answer": 20, "report": 30, "time": 50},
            )
        )
        # The kill and the pause interrupt attempts of their instance.
        self.kill.instance, self.pause.instance = self.killed, self.paused
        self.absence = self.random.uniform(0, 3)
        # Instances take over at least 10, and at most 12 seconds after the last renewal, which may be 2 seconds ago.
        self.length = LEASE + self.random.uniform(-1, 3)
        self.mode = self.random.choice(["fast", "immediate"])

    def __str__(self):
        return "; ".join([
            f"instance {self.killed} killed {self.kill}",
            f"instance {self.paused} paused for {self.length:.1f} s {self.pause}",
            f"PostgreSQL restarted ({self.mode}) {self.restart}",
        ])


class Disturbance(threading.Thread):
    """Waits for its moment, acts at once, and then performs the next step. `times` returns when attempts are under way that it can end, as
    pairs of a beginning and an end, from its own beginning and end."""

    def __init__(self, moment, port, act, follow, times):
        super().__init__(daemon=True)
        self.moment, self.port, self.act, self.follow, self.times = moment, port, act, follow, times
        self.left = moment.count
        self.lock, self.has_come = threading.Lock(), threading.Event()
        self.begin = self.end = self.failure = None

    def note(self, kind, part=None, port=None):
        """Counts an answer or a part of a report. Those at the ports of other instances do not count."""
        if kind == self.moment.kind and (kind == "answer" or (part, port) == (self.moment.part, self.port)):
            with self.lock:
                self.left -= 1
                is_last = self.left == 0
            if is_last:
                self.strike()

    def strike(self):
        with self.lock:
            if self.begin is None:
                self.begin = time.time()
                self.act()
        self.has_come.set()

    def run(self):
        try:
            self.has_come.wait(self.moment.delay)
            self.strike()
            self.follow()
        except Exception as failure:  # Passed on to the thread that waits for this one.
            self.failure = failure
        self.end = time.time()


class Run:
    """All rounds, with one database, one endpoint, and one ledger."""

    def __init__(self, options, folder):
        self.options, self.folder = options, Path(folder)
        certificates = endpoint.Certificates(folder)
        self.endpoint = endpoint.Endpoint(certificates)
        self.ledger = ledger.Ledger([])
        for number in range(options.browsers):
            name = f"browser-{number}"
            self.ledger.browsers[name] = ledger.BrowserEntry(name, ("webkit", "reliable")[number % 2])
        self.entries = list(self.ledger.browsers.values())
        self.accounts = [Account(entry) for entry in self.entries]
        self.disturbances, self.doubt_limit, self.counts = [], 0, Counter()
        self.position = "at the start"
        self.database = Database()
        self.all = []
        for number in range(max(options.instances)):
            port = self.endpoint.port if number == 0 else self.endpoint.listen()
            arguments = ["--store", self.database.address, *certificates.arguments(port)]
            self.all.append(Instance(number, options.binary, arguments, port, folder))
        # The running instances.
        self.instances = []

    def perform(self):
        options = self.options
        self.resize(options.instances[options.first % len(options.instances)])
        self.each(self.entries, self.create)
        print(f"{len(self.entries)} browsers", flush=True)
        for number in range(options.first, options.first + options.rounds):
            count = options.instances[number % len(options.instances)]
            plan = Plan(options.seed, number, options.browsers, count)
            self.position = f"round {number}, {count} instances, {plan}"
            begin = time.monotonic()
            self.resize(count)
            # A restart can end the attempts of all instances, a kill and a pause the attempts of one.
            self.doubt_limit += (count + 2) * CAPACITY
            self.round(plan)
            self.counts["rounds"] += 1
            print(f"{self.position}: {time.monotonic() - begin:.1f} s, {self.summary()}", flush=True)
        self.position = f"after round {number}"
        self.finish()

    def resize(self, count):
        """Starts instances, which create the tables at once, or stops the last ones, until there are as many as `count`."""
        with ThreadPoolExecutor(len(self.all)) as pool:
            list(pool.map(Instance.start, self.all[len(self.instances) : count]))
            list(pool.map(Instance.stop, self.instances[count:]))
        self.instances = self.all[:count]

    def summary(self):
        waiting = sum(len(account.unsettled()) for account in self.accounts)
        doubts = sum(account.doubt_count for account in self.accounts)
        return f"{self.ledger.acknowledged} calls acknowledged, {self.endpoint.received.total()} reports received, " + (
            f"{doubts} attempts in doubt, {waiting} reports waiting when the logs were read"
        )

    def each(self, items, work):
        """Does work with all items in several threads, each with its own connections."""

        def part(first):
            balancer = Balancer(self.instances, first)
            try:
                for item in items[first::WORKERS]:
                    work(item, balancer)
            finally:
                balancer.close()
                with self.ledger.lock:
                    self.counts.update({f"calls repeated: {reason}": count for reason, count in balancer.repeated.items()})

        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(part, range(WORKERS)))

    def create(self, entry, balancer):
        specification = {
            "seed": f"{self.options.seed} {entry.name}",
            "settings": {"debugMode": True, "deliveryPolicy": entry.policy},
        }
        load.require_success(*balancer.call("PUT", entry.path, specification))

    def round(self, plan):
        begin = time.monotonic()
        disturbances = self.disturb(plan)
        chosen = plan.random.sample(self.entries, max(1, int(SHARE * len(self.entries))))
        shared = plan.random.sample(self.entries, min(SHARED, len(self.entries)))
        for disturbance in disturbances:
            disturbance.start()
        self.endpoint.strike = lambda part, port: [each.note("report", part, port) for each in disturbances]

        def visit(item, balancer):
            entry, triggers = item
            worker = load.Worker(balancer, self.ledger, random.Random(f"{self.options.seed} {self.ledger.next_number()}"), 0)
            for action in (worker.link, worker.trigger) if triggers else (worker.link,):
                action(entry)
                for each in disturbances:
                    each.note("answer")

        # Neighbors in the list belong to different workers.
        crowd = [(entry, False) for entry in shared for _ in range(WORKERS)]
        try:
            self.each([(entry, True) for entry in chosen] + crowd, visit)
            self.read(self.accounts)
        finally:
            # No disturbance may start an instance after this.
            for disturbance in disturbances:
                disturbance.join()
            self.endpoint.strike = lambda part, port: None
            # A call may have failed because of it.
            for disturbance in disturbances:
                if disturbance.failure:
                    raise disturbance.failure
        self.disturbances += [times for each in disturbances for times in each.times(each.begin, each.end)]
        time.sleep(max(0, begin + ROUND - time.monotonic()))
        self.check()

    def disturb(self, plan):
        killed, paused = self.instances[plan.killed], self.instances[plan.paused]
        service = paused.service

        def start_again():
            status = killed.service.wait()
            ledger.require(status == -9, f"instance {killed.number} ended with status {status}")
            time.sleep(plan.absence)
            killed.start()

        def resume():
            time.sleep(plan.length)
            service.resume()

        return [
            Disturbance(moment, self.instances[moment.instance].endpoint_port, act, follow, times)
            for moment, act, follow, times in (
                (plan.kill, killed.service.kill, start_again, lambda begin, end: [(begin, begin)]),
                (plan.pause, service.pause, resume, lambda begin, end: [(begin, begin), (end, end)]),
                (plan.restart, lambda: None, lambda: self.database.restart(plan.mode), lambda begin, end: [(begin, end)]),
            )
        ]

    def read(self, accounts):
        """Reads new events, and compares them with acknowledged calls and received reports."""
        before = dict(self.endpoint.received)

        def read(account, balancer):
            account.read(balancer.items(f"{account.entry.path}/events?after={account.count}"))
            account.check_acknowledged()
            account.check_arrivals(self.endpoint.received, self.endpoint.accepted, before)
            account.check_progress(time.time())

        self.each(accounts, read)
        if accounts is self.accounts:
            check_unknown(accounts, before)

    def check(self):
        """Checks the events that depend on the disturbances, and that each instance is ready."""
        for account in self.accounts:
            account.check_doubts(self.disturbances)
        doubts = sum(account.doubt_count for account in self.accounts)
        what = f"{doubts} attempts are in doubt, and the disturbances explain at most {self.doubt_limit}"
        ledger.require(doubts <= self.doubt_limit, what)
        for instance in self.instances:
            instance.check()

    def finish(self):
        """Waits until every report has left, with its retries, and checks the whole logs."""
        self.read(self.accounts)
        while waiting := [account for account in self.accounts if account.unsettled()]:
            time.sleep(2)
            self.read(waiting)
        self.read(self.accounts)
        self.check()
        self.each(self.accounts, self.compare)
        self.resize(0)
        # No report has left in the meantime.
        received = self.endpoint.received
        for account in self.accounts:
            account.check_arrivals(received, self.endpoint.accepted, received)
        check_unknown(self.accounts, received)

    def compare(self, account, balancer):
        """Compares the whole log with the events read before, and the clicks and the reports with the log."""
        path, name = account.entry.path, account.entry.name
        again = Account(account.entry)
        again.read(balancer.items(f"{path}/events")[: account.count])
        ledger.require(again.digest.digest() == account.digest.digest(), f"{name}: events have changed")
        account.check_clicks(balancer.items(f"{path}/clicks"))
        stored = {report["id"]: (report["state"], report["attemptCount"]) for report in balancer.items(f"{path}/reports")}
        logged = {name: (report.state, report.attempts) for name, report in account.reports.items()}
        differences = stored.items() ^ logged.items()
        ledger.require(not differences, f"{name}: the reports and the log differ: {sorted(differences)[:4]}")

    def close(self, failure):
        for instance in self.all:
            if instance.service:
                instance.service.kill()
                instance.service.wait()
        if failure:
            keep(self, failure)
        self.database.close()
        self.endpoint.close()

    def result(self):
        counts = self.counts + Counter({"calls acknowledged": self.ledger.acknowledged})
        counts["events"] = sum(account.count for account in self.accounts)
        return {"counts": dict(sorted(counts.items())), "reports": totals(self.accounts, self.endpoint.received)}


def read_arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/failover", description=__doc__, epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("rounds", type=positive, help="the number of rounds, of about 20 seconds each")
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(10**9)), help="the seed of all choices")
    parser.add_argument("--from", type=int, default=0, dest="first", metavar="ROUND", help="the first round, to repeat its choices")
    parser.add_argument(
        "--instances", type=positives, default=[2, 4], metavar="NUMBERS",
        help="the numbers of instances, which the rounds have in turn (default: 2,4)",
    )
    parser.add_argument("--browsers", type=positive, default=2000, help="the number of browsers (default: 2000)")
    parser.add_argument("--json", metavar="FILE", help="write the result")
    options = parser.parse_args()
    options.binary = os.environ["PCM_BROWSER_BINARY"]
    return options


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a number of at least 1")
    return number


def positives(text):
    return [positive(number) for number in text.split(",")]


def main():
    options = read_arguments()
    print(f"seed {options.seed}", flush=True)
    failure, begin = None, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(options, folder)
        try:
            run.perform()
        except (Failure, Gone) as error:
            failure = f"{run.position}: {error}"
        except Exception:  # The logs are kept, too.
            failure = f"{run.position}: {traceback.format_exc()}"
        finally:
            run.close(failure)
    result = {
        "seed": options.seed, "instances": options.instances, "browsers": options.browsers,
        "seconds": round(time.monotonic() - begin, 1), "failure": failure,
    } | run.result()
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n")
    print(f"{run.counts['rounds']} rounds in {result['seconds']} s: " + listed(result["counts"]))
    for policy, counts in result["reports"].items():
        print(f"{policy}: " + listed({name: counts[name] for name in NAMES}))
    sys.exit(1 if failure else 0)


def listed(counts):
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def keep(run, failure):
    """Keeps the logs and the tables of a failed run, and prints how to repeat its choices."""
    options = run.options
    target = Path(".build/failover", options.seed)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(run.folder, target, ignore=shutil.ignore_patterns("*.pem"))
    run.database.keep(target)
    sizes = f"--instances {','.join(map(str, options.instances))} --browsers {options.browsers}"
    print(f"FAILED: {failure}\nThe logs of the instances and of PostgreSQL, and its tables: {target}", flush=True)
    print(f"To repeat: scripts/failover {options.rounds} --seed {options.seed} --from {options.first} {sizes}", flush=True)


if __name__ == "__main__":
    main()
