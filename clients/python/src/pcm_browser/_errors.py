"""The errors of the client."""

from __future__ import annotations

from dataclasses import dataclass

from ._wire import Model, printable
from .models import ExpectationResult, Explanation, ProblemEntry, Report, Settlement

_ADVICE = {
    "bad-response": "Check that the URL is the service's. A proxy or another server may respond in its place.",
    "unreachable": "Start the service with `pcm-browser serve`, or set PCM_BROWSER_URL to the URL at which it listens.",
    401: "Set PCM_BROWSER_API_TOKEN to the service's token, or pass token= to PCM.",
    421: "Start the service with --allowed-host and the host name of its URL.",
}


@dataclass(frozen=True, kw_only=True)
class Problem(Model):
    """The members of a problem document that the client reads."""

    title: str
    code: str | None = None
    detail: str = ""
    errors: list[ProblemEntry] | None = None
    retryable: bool = False
    request_id: str | None = None


class PCMError(Exception):
    """An error response, a response that the service does not send, or no response. The text includes the remedy.

    Example::

        try:
            pcm.existing_browser("missing")
        except PCMError as error:
            assert (error.status, error.code) == (404, "not-found")

    Attributes:
        status: The HTTP status; None without a response.
        code: The stable code, such as `invalid`, `not-found`, or `conflict`. Without a complete response, `unreachable` or
            `timed-out`; `bad-response` for a success that is not as the service sends it, such as the page of a proxy; None
            for an error without a problem document.
        title: The kind of error.
        detail: The details of this occurrence.
        errors: The invalid members and parameters, each with `pointer` or `parameter`, `detail`, and `code`.
        request: The method and URL of the call.
        request_id: The identifier of the request in the service's log; None without a problem document.
        retryable: Whether the service returned an error after which the same call may succeed, such as a full service.
            Without a response it is false, because the call may have taken effect.
    """

    def __init__(
        self,
        request: str,
        *,
        status: int | None = None,
        code: str | None = None,
        title: str,
        detail: str,
        errors: list[ProblemEntry] | None = None,
        retryable: bool = False,
        request_id: str | None = None,
    ) -> None:
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.errors = errors or []
        self.request = request
        self.retryable = retryable
        self.request_id = request_id
        super().__init__(printable(self._text()))

    def _text(self) -> str:
        outcome = f"returned {self.status}: {self.title}" if self.status else self.title
        named = [(entry.pointer or entry.parameter, entry.detail) for entry in self.errors]
        places = [f"{place}: {detail}" if place else detail for place, detail in named]
        advice = _ADVICE.get(self.code) or _ADVICE.get(self.status)
        return "\n  ".join([f"{self.request} {outcome}", *(places or [self.detail]), *([advice] if advice else [])])

    @property
    def pointers(self) -> list[str]:
        """The locations of all errors in the body, as RFC 6901 pointers: `/sourceIdentifier`."""
        return [entry.pointer for entry in self.errors if entry.pointer]

    @classmethod
    def of_response(cls, request: str, status: int, problem: Problem | None, text: str) -> PCMError:
        """Creates an error from a response that is not successful, with or without a problem document."""
        if problem is None:
            return cls(request, status=status, title="no problem document", detail=text[:500])
        return cls(
            request,
            status=status,
            code=problem.code,
            title=problem.title,
            detail=problem.detail,
            errors=problem.errors,
            retryable=problem.retryable,
            request_id=problem.request_id,
        )


class ExpectationFailure(AssertionError):
    """An unmet expectation. Its text is the explanation.

    Example::

        with pytest.raises(ExpectationFailure, match="there is none") as failure:
            browser.expect_report("source", destination_site="shop.example", trigger_data=12)
        assert failure.value.report is None

    Attributes:
        browser: The name of the browser.
        report: The unwanted report; None when the expected report does not exist.
        explanation: The explanation of the current state; None when there is nothing to explain.
    """

    def __init__(self, browser: str, result: ExpectationResult) -> None:
        self.browser = browser
        self.report: Report | None = result.report
        self.explanation: Explanation | None = result.explanation
        super().__init__(printable(result.text))


class NotSettled(AssertionError):
    """Something in Chromium was still pending, or Chromium is gone. The text describes it.

    Example::

        with pcm.attach(page.context) as safari, pytest.raises(NotSettled) as failure:
            page.goto("https://news.example/slow")
            safari.settled(within=1)
        print(failure.value.settlement.pending)

    Attributes:
        settlement: The observations until then, and the pending work.
    """

    def __init__(self, browser: str, settlement: Settlement) -> None:
        self.browser = browser
        self.settlement = settlement
        super().__init__(printable(self._text()))

    def _text(self) -> str:
        if self.settlement.state == "ended":
            return f'The attachment of browser "{self.browser}" ended: {self.settlement.reason}'
        pending = self.settlement.pending
        counts = [
            (pending.clicks, "clicks wait for their landing page"),
            (pending.held_requests, "requests to the trigger path are held"),
            (pending.requests, "requests have no response"),
        ]
        lines = [f"  {count} {text}" for count, text in counts if count]
        lines = lines or ["  its pages load without a pause, or one of them does not respond, such as with an open dialog"]
        return "\n".join([f'Chromium did not settle for browser "{self.browser}":', *lines])


# In a traceback, the errors have the names under which they are imported.
for _error in (PCMError, ExpectationFailure, NotSettled):
    _error.__module__ = "pcm_browser"
