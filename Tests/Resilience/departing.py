"""Callers that stall or disconnect at every byte of a request to every route, and of its response.

Meanwhile, a plain click is answered. Afterward, the service has its memory, its descriptors, and its connections back, and has
answered no request with 5xx.
"""

import argparse
import json
import os
import random
import re
import select
import socket
import struct
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

from ledger import require
from load import require_success
from service import Caller, Failure, Service

# All offsets up to this one, and this many random ones after it.
DENSE = 192
SPARSE = 48
# Stalled connections at one time. Half of the service's connections may wait for events.
STALLED = 200
# The service closes a connection with an incomplete head after 10 seconds, and with an incomplete body after 30.
STALL_LIMIT = 40
# The bounds.
DESCRIPTORS = 16
MEMORY = 96 << 20
CLICK_SECONDS = 1.0
RECOVERY_SECONDS = 5
BROWSER = "/v1/browsers/departing"


class Departure:
    """One request, as the bytes of a caller, and the length of its response."""

    def __init__(self, name, content, length):
        self.name, self.content, self.length = name, content, length


def request_bytes(method, path, body=b"", fields=None):
    fields = {"Host": "127.0.0.1"} | (fields or {})
    if body:
        fields["Content-Length"] = str(len(body))
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    return head.encode() + body


def resolve(document, value):
    return document["components"]["parameters"][value["$ref"].rsplit("/", 1)[1]] if "$ref" in value else value


def first_body(operation):
    """Returns the first example of the body, and its media type."""
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        value = next(iter(content["examples"].values()))["value"]
        return (value if isinstance(value, str) else json.dumps(value)).encode(), {"Content-Type": media_type}
    return b"", {}


def requests(document, identifiers):
    """Yields a name and the bytes of a request to each operation, with the examples of the document."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method == "parameters":
                continue
            query = []
            target = path.replace("/v1/browsers/{browser}", BROWSER)
            for parameter in map(lambda value: resolve(document, value), item.get("parameters", []) + operation.get("parameters", [])):
                if parameter["in"] == "path":
                    value = identifiers.get(parameter["name"], parameter["example"])
                    target = target.replace("{" + parameter["name"] + "}", value)
                elif parameter["in"] == "query" and parameter.get("required"):
                    query.append(f"{parameter['name']}={parameter['example']}")
            target += "?" + "&".join(query) if query else ""
            body, fields = first_body(operation)
            yield operation["operationId"], request_bytes(method.upper(), target, body, fields)
    yield "event stream", request_bytes("GET", f"{BROWSER}/events", fields={"Accept": "text/event-stream"})
    yield "events with wait", request_bytes("GET", f"{BROWSER}/events?after=900000&wait=PT20S")
    yield "a page of a megabyte", request_bytes("GET", "/v1/browsers/long/events?limit=1000&include=decision")


def offsets(length, random):
    """All offsets of a short message; of a long one, those at its start and some others."""
    if length <= DENSE + SPARSE:
        return list(range(length))
    return [*range(DENSE), *sorted(random.sample(range(DENSE, length), SPARSE))]


class Siege:
    """The connections of the callers."""

    def __init__(self, port):
        self.port = port
        self.stalled = deque()
        self.count = 0

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        # Otherwise, a prefix may wait for the acknowledgment of the previous bytes.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.count += 1
        return connection

    def leave(self, connection, way):
        """Disconnects, with a reset or without, or stalls until the service closes the connection or too many stall."""
        if way == "stall":
            self.stalled.append(connection)
            if len(self.stalled) > STALLED:
                self.stalled.popleft().close()
            return
        if way == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def send_part(self, departure, offset, way):
        connection = self.connect()
        connection.sendall(departure.content[:offset])
        self.leave(connection, way)

    def read_part(self, departure, offset, way):
        """Reads so many bytes of the response. A small window keeps the rest in the service."""
        connection = self.connect()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(departure.content)
        try:
            while offset > 0 and (part := connection.recv(min(offset, 65536))):
                offset -= len(part)
        except ConnectionResetError:
            pass
        self.leave(connection, way)

    def end(self):
        while self.stalled:
            self.stalled.pop().close()


class Probe:
    """Plain clicks on a connection that stays, and the time of each."""

    def __init__(self, port):
        self.caller = Caller(port)
        self.times = []

    def click(self):
        body = {
            "pageURL": "https://news.example/",
            "attributionSourceID": "1",
            "attributionDestination": f"https://d{len(self.times) % 100}.example",
        }
        begin = time.monotonic()
        status, answer = self.caller.call("POST", "/v1/browsers/probe/link-clicks", body)
        self.times.append(time.monotonic() - begin)
        require_success(status, answer)

    def percentile(self, share, times=None):
        times = sorted(times or self.times)
        return times[min(len(times) - 1, int(len(times) * share))]


def prepare(caller):
    """Creates browsers with something in every list. Returns the identifiers for paths."""
    manual = {"storage": "ephemeral", "clock": {"mode": "manual", "start": "2026-11-20T10:00:00.000Z"}}

    def call(method, path, body):
        status, answer = caller.call(method, path, body)
        require_success(status, answer)
        return answer

    for name in ("departing", "probe", "long"):
        call("PUT", f"/v1/browsers/{name}", manual)
        call("PUT", f"/v1/browsers/{name}/network", {"mode": "simulated"})
        call("PUT", f"/v1/browsers/{name}/apps/com.example.news", {"reportEndpoint": "https://news.example"})
    call("PUT", f"{BROWSER}/sites/news.example", {"report": [{"status": 503}]})
    link = {"pageURL": "https://news.example/", "attributionSourceID": "1", "attributionDestination": "https://shop.example"}
    click = call("POST", f"{BROWSER}/link-clicks", link)
    pixel = {"firstPartyURL": "https://shop.example/", "pixelOf": "news.example", "triggerData": 1}
    trigger = call("POST", f"{BROWSER}/triggering-events", pixel)
    call("POST", f"{BROWSER}/clock/advance", {"by": "PT48H"})
    for number in range(200):
        page = f"https://news.example/{number}/" + "a" * 7000
        call("POST", "/v1/browsers/long/link-clicks", link | {"pageURL": page, "landingURL": page})
    attribution = trigger["attribution"]
    return {
        "click": click["id"],
        "event": trigger["id"],
        "attribution": attribution["id"],
        "report": attribution["sourceReportId"],
        "host": "news.example",
    }


def length_of_response(port, content):
    """Returns the number of bytes of a response; of a stream, those that arrive at once."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(content)
        received = b""
        while select.select([connection], [], [], 1)[0] and (part := connection.recv(1 << 20)):
            received += part
            head, end, body = received.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", head)
            if end and (len(body) >= int(length[1]) if length else not re.search(rb"(?i)transfer-encoding", head)):
                break
    return len(received)


def besiege(service, siege, probe, departures, random):
    """Leaves at each offset of each request and response, in a random way."""
    for departure in departures:
        for offset in offsets(len(departure.content), random):
            siege.send_part(departure, offset, random.choice(["close", "close", "reset", "stall"]))
            if siege.count % 20 == 0:
                probe.click()
        for offset in offsets(departure.length, random):
            siege.read_part(departure, offset, random.choice(["close", "close", "reset", "stall"]))
            if siege.count % 20 == 0:
                probe.click()


def wait_for_closed_stalls(port, departures, random):
    """Stalls within each request, and requires that the service closes the connection."""
    connections = {}
    for departure in departures:
        connection = socket.create_connection(("127.0.0.1", port), timeout=30)
        connection.sendall(departure.content[: random.randrange(len(departure.content) - 1)])
        connections[connection] = departure.name
    end = time.monotonic() + STALL_LIMIT
    while connections and time.monotonic() < end:
        for connection in select.select(list(connections), [], [], end - time.monotonic())[0]:
            try:
                is_closed = not connection.recv(4096)
            except ConnectionResetError:
                is_closed = True
            if is_closed:
                del connections[connection]
                connection.close()
    require(not connections, f"stalled requests stayed open for {STALL_LIMIT} seconds: {list(connections.values())}")


def metric(text, name):
    return int(re.search(rf"^{name} (\d+)$", text, re.MULTILINE)[1])


def wait_for_recovery(service, caller, baseline):
    """Waits until only the two connections of the test are open, and returns the seconds."""
    begin = time.monotonic()
    while time.monotonic() < begin + RECOVERY_SECONDS:
        text = caller.call("GET", "/metrics")[1]
        left = service.descriptors() - baseline
        if metric(text, "pcm_http_connections") <= 2 and metric(text, "pcm_http_unread_bytes") == 0 and left <= DESCRIPTORS:
            return time.monotonic() - begin
        time.sleep(0.05)
    raise Failure(
        f"{RECOVERY_SECONDS} seconds after all callers left, {metric(text, 'pcm_http_connections')} connections, "
        f"{metric(text, 'pcm_http_unread_bytes')} unread bytes, and {left} additional descriptors remain"
    )


def run(service, seed):
    chance = random.Random(seed)
    caller, probe, siege = Caller(service.port), Probe(service.port), Siege(service.port)
    identifiers = prepare(caller)
    document = caller.get("/openapi.json")
    departures = [
        Departure(name, content, length_of_response(service.port, content))
        for name, content in requests(document, identifiers)
        if name != "deleteBrowser"
    ]
    # The last one, because later requests to the same browser are not found.
    deleting = request_bytes("DELETE", BROWSER)
    for _ in range(200):
        probe.click()
    calm = probe.percentile(0.99)
    baseline, (memory, _) = service.descriptors(), service.memory()
    probe.times.clear()
    begin = time.monotonic()
    besiege(service, siege, probe, departures + [Departure("deleteBrowser", deleting, 200)], chance)
    besieged = time.monotonic() - begin
    siege.end()
    recovery = wait_for_recovery(service, caller, baseline)
    wait_for_closed_stalls(service.port, departures, chance)
    probe.click()
    after, most = service.memory()
    answers = caller.call("GET", "/metrics")[1]
    result = {
        "routes": len(departures) + 1,
        "connections": siege.count,
        "seconds": round(besieged, 1),
        "recovery seconds": round(recovery, 2),
        "calm click p99 ms": round(calm * 1000, 1),
        "besieged click p50 ms": round(probe.percentile(0.5) * 1000, 1),
        "besieged click p99 ms": round(probe.percentile(0.99) * 1000, 1),
        "besieged click maximum ms": round(max(probe.times) * 1000, 1),
        "memory before MB": memory >> 20,
        "memory after MB": after >> 20,
        "memory maximum MB": most >> 20,
    }
    print(json.dumps(result, indent=2), flush=True)
    failed = re.findall(r'^pcm_http_requests_total\{.*status="5xx"\} [1-9].*$', answers, re.MULTILINE)
    require(not failed, f"requests were answered with 5xx: {failed}")
    require(most - memory <= MEMORY, f"memory grew from {memory >> 20} to {most >> 20} MB")
    require(max(probe.times) <= CLICK_SECONDS, f"a click took {max(probe.times):.2f} seconds")
    return result


def main():
    parser = argparse.ArgumentParser(prog="scripts/departing-callers", description=__doc__)
    parser.add_argument("--seed", default="1", help="the seed of all choices")
    parser.add_argument("--json", metavar="FILE", help="write the result")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        service = Service(os.environ["PCM_BROWSER_BINARY"], Path(folder, "data"), log=Path(folder, "log"))
        try:
            service.wait_until_ready()
            result = run(service, options.seed)
            service.stop()
        except Failure as failure:
            print(Path(folder, "log").read_text()[-4000:], end="")
            sys.exit(f"FAILED: {failure}")
        finally:
            service.kill()
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n")


main()
