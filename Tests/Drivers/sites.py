"""A news site with an ad and a pixel, and a shop: served by routes of Playwright, or over TLS."""

from __future__ import annotations

import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TRIGGER = "https://news.example/.well-known/private-click-measurement/trigger-attribution/12/03"
AD = 'href="https://shop.example/" attributionsourceid="4" attributiondestination="https://shop.example"'
PAGES = {
    "https://news.example/": f'<a id="ad" {AD}>Ad</a><a id="prevented" {AD} onclick="event.preventDefault()">Ad</a>',
    "https://shop.example/": '<a id="buy" href="/thanks">Buy</a>',
    "https://shop.example/thanks": '<p id="thanks">Thanks</p><img src="https://news.example/pixel">',
}
PIXEL = "https://news.example/pixel"


def response(url: str) -> tuple[int, dict[str, str], str]:
    """The status, the fields, and the body at a URL."""
    if url == PIXEL:
        return 302, {"Location": TRIGGER}, ""
    if url in PAGES:
        return 200, {"Content-Type": "text/html"}, f'<!doctype html><link rel="icon" href="data:,">{PAGES[url]}'
    return 404, {}, ""


@contextmanager
def over_tls(folder: Path) -> Iterator[list[str]]:
    """Serves the sites, and returns the arguments with which Chromium finds them."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subject = ["-subj", "/CN=example", "-addext", "subjectAltName=DNS:*.example"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    key_type = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subprocess.run(["openssl", "req", "-x509", *key_type, *subject, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield ["--ignore-certificate-errors", f"--host-resolver-rules=MAP *.example 127.0.0.1:{server.server_port}"]
    finally:
        server.shutdown()
        server.server_close()


class Handler(BaseHTTPRequestHandler):
    """Responds on every host."""

    def do_GET(self) -> None:
        status, fields, body = response(f"https://{self.headers['Host']}{self.path}")
        self.send_response(status)
        for name, value in {**fields, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *arguments: object) -> None:
        """Prints nothing."""
