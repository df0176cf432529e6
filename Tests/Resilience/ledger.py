"""The acknowledged calls, kept outside of the service, and the checks of a restarted service against them."""

import shutil
import sqlite3
import threading
from collections import Counter
from dataclasses import dataclass, field

from service import Failure


@dataclass
class BrowserEntry:
    """The known facts about one browser. Each click has its own destination, so a report is known by its sites."""

    name: str
    policy: str
    # By destination: the identifier of the acknowledged click.
    clicks: dict = field(default_factory=dict)
    # By identifier: the acknowledged triggering event.
    triggers: dict = field(default_factory=dict)
    # By sequence number.
    events: dict = field(default_factory=dict)
    # The latest acknowledged instant and sequence number.
    now: str = ""
    sequence: int = 0
    delivered: set = field(default_factory=set)
    # Destinations of stored clicks without a triggering event.
    waiting: list = field(default_factory=list)
    # Apps with an acknowledged ad, and installed apps that have not reported a value.
    advertised: list = field(default_factory=list)
    installed: list = field(default_factory=list)
    # Acknowledged installs, and conversions with an acknowledged value in the first window, with their apps.
    installs: set = field(default_factory=set)
    values: dict = field(default_factory=dict)

    @property
    def path(self):
        return f"/v1/browsers/{self.name}"

    @property
    def device_path(self):
        return f"/v1/devices/{self.name}"

    @property
    def source(self):
        return f"{self.name}.sources.example"


class Ledger:
    """All browsers of one data folder, and the calls without an answer."""

    def __init__(self, policies):
        self.lock = threading.Lock()
        self.browsers = {policy: BrowserEntry(policy, policy) for policy in policies}
        # Calls whose answers were lost, with their idempotency keys: (entry, method, path, body, key, destination).
        self.unanswered = []
        # Other browsers by name: whether they exist.
        self.others = {}
        self.acknowledged = 0
        # The numbers of destinations and of advertised apps. The first is the number of the apps that display ads.
        self.numbers = 1

    def next_destination(self):
        return f"d{self.next_number()}.shops.example"

    def next_number(self):
        with self.lock:
            self.numbers += 1
            return self.numbers

    def take(self, entry, kind, answer, destination=None):
        """Writes down an acknowledged call."""
        with self.lock:
            self.acknowledged += 1
            entry.sequence = max(entry.sequence, answer.get("sequence", 0))
            if kind == "click":
                entry.clicks[destination] = answer["id"]
                entry.waiting.append(destination)
            elif kind == "trigger":
                entry.triggers[answer["id"]] = answer
            elif kind == "ad":
                require(answer["outcome"] == "recorded", f"{entry.name}: an ad was {answer}")
                entry.advertised.append(destination)
            elif kind == "install":
                entry.installs.add(destination)
                entry.installed.append(destination)
            elif kind == "value":
                accepted = [each for each in answer["conversions"] if each["outcome"] == "accepted" and each["sequenceIndex"] == 0]
                entry.values |= {each["id"]: destination for each in accepted}
            elif kind == "advance":
                entry.now = max(entry.now, answer["now"])

    def see(self, entry, events):
        """Writes down events that the service returned. An event never changes."""
        with self.lock:
            for event in events:
                known = entry.events.setdefault(event["sequence"], event)
                if known != event:
                    raise Failure(f"{entry.name}: event {event['sequence']} was {known} and is {event}")


def require(is_so, what):
    if not is_so:
        raise Failure(what)


def check_service(ledger, caller, endpoint):
    """Checks a restarted service: everything acknowledged is there, and nothing is there twice."""
    for name, exists in ledger.others.items():
        status, body = caller.call("GET", f"/v1/browsers/{name}")
        if exists is not None:
            require(status == (200 if exists else 404), f"browser {name} was {'created' if exists else 'deleted'}, and is {body}")
    for entry in ledger.browsers.values():
        if entry.sequence or entry.now:
            check_browser(ledger, entry, caller, endpoint)


def check_browser(ledger, entry, caller, endpoint):
    state = caller.get(entry.path)
    require(state["clock"]["now"] >= entry.now, f"{entry.name}: the clock was at {entry.now}, and is {state['clock']}")
    events = caller.items(f"{entry.path}/events")
    check_log(ledger, entry, events)
    check_clicks(entry, caller.items(f"{entry.path}/clicks"))
    reports = {report["id"]: report for report in caller.items(f"{entry.path}/reports")}
    check_triggers(entry, caller.items(f"{entry.path}/triggering-events"), reports)
    check_reports(entry, reports, endpoint)
    check_device(entry, caller, endpoint)


def check_log(ledger, entry, events):
    numbers = [event["sequence"] for event in events]
    require(numbers == list(range(1, len(numbers) + 1)), f"{entry.name}: the log has a gap: {gap_in(numbers)}")
    known = max([entry.sequence, *entry.events])
    require(len(numbers) >= known, f"{entry.name}: the log had {known} events, and has {len(numbers)}")
    instants = [event["at"] for event in events]
    require(instants == sorted(instants), f"{entry.name}: the log goes backward")
    ledger.see(entry, events)


def gap_in(numbers):
    return next(((n, number) for n, number in enumerate(numbers, 1) if n != number), None)


def check_clicks(entry, clicks):
    by_destination = {}
    for click in clicks:
        destination = click["click"]["destinationSite"]
        require(destination not in by_destination, f"{entry.name}: the click on {destination} is there twice")
        by_destination[destination] = click["id"]
    for destination, identifier in entry.clicks.items():
        found = by_destination.get(destination)
        require(found == identifier, f"{entry.name}: {identifier} on {destination} was acknowledged, and is {found}")


def check_triggers(entry, found, reports):
    found = {trigger["id"]: trigger for trigger in found}
    for identifier, trigger in entry.triggers.items():
        now = found.get(identifier)
        require(now, f"{entry.name}: {identifier} was acknowledged, and is not there")
        require(now["outcome"] == trigger["outcome"], f"{entry.name}: {identifier} was {trigger}, and is {now}")
        if trigger["outcome"] == "attributed":
            for recipient in ("source", "destination"):
                report = trigger["attribution"][f"{recipient}ReportId"]
                require(report in reports, f"{entry.name}: {report} was acknowledged with {identifier}, and is not there")


def check_reports(entry, reports, endpoint):
    for identifier in (each for each in entry.delivered if each.startswith("report-")):
        state = reports.get(identifier, {}).get("state")
        require(state == "delivered", f"{entry.name}: {identifier} was delivered, and is {state}")
    entry.delivered |= {identifier for identifier, report in reports.items() if report["state"] == "delivered"}
    if entry.policy == "webkit":
        for key, count in dict(endpoint.received).items():
            require(key[0] != entry.source or count == 1, f"webkit: a report {key} arrived {count} times")


def check_device(entry, caller, endpoint):
    """Returns the postbacks by conversion, window, and recipient."""
    installed = {app["bundleIdentifier"] for app in caller.items(f"{entry.device_path}/installs")}
    require(entry.installs <= installed, f"{entry.name}: {entry.installs - installed} were installed, and are not there")
    postbacks = caller.items(f"{entry.device_path}/postbacks")
    names = Counter((each["conversionId"], each["sequenceIndex"], each["recipient"]) for each in postbacks)
    twice = [name for name, count in names.items() if count > 1]
    require(not twice, f"{entry.name}: the postbacks {twice} are there twice")
    for postback in postbacks:
        if postback["id"] in entry.delivered:
            require(postback["state"] == "delivered", f"{entry.name}: {postback['id']} was delivered, and is {postback['state']}")
        elif postback["state"] == "delivered":
            entry.delivered.add(postback["id"])
        received = endpoint.received[endpoint.key(postback)]
        require(
            received <= postback["attemptCount"],
            f"{entry.name}: {postback['id']} with {postback['attemptCount']} attempts arrived {received} times",
        )
    return {(each["conversionId"], each["sequenceIndex"], each["recipient"]): each for each in postbacks}


def check_postbacks(entry, caller, endpoint):
    """Checks the device after all its postbacks were due: each value has led to a postback and its copy."""
    postbacks = check_device(entry, caller, endpoint)
    for conversion, app in entry.values.items():
        for recipient in ("ad-network", "developer"):
            postback = postbacks.get((conversion, 0, recipient))
            require(postback, f"{entry.name}: the value of {conversion} of {app} led to no postback to the {recipient}")
            accepted = endpoint.accepted[endpoint.key(postback)]
            what = f"{entry.name}: {postback['id']} of {app} is {postback['state']}, accepted {accepted} times"
            require(postback["state"] == "delivered" and accepted >= 1, what)


def check_end(entry, caller, endpoint):
    """Checks a browser after all its reports were due."""
    check_postbacks(entry, caller, endpoint)
    reports = {report["id"]: report for report in caller.items(f"{entry.path}/reports")}
    check_reports(entry, reports, endpoint)
    for trigger in caller.items(f"{entry.path}/triggering-events"):
        if trigger["outcome"] != "attributed":
            continue
        attribution = trigger["attribution"]
        for recipient in ("source", "destination"):
            report = reports[attribution[f"{recipient}ReportId"]]
            key = (attribution["sourceSite"], attribution["destinationSite"], attribution[f"{recipient}Site"])
            received, accepted = endpoint.received[key], endpoint.accepted[key]
            what = f"{entry.name}: {report['id']} to {key} is {report['state']}, arrived {received}, accepted {accepted} times"
            allowed = ("delivered",) if entry.policy == "reliable" else ("delivered", "failed")
            require(report["state"] in allowed, what)
            require(report["state"] != "delivered" or accepted >= 1, what)
            require(entry.policy == "reliable" or received <= 1, what)


UNTIL_IDLE = {"untilIdle": True, "within": "P60D"}


def send_everything(ledger, caller, endpoint, move=UNTIL_IDLE):
    """Advances the clocks until no report or postback is due, and checks all browsers."""
    for entry in ledger.browsers.values():
        is_idle = False
        while not is_idle:
            status, answer = caller.call("POST", f"{entry.path}/clock/advance", move)
            require(status == 200, f"{entry.name}: the clock was not advanced: {status} {answer}")
            is_idle = answer["idle"] and answer["finished"]
        check_browser(ledger, entry, caller, endpoint)
        check_end(entry, caller, endpoint)


def check_database(data, copy):
    """Checks the integrity of a copy of the database: to open the database would change it."""
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for path in data.glob("pcm-browser.sqlite*"):
        if not path.name.endswith("-shm") and "-owner" not in path.name:
            shutil.copy(path, copy)
    database = copy / "pcm-browser.sqlite"
    if database.exists():
        with sqlite3.connect(database) as connection:
            found = connection.execute("PRAGMA integrity_check").fetchall()
        connection.close()
        require(found == [("ok",)], f"PRAGMA integrity_check: {found}")
