"""The clicks and reports in the logs of browsers, compared with acknowledged calls and received reports."""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

from ledger import require

# The causes of an attempt in doubt: its instance is gone, or was paused for longer than the time for a connection.
DOUBTS = (["interrupted"], ["timed-out"])
# The clocks of the service and of the caller are the same, but the service notices a disturbance later than the caller.
NOTICE = 2
# The longest time in which nothing happens in a browser with a due report: a task that failed is repeated after a minute, and may
# meet another disturbance then.
LATENESS = 150


def seconds(instant):
    return datetime.fromisoformat(instant).timestamp()


@dataclass
class Report:
    """A report as the log describes it, by the key under which the endpoint counts it."""

    key: tuple
    due_at: str
    state: str = "scheduled"
    attempts: int = 0
    sent_at: str = ""

    @property
    def is_settled(self):
        return self.state in ("delivered", "failed")


@dataclass
class Account:
    """The log of one browser, read from its first event on. Each click has its own destination."""

    entry: object
    count: int = 0
    at: str = ""
    digest: object = field(default_factory=hashlib.sha256)
    # The clicks and attributions by their destinations, and by their triggering events.
    clicks: dict = field(default_factory=dict)
    attributed: set = field(default_factory=set)
    triggers: dict = field(default_factory=dict)
    # By attribution, and by report.
    sites: dict = field(default_factory=dict)
    reports: dict = field(default_factory=dict)
    # The start and the end of each attempt in doubt that is not explained yet.
    doubts: list = field(default_factory=list)
    doubt_count: int = 0

    def read(self, events):
        """Follows the next events of the log."""
        for event in events:
            number, at = event["sequence"], event["at"]
            require(number == self.count + 1, f"{self.entry.name}: the log has a gap: event {number} follows {self.count}")
            require(at >= self.at, f"{self.entry.name}: the log goes backward at event {number}: {at} follows {self.at}")
            self.count, self.at = number, at
            self.digest.update(json.dumps(event, sort_keys=True).encode())
            note = getattr(self, "note_" + event["kind"].replace("-", "_"), None)
            if note:
                note(event["detail"])

    def require(self, is_so, what):
        require(is_so, f"{self.entry.name}, which is {self.entry.policy}, at event {self.count}: {what}")

    def note_click_stored(self, detail):
        destination = detail["destinationSite"]
        self.require(destination not in self.clicks, f"the click on {destination} is stored twice")
        self.clicks[destination] = detail["clickId"]

    def note_attributed(self, detail):
        destination = detail["destinationSite"]
        self.require(destination not in self.attributed, f"the click on {destination} was attributed twice")
        self.attributed.add(destination)
        self.triggers[detail["triggeringEventId"]] = detail
        self.sites[detail["attributionId"]] = detail["sourceSite"], destination

    def note_trigger_unmatched(self, detail):
        self.require(False, f"an event had no click, or was triggered again: {detail}")

    def note_report_scheduled(self, detail):
        sites = self.sites.get(detail["attributionId"])
        self.require(sites, f"{detail} has no attribution")
        key = *sites, urlsplit(detail["url"]).hostname
        self.require(detail["reportId"] not in self.reports, f"{detail['reportId']} was scheduled twice")
        self.reports[detail["reportId"]] = Report(key, detail["dueAt"])

    def note_report_sent(self, detail):
        name, report = detail["reportId"], self.report(detail)
        self.require(report.state == "scheduled", f"{name} was {report.state}, and was sent")
        self.require(detail["attempt"] == report.attempts + 1, f"{name} had {report.attempts} attempts before {detail}")
        self.require(self.entry.policy == "reliable" or report.attempts == 0, f"{name} was sent again")
        report.state, report.attempts, report.sent_at = "sending", report.attempts + 1, self.at

    def report(self, detail):
        report = self.reports.get(detail["reportId"])
        self.require(report, f"{detail['reportId']} was not scheduled: {detail}")
        return report

    def note_report_delivered(self, detail):
        self.end(detail, "delivered")

    def note_report_failed(self, detail):
        self.end(detail, "failed")
        self.require(self.entry.policy == "webkit", f"{detail['reportId']} failed: {detail}")

    def note_report_retry_scheduled(self, detail):
        self.end(detail, "scheduled").due_at = detail["retryAt"]

    def end(self, detail, state):
        """Notes the end of an attempt. The endpoint accepts every report, so that only a disturbance can prevent its delivery."""
        name, report = detail["reportId"], self.report(detail)
        self.require(report.state == "sending", f"{name} was {report.state}, and became {state}: {detail}")
        if state != "delivered":
            codes = [reason["code"] for reason in detail.get("reasons", [])]
            self.require(codes in DOUBTS, f"{name} was not delivered: {detail}")
            self.doubts.append((report.sent_at, self.at))
            self.doubt_count += 1
        report.state = state
        return report

    def check_acknowledged(self):
        """Checks that the log has everything that was acknowledged before it was read."""
        entry = self.entry
        self.require(self.count >= entry.sequence, f"event {entry.sequence} was acknowledged, and is not there")
        for destination, name in entry.clicks.items():
            found = self.clicks.get(destination)
            self.require(found == name, f"{name} on {destination} was acknowledged, and is {found}")
        for name, trigger in entry.triggers.items():
            found = self.triggers.get(name)
            self.require(trigger["outcome"] == "attributed", f"{name} was {trigger}")
            self.require(found, f"{name} was acknowledged, and is not there")
            for report in ("sourceReportId", "destinationReportId"):
                self.require(found[report] == trigger["attribution"][report], f"{name} was {trigger}, and is {found}")
                self.require(found[report] in self.reports, f"{found[report]} of {name} was not scheduled")
        entry.clicks, entry.triggers = {}, {}
        self.triggers = {}

    def check_arrivals(self, received, accepted, received_before):
        """Compares the reports with the endpoint's counts after the log was read, and with those before."""
        for name, report in self.reports.items():
            arrived, key = received[report.key], report.key
            what = f"{name} to {key} is {report.state} after {report.attempts} attempts, and arrived {arrived} times"
            self.require(arrived <= 1 or self.entry.policy == "reliable", what)
            self.require(accepted[key] >= 1 or report.state != "delivered", what)
            # An attempt is in the log before it begins.
            self.require(received_before.get(key, 0) <= report.attempts, what)

    def check_doubts(self, disturbances):
        """Checks that each attempt in doubt was under way while a disturbance could end it: (beginning, end) in seconds."""
        for sent, ended in self.doubts:
            begin, end = seconds(sent), seconds(ended)
            is_explained = any(first <= end and begin <= last + NOTICE for first, last in disturbances)
            self.require(is_explained, f"an attempt of {sent} was given up at {ended} without a disturbance")
        self.doubts = []

    def check_clicks(self, clicks):
        """Compares the clicks of the API with the log. No click is replaced, cleared, or expired."""
        found = {click["id"]: click["state"] for click in clicks}
        expected = {
            name: "attributed" if destination in self.attributed else "stored" for destination, name in self.clicks.items()
        }
        differences = sorted(found.items() ^ expected.items())
        self.require(not differences, f"the clicks and the log differ: {differences[:4]}")

    def unsettled(self):
        """Returns the names of the reports that are neither delivered nor failed."""
        return [name for name, report in self.reports.items() if not report.is_settled]

    def check_progress(self, now):
        """Checks that no due report waits for too long after the last event."""
        for name in self.unsettled():
            since = max(seconds(self.at), seconds(self.reports[name].due_at))
            what = f"{name} is {self.reports[name]}, and nothing has happened for {now - since:.0f} seconds"
            self.require(now - since <= LATENESS, what)


def check_unknown(accounts, received_before):
    """Checks that each report that arrived before the logs were read is in one of them."""
    known = {report.key for account in accounts for report in account.reports.values()}
    unknown = received_before.keys() - known
    require(not unknown, f"reports arrived that no log has: {sorted(unknown)[:5]}")


def totals(accounts, received):
    """Returns the numbers of reports of all browsers by the policy, the state, and whether they arrived."""
    counts = {}
    for account in accounts:
        for report in account.reports.values():
            arrived = received[report.key]
            name = "delivered" if report.state == "delivered" else "in doubt, arrived" if arrived else "in doubt, not arrived"
            policy = counts.setdefault(account.entry.policy, dict.fromkeys(NAMES, 0))
            policy["reports"] += 1
            policy[name if report.is_settled else "waiting"] += 1
            policy["arrivals"] += arrived
    return counts


NAMES = ("reports", "delivered", "in doubt, arrived", "in doubt, not arrived", "waiting", "arrivals")
