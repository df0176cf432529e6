"""An endpoint with five typical bugs: a redirect, a protection from request forgery, a failing key, refused repetitions, slow answers.

    python3 five-bugs.py [SECONDS]   a report takes 12 seconds by default

It speaks plain HTTP on a port that the kernel chooses and that it prints, so --forward-to directs a check here.
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATH = "/.well-known/private-click-measurement/report-attribution"
seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 12
counted = set()


def is_report(body):
    try:
        report = json.loads(body)
        return (
            report["source_engagement_type"] == "click"
            and type(report["source_site"]) is type(report["attributed_on_site"]) is str
            and report["source_id"] in range(256)
            and report["trigger_data"] in range(16)
            and report["version"] in (1, 2, 3)
        )
    except (ValueError, KeyError, TypeError):
        return False


class Endpoint(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(500 if "get-token-public-key" in self.path else 405 if self.path.startswith(PATH) else 404)

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        self.close_connection = length > 4096
        body = b"" if self.close_connection else self.rfile.read(length)
        if self.path == PATH + "/":
            self.answer(301, PATH)
        elif self.path != PATH:
            self.answer(404)
        elif self.headers.get("Origin") != f"https://{self.headers['Host']}":
            self.answer(403)
        else:
            time.sleep(seconds)
            self.answer(413 if self.close_connection else self.status(body))

    def status(self, body):
        if not is_report(body):
            return 400
        status = 409 if body in counted else 204
        counted.add(body)
        return status

    def answer(self, status, location=None):
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    request_queue_size = 64


server = Server(("127.0.0.1", 0), Endpoint)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
