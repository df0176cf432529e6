"""The calls of a browser, against the real service."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from conftest import convert

from pcm_browser import PCM, Browser, ExpectationFailure, PCMError, Redirect, SettingsChange, SiteResponse, SiteSignature
from pcm_browser.models import App

START = datetime(2026, 11, 20, 10, tzinfo=timezone.utc)
PLIST = Path(__file__).parents[3] / "Fixtures/manifests/news-reader/Info.plist"


def test_a_tapped_ad_is_reported_to_both_sides(pcm_browser: Browser) -> None:
    app = pcm_browser.register(PLIST)
    assert (app.source_site, app.bundle_identifier) == ("news.example", "com.example.news")
    tap = pcm_browser.open(
        app,
        source_identifier=4,
        destination_url="https://shop.example/",
        source_description="Banner ad for Tablet Stand Deluxe.",
        purchaser="Shop Example, Inc.",
    )
    assert (tap.outcome, tap.at, tap.reasons) == ("stored", START, [])
    assert tap.click is not None
    assert tap.click.destination_site == "shop.example"
    pcm_browser.advance(hours=3)
    purchase = pcm_browser.trigger("https://shop.example/thanks", pixel_of="news.example", trigger_data=12, priority=3)
    assert purchase.outcome == "attributed"
    moved = pcm_browser.advance(timedelta(hours=48))
    assert moved.idle
    assert moved.now == START + timedelta(hours=51)
    assert [event.kind for event in moved.events].count("report-delivered") == 2
    report = pcm_browser.expect_report("source", destination_site="shop.example", source_identifier=4, trigger_data=12)
    assert report.url == "https://news.example/.well-known/private-click-measurement/report-attribution/"
    assert report.body is not None
    assert report.body.json == report.json["body"]
    assert report.body.attributed_on_site == "shop.example"
    assert report == pcm_browser.report(report.id)
    pcm_browser.expect_report("destination", source_site="news.example")
    assert [message.host for message in pcm_browser.messages()] == ["news.example", "shop.example"]
    assert pcm_browser.click(tap.id).attribution_id == pcm_browser.attributions()[0].id == report.attribution_id


def test_an_unmet_expectation_says_why(pcm_browser: Browser) -> None:
    app = pcm_browser.register(PLIST.read_bytes())
    pcm_browser.open(app, source_identifier=4, destination_url="https://shop.example/", tap_verified=False)
    with pytest.raises(ExpectationFailure) as failure:
        pcm_browser.expect_report("source", destination_site="shop.example", trigger_data=12)
    assert isinstance(failure.value, AssertionError)
    assert str(failure.value).startswith(
        "Expected a delivered report to the source with destinationSite shop.example, triggerData 12, but there is none."
    )
    assert "tap-not-verified" in str(failure.value)
    assert failure.value.report is None
    assert failure.value.explanation is not None
    assert failure.value.explanation.first_failure is not None
    assert failure.value.explanation.first_failure.rule == "tap-is-verified"
    pcm_browser.expect_no_report(destination_site="shop.example")
    convert(pcm_browser)
    with pytest.raises(ExpectationFailure) as failure:
        pcm_browser.expect_no_report("destination")
    assert failure.value.report is not None
    assert failure.value.report.state == "scheduled"


def test_an_error_has_its_places(pcm_browser: Browser) -> None:
    app = pcm_browser.register(PLIST)
    with pytest.raises(PCMError) as failure:
        pcm_browser.open(app, source_identifier=300, destination_url="https://shop.example/")
    error = failure.value
    assert (error.status, error.code, error.retryable, error.pointers) == (422, "invalid", False, ["/sourceIdentifier"])
    assert error.errors[0].code == "out-of-range"
    assert re.fullmatch("[0-9a-f]+", error.request_id or "")
    with pytest.raises(PCMError, match=r"Invalid request\n  The file is not a property list"):
        pcm_browser.register(b"hello")
    assert re.fullmatch(
        r"POST http://\S+/event-attributions returned 422: Invalid request\n  /sourceIdentifier: 300 is out of range.*", str(error)
    )


def test_names_are_one_segment_of_a_path(pcm: PCM) -> None:
    for name in ["a/../b?c#d%2F&é", "tests/test_ads.py::test_tap[https://shop.example/]", "%2e%2e", "x" * 200]:
        with pcm.browser(name) as browser:
            assert browser.state().name == name
            assert browser.state().seed == name
            assert browser.device.properties().system_version == "18.6"
        with pytest.raises(PCMError) as failure:
            pcm.existing_browser(name)
        assert failure.value.status == 404


def test_a_browser_of_the_same_name_starts_anew_with_the_same_results(pcm: PCM) -> None:
    times = []
    for _ in range(2):
        browser = pcm.browser("again")
        convert(browser)
        times.append([report.due_at for report in browser.reports()])
    assert times[0] == times[1]
    assert len(times[0]) == 2
    other = pcm.browser("again", seed="other", labels={"job": "1842"})
    convert(other)
    assert [report.due_at for report in other.reports()] != times[0]
    assert [state.name for state in pcm.browsers({"job": "1842"})] == ["again"]
    other.delete()


def test_a_fork_continues_independently(converted: Browser) -> None:
    with converted.fork() as copy:
        copy.advance(days=2)
        copy.expect_report("source")
        assert [report.state for report in converted.reports()] == ["scheduled"] * 2
        converted.advance(days=2)
        assert [(report.id, report.due_at, report.state) for report in converted.reports()] == [
            (report.id, report.due_at, report.state) for report in copy.reports()
        ]


def test_a_clock_moves_by_to_and_until(converted: Browser) -> None:
    due = sorted(report.due_at for report in converted.reports())
    assert converted.advance_to(START + timedelta(hours=1)).events[-1].kind == "clock-advanced"
    assert converted.advance_to_next_event().now == due[0]
    moved = converted.advance_until_idle()
    assert moved.idle
    assert [event.kind for event in moved.events].count("report-delivered") == 1
    with pytest.raises(PCMError) as failure:
        converted.advance_to(START)
    assert failure.value.pointers == ["/to"]
    with pytest.raises(ValueError, match="has no time zone"):
        converted.advance_to(datetime(2027, 1, 1))
    with pytest.raises(TypeError, match=r"advance\(48\): expected a timedelta, or a name such as hours=48"):
        converted.advance(48)  # type: ignore[arg-type]


def test_a_long_move_takes_several_calls(pcm_browser: Browser) -> None:
    pcm_browser.change(delivery_policy="reliable")
    pcm_browser.script("news.example", report=SiteResponse(status=503))
    convert(pcm_browser)
    moved = pcm_browser.advance_until_idle()
    assert moved.idle
    assert [event.sequence for event in moved.events] == list(range(8, 8 + len(moved.events)))
    assert {report.recipient: report.state for report in pcm_browser.reports()} == {"source": "failed", "destination": "delivered"}


def test_simulated_sites_answer_as_scripted(pcm_browser: Browser) -> None:
    pcm_browser.change(delivery_policy="reliable")
    pcm_browser.script("news.example", report=[SiteResponse(status=503), SiteResponse()], sign=SiteSignature(forged=True))
    pcm_browser.script("shop.example", loads={"/pixel": SiteResponse(status=302, location="https://other.example/")})
    convert(pcm_browser)
    pcm_browser.advance_until_idle()
    report = pcm_browser.expect_report("source")
    assert [attempt.http_status for attempt in report.attempts] == [503, 200]
    load = pcm_browser.load("https://shop.example/pixel", first_party_url="https://shop.example/")
    assert [hop.url for hop in load.hops] == ["https://shop.example/pixel", "https://other.example/"]
    pcm_browser.remove_script("news.example")
    assert {message.host for message in pcm_browser.messages("shop.example")} == {"shop.example"}
    pcm_browser.use_network("real")
    assert pcm_browser.network().mode == "real"


def test_links_and_redirects_are_measured(pcm_browser: Browser) -> None:
    click = pcm_browser.follow("https://news.example/", attribution_source_id="9", attribution_destination="https://shop.example")
    assert click.outcome == "stored"
    trigger = "/.well-known/private-click-measurement/trigger-attribution/12/03"
    redirect = Redirect(from_="https://news.example/pixel", to=f"https://news.example{trigger}")
    event = pcm_browser.trigger("https://shop.example/thanks", redirect=redirect)
    assert event.outcome == "attributed"
    assert event.trigger is not None
    assert (event.trigger.data, event.trigger.priority) == (12, 3)
    assert pcm_browser.triggering_event(event.id) == event == pcm_browser.triggering_events(outcome=["attributed"])[0]
    assert pcm_browser.clicks(state=["stored"]) == []


def test_the_log_is_read_filtered_and_awaited(converted: Browser) -> None:
    events = converted.events(about=["click-2"], decisions=True)
    assert events[0].kind == "click-stored"
    assert events[0].detail["sourceIdentifier"] == 4
    assert events[0].decision is not None
    assert events[0].decision.rules[0].verdict == "passed"
    assert [event.sequence for event in converted.events(after=4, kind=["report-scheduled"])] == [5, 6]
    assert converted.wait_for("report-scheduled", after=5).sequence == 6
    with pytest.raises(PCMError) as failure:
        converted.wait_for("report-delivered", timeout=0.02)
    assert (failure.value.code, failure.value.retryable) == ("timed-out", True)


def test_the_log_is_a_stream_until_the_browser_is_deleted(pcm: PCM) -> None:
    browser = pcm.browser("stream")
    convert(browser)
    kinds = []
    for event in browser.stream(after=1):
        kinds.append(event.kind)
        if event.kind == "report-scheduled" and kinds.count("report-scheduled") == 2:
            browser.delete()
    assert kinds == ["click-stored", "trigger-accepted", "attributed", "report-scheduled", "report-scheduled"]


def test_explanations_are_values_and_text(converted: Browser) -> None:
    explanation = converted.explain("shop.example")
    assert explanation.first_failure is not None
    assert explanation.first_failure.rule == "report-is-due"
    assert [step.step for step in explanation.steps[:2]] == ["click", "triggering-event"]
    assert converted.explanation_text("click-2").startswith("The click ")
    with pytest.raises(PCMError) as failure:
        converted.explain("click-99")
    assert failure.value.status == 404


def test_settings_labels_and_data_change(converted: Browser) -> None:
    assert converted.change(debug_mode=True, labels={"job": "1"}, idle_timeout=timedelta(hours=1)).debug_mode
    state = converted.state()
    assert (state.labels, state.idle_timeout) == ({"job": "1"}, timedelta(hours=1))
    assert not state.settings.private_browsing
    assert state.settings.log_retention.maximum_age == timedelta(days=400)
    converted.change(idle_timeout=0)
    assert converted.state().idle_timeout is None
    converted.clear_data("news.example")
    assert {report.state for report in converted.reports()} == {"cleared"}


def test_an_expectation_waits_on_the_real_clock(pcm: PCM) -> None:
    with pcm.browser("real", clock="real", settings=SettingsChange(debug_mode=True)) as browser:
        convert(browser)
        assert browser.state().clock.mode == "real"
        assert browser.expect_report("source", state="scheduled", within=30).state == "scheduled"
        with pytest.raises(ExpectationFailure, match="its state is scheduled, not cleared"):
            browser.expect_report("source", state="cleared", within=timedelta(milliseconds=20))


def test_apps_are_registered_and_removed(pcm_browser: Browser) -> None:
    keys = {"NSAdvertisingAttributionReportEndpoint": "https://news.example", "MinimumOSVersion": "17.0"}
    app = pcm_browser.register_app("com.example.news", info_plist=keys, item_identifier=525463029, signing="development")
    assert (app.item_identifier, app.signing, app.findings) == (525463029, "development", [])
    assert pcm_browser.app("com.example.news") == app
    assert pcm_browser.apps() == [app]
    pcm_browser.remove_app(app)
    assert pcm_browser.apps() == []


def test_a_history_is_a_scenario_that_plays(pcm: PCM, converted: Browser) -> None:
    scenario = converted.scenario()
    assert "scenario: " in scenario
    assert pcm.play(scenario)["outcome"] == "passed"
    assert pcm.play({"scenario": "nothing", "steps": [{"advance": "PT1H"}]})["name"] == "nothing"


def test_members_of_a_later_service_are_kept(pcm_browser: Browser) -> None:
    app = pcm_browser.register_app("com.example.news", report_endpoint="https://news.example")
    later = App._decoded({**app.json, "moment": "noon", "platform": "watch"})
    assert (later.json["moment"], later.platform) == ("noon", "watch")


def test_the_service_is_described(pcm: PCM) -> None:
    pcm.check_readiness()
    assert "# TYPE" in pcm.metrics()
    rule = pcm.rules("tap-not-verified")[0]
    assert (rule.rule, rule.origin.kind) == ("tap-is-verified", "apple")
    assert len(pcm.rules()) > 50


def test_a_missing_service_is_named() -> None:
    with pytest.raises(PCMError) as failure:
        PCM("http://127.0.0.1:9/").check_readiness()
    assert failure.value.code == "unreachable"
    assert str(failure.value).startswith("GET http://127.0.0.1:9/readyz received no response: no service listens at")
    assert "pcm-browser serve" in str(failure.value)
