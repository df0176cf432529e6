"""Callers that stall or disconnect at every byte of a request to every route, and of its response.

Meanwhile, a plain click is answered. Afterward, the service has its descriptors and its connections back, its memory has
grown little, and it has answered no request with 5xx. Callers whose calls wait for a moving clock leave, too, and everything
is back while it still moves.
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

import device
from ledger import require
from load import require_success
from service import PATIENCE, Caller, Failure, Service

# All offsets up to the first number, and as many random ones after it as the second: by default, and with --every-byte.
SOME = (40, 40)
EVERY = (2_000, 200)
# Stalled connections at one time. Half of the service's connections may wait for events.
STALLED = 200
# The service closes a connection with an incomplete head after 10 seconds, and with an incomplete body after 30.
STALL_LIMIT = 40
# The bounds.
DESCRIPTORS = 16
MEMORY = 96 << 20
# With every byte, some 48,000 connections leave what complete requests store.
MEMORY_OF_EVERY_BYTE = 192 << 20
CLICK_SECONDS = 1.0
RECOVERY_SECONDS = 5
# Crowds of callers that leave while a clock moves. 64 may wait, so the last ones of a crowd may leave late. A call with a long
# URL that stays takes about 80 kB.
CROWDS, CROWD = 20, 30
MEMORY_DURING_MOVE = 32 << 20
BROWSER = "/v1/browsers/departing"
MOVING = "/v1/browsers/moving"
DEVICE = "/v1/devices/departing"
PAGE = "/browsers/departing"


class Departure:
    """One request, as the bytes of a caller, and the length of its response."""

    def __init__(self, port, name, content):
        self.name, self.content = name, content
        response = response_bytes(port, content)
        self.length = len(response)
        status = response.split(b" ", 2)[1:2]
        require(not response or status[0][:1] == b"2", f"{name} is answered with {response.decode()}")


def request_bytes(method, path, body=b"", fields=None):
    fields = {"Host": "127.0.0.1", "Connection": "close"} | (fields or {})
    if body:
        fields["Content-Length"] = str(len(body))
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
    return head.encode() + body


def resolve(document, value):
    if "$ref" not in value:
        return value
    kind, name = value["$ref"].rsplit("/", 2)[1:]
    return document["components"][kind][name]


def first_body(document, operation):
    """Returns the first example of the body, and its media type."""
    for media_type, content in resolve(document, operation.get("requestBody", {})).get("content", {}).items():
        value = next(iter(content["examples"].values()))["value"]
        return (value if isinstance(value, str) else json.dumps(value)).encode(), {"Content-Type": media_type}
    return b"", {}


def requests(document, identifiers):
    """Yields a name and the bytes of a request to each operation, with the examples of the document."""
    for path, item in document["paths"].items():
        browser_path = path.replace("/v1/devices", "/v1/browsers").replace("{device}", "{browser}")
        for method, operation in item.items():
            # A call that the browser has, too, has the same handler there.
            if method == "parameters" or path != browser_path and browser_path in document["paths"]:
                continue
            query = []
            target = path.replace("/v1/browsers/{browser}", BROWSER).replace("/v1/devices/{device}", DEVICE)
            for value in item.get("parameters", []) + operation.get("parameters", []):
                parameter = resolve(document, value)
                if parameter["in"] == "path":
                    names = [f"{operation['operationId']} {parameter['name']}", parameter["name"]]
                    identifier = next((identifiers[name] for name in names if name in identifiers), parameter["example"])
                    target = target.replace("{" + parameter["name"] + "}", identifier)
                elif parameter["in"] == "query" and parameter.get("required"):
                    query.append(f"{parameter['name']}={parameter['example']}")
            target += "?" + "&".join(query) if query else ""
            body, fields = first_body(document, operation)
            # Repetitions have no effect, so lists stay short.
            if any(parameter.get("$ref", "").endswith("/idempotencyKey") for parameter in operation.get("parameters", [])):
                fields["Idempotency-Key"] = operation["operationId"]
            yield operation["operationId"], request_bytes(method.upper(), target, body, fields)
    yield "event stream", request_bytes("GET", f"{BROWSER}/events", fields={"Accept": "text/event-stream"})
    yield "events with wait", request_bytes("GET", f"{BROWSER}/events?after=900000&wait=PT20S")
    yield "a page of a megabyte", request_bytes("GET", "/v1/browsers/long/events?limit=1000&include=decision")
    for target in pages(identifiers):
        yield target, request_bytes("GET", target)


def pages(identifiers):
    """Returns the targets of the pages and their parts, which `openapi.json` does not contain."""
    parts = ["summary", "timeline?width=900", "charts?width=900", "log", "log?kind=click&text=shop", "messages"]
    parts.append(f"why?about={identifiers['click']}")
    return ["/browsers", "/browsers?name=depart", "/docs", "/rules", PAGE, *(f"{PAGE}/{part}" for part in parts)]


def offsets(length, extent, random):
    """All offsets of a short message; of a long one, those at its start and some others.

    A response that has not begun has only the first offset, but several callers leave there.
    """
    dense, sparse = extent
    if length > 100_000:
        return sorted(random.sample(range(length), sparse))
    if length == 0:
        return [0] * sparse
    return [*range(min(length, dense)), *sorted(random.sample(range(dense, length), min(sparse, max(0, length - dense))))]


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
        """Reads so many bytes of the response."""
        connection = self.connect()
        connection.sendall(departure.content)
        # Only a stream has no end, and may have fewer bytes than before.
        connection.settimeout(0.2 if departure.name == "event stream" else 30)
        try:
            while offset > 0 and (part := connection.recv(min(offset, 65536))):
                offset -= len(part)
        except ConnectionResetError:
            pass
        except TimeoutError:
            require(departure.name == "event stream", f"{departure.name} had no response within 30 seconds")
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


def prepare(caller, document):
    """Creates browsers with something in every list. Returns the identifiers for paths."""
    specification = json.loads(first_body(document, document["paths"]["/v1/browsers/{browser}"]["put"])[0])
    # The history of a browser whose device has changed is no scenario.
    specification.pop("device", None)

    def call(method, path, body):
        status, answer = caller.call(method, path, body)
        require_success(status, answer)
        return answer

    for name in ("departing", "probe", "long"):
        call("PUT", f"/v1/browsers/{name}", specification)
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
    view, tapped, postback = prepare_device(call, document)
    return {
        "endView impression": view,
        "tapAd impression": tapped,
        "postback": postback,
        "click": click["id"],
        "event": trigger["id"],
        "attribution": attribution["id"],
        "report": attribution["sourceReportId"],
        "host": "news.example",
    }


def prepare_device(call, document):
    """Displays the ads of the document's examples. Returns the identifiers of a view, of an ad to tap, and of a postback."""
    operations = {path: item for path, item in document["paths"].items() if path.startswith("/v1/devices/")}
    examples = operations["/v1/devices/{device}/impressions"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    ads = {name: example["value"] for name, example in examples.items()}
    item = ads["storekit"]["advertisedAppStoreItemIdentifier"]
    registration = device.source_app("https://news.example") | {"itemIdentifier": ads["storekit"]["sourceAppStoreItemIdentifier"]}
    registration["infoPlist"]["AdNetworkIdentifiers"] = [device.NETWORK]
    call("PUT", f"{DEVICE}/apps/com.example.news", registration)
    call("PUT", f"{DEVICE}/apps/com.example.shop", device.advertised_app(item, "https://shop.example")[1])
    call("PUT", f"{DEVICE}/ad-networks/{device.NETWORK}", device.network())
    shown = call("POST", f"{DEVICE}/impressions", ads["storekit"])
    require(shown["outcome"] == "recorded", f"the ad is {shown}")
    app = {"bundleIdentifier": "com.example.shop"}
    call("POST", f"{DEVICE}/installs", app)
    call("POST", f"{DEVICE}/conversion-values", app | {"fineValue": 12})
    call("POST", f"{DEVICE}/clock/advance", {"by": "P2D"})
    postback = call("GET", f"{DEVICE}/postbacks", None)["items"][0]
    view, tapped = (call("POST", f"{DEVICE}/impressions", ads[name]) for name in ("view", "adattributionkit"))
    return view["id"], tapped["id"], postback["id"]


def response_bytes(port, content):
    """Returns a response; of a stream, what arrives at once."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(content)
        patience = 1 if b"event-stream" in content or b"wait=" in content else 30
        while select.select([connection], [], [], patience)[0] and (part := connection.recv(1 << 20)):
            received += part
    return received


def besiege(siege, probe, departures, extent, random):
    """Leaves at each offset of each request and response, in a random way."""
    for departure in departures:
        for length, leave in ((len(departure.content), siege.send_part), (departure.length, siege.read_part)):
            for offset in offsets(length, extent, random):
                leave(departure, offset, random.choice(["close", "close", "reset", "stall"]))
                if siege.count % 20 == 0:
                    probe.click()


class Stalls:
    """A connection that stalls within the request of each departure. The service must close it."""

    def __init__(self, port, departures, random):
        self.begin = time.monotonic()
        self.names = {}
        for departure in departures:
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
            connection.sendall(departure.content[: random.randrange(len(departure.content) - 1)])
            self.names[connection] = departure.name

    def wait_until_closed(self):
        # At least one look, if the siege took longer.
        end = max(self.begin + STALL_LIMIT, time.monotonic() + 1)
        while self.names and (left := end - time.monotonic()) > 0:
            for connection in select.select(list(self.names), [], [], left)[0]:
                if is_at_end(connection):
                    del self.names[connection]
                    connection.close()
        require(not self.names, f"stalled requests stayed open for {STALL_LIMIT} seconds: {list(self.names.values())}")


def is_at_end(connection):
    try:
        return not connection.recv(4096)
    except ConnectionResetError:
        return True


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


def order(request):
    """Reads first, while there is little to read, then the ends of views, which the device forgets after a day. Deletions last:
    later requests would not find what was deleted."""
    name, content = request
    return not content.startswith(b"GET"), name not in ("endView", "tapAd"), content.startswith(b"DELETE"), name == "deleteBrowser"


def run(service, seed, extent):
    chance = random.Random(seed)
    caller, probe, siege = Caller(service.port), Probe(service.port), Siege(service.port)
    document = caller.get("/openapi.json")
    identifiers = prepare(caller, document)
    listed = sorted(requests(document, identifiers), key=order)
    departures = [Departure(service.port, name, content) for name, content in listed if name != "deleteBrowser"]
    for _ in range(200):
        probe.click()
    calm = probe.percentile(0.99)
    probe.times.clear()
    baseline, (memory, _) = service.descriptors(), service.memory()
    begin = time.monotonic()
    stalls = Stalls(service.port, departures, chance)
    besiege(siege, probe, departures, extent, chance)
    besiege(siege, probe, [Departure(service.port, *listed[-1])], extent, chance)
    besieged = time.monotonic() - begin
    stalls.wait_until_closed()
    siege.end()
    # After some minutes without a request, the service has closed the connection. The next call opens another one.
    caller.connection.close()
    recovery = wait_for_recovery(service, caller, baseline)
    probe.click()
    answers = caller.call("GET", "/metrics")[1]
    allowed = MEMORY_OF_EVERY_BYTE if extent == EVERY else MEMORY
    after, most = service.memory()
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
    require_no_server_error(answers)
    require(most - memory <= allowed, f"memory grew from {memory >> 20} to {most >> 20} MB")
    require(max(probe.times) <= CLICK_SECONDS, f"a click took {max(probe.times):.2f} seconds")
    return result


def begin_move(siege, caller, silent):
    """Begins a move that waits for an endpoint that never answers. Returns its connection, and that to the endpoint."""
    manual = {"clock": {"mode": "manual", "start": "2026-11-20T10:00:00.000Z"}}
    require_success(*caller.call("PUT", MOVING, manual))
    # The limit of the move, 30 seconds, is longer than the time for a connection to an endpoint, 10 seconds.
    for number in range(3):
        site = f"https://d{number}.example"
        click = {"pageURL": "https://news.example/", "attributionSourceID": "1", "attributionDestination": site}
        require_success(*caller.call("POST", f"{MOVING}/link-clicks", click))
        pixel = {"firstPartyURL": f"{site}/", "pixelOf": "news.example", "triggerData": 1}
        require_success(*caller.call("POST", f"{MOVING}/triggering-events", pixel))
    mover = siege.connect()
    mover.sendall(json_request("POST", f"{MOVING}/clock/advance", {"by": "P7D"}))
    silent.settimeout(PATIENCE)
    return mover, silent.accept()[0]


def json_request(method, path, body):
    return request_bytes(method, path, json.dumps(body).encode(), {"Content-Type": "application/json"})


def changes(caller):
    """Returns the events of the browser that are not those of a move."""
    kinds = [event["kind"] for event in caller.items(f"{MOVING}/events")]
    return [kind for kind in kinds if not kind.startswith(("report-", "clock-"))]


def leave_during_move(service, caller, siege, chance):
    """Sends calls that wait for the clock, and leaves. Returns the longest time until everything is back."""
    baseline = service.descriptors()
    page = "https://news.example/" + "a" * 7000
    click = {"pageURL": page, "landingURL": page, "attributionSourceID": "2", "attributionDestination": "https://shop.example"}
    calls = [
        json_request("POST", f"{MOVING}/link-clicks", click),
        json_request("PATCH", MOVING, {"settings": {"debugMode": True}}),
        request_bytes("DELETE", f"{MOVING}/data"),
        request_bytes("DELETE", MOVING),
    ]
    recoveries = []
    for _ in range(CROWDS):
        crowd = [siege.connect() for _ in range(CROWD)]
        for connection in crowd:
            connection.sendall(chance.choice(calls))
        time.sleep(0.1)
        for connection in crowd:
            siege.leave(connection, chance.choice(["close", "reset"]))
        recoveries.append(wait_for_recovery(service, caller, baseline))
    return max(recoveries)


def run_during_move(service, seed, silent):
    caller, siege = Caller(service.port), Siege(service.port)
    mover, attempt = begin_move(siege, caller, silent)
    (memory, _), before = service.memory(), changes(caller)
    recovery = leave_during_move(service, caller, siege, random.Random(seed))
    after, _ = service.memory()
    require(changes(caller) == before, f"calls of callers that left took effect: {changes(caller)}")
    status, answer = caller.call("POST", f"{MOVING}/clock/advance", {"by": "PT1H"})
    require(status == 409 and answer["code"] == "clock-moving", f"the clock does not move any longer: {status} {answer}")
    siege.leave(mover, "reset")
    attempt.close()
    click = {"pageURL": "https://news.example/", "attributionSourceID": "3", "attributionDestination": "https://shop.example"}
    require_success(*caller.call("POST", f"{MOVING}/link-clicks", click))
    result = {
        "connections": siege.count,
        "recovery seconds": round(recovery, 2),
        "memory before MB": memory >> 20,
        "memory after MB": after >> 20,
    }
    print(json.dumps(result, indent=2), flush=True)
    require_no_server_error(caller.call("GET", "/metrics")[1])
    require(after - memory <= MEMORY_DURING_MOVE, f"memory grew from {memory >> 20} to {after >> 20} MB")
    return result


def require_no_server_error(metrics):
    failed = re.findall(r'^pcm_http_requests_total\{.*status="5xx"\} [1-9].*$', metrics, re.MULTILINE)
    require(not failed, f"requests were answered with 5xx: {failed}")


def with_service(arguments, act):
    """Returns the result of `act` with a service."""
    with tempfile.TemporaryDirectory() as folder:
        service = Service(os.environ["PCM_BROWSER_BINARY"], Path(folder, "data"), arguments, log=Path(folder, "log"))
        try:
            service.wait_until_ready()
            result = act(service)
            service.stop()
            return result
        except Failure as failure:
            print(Path(folder, "log").read_text()[-4000:], end="")
            sys.exit(f"FAILED: {failure}")
        finally:
            service.kill()


def main():
    parser = argparse.ArgumentParser(prog="scripts/departing-callers", description=__doc__)
    parser.add_argument("--seed", default="1", help="the seed of all choices")
    parser.add_argument("--every-byte", action="store_true", help="leave at each of the first 2,000 bytes")
    parser.add_argument("--json", metavar="FILE", help="write the result")
    options = parser.parse_args()
    result = with_service([], lambda service: run(service, options.seed, EVERY if options.every_byte else SOME))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        arguments = ["--connect-to", f"::127.0.0.1:{silent.getsockname()[1]}"]
        moving = with_service(arguments, lambda service: run_during_move(service, options.seed, silent))
    result["during a move"] = moving
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n")


main()
