"""The plugin, in test files as users write them."""

from __future__ import annotations

import os
import signal
import ssl
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from pcm_browser import PCM, Browser, PCMError, start_service
from pcm_browser.pytest_plugin import browser_name, subjects

STORY = """
def test_story(pcm_browser):
    app = pcm_browser.register_app("com.example.news", report_endpoint="https://news.example")
    pcm_browser.open(app, source_identifier=4, destination_url="https://shop.example/", tap_verified={verified})
    pcm_browser.trigger("https://shop.example/thanks", pixel_of="news.example", trigger_data=12)
    pcm_browser.advance(hours=48)
    {check}
"""
EXPECT = 'pcm_browser.expect_report("source", destination_site="shop.example", trigger_data=12)'


@pytest.fixture(autouse=True)
def own_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests that a test runs start a service, whatever this run uses."""
    for name in ("PCM_BROWSER_URL", "PCM_BROWSER_API_TOKEN", "PCM_RECEIVER_URL", "PCM_CA_FILE"):
        monkeypatch.delenv(name, raising=False)


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-W", "error", "-p", "no:cacheprovider", *arguments)


def test_a_test_passes_and_its_browser_is_deleted(pytester: pytest.Pytester) -> None:
    check = "assert pcm_browser.name == 'test_it.py::test_story'"
    after = "def test_after(pcm):\n    assert [state.name for state in pcm.browsers()] == ['default']"
    pytester.makepyfile(test_it=STORY.format(verified=True, check=f"{EXPECT}\n    {check}") + after)
    run(pytester).assert_outcomes(passed=2)


def test_an_unmet_expectation_shows_its_text_and_the_log_once(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(STORY.format(verified=False, check=EXPECT))
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E       pcm_browser.ExpectationFailure: Expected a delivered report to the source *, but there is none.",
            "E           FAILED: tap-is-verified: tap-not-verified, *",
            "*: ExpectationFailure",
            "*- pcm-browser log of *::test_story -*",
            "*click-discarded *tap-not-verified*",
        ]
    )
    assert "pcm-browser explains" not in str(result.stdout)
    # It has no warnings.
    assert "pcm-browser service log" not in str(result.stdout)


def test_another_failure_shows_the_log_and_an_explanation(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(STORY.format(verified=False, check="assert pcm_browser.reports()"))
    result = run(pytester)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*- pcm-browser log of *::test_story -*",
            "*- pcm-browser explains shop.example -*",
            "*FAILED: tap-is-verified: tap-not-verified, *",
        ]
    )


def test_failures_are_explained_first(pcm_browser: Browser) -> None:
    app = pcm_browser.register_app("com.example.news", report_endpoint="https://news.example")
    pcm_browser.open(app, source_identifier=4, destination_url="https://failed.example/", tap_verified=False)
    for number in range(3):
        pcm_browser.open(app, source_identifier=4, destination_url=f"https://shop{number}.example/")
    assert subjects(pcm_browser.events()) == ["failed.example", "shop2.example", "shop1.example"]


def traces(pytester: pytest.Pytester) -> list[str]:
    return sorted(file.name for file in (pytester.path / "pcm-traces").glob("*"))


@pytest.mark.parametrize(
    ("mode", "left"),
    [
        ("retain-on-failure", ["test_it.py-test_bad-1.html", "test_it.py-test_bad-1-2.html"]),
        ("off", []),
        (
            "on",
            [
                "test_it.py-test_bad-1.html",
                "test_it.py-test_bad-1-2.html",
                "test_it.py-test_expected.html",
                "test_it.py-test_good.html",
            ],
        ),
    ],
)
@pytest.mark.parametrize("workers", ["0", "2"])
def test_failed_tests_leave_traces(pytester: pytest.Pytester, mode: str, left: list[str], workers: str) -> None:
    pytester.makepyfile(
        test_it="""
        import pytest

        def test_good(pcm_browser):
            pass

        @pytest.mark.parametrize("number", ["1", "+1"])
        def test_bad(pcm_browser, number):
            assert not pcm_browser.register_app("com.example.news", report_endpoint="https://news.example")

        @pytest.mark.xfail
        def test_expected(pcm_browser):
            assert False
        """
    )
    result = run(pytester, "-n", workers, f"--pcm-trace={mode}", "--junitxml=junit.xml")
    result.assert_outcomes(passed=1, failed=2, xfailed=1)
    assert traces(pytester) == sorted(left)
    report = (pytester.path / "junit.xml").read_text()
    for name in left:
        assert f'<property name="pcm_trace" value="pcm-traces/{name}" />' in report
        if "bad" in name:
            result.stdout.fnmatch_lines([f"pcm-traces/{name}"])
            assert 'class="trace"' in (pytester.path / "pcm-traces" / name).read_text()[:200]
    assert report.count("<system-out>pcm-browser ") == 2


def test_a_session_removes_only_earlier_traces(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("pcm-traces")
    (folder / "old.html").write_text('<!doctype html>\n<html lang="en" class="trace">\n')
    (folder / "notes.html").write_text("<!doctype html>\n<html>")
    pytester.makepyfile("def test_it():\n    pass")
    run(pytester, "--pcm-trace=off")
    assert traces(pytester) == ["notes.html", "old.html"]
    run(pytester)
    assert traces(pytester) == ["notes.html"]


def test_junit_has_the_explanation_of_a_plain_assert(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(STORY.format(verified=False, check="assert pcm_browser.reports()"))
    run(pytester, "--junitxml=junit.xml")
    output = (pytester.path / "junit.xml").read_text().partition("<system-out>")[2].partition("</system-out>")[0]
    assert "FAILED: tap-is-verified: tap-not-verified" in output
    assert "pcm-browser trace" in output


def test_a_trace_that_is_missing_is_one_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_deleted(pcm_browser):
            pcm_browser.delete()
            assert False

        def test_passes(pcm_browser):
            pcm_browser.delete()
        """
    )
    result = run(pytester, "--pcm-trace=on")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["No trace: GET */trace returned 404: *"])


def test_the_browser_of_a_failed_test_is_kept(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    with start_service() as service, PCM(service.url) as pcm:
        monkeypatch.setenv("PCM_BROWSER_URL", service.url)
        pytester.makepyfile(test_it="def test_a(pcm_browser):\n    assert False\n\ndef test_b(pcm_browser):\n    pass")
        result = run(pytester, "--pcm-keep=failed")
        result.assert_outcomes(passed=1, failed=1)
        kept = [state.name for state in pcm.browsers() if state.name != "default"]
        assert [name.split()[0] for name in kept] == ["test_it.py::test_a"]
        url = pcm.existing_browser(kept[0]).url
        result.stdout.fnmatch_lines(["pcm-traces/test_it.py-test_a.html", url])
        assert httpx.get(url, trust_env=False).is_success


def test_a_failed_install_is_explained(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_install(pcm_browser):
            app = pcm_browser.register_app("com.example.shop", info_plist={}, item_identifier=525463029)
            assert pcm_browser.device.install(app).outcome == "attributed"
        """
    )
    run(pytester).stdout.fnmatch_lines(["*- pcm-browser explains install-* -*"])


def test_a_traceback_ends_in_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it(pcm_browser):\n    pcm_browser.device.tap('impression-1')")
    result = run(pytester)
    result.stdout.fnmatch_lines(
        [">       pcm_browser.device.tap('impression-1')", "E       pcm_browser.PCMError: POST *", "*: PCMError"]
    )
    result.stdout.no_fnmatch_line("*connection.py*")


def test_the_log_of_a_service_that_ended_is_shown(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_ends(_pcm_service, pcm_browser):
            _pcm_service._process.kill()
            _pcm_service._process.wait()

        def test_after(pcm_browser):
            pass
        """
    )
    result = run(pytester)
    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines(["*ERROR at setup of test_after*", "E*no service listens at*", "*- pcm-browser service log -*"])


def test_a_test_may_delete_its_browser(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_deletes(pcm_browser):\n    pcm_browser.delete()")
    run(pytester).assert_outcomes(passed=1)


def test_workers_have_separate_services(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("number", range(6))
        def test_same(pcm_browser, pcm, number):
            pcm_browser.register_app("com.example.news", report_endpoint="https://news.example")
            assert len(pcm_browser.apps()) == 1 and len(pcm.browsers()) == 2
        """
    )
    run(pytester, "-n", "2").assert_outcomes(passed=6)


def test_odd_names_are_accepted(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        r"""
        import pytest

        @pytest.mark.parametrize("name", ["a" * 300, "ä\n\x00", " b ", "../..", "%2F?#"], ids=lambda name: name)
        def test_größe(pcm_browser, name):
            assert pcm_browser.state().name == pcm_browser.name
        """
    )
    run(pytester).assert_outcomes(passed=5)


def test_long_names_are_shortened_and_differ() -> None:
    assert browser_name("test_a.py::test_b[1]") == "test_a.py::test_b[1]"
    assert browser_name("test_a.py::test_b[1]", "3f") == "test_a.py::test_b[1] 3f"
    names = [browser_name(f"{'ä' * 300}{number}", "3f") for number in range(2)]
    assert names[0] != names[1]
    assert all(len(name.encode()) <= 200 and name.startswith("ää") and name.endswith(" 3f") for name in names)
    assert browser_name("a\u2028b").startswith("a?b… ")


def test_a_receiver_gets_what_the_browser_sends(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from pcm_browser import PCMError

        @pytest.mark.parametrize("site", ["shop.example", "other.test"])
        def test_received(pcm_browser, pcm_receiver, site):
            pcm_browser.change(delivery_policy="reliable")
            pcm_receiver.fail({"on": "report", "fault": "status", "status": 503, "times": 1})
            app = pcm_browser.register_app("com.example.news", report_endpoint="https://news.example")
            pcm_browser.open(app, source_identifier=4, destination_url=f"https://{site}/")
            pcm_browser.trigger(f"https://{site}/", pixel_of="news.example", trigger_data=12)
            pcm_browser.advance_until_idle()
            assert len(pcm_receiver.reports()) == 3
            assert pcm_receiver.postbacks() == []
            with pytest.raises(PCMError, match="fault is missing"):
                pcm_receiver.fail({"on": "report"})
        """
    )
    run(pytester).assert_outcomes(passed=2)


def test_options_of_the_service_are_in_the_configuration(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\npcm_options = --max-browsers 2 --connect-to 'a.example::127.0.0.1:9'")
    pytester.makepyfile(
        """
        import pytest
        from pcm_browser import PCMError

        def test_limit(pcm, pcm_browser):
            with pytest.raises(PCMError) as failure:
                pcm.browser("third")
            assert failure.value.code == "limit-reached"
        """
    )
    run(pytester).assert_outcomes(passed=1)


def test_a_running_service_is_used_with_unique_names(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    with start_service("--api-token", "secret") as service:
        monkeypatch.setenv("PCM_BROWSER_URL", service.url)
        monkeypatch.setenv("PCM_BROWSER_API_TOKEN", "secret")
        check = "assert pcm_browser.name.startswith('test_it.py::test_story ') and pcm_browser.state().idle_timeout"
        pytester.makepyfile(test_it=STORY.format(verified=True, check=f"{EXPECT}\n    {check}"))
        run(pytester).assert_outcomes(passed=1)
        pytester.makepyfile(test_it="def test_received(pcm_receiver):\n    pass")
        result = run(pytester)
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*pcm-browser exec --receiver -- pytest*"])
        monkeypatch.setenv("PCM_RECEIVER_URL", service.receiver.url)
        monkeypatch.setenv("PCM_CA_FILE", service.receiver.ca_file)
        run(pytester).assert_outcomes(passed=1)


def test_a_missing_service_is_an_error_with_advice(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCM_BROWSER_URL", "http://127.0.0.1:9")
    pytester.makepyfile("def test_it(pcm_browser):\n    pass")
    run(pytester).stdout.fnmatch_lines(
        ["E*no service listens at http://127.0.0.1:9*", "E*Start the service with `pcm-browser serve`*"]
    )


def test_a_service_that_does_not_start_is_an_error_without_a_traceback(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PCM_BROWSER_BINARY", "/missing")
    pytester.makepyfile("def test_it(pcm_browser):\n    pass")
    result = run(pytester)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["PCM_BROWSER_BINARY is /missing, which is not an executable file"])
    result.stdout.no_fnmatch_line("*start_service*")


def is_up(url: str) -> bool:
    try:
        PCM(url).check_readiness()
    except PCMError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_service_stops_with_an_interrupted_session(pytester: pytest.Pytester, number: signal.Signals) -> None:
    file = pytester.makepyfile(
        """
        import signal

        # A background job of a shell ignores SIGINT. The alarm ends a session that misses its signal.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.alarm(60)

        def test_waits(pcm, pcm_browser):
            print("URL", pcm.url, flush=True)
            signal.pause()
        """
    )
    command = [sys.executable, "-m", "pytest", "-s", "-q", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as session:
        assert session.stdout is not None
        url = next(line.split()[1] for line in session.stdout if "URL " in line)
        assert is_up(url)
        os.kill(session.pid, number)
        output = session.stdout.read()
    deadline = time.monotonic() + 20
    while is_up(url) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_up(url), output


def test_a_service_stops_once_and_its_temporary_log_is_removed() -> None:
    with start_service() as service:
        assert service.log_file.exists()
        assert Path(service.receiver.ca_file).exists()
        service.stop()
        assert not is_up(service.url)
        with pytest.raises(PCMError, match="no service listens at"):
            service.receiver.reports()
    assert not service.log_file.exists()


def test_the_certificates_of_the_receiver_are_valid_for_strict_clients() -> None:
    with start_service() as service:
        context = ssl.create_default_context(cafile=service.receiver.ca_file)
        # The default from Python 3.13 on.
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        assert httpx.get(f"{service.receiver.url}/healthz", verify=context, trust_env=False).is_success


def test_certificates_of_the_environment_are_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    with start_service() as service:
        with pytest.raises(PCMError, match="CERTIFICATE_VERIFY_FAILED"):
            PCM(service.receiver.url).check_readiness()
        monkeypatch.setenv("SSL_CERT_FILE", service.receiver.ca_file)
        with pytest.raises(PCMError) as failure:
            PCM(service.receiver.url).check_readiness()
        assert failure.value.status == 404
