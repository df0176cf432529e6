"""Tests of the ledger of the failover loop, with logs in place of a service."""

import unittest
from collections import Counter

import deliveries
import failover
from ledger import BrowserEntry
from service import Failure

DESTINATION = "d1.shops.example"
SOURCE = "one.sources.example"
KEYS = [(SOURCE, DESTINATION, SOURCE), (SOURCE, DESTINATION, DESTINATION)]
DUE = "2026-11-27T10:00:10.000Z"
RETRY = "2026-11-27T10:01:20.000Z"
URL = "https://{}/.well-known/private-click-measurement/report-attribution/"
INTERRUPTED = [{"code": "interrupted", "detail": "the service stopped"}]
BEGIN = [
    ("click-stored", {"clickId": "click-1", "destinationSite": DESTINATION}),
    ("attributed", {
        "attributionId": "attribution-1", "triggeringEventId": "triggering-event-1", "sourceSite": SOURCE,
        "destinationSite": DESTINATION, "sourceReportId": "report-1", "destinationReportId": "report-2",
    }),
    *(
        ("report-scheduled", {
            "reportId": f"report-{number}", "attributionId": "attribution-1", "url": URL.format(site), "dueAt": DUE,
        })
        for number, site in ((1, SOURCE), (2, DESTINATION))
    ),
]


def sent(number, attempt=1):
    return "report-sent", {"reportId": f"report-{number}", "attempt": attempt}


def ended(number, kind, **fields):
    return f"report-{kind}", {"reportId": f"report-{number}"} | fields


DELIVERED = [event for number in (1, 2) for event in (sent(number), ended(number, "delivered"))]


def log(*events):
    """Returns events with numbers, one in each second."""
    return [
        {"sequence": number, "at": f"2026-11-27T10:00:{number:02}.000Z", "kind": kind, "detail": detail}
        for number, (kind, detail) in enumerate(events, 1)
    ]


class LedgerTests(unittest.TestCase):
    def account(self, events, policy="webkit"):
        entry = BrowserEntry("one", policy, clicks={DESTINATION: "click-1"}, sequence=2)
        reports = {"sourceReportId": "report-1", "destinationReportId": "report-2"}
        entry.triggers["triggering-event-1"] = {"outcome": "attributed", "attribution": reports}
        account = deliveries.Account(entry)
        account.read(events)
        return account

    def check(self, account, received=(1, 1), accepted=None, before=(0, 0)):
        account.check_acknowledged()
        counts = [Counter(dict(zip(KEYS, numbers))) for numbers in (received, accepted or received, before)]
        account.check_arrivals(*counts)
        deliveries.check_unknown([account], counts[2])

    def test_a_complete_log_is_accepted(self):
        account = self.account(log(*BEGIN, *DELIVERED))
        self.check(account, before=(1, 1))
        self.assertEqual(account.unsettled(), [])

    def test_a_duplicate_is_found_under_webkit(self):
        with self.assertRaisesRegex(Failure, r"report-2 .* arrived 2 times"):
            self.check(self.account(log(*BEGIN, *DELIVERED)), received=(1, 2))

    def test_a_second_attempt_is_found_under_webkit(self):
        with self.assertRaisesRegex(Failure, "report-1 was delivered, and was sent"):
            self.account(log(*BEGIN, *DELIVERED, sent(1, 2)))

    def test_a_retry_after_an_interruption_is_accepted_under_reliable(self):
        retry = ended(1, "retry-scheduled", retryAt=RETRY, reasons=INTERRUPTED)
        account = self.account(log(*BEGIN, sent(1), retry), "reliable")
        self.check(account, received=(1, 0))
        self.assertEqual(account.unsettled(), ["report-1", "report-2"])
        account = self.account(log(*BEGIN, sent(1), retry, sent(1, 2), ended(1, "delivered"), *DELIVERED[2:]), "reliable")
        self.check(account, received=(2, 1), before=(2, 1))
        self.assertEqual(account.unsettled(), [])

    def test_a_report_that_is_given_up_is_found_under_reliable(self):
        with self.assertRaisesRegex(Failure, "report-1 failed"):
            self.account(log(*BEGIN, sent(1), ended(1, "failed", reasons=INTERRUPTED)), "reliable")

    def test_a_lost_click_is_found(self):
        events = log(("settings-changed", {}), ("settings-changed", {}), ("settings-changed", {}))
        with self.assertRaisesRegex(Failure, "click-1 on d1.shops.example was acknowledged, and is None"):
            self.check(self.account(events), received=(0, 0))

    def test_a_lost_trigger_is_found(self):
        with self.assertRaisesRegex(Failure, "triggering-event-1 was acknowledged, and is not there"):
            self.check(self.account(log(BEGIN[0], ("settings-changed", {}))), received=(0, 0))

    def test_a_lost_end_of_the_log_is_found(self):
        with self.assertRaisesRegex(Failure, "event 2 was acknowledged, and is not there"):
            self.check(self.account(log(BEGIN[0])), received=(0, 0))

    def test_a_click_that_took_effect_twice_is_found(self):
        with self.assertRaisesRegex(Failure, "the click on d1.shops.example is stored twice"):
            self.account(log(BEGIN[0], BEGIN[0]))

    def test_a_second_event_for_a_click_is_found(self):
        with self.assertRaisesRegex(Failure, "an event had no click, or was triggered again"):
            self.account(log(*BEGIN, ("trigger-unmatched", {})))

    def test_a_click_that_the_store_lacks_is_found(self):
        account = self.account(log(*BEGIN, ("click-stored", {"clickId": "click-6", "destinationSite": "d2.shops.example"})))
        clicks = [{"id": "click-1", "state": "attributed"}, {"id": "click-6", "state": "stored"}]
        account.check_clicks(clicks)
        for state in ("stored", "cleared"):
            with self.subTest(state), self.assertRaisesRegex(Failure, "the clicks and the log differ"):
                account.check_clicks([{"id": "click-1", "state": state}, clicks[1]])
        with self.assertRaisesRegex(Failure, "click-6"):
            account.check_clicks(clicks[:1])

    def test_a_report_without_its_attribution_or_schedule_is_found(self):
        for events in (BEGIN[2:], (sent(1),), (ended(1, "delivered"),)):
            with self.subTest(events), self.assertRaisesRegex(Failure, "has no attribution|was not scheduled"):
                self.account(log(*events))

    def test_a_gap_is_found(self):
        events = log(*BEGIN)
        del events[1]
        with self.assertRaisesRegex(Failure, "the log has a gap: event 3 follows 1"):
            self.account(events)

    def test_a_delivered_report_that_did_not_arrive_is_found(self):
        with self.assertRaisesRegex(Failure, "report-2 .* arrived 0 times"):
            self.check(self.account(log(*BEGIN, *DELIVERED)), received=(1, 0))

    def test_a_report_that_left_before_its_attempt_was_stored_is_found(self):
        with self.assertRaisesRegex(Failure, "report-1 .* is scheduled after 0 attempts, and arrived 1 times"):
            self.check(self.account(log(*BEGIN)), received=(1, 0), before=(1, 0))

    def test_a_report_that_no_log_has_is_found(self):
        with self.assertRaisesRegex(Failure, "reports arrived that no log has"):
            deliveries.check_unknown([self.account(log(*BEGIN))], {("two", *KEYS[0][1:]): 1})

    def test_a_failure_that_no_disturbance_causes_is_found(self):
        with self.assertRaisesRegex(Failure, "report-1 was not delivered"):
            self.account(log(*BEGIN, sent(1), ended(1, "failed", reasons=[{"code": "tls-failed", "detail": ""}])))

    def test_an_attempt_in_doubt_needs_a_disturbance(self):
        events = log(*BEGIN, sent(1), ended(1, "failed", reasons=[{"code": "timed-out", "detail": ""}]))
        time = deliveries.seconds(events[4]["at"])
        for disturbance, is_accepted in (((time - 9, time - 3), False), ((time + 2, time + 9), False), ((time, time), True)):
            with self.subTest(disturbance):
                account = self.account(events)
                if is_accepted:
                    account.check_doubts([disturbance])
                    self.assertEqual((account.doubts, account.doubt_count), ([], 1))
                else:
                    with self.assertRaisesRegex(Failure, "without a disturbance"):
                        account.check_doubts([disturbance])

    def test_a_due_report_that_waits_for_too_long_is_found(self):
        account = self.account(log(*BEGIN))
        account.check_progress(deliveries.seconds(DUE) + deliveries.LATENESS)
        with self.assertRaisesRegex(Failure, f"nothing has happened for {deliveries.LATENESS + 1} seconds"):
            account.check_progress(deliveries.seconds(DUE) + deliveries.LATENESS + 1)

    def test_each_report_counts_once(self):
        events = log(*BEGIN, sent(1), ended(1, "failed", reasons=INTERRUPTED), *DELIVERED[2:])
        for arrived, name in ((0, "in doubt, not arrived"), (1, "in doubt, arrived")):
            with self.subTest(name):
                counts = deliveries.totals([self.account(events)], Counter(dict(zip(KEYS, (arrived, 1)))))["webkit"]
                self.assertEqual((counts["reports"], counts["delivered"], counts[name]), (2, 1, 1))
                self.assertEqual(counts["arrivals"] + counts["in doubt, not arrived"], counts["reports"])


class PlanTests(unittest.TestCase):
    def test_the_seed_and_the_round_choose_the_disturbances(self):
        plans = [str(failover.Plan(seed, number, 2000, 2)) for seed, number in ((1, 1), (1, 1), (1, 2), (2, 1))]
        self.assertEqual(plans[0], plans[1])
        self.assertEqual(len(set(plans)), 3)

    def test_the_killed_instance_and_the_paused_one_differ(self):
        for instances in (2, 4):
            for number in range(20):
                plan = failover.Plan(1, number, 2000, instances)
                self.assertNotEqual(plan.killed, plan.paused)


if __name__ == "__main__":
    unittest.main()
