"""Responses that the service does not send: each is a `PCMError` that names the fault, within its limits."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from pcm_browser import PCM, AsyncBrowser, AsyncPCM, Browser, PCMError, _answers
from pcm_browser._wire import printable

Reply = Callable[[socket.socket], None]


def receive(client: socket.socket) -> bytes:
    if part := client.recv(65536):
        return part
    raise ConnectionError


def read_request(client: socket.socket) -> None:
    """Also reads the body: a connection that is closed before its request is read is reset, and loses the response."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += receive(client)
    head, _, body = received.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    while len(body) < (int(length[1]) if length else 0):
        body += receive(client)


@contextmanager
def server(reply: Reply) -> Iterator[str]:
    """A server that reads each request, replies, and closes the connection."""
    listener = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            with client, suppress(OSError):
                read_request(client)
                reply(client)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def response(body: bytes, media_type: str = "application/json", *fields: str, status: str = "200 OK") -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Type: {media_type}", "Connection: close", *fields]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def sends(content: bytes) -> Reply:
    return lambda client: client.sendall(content)


def failure_of(reply: Reply, call: Callable[[Browser], Any] = Browser.state, timeout: float = 30) -> PCMError:
    with server(reply) as url, PCM(url, timeout=timeout) as pcm, pytest.raises(PCMError) as failure:
        call(Browser("shop", pcm._connection))
    return failure.value


HTML = b"<!DOCTYPE html><h1>502 Bad gateway</h1>"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (response(HTML, "text/html"), "its type is text/html, and not application/json. It begins with '<!DOCTYPE html>"),
        (response(HTML), "it is not JSON: Expecting value"),
        (response(b'{"name": "sh'), "it is not JSON: Unterminated string"),
        (response(b""), "it is not JSON"),
        (response(b"null"), "expected an object, got null"),
        (response(b"[1]"), "expected an object, got an array"),
        (response(b"{}"), "the member name is missing"),
        (response(b'{"name": 4}'), "/name: expected a string, got 4"),
        (response(b'{"name": "shop", "createdAt": NaN}'), "NaN is not a number of JSON"),
        (response(b"[" * 100_000), "its JSON has too many levels"),
        (response(b"1" * 5000), "it is not JSON"),
        (response('{"name": "größe"}'.encode("latin-1")), "its text is not in UTF-8"),
        (response("{}".encode("utf-16")), "its text is not in UTF-8"),
        (response(b"{}", "application/json", "Content-Encoding: gzip"), "its content is not encoded with gzip"),
        (response(gzip.compress(b'{"name": 4}'), "application/json", "Content-Encoding: gzip"), "/name: expected a string"),
        (response(b"\x1b[2J\n\x07", "text/plain"), r"It begins with '\x1b[2J\n\x07'"),
        (response(b"{}", ""), "its type is missing"),
    ],
)
def test_a_success_that_is_not_as_the_service_sends_it(content: bytes, text: str) -> None:
    error = failure_of(sends(content))
    assert (error.status, error.code, error.retryable) == (200, "bad-response", False)
    assert "returned 200: not a response of the service" in str(error)
    assert text in str(error)
    assert "Check that the URL is the service's" in str(error)


@pytest.mark.parametrize(
    "call",
    [
        Browser.apps,
        Browser.scenario,
        Browser.events,
        Browser.clear_data,
        lambda browser: browser.explain("shop.example"),
        lambda browser: browser.explanation_text("shop.example"),
        lambda browser: browser.advance(hours=1),
        lambda browser: browser.register(b"<plist/>"),
        lambda browser: browser.wait_for("click-stored", timeout=1),
        lambda browser: browser.expect_report("source"),
        lambda browser: browser.script("news.example"),
        lambda browser: list(browser.stream()),
        lambda browser: PCM(browser._connection.url).play("scenario: nothing"),
        lambda browser: PCM(browser._connection.url).metrics(),
        lambda browser: PCM(browser._connection.url).check_readiness(),
        lambda browser: PCM(browser._connection.url).browser("shop"),
    ],
)
@pytest.mark.parametrize("content", [response(HTML, "text/html"), response(b"<", "application/json"), response(b"[{]")])
def test_no_call_accepts_the_page_of_a_proxy(call: Callable[[Browser], Any], content: bytes) -> None:
    error = failure_of(sends(content), call)
    assert error.code == "bad-response", error


@pytest.mark.parametrize(
    "page",
    [
        {"next": None},
        {"items": {}},
        {"items": [4]},
        {"items": [{"bundleIdentifier": 4}]},
        {"items": [], "next": 4},
    ],
)
def test_a_page_of_a_list_with_wrong_types(page: dict[str, Any]) -> None:
    assert failure_of(sends(response(json.dumps(page).encode())), Browser.apps).code == "bad-response"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "unreachable"),
        (b"HTTP/1.1 200 OK\r\nContent-Len", "unreachable"),
        (response(b'{"name"', "application/json", "Content-Length: 400"), "unreachable"),
        (response(b"5\r\n{}", "application/json", "Transfer-Encoding: chunked"), "unreachable"),
        (response(b"zz\r\n", "application/json", "Transfer-Encoding: chunked"), "unreachable"),
        (b"", "unreachable"),
        (response(HTML, "text/html", status="502 Bad Gateway"), None),
        (response(b'{"title": 4}', "application/problem+json", status="500 Error"), None),
        (response(b"[]", "application/problem+json", status="500 Error"), None),
        (response(b'{"title": "t", "errors": {"a": 1}}', "application/problem+json", status="422 Invalid"), None),
        (response(b"", "text/html", "Location: /login", status="302 Found"), None),
    ],
)
def test_a_cut_response_and_an_error_of_another_server(content: bytes, code: str | None) -> None:
    error = failure_of(sends(content))
    assert error.code == code, error
    assert "no service listens" not in str(error)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"id: 1\ndata: <html>\n\n", "it is not JSON"),
        (b"id: 1\ndata: [1]\n\n", "expected an object, got an array"),
        (b'id: 1\ndata: {"sequence": "one"}\n\n', '/sequence: expected an integer, got "one"'),
        (b"data: 4\n\n", "expected an object, got 4"),
        (b"id: 1\ndata: \xff\n\n", "its text is not in UTF-8"),
        (b"id: \xff\n\n", "a message of the stream has the identifier"),
        (b"data: " + b"x" * 5000, "a message of the stream has more than 4096 bytes"),
        (b"data: x\n" * 3000, "a message of the stream has more than 4096 bytes"),
    ],
)
def test_a_stream_that_is_not_as_the_service_sends_it(content: bytes, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcm_browser._moves.MAXIMUM_MESSAGE", 4096)
    error = failure_of(sends(response(content, "text/event-stream")), lambda browser: list(browser.stream()))
    assert (error.code, text in str(error)) == ("bad-response", True), error


def test_a_stream_may_have_comments_parts_and_other_separators() -> None:
    event = {"sequence": 1, "at": "2026-11-20T10:00:00.000Z", "kind": "click-stored", "detail": {"purchaser": "a\u2028b\x85c"}}
    text = json.dumps(event, ensure_ascii=False)
    content = f": waits\n\n:\nid: 1\r\nevent: click-stored\ndata: {text}\n\ndata: {{}}\n\n".encode()

    def reply(client: socket.socket) -> None:
        client.sendall(response(content, "text/event-stream"))

    with server(reply) as url, PCM(url) as pcm:
        events = Browser("shop", pcm._connection).stream()
        assert next(events).json == event
        events.close()


def test_a_body_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcm_browser._sync.connection.MAXIMUM_BODY", 1 << 20)
    assert "it has more than 1048576 bytes" in str(failure_of(sends(response(b"[" + b" " * (2 << 20)))))
    bomb = response(gzip.compress(b" " * (8 << 20)), "application/json", "Content-Encoding: gzip")
    assert "it has more than 1048576 bytes" in str(failure_of(sends(bomb)))
    assert _answers.MAXIMUM_BODY == 64 << 20


def drips(beginning: bytes, part: bytes) -> Reply:
    """A response in parts, one after another until the client leaves."""

    def reply(client: socket.socket) -> None:
        client.sendall(beginning)
        while not select.select([client], [], [], 0.02)[0]:
            client.sendall(part)

    return reply


DRIPS = [
    drips(b"HTTP/1.1 200 OK\r\n", b"a"),
    drips(response(b"", "application/json"), b" "),
    drips(b"", b""),
]


@pytest.mark.parametrize("reply", DRIPS)
def test_a_timeout_is_the_time_of_the_whole_call(reply: Reply) -> None:
    error = failure_of(reply, timeout=0.2)
    assert (error.code, error.status) == ("timed-out", None)
    assert "PCM(timeout=…) allows 0:00:00.200000 for a call" in str(error)
    assert failure_of(DRIPS[0], lambda browser: list(browser.stream()), timeout=0.2).code == "timed-out"


@pytest.mark.parametrize("reply", DRIPS)
def test_a_timeout_of_the_asynchronous_client(reply: Reply) -> None:
    async def run(url: str) -> None:
        async with AsyncPCM(url, timeout=0.2) as pcm:
            await AsyncBrowser("shop", pcm._connection).state()

    with server(reply) as url, pytest.raises(PCMError) as failure:
        asyncio.run(run(url))
    assert failure.value.code == "timed-out"


def test_control_characters_are_escaped() -> None:
    problem = {"title": "Invalid\x1b[31m", "code": "invalid", "detail": "a\r\n\u202eb\ud800 ä", "status": 422}
    error = failure_of(sends(response(json.dumps(problem).encode(), "application/problem+json", status="422 Invalid")))
    assert str(error).endswith("/v1/browsers/shop returned 422: Invalid\\x1b[31m\n  a\\r\n\\u202eb\\ud800 ä")
    assert error.detail == problem["detail"]
    assert printable("line\n\x00\x7f\x9b\u2028é 🙂") == "line\n\\x00\\x7f\\x9b\\u2028é 🙂"
