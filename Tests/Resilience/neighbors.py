"""Measures the short calls of a test beside another test of the same service: neighbors.py BINARY SECONDS [FIGURES]

The short calls are a tapped ad on a durable browser, one on a browser in memory, and GET /healthz, one after another on one
connection. The baseline is the same calls without a neighbor. With each neighbor, the median should be at most 100 ms; the exit
status does not depend on it. Medians are of three runs, and the largest time is of all runs. Neighbors are other processes, because
threads of this process would delay its measurements.
"""

import contextlib
import itertools
import multiprocessing
import plistlib
import statistics
import sys
import tempfile
import time

from service import Caller, Failure, Service

RUNS = 3
PROMISE = 100  # milliseconds
START = "2026-11-20T10:00:00.000Z"
APP = {"reportEndpoint": "https://news.example"}
CALLS = ("durable", "ephemeral", "healthz")
FORK = multiprocessing.get_context("fork")


def tap(number):
    return {"bundleIdentifier": "com.example.news", "sourceIdentifier": 4, "destinationURL": f"https://d{number}.example/"}


def convert(number):
    return {"firstPartyURL": f"https://d{number}.example/", "pixelOf": "news.example", "triggerData": 12}


def demand(caller, method, path, body=None, headers=None):
    status, answer = caller.call(method, path, body, headers)
    if status // 100 != 2:
        raise Failure(f"{method} {path} returned {status}: {str(answer)[:300]}")
    return answer


def create(caller, name, storage, attributions=0):
    """Creates a browser. Each attribution has about 250 events and two reports; one report fails about 120 times in 30 days."""
    path = f"/v1/browsers/{name}"
    clock, settings = {"mode": "manual", "start": START}, {"deliveryPolicy": "reliable"}
    demand(caller, "PUT", path, {"storage": storage, "clock": clock, "settings": settings})
    demand(caller, "PUT", path + "/network", {"mode": "simulated"})
    demand(caller, "PUT", path + "/sites/news.example", {"report": {"status": 500}})
    demand(caller, "PUT", path + "/apps/com.example.news", APP)
    for number in range(attributions):
        demand(caller, "POST", path + "/event-attributions", tap(number))
        demand(caller, "POST", path + "/triggering-events", convert(number))


def move(caller, name):
    while not demand(caller, "POST", f"/v1/browsers/{name}/clock/advance", {"untilIdle": True})["finished"]:
        pass


def move_copy(caller, name):
    """Moves the clock of a copy, because the reports of a browser are due only once."""
    demand(caller, "POST", "/v1/browsers/waiting/forks", {"name": name})
    move(caller, name)
    demand(caller, "DELETE", f"/v1/browsers/{name}")


def play(caller, _):
    steps = [{"event-attribution": tap(number)} for number in range(499)]
    steps += [{"triggering-event": convert(number)} for number in range(499)] + [{"advance": {"untilIdle": True}}]
    scenario = {"scenario": "999 steps", "apps": {"com.example.news": APP}, "steps": steps}
    if (answer := demand(caller, "POST", "/v1/scenarios", scenario))["outcome"] != "passed":
        raise Failure(f"the scenario {str(answer)[:300]}")


def fork_and_delete(caller, name):
    demand(caller, "POST", "/v1/browsers/long/forks", {"name": name})
    demand(caller, "DELETE", f"/v1/browsers/{name}")


def register(caller, _):
    networks = [{"SKAdNetworkIdentifier": f"network{number:08}.skadnetwork"} for number in range(9_400)]
    plist = plistlib.dumps({"CFBundleIdentifier": "com.example.large", "SKAdNetworkItems": networks})
    demand(caller, "PUT", "/v1/browsers/neighbor/apps", plist, {"Content-Type": "application/x-plist"})


# The work that a neighbor repeats, and its number of concurrent callers.
NEIGHBORS = {
    "alone": (None, 0), "moves": (move_copy, 3), "scenarios": (play, 1), "forks": (fork_and_delete, 1), "manifests": (register, 4),
}


def repeat(port, work, name, stop, count):
    caller = Caller(port)
    while not stop.is_set():
        work(caller, name)
        with count:
            count.value += 1


def short_calls(caller, seconds):
    """Returns the times of each call in milliseconds."""
    times, end = {call: [] for call in CALLS}, time.monotonic() + seconds
    while time.monotonic() < end:
        for call in CALLS:
            start = time.monotonic()
            if call == "healthz":
                demand(caller, "GET", "/healthz")
            else:
                demand(caller, "POST", f"/v1/browsers/{call}/event-attributions", tap(0))
            times[call].append((time.monotonic() - start) * 1_000)
    return times


def measure(port, caller, neighbor, seconds):
    """Returns the times of the short calls beside a neighbor, and the number of repetitions of its work."""
    work, callers = NEIGHBORS[neighbor]
    stop, count = FORK.Event(), FORK.Value("i", 0)
    processes = [FORK.Process(target=repeat, args=(port, work, f"copy-{index}", stop, count)) for index in range(callers)]
    for process in processes:
        process.start()
    times = short_calls(caller, seconds)
    stop.set()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        raise Failure(f"a caller of {neighbor} failed")
    return times, count.value


def main():
    medians, largest, repetitions = {}, {}, dict.fromkeys(NEIGHBORS, 0)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        service = Service(sys.argv[1], folder)
        stack.callback(service.stop)
        caller = Caller(service.wait_until_ready().port)
        for name, storage in (("durable", "durable"), ("ephemeral", "ephemeral"), ("neighbor", "durable")):
            create(caller, name, storage)
        create(caller, "waiting", "ephemeral", 200)
        create(caller, "long", "durable", 80)
        move(caller, "long")
        for _, neighbor in itertools.product(range(RUNS), NEIGHBORS):
            times, count = measure(service.port, caller, neighbor, float(sys.argv[2]))
            repetitions[neighbor] += count
            for call in CALLS:
                medians.setdefault((neighbor, call), []).append(statistics.median(times[call]))
                largest[neighbor, call] = max(largest.get((neighbor, call), 0), *times[call])
    for neighbor in list(NEIGHBORS)[1:]:
        report(neighbor, medians, largest, repetitions[neighbor])


def report(neighbor, medians, largest, repetitions):
    texts, mark = [], ""
    for call in CALLS:
        values, most = medians[neighbor, call], largest[neighbor, call]
        value, ceiling = statistics.median(values), statistics.median(medians["alone", call])
        mark = f"  MEDIAN EXCEEDS {PROMISE} ms" if value > PROMISE else mark
        texts.append(f"{call} {value:.1f} ms, largest {most:.0f}, alone {ceiling:.1f}, ratio {value / ceiling:.2f}")
        with open(sys.argv[3] if len(sys.argv) > 3 else "/dev/null", "a") as rows:
            name, spread = f"neighbors.{neighbor}.{call}", (max(values) - min(values)) / value
            rows.write(f"{name}\t{value:.2f}\tms\t{ceiling:.2f}\t{value / ceiling:.2f}\t{spread:.2f}\t\n")
            rows.write(f"{name}.largest\t{most:.2f}\tms\t{largest['alone', call]:.2f}\t{most / largest['alone', call]:.2f}\t0\t\n")
    print(f"{neighbor}: {'; '.join(texts)}; {repetitions} repetitions{mark}", flush=True)


main()
