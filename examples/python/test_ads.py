"""Tests of ads with pcm-browser. Copy this file, and replace the app and the sites by yours."""

from pcm_browser import Browser, Receiver, SiteResponse


def test_a_tapped_ad_is_reported_to_both_sides(pcm_browser: Browser) -> None:
    app = pcm_browser.register("Info.plist")
    tap = pcm_browser.open(app, source_identifier=4, destination_url="https://shop.example/")
    assert tap.outcome == "stored"
    pcm_browser.advance(hours=3)
    pcm_browser.trigger("https://shop.example/thanks", pixel_of="news.example", trigger_data=12, priority=3)
    pcm_browser.advance(hours=48)
    pcm_browser.expect_report("source", destination_site="shop.example", source_identifier=4, trigger_data=12)
    pcm_browser.expect_report("destination", source_site="news.example", trigger_data=12)


def test_a_tap_without_a_covering_view_is_not_measured(pcm_browser: Browser) -> None:
    app = pcm_browser.register("Info.plist")
    tap = pcm_browser.open(app, source_identifier=4, destination_url="https://shop.example/", tap_verified=False)
    assert [reason.code for reason in tap.reasons] == ["tap-not-verified"]
    pcm_browser.trigger("https://shop.example/thanks", pixel_of="news.example", trigger_data=12)
    pcm_browser.advance_until_idle()
    pcm_browser.expect_no_report()


def test_an_endpoint_that_fails_once_loses_the_report(pcm_browser: Browser) -> None:
    pcm_browser.script("news.example", report=[SiteResponse(status=503), SiteResponse()])
    app = pcm_browser.register("Info.plist")
    pcm_browser.open(app, source_identifier=4, destination_url="https://shop.example/")
    pcm_browser.trigger("https://shop.example/thanks", pixel_of="news.example", trigger_data=12)
    pcm_browser.advance_until_idle()
    # As in WebKit, each report is sent once.
    failed = pcm_browser.expect_report("source", state="failed")
    assert [attempt.http_status for attempt in failed.attempts] == [503]
    pcm_browser.expect_report("destination")


def test_a_report_is_posted_over_tls(pcm_browser: Browser, pcm_receiver: Receiver) -> None:
    app = pcm_browser.register("Info.plist")
    pcm_browser.open(app, source_identifier=4, destination_url="https://shop.example/")
    pcm_browser.trigger("https://shop.example/thanks", pixel_of="news.example", trigger_data=12)
    pcm_browser.advance_until_idle()
    assert {report["host"] for report in pcm_receiver.reports()} == {"news.example", "shop.example"}
