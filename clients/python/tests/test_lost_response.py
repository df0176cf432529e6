"""A connection that closes before the response, through a relay. The call takes effect once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from pcm_browser import PCM, Browser, PCMError


class Relay:
    """Passes requests to a service, one connection each, and loses the responses to the first ones."""

    def __init__(self, target: str, lost: int) -> None:
        self.requests: list[bytes] = []
        self._lost = lost
        self._target = urlsplit(target)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client, socket.create_connection((self._target.hostname, self._target.port or 80)) as service:
                request = self._request(client)
                self.requests.append(request)
                service.sendall(request)
                response = self._response(service)
                if self._lost > 0:
                    self._lost -= 1
                else:
                    client.sendall(response)

    def _request(self, client: socket.socket) -> bytes:
        """A request, whose connection is not kept."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += client.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        length = next((int(line.split(b":")[1]) for line in lines if line.lower().startswith(b"content-length:")), 0)
        while len(body) < length:
            body += client.recv(65536)
        host = f"host: {self._target.netloc}".encode()
        lines = [host if line.lower().startswith(b"host:") else line for line in lines]
        return b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n" + body

    def _response(self, service: socket.socket) -> bytes:
        data = b""
        while part := service.recv(65536):
            data += part
        return data


@contextmanager
def relay(target: str, lost: int) -> Iterator[Relay]:
    middle = Relay(target, lost)
    try:
        yield middle
    finally:
        middle.close()


def key(request: bytes) -> bytes:
    return next(line for line in request.split(b"\r\n") if line.lower().startswith(b"idempotency-key:"))


def test_a_post_is_sent_again_with_its_key_and_takes_effect_once(pcm: PCM, pcm_browser: Browser) -> None:
    app = pcm_browser.register_app("com.example.news", report_endpoint="https://news.example")
    with relay(pcm.url, lost=1) as middle, PCM(middle.url) as service:
        browser = Browser(pcm_browser.name, service._connection)
        tap = browser.open(app, source_identifier=4, destination_url="https://shop.example/")
        assert len(middle.requests) == 2
        assert key(middle.requests[0]) == key(middle.requests[1])
        browser.open(app, source_identifier=4, destination_url="https://shop.example/")
        assert key(middle.requests[2]) != key(middle.requests[0])
    assert pcm_browser.clicks()[0].id == tap.id
    assert len(pcm_browser.clicks()) == 2


def test_a_deletion_is_not_repeated_and_a_second_loss_is_an_error(pcm: PCM, pcm_browser: Browser) -> None:
    with relay(pcm.url, lost=3) as middle, PCM(middle.url) as service:
        browser = Browser(pcm_browser.name, service._connection)
        with pytest.raises(PCMError) as failure:
            browser.clear_data()
        assert (failure.value.code, failure.value.retryable, len(middle.requests)) == ("unreachable", False, 1)
        with pytest.raises(PCMError):
            browser.state()
        assert len(middle.requests) == 3
