"""Callers that click, trigger, load pages, display ads, install apps, advance the clock, and create, copy, and delete browsers, until
the service is gone."""

import base64
import re
import threading

import device
from service import Failure, Gone

START = "2026-11-20T10:00:00.000Z"
ACTIONS = {
    "link": 30, "tap": 10, "nonce": 4, "trigger": 30, "load": 3, "advance": 12, "ad": 5, "install": 5, "value": 5, "events": 4,
    "stream": 2, "scenario": 1, "other": 3,
}
# A scenario that must pass. It leaves nothing behind.
SCENARIO = {
    "scenario": "A tap leads to two reports",
    "apps": {"com.example.news": {"reportEndpoint": "https://news.example"}},
    "steps": [
        {
            "event-attribution": {
                "bundleIdentifier": "com.example.news", "sourceIdentifier": 4, "destinationURL": "https://shop.example/",
            },
            "expect": {"outcome": "stored"},
        },
        {
            "triggering-event": {
                "firstPartyURL": "https://shop.example/thanks", "pixelOf": "news.example", "triggerData": 12,
            },
            "expect": {"outcome": "attributed"},
        },
        {"advance": {"untilIdle": True}},
    ],
}


def prepare(ledger, caller, seed):
    """Creates the browsers and registers their apps. Repetitions have no effect."""
    for entry in ledger.browsers.values():
        specification = {
            "seed": f"{seed} {entry.name}",
            "clock": {"mode": "manual", "start": START},
            "settings": {"deliveryPolicy": entry.policy},
        }
        status, body = caller.call("PUT", entry.path, specification)
        require_success(status, body)
        ledger.take(entry, "advance", {"now": body["clock"]["now"]})
        for path, body in [
            (f"apps/com.example.{entry.name}", device.source_app(f"https://{entry.source}")),
            (f"ad-networks/{device.NETWORK}", device.network()),
        ]:
            status, answer = caller.call("PUT", f"{entry.device_path}/{path}", body)
            require_success(status, answer)


def require_success(status, body, also=()):
    if status // 100 != 2 and status not in also:
        raise Failure(f"the service answered {status}: {body}")


class Worker(threading.Thread):
    """A thread with one caller. `acknowledge` is called after each answer. With `is_complete`, the last calls are one of each
    kind, after their prerequisites."""

    def __init__(self, caller, ledger, random, limit, acknowledge=lambda: None, is_complete=False):
        super().__init__(daemon=True)
        self.caller = caller
        self.ledger, self.random, self.limit, self.acknowledge = ledger, random, limit, acknowledge
        self.last = list(ACTIONS) if is_complete else []
        self.failure = None

    def run(self):
        names, weights = list(ACTIONS), list(ACTIONS.values())
        try:
            for left in range(self.limit, 0, -1):
                entry = self.random.choice(list(self.ledger.browsers.values()))
                name = self.last[-left] if left <= len(self.last) else self.random.choices(names, weights)[0]
                getattr(self, name)(entry)
                self.acknowledge()
        except Gone:
            pass
        except Exception as failure:  # Passed on to the thread that waits for this one.
            self.failure = failure
        finally:
            self.caller.close()

    def once(self, entry, kind, path, body, destination=None):
        """Calls with an idempotency key. A call without an answer is repeated after the restart."""
        key = f"{self.random.getrandbits(128):032x}"
        call = (entry, kind, path, body, key, destination)
        try:
            perform(self.ledger, self.caller, call)
        except Gone:
            with self.ledger.lock:
                self.ledger.unanswered.append(call)
            raise

    def link(self, entry, nonce=None):
        destination = self.ledger.next_destination()
        body = {
            "pageURL": f"https://{entry.source}/",
            "attributionSourceID": str(self.random.randrange(256)),
            "attributionDestination": f"https://{destination}",
        }
        if nonce:
            body["attributionSourceNonce"] = nonce
        self.once(entry, "click", "link-clicks", body, destination)

    def nonce(self, entry):
        self.link(entry, base64.urlsafe_b64encode(self.random.randbytes(16)).decode().rstrip("="))

    def tap(self, entry):
        destination = self.ledger.next_destination()
        body = {
            "bundleIdentifier": f"com.example.{entry.name}",
            "sourceIdentifier": self.random.randrange(256),
            "destinationURL": f"https://{destination}/",
        }
        self.once(entry, "click", "event-attributions", body, destination)

    def trigger(self, entry):
        with self.ledger.lock:
            destination = entry.waiting.pop(self.random.randrange(len(entry.waiting))) if entry.waiting else None
        if destination:
            body = {
                "firstPartyURL": f"https://{destination}/thanks",
                "pixelOf": entry.source,
                "triggerData": self.random.randrange(16),
                "priority": self.random.randrange(64),
            }
            self.once(entry, "trigger", "triggering-events", body)

    def load(self, entry):
        body = {"firstPartyURL": f"https://{entry.source}/", "url": f"https://{entry.source}/pixel"}
        status, answer = self.caller.call("POST", f"{entry.path}/loads", body)
        require_success(status, answer)

    def ad(self, entry):
        item = self.ledger.next_number()
        app, registration = device.advertised_app(item, f"https://{entry.source}")
        status, answer = self.caller.call("PUT", f"{entry.device_path}/apps/{app}", registration)
        require_success(status, answer)
        self.once(entry, "ad", "impressions", device.signed_ad(f"com.example.{entry.name}", item), app)

    def install(self, entry):
        self.use(entry, entry.advertised, "install", "installs", {})

    def value(self, entry):
        self.use(entry, entry.installed, "value", "conversion-values", {"fineValue": self.random.randrange(64)})

    def use(self, entry, apps, kind, path, body):
        """Calls for an app that no other caller uses."""
        with self.ledger.lock:
            app = apps.pop(self.random.randrange(len(apps))) if apps else None
        if app:
            self.once(entry, kind, path, {"bundleIdentifier": app} | body, app)

    def advance(self, entry):
        self.once(entry, "advance", "clock/advance", {"by": f"PT{self.random.randint(1, 20)}H"})

    def events(self, entry):
        page = self.caller.get(f"{entry.path}/events?limit=100")
        self.ledger.see(entry, page["items"])

    def stream(self, entry):
        """Reads the latest acknowledged events as a stream. A second stream resumes after the last event, and a third one does if one
        ended early."""
        with self.ledger.lock:
            end = entry.sequence
        events, position, identifier = [], max(0, end - 40), None
        path = f"{entry.path}/events?after={position}"
        for target in (end - 20, end, end):
            if position < target:
                status, answer = self.caller.read_stream(path, target, identifier)
                require_success(status, answer)
                events += [event for _, event in answer]
                if answer:
                    identifier, position = answer[-1][0], answer[-1][1]["sequence"]
        if position < end:
            raise Failure(f"{entry.name}: the streams ended after event {position} of {end}")
        numbers = [event["sequence"] for event in events]
        if numbers != list(range(position - len(numbers) + 1, position + 1)):
            raise Failure(f"{entry.name}: the streams had the events {numbers}")
        self.ledger.see(entry, events)

    def scenario(self, entry):
        status, answer = self.caller.call("POST", "/v1/scenarios", SCENARIO)
        require_success(status, answer)
        if answer["outcome"] != "passed":
            raise Failure(f"the scenario {answer}")

    def other(self, entry):
        name = f"other-{self.random.randrange(20)}"
        with self.ledger.lock:
            # Unknown until the answer. Other callers leave the browser alone.
            if self.ledger.others.get(name, False) is None:
                return
            exists = self.ledger.others.get(name, False)
            self.ledger.others[name] = None
        if exists:
            status, body = self.caller.call("DELETE", f"/v1/browsers/{name}")
        elif self.random.random() < 0.5:
            status, body = self.caller.call("PUT", f"/v1/browsers/{name}", {"clock": {"mode": "manual"}})
        else:
            # The clock of the copy stays, so that it sends nothing.
            status, body = self.caller.call("POST", f"{entry.path}/forks", {"name": name})
        require_success(status, body)
        with self.ledger.lock:
            self.ledger.others[name] = not exists


def perform(ledger, caller, call):
    """Performs a call and writes down its answer."""
    entry, kind, path, body, key, destination = call
    face = entry.device_path if kind in ("ad", "install", "value") else entry.path
    status, answer = caller.call("POST", f"{face}/{path}", body, {"Idempotency-Key": key})
    if answer.get("code") == "request-interrupted" and kind == "advance":
        # The repetition names the time that the clock reached, to which an advance is safe.
        now = re.search(r"the clock shows ([^,]+),", answer["detail"])[1]
        status, answer = caller.call("POST", f"{face}/{path}", {"to": now})
    # Two advances of one browser at the same time: the second one is refused.
    require_success(status, answer, also=(409,) if kind == "advance" else ())
    if status != 409:
        ledger.take(entry, kind, answer, destination)


def repeat_unanswered(ledger, caller):
    """Repeats the calls whose answers were lost. Each takes effect once, whether or not it did before."""
    while ledger.unanswered:
        perform(ledger, caller, ledger.unanswered[-1])
        ledger.unanswered.pop()
    for name, exists in list(ledger.others.items()):
        if exists is None:
            status, _ = caller.call("GET", f"/v1/browsers/{name}")
            ledger.others[name] = status == 200
