"""A mixed load over seven simulated years, after which memory, descriptors, latency, and disk are as they were."""

import argparse
import base64
import json
import os
import random
import sys
import tempfile
import threading
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path
from statistics import linear_regression, median

import device
import endpoint
import plot
from load import require_success
from service import Caller, Failure, Service

START = datetime(2026, 11, 20, 10, tzinfo=timezone.utc)
YEARS = timedelta(days=7 * 365.25)
SAMPLES = 120
# The part of the samples after which everything must be flat: caches, pools, and logs fill first.
WARM = 0.4
# How far each figure may grow from then on: a part of its value then, or an amount, whichever is more.
BOUNDS = {
    "memory (MB)": (0.1, 12),
    "descriptors": (0.1, 12),
    "click p50 (ms)": (0.5, 2),
    "click p99 (ms)": (1.0, 10),
    "disk (MB)": (0.2, 12),
}
# The bounds of latencies in runs of fewer minutes, in which other processes make up more of the growth.
SHORT = 10
SHORT_BOUNDS = {"click p50 (ms)": (1.0, 5), "click p99 (ms)": (1.5, 20)}
# The advertised apps of each device, which are installed again and again.
ITEMS = range(2, 22)
# Small logs, so that they are full before the warm part ends.
RETENTION = {"maximumCount": 2048, "maximumAge": "P30D"}


class Actor(threading.Thread):
    """One caller with one browser, whose clock follows the part of the run that has passed."""

    def __init__(self, soak, name, specification):
        super().__init__(daemon=True)
        self.soak, self.name_of_browser, self.path = soak, name, f"/v1/browsers/{name}"
        self.device_path = f"/v1/devices/{name}"
        self.caller = Caller(soak.service.port)
        self.random = random.Random(f"{soak.seed} {name}")
        self.destinations = 0
        self.waiting = []
        self.failure = None
        clock = {"mode": "manual", "start": START.isoformat().replace("+00:00", ".000Z")}
        self.call("PUT", self.path, {"seed": name, "clock": clock} | specification)
        if "ephemeral" in specification.values():
            self.call("PUT", f"{self.path}/network", {"mode": "simulated"})
        self.call("PUT", f"{self.device_path}/apps/com.example.news", device.source_app(f"https://{name}.sources.example"))
        self.call("PUT", f"{self.device_path}/ad-networks/{device.NETWORK}", device.network())

    def call(self, method, path, body=None, also=()):
        status, answer = self.caller.call(method, path, body)
        require_success(status, answer, also)
        self.soak.calls += 1
        return answer

    def run(self):
        try:
            while self.soak.share() < 1:
                for _ in range(8):
                    self.click()
                for _ in range(3):
                    self.trigger()
                self.advertise()
                self.advance()
                self.read()
                self.come_and_go()
        except Exception as failure:  # Passed on to the thread that waits for this one.
            self.failure = failure

    def click(self):
        # Old destinations return after some time.
        self.destinations = self.destinations % 5000 + 1
        destination = f"d{self.destinations}.shops.example"
        body = {
            "pageURL": f"https://{self.name_of_browser}.sources.example/",
            "attributionSourceID": str(self.random.randrange(300)),
            "attributionDestination": f"https://{destination}",
        }
        if self.random.random() < 0.05:
            body["attributionSourceNonce"] = base64.urlsafe_b64encode(self.random.randbytes(16)).decode().rstrip("=")
            self.call("POST", f"{self.path}/link-clicks", body)
        else:
            begin = time.monotonic()
            self.call("POST", f"{self.path}/link-clicks", body)
            self.soak.times.append(time.monotonic() - begin)
        self.waiting = self.waiting[-20:] + [destination]

    def trigger(self):
        body = {
            "firstPartyURL": f"https://{self.random.choice(self.waiting)}/thanks",
            "pixelOf": f"{self.name_of_browser}.sources.example",
            "triggerData": self.random.randrange(20),
            "priority": self.random.randrange(64),
        }
        self.call("POST", f"{self.path}/triggering-events", body)

    def advertise(self):
        """An ad, the install of its app, and a conversion value."""
        app, registration, ad = self.random.choice(self.soak.ads)
        self.call("PUT", f"{self.device_path}/apps/{app}", registration)
        self.call("POST", f"{self.device_path}/impressions", ad)
        self.call("POST", f"{self.device_path}/installs", {"bundleIdentifier": app})
        value = {"bundleIdentifier": app, "fineValue": self.random.randrange(64), "coarseValue": "high"}
        self.call("POST", f"{self.device_path}/conversion-values", value)

    def advance(self):
        target = (START + YEARS * min(1, self.soak.share())).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        while not self.call("POST", f"{self.path}/clock/advance", {"to": target})["finished"]:
            pass

    def read(self):
        of_browser = ["events?limit=100", "reports?include=body", "clicks?state=stored", "attributions"]
        of_browser.append(f"explain?about={self.waiting[-1]}")
        of_device = ["impressions", "installs", "postbacks?include=body"]
        paths = [f"{self.path}/{each}" for each in of_browser] + [f"{self.device_path}/{each}" for each in of_device]
        self.call("GET", self.random.choice(paths))

    def come_and_go(self):
        """A browser of a short test, a fork, and the clearing of data."""
        chance = self.random.random()
        if chance < 0.2:
            name = f"/v1/browsers/{self.name_of_browser}-{self.random.randrange(10**9)}"
            self.call("PUT", name, {"clock": {"mode": "manual"}, "storage": self.random.choice(["durable", "ephemeral"])})
            self.call("DELETE", name)
        elif chance < 0.22:
            fork = self.call("POST", f"{self.path}/forks", {})
            self.call("DELETE", f"/v1/browsers/{fork['name']}")
        elif chance < 0.23:
            self.call("DELETE", f"{self.path}/data")


class Soak:
    def __init__(self, service, seconds, seed, folder):
        self.service, self.seconds, self.seed, self.folder = service, seconds, seed, folder
        self.begin = time.monotonic()
        self.times, self.calls, self.samples = [], 0, []
        # The advertised app, its registration, and an ad for it.
        self.ads = [
            (*device.advertised_app(item, "https://copies.shops.example"), device.signed_ad("com.example.news", item))
            for item in ITEMS
        ]

    def share(self):
        return (time.monotonic() - self.begin) / self.seconds

    def sample(self):
        times, self.times = sorted(self.times) or [0], []
        disk = sum(path.stat().st_size for path in self.folder.glob("pcm-browser.sqlite*") if not path.name.endswith("-shm"))
        figures = [
            self.service.memory()[0] / (1 << 20),
            self.service.descriptors(),
            times[len(times) // 2] * 1000,
            times[min(len(times) - 1, int(len(times) * 0.99))] * 1000,
            disk / (1 << 20),
        ]
        values = {name: round(figure, 2) for name, figure in zip(BOUNDS, figures)}
        self.samples.append({"minutes": round((time.monotonic() - self.begin) / 60, 3)} | values)

    def run(self):
        small = {"logRetention": RETENTION}
        actors = [
            Actor(self, "durable", {"settings": small}),
            Actor(self, "reliable", {"settings": small | {"deliveryPolicy": "reliable"}}),
            Actor(self, "ephemeral", {"storage": "ephemeral", "settings": small}),
        ]
        self.begin = time.monotonic()
        for actor in actors:
            actor.start()
        while any(actor.is_alive() for actor in actors):
            time.sleep(self.seconds / SAMPLES)
            self.sample()
        for actor in actors:
            if actor.failure:
                raise actor.failure


def growth(samples, name):
    """Returns the growth after the warm part by a regression line, and the line's start. The samples are smoothed by medians first."""
    values = [sample[name] for sample in samples[int(len(samples) * WARM) :]]
    values = [median(values[max(0, index - 4) : index + 5]) for index in range(len(values))]
    line = linear_regression(range(len(values)), values)
    return line.slope * len(values), line.intercept


def judge(samples, minutes):
    """Returns the growth of each figure, and which of them grew too much."""
    result, failures = {}, []
    for name, (part, amount) in (BOUNDS | (SHORT_BOUNDS if minutes < SHORT else {})).items():
        grown, start = growth(samples, name)
        result[name] = {"start": round(start, 2), "growth": round(grown, 2)}
        if grown > max(part * start, amount):
            failures.append(f"{name} grew by {grown:.1f} from {start:.1f}")
    return result, failures


def run(options, folder):
    certificates = endpoint.Certificates(folder)
    site = endpoint.Endpoint(certificates, endpoint.TokenKey(folder))
    chance = random.Random(options.seed)
    site.status = lambda: 503 if chance.random() < 0.02 else 200
    data = Path(folder, "data")
    service = Service(
        os.environ["PCM_BROWSER_BINARY"], data, certificates.arguments(site.port), log=Path(folder, "log")
    ).wait_until_ready()
    try:
        soak = Soak(service, options.minutes * 60, options.seed, data)
        soak.run()
        service.stop()
    finally:
        service.kill()
    figures, failures = judge(soak.samples, options.minutes)
    return {
        "minutes": options.minutes,
        "seed": options.seed,
        "calls": soak.calls,
        "reports": sum(count for key, count in site.received.items() if isinstance(key[0], str)),
        "postbacks": sum(count for key, count in site.received.items() if isinstance(key[0], int)),
        "figures": figures,
        "failures": failures,
        "samples": soak.samples,
    }


def main():
    parser = argparse.ArgumentParser(prog="scripts/soak", description=__doc__)
    parser.add_argument("minutes", type=float, help="the length of the run")
    parser.add_argument("--seed", default="1", help="the seed of all choices")
    parser.add_argument("--json", metavar="FILE", default=".build/soak.json", help="the samples")
    parser.add_argument("--svg", metavar="FILE", default=".build/soak.svg", help="the plot")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            result = run(options, folder)
        except Failure as failure:
            print(Path(folder, "log").read_text()[-4000:], end="")
            sys.exit(f"FAILED: {failure}")
    Path(options.json).write_text(json.dumps(result, indent=2) + "\n")
    Path(options.svg).write_text(plot.chart(result["samples"], "minutes", list(BOUNDS)))
    kinds = f"{result['reports']} reports, and {result['postbacks']} postbacks"
    print(f"{result['calls']} calls, {kinds} in {options.minutes} minutes")
    for name, figure in result["figures"].items():
        print(f"{name}: {figure['start']} at first, growth {figure['growth']}")
    require_flat(result["failures"])


def require_flat(failures):
    if failures:
        sys.exit("FAILED: " + "; ".join(failures))


if __name__ == "__main__":
    main()
