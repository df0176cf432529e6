"""Callers that abuse the service in one way each, and count the answers that they receive.

An abuser is a process. Its actions expect certain answers and, some of them, the end of a connection. Everything else ends the
process with an error.
"""

import concurrent.futures
import json
import os
import re
import signal
import socket
import sys
import threading
import time
import traceback
from collections import Counter
from dataclasses import dataclass

import device
from ledger import require
from load import require_success
from service import Caller

BROWSER = "/v1/browsers/abused"
LINK = {"pageURL": "https://news.example/", "attributionSourceID": "1", "attributionDestination": "https://shop.example"}
# With the decisions, 190 events are a megabyte.
PAGE = f"{BROWSER}/events?limit=1000&include=decision"
EMPTY = {"storage": "ephemeral", "clock": {"mode": "manual"}}
# What a caller without data or with too many connections may see.
BUSY = {"503 busy", "503 too-many-connections", "connection ended"}


class Tally:
    """Counts answers by their status, with the code of a problem or else the media type.

    Writes all counts as a line of JSON to standard output when an answer is the first of its kind, and after SIGTERM, which
    ends the process.
    """

    def __init__(self):
        self.counts = Counter()
        # The handler of the signal may interrupt its owner.
        self.lock = threading.RLock()
        signal.signal(signal.SIGTERM, lambda *_: (self.write(), os._exit(0)))

    def add(self, kind):
        with self.lock:
            self.counts[kind] += 1
            if self.counts[kind] == 1:
                self.write()

    def write(self):
        os.write(1, json.dumps(dict(self.counts)).encode() + b"\n")

    def call(self, caller, method, path, body=None, headers=None):
        """Sends bytes or a value as JSON, counts the answer, and returns its content without decoding it."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        try:
            caller.connection.request(method, path, data, headers or ({"Content-Type": "application/json"} if data else {}))
            answer = caller.connection.getresponse()
            content = answer.read()
        except ConnectionError:
            caller.close()
            self.add("connection ended")
            time.sleep(0.01)
            return b""
        self.add(kind_of(answer.status, answer.headers.get("Content-Type", ""), content))
        return content

    def take(self, content):
        """Counts an answer that arrived as bytes, if there is one."""
        head, _, body = content.partition(b"\r\n\r\n")
        if found := re.match(rb"HTTP/1\.1 (\d{3}) ", head):
            media_type = re.search(rb"(?im)^content-type: (\S+)", head)
            self.add(kind_of(int(found[1]), media_type[1].decode() if media_type else "", body))


def kind_of(status, media_type, content):
    code = re.search(rb'"code":\s*"([a-z-]+)"', content) if "problem" in media_type else None
    return f"{status} {code[1].decode() if code else media_type}".strip()


class Crowd:
    """Connections on which requests are sent and nothing is read before they are closed."""

    def __init__(self, port, count, tally):
        self.tally = tally
        self.connections = [connect(port, is_narrow=True) for _ in range(count)]

    def send(self, content, count=None):
        for connection in self.connections[:count]:
            try:
                connection.sendall(content)
            except ConnectionError:
                self.tally.add("connection ended")

    def leave(self):
        """Counts the answers that have arrived, and closes the connections."""
        for connection in self.connections:
            connection.setblocking(False)
            try:
                self.tally.take(connection.recv(65536))
            except BlockingIOError:
                pass
            except ConnectionError:
                self.tally.add("connection ended")
            connection.close()


def must(caller, method, path, body=None):
    status, answer = caller.call(method, path, body)
    require_success(status, answer)
    return answer


def head(method, path, *fields):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *fields, "", ""]).encode()


def connect(port, is_narrow=False):
    """Connects. The kernel keeps little of what a narrow connection does not read, so the service keeps the rest."""
    connection = socket.socket()
    if is_narrow:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(30)
    connection.connect(("127.0.0.1", port))
    return connection


def forever(action):
    while True:
        action()


def at_once(count, make):
    """Repeats the actions of several abusers, each in a thread, until one of them fails."""
    pool = concurrent.futures.ThreadPoolExecutor(count)
    running = [pool.submit(forever, make(number)) for number in range(count)]
    for ended in concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED).done:
        ended.result()


def prepare_advance(caller, size):
    must(caller, "PUT", f"{BROWSER}/sites/news.example", {"report": [{"status": 503}]})
    for number in range(size):
        must(caller, "POST", f"{BROWSER}/link-clicks", LINK | {"attributionDestination": f"https://d{number}.example"})
        pixel = {"firstPartyURL": f"https://d{number}.example/", "pixelOf": "news.example", "triggerData": 1}
        must(caller, "POST", f"{BROWSER}/triggering-events", pixel)


def advance(port, tally):
    """Moves clocks to their end, while an endpoint that is down lets every report be retried for 30 days.

    The retries of one browser end, so each round has a copy. Three callers, so that one always moves a clock.
    """

    def make(number):
        caller, path = Caller(port), f"/v1/browsers/advance-{number}"

        def round():
            tally.call(caller, "POST", f"{BROWSER}/forks", {"name": f"advance-{number}"})
            while b'"finished":false' in tally.call(caller, "POST", f"{path}/clock/advance", {"to": "9998-12-31T00:00:00Z"}):
                tally.add("continued")
            tally.call(caller, "DELETE", path)

        return round

    at_once(3, make)


def prepare_long_log(caller, size):
    for number in range(size):
        page = f"https://news.example/{number}/" + "a" * 3800
        must(caller, "POST", f"{BROWSER}/link-clicks", LINK | {"pageURL": page, "landingURL": page})


def unread_lists(port, tally):
    """Requests pages of a megabyte and reads nothing, while another caller reads such pages or is refused."""
    caller = Caller(port)

    def round():
        crowd = Crowd(port, 150, tally)
        crowd.send(head("GET", PAGE) * 3)
        for _ in range(6):
            time.sleep(0.5)
            tally.call(caller, "GET", PAGE)
        crowd.leave()

    forever(round)


def unread_streams(port, tally):
    """Opens event streams from the beginning of a long log and reads nothing."""

    def round():
        crowd = Crowd(port, 150, tally)
        crowd.send(head("GET", f"{BROWSER}/events?after=0&include=decision", "Accept: text/event-stream"))
        time.sleep(3)
        crowd.leave()

    forever(round)


def timelines(port, tally):
    """Requests more timelines and lists at once than may wait, reads nothing, and leaves. Then another caller reads a list."""
    caller = Caller(port)
    paths = ["/browsers/abused/timeline", f"{BROWSER}/clicks?limit=1000", "/browsers/abused/charts", PAGE]

    def round():
        crowds = [Crowd(port, 225, tally) for _ in paths]
        for crowd, path in zip(crowds, paths):
            crowd.send(head("GET", path))
        time.sleep(1)
        for crowd in crowds:
            crowd.leave()
        tally.call(caller, "GET", PAGE)

    forever(round)


def loads(port, tally):
    """Loads pages of a site that never answers, and leaves."""
    silent = socket.create_server(("127.0.0.1", 0), backlog=1024)
    silent.setblocking(False)
    target = f"http://127.0.0.1:{silent.getsockname()[1]}/"
    body = json.dumps({"firstPartyURL": "https://shop.example/", "url": target}).encode()
    request = head("POST", f"{BROWSER}/loads", "Content-Type: application/json", f"Content-Length: {len(body)}") + body

    def round():
        crowd = Crowd(port, 200, tally)
        crowd.send(request)
        time.sleep(0.5)
        crowd.leave()
        try:
            while True:
                silent.accept()[0].close()
                tally.add("connection to the silent site")
        except BlockingIOError:
            pass

    forever(round)


def waits(port, tally):
    """Waits for events that do not come, and leaves."""

    def round():
        crowd = Crowd(port, 900, tally)
        crowd.send(head("GET", f"{BROWSER}/events?after=900000&wait=PT60S"))
        time.sleep(0.5)
        crowd.leave()

    forever(round)


def heads(port, tally):
    """Sends heads that do not end, and heads that are not valid."""
    broken = [
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"\x00\x01\x02\r\n\r\n", head("GET", "/" + "a" * 9000),
        head("POST", "/v1/browsers", "Content-Length: 99999999999999999999"), head("GET", "/", *["A: b"] * 200),
    ]

    def round():
        slow = Crowd(port, 300, tally)
        for _ in range(50):
            slow.send(b"G", count=20)
            for request in broken:
                with connect(port) as connection:
                    try:
                        connection.sendall(request)
                        tally.take(connection.recv(4096))
                    except ConnectionError:
                        tally.add("connection ended")
        slow.leave()

    forever(round)


def bodies(port, tally):
    """Sends large and deep bodies."""
    deep = b"[" * 60_000
    plist = b"<?xml version='1.0'?><plist><dict>" + b"<key>a</key><array>" * 50_000
    many = json.dumps({"labels": {f"key{number}": "x" * 200 for number in range(250)}}).encode()

    def make(_):
        caller = Caller(port)

        def send():
            tally.call(caller, "POST", f"{BROWSER}/link-clicks", deep)
            tally.call(caller, "PUT", f"{BROWSER}/apps", plist, {"Content-Type": "application/xml"})
            tally.call(caller, "PUT", "/v1/browsers/other", many)

        return send

    at_once(4, make)


def prepare_explanations(caller, size):
    for _ in range(size):
        must(caller, "POST", f"{BROWSER}/link-clicks", LINK)


def explanations(port, tally):
    """Asks 40 times at once for the explanation of a destination with many events."""

    def make(_):
        caller = Caller(port)
        return lambda: tally.call(caller, "GET", f"{BROWSER}/explain?about=shop.example")

    at_once(40, make)


def browsers(port, tally):
    """Creates browsers up to the limit, and deletes some of them."""

    def make(number):
        caller = Caller(port)
        names = (f"/v1/browsers/new-{number}-{index % 2000}" for index in range(1 << 40))

        def create():
            name = next(names)
            tally.call(caller, "PUT", name, EMPTY)
            if name.endswith("7"):
                tally.call(caller, "DELETE", name)

        return create

    at_once(4, make)


ADS = "/v1/browsers/ads"
ADS_DEVICE = "/v1/devices/ads"
# What the service accepts of a JSON Web Signature.
JWS_SIZE = 4096


def prepare_ads_and_forks(caller, size):
    """Durable browsers, because those in memory share no writer: a device with ads, and a log."""
    manual = {"seed": "1", "clock": {"mode": "manual", "start": "2026-11-20T10:00:00Z"}}
    for path in (ADS, f"{ADS}-log"):
        must(caller, "PUT", path, manual)
    must(caller, "PUT", f"{ADS_DEVICE}/ad-networks/{device.NETWORK}", device.network())
    news = device.source_app("https://news.example")
    news["infoPlist"]["AdNetworkIdentifiers"] = [device.NETWORK]
    must(caller, "PUT", f"{ADS_DEVICE}/apps/com.example.news", news)
    bundle, app = device.advertised_app(2, "https://shop.example")
    must(caller, "PUT", f"{ADS_DEVICE}/apps/{bundle}", app)
    ad = {"bundleIdentifier": "com.example.news", "jws": device.signed_jws(2, JWS_SIZE)}
    for _ in range(size // 20):
        outcome = must(caller, "POST", f"{ADS_DEVICE}/impressions", ad)["outcome"]
        require(outcome == "started", f"an ad was {outcome}")
    for _ in range(size):
        must(caller, "POST", f"{ADS}-log/link-clicks", LINK)


def ads_and_forks(port, tally):
    """Installs an app on a device with the most ads of the largest size, and forks and deletes a browser with a long log."""

    def make(number):
        caller, path = Caller(port), f"{ADS}-{number}"
        bundle, _ = device.advertised_app(2, "")

        def install():
            tally.call(caller, "POST", f"{ADS_DEVICE}/installs", {"bundleIdentifier": bundle})

        def copy():
            tally.call(caller, "POST", f"{ADS}-log/forks", {"name": path.rpartition("/")[2]})
            tally.call(caller, "DELETE", path)

        return copy if number < 2 else install

    at_once(6, make)


@dataclass(frozen=True)
class Abuse:
    """One abuse, the answers that it must receive, and what else it may receive."""

    act: object
    intended: set
    accepted: set = frozenset()
    # What it must also receive in the full form. The short form has too little data for it.
    in_full: set = frozenset()
    # What it needs before, and how much of it, in the full and in the short form.
    prepare: object = None
    sizes: tuple = (0, 0)
    # A counter of the service that grows at all times while the abuse lasts.
    grows: str = None
    # Otherwise, simulated.
    has_network: bool = False

    def required(self, is_short):
        return self.intended if is_short else self.intended | self.in_full

    @property
    def expected(self):
        return self.intended | self.accepted | self.in_full


ABUSES = {
    "endless advance": Abuse(
        advance, {"201 application/json", "200 application/json", "204"}, in_full={"continued"},
        prepare=prepare_advance, sizes=(100, 10), grows='pcm_events_total{kind="report-sent"}',
    ),
    "unread lists": Abuse(
        unread_lists, {"200 application/json"}, BUSY, {"503 busy"}, prepare=prepare_long_log, sizes=(1100, 10),
    ),
    "unread event streams": Abuse(
        unread_streams, {"200 text/event-stream"}, BUSY, prepare=prepare_long_log, sizes=(1100, 60),
    ),
    "timelines": Abuse(
        timelines, {"200 application/json", "503 busy"}, BUSY | {"200 text/html;"}, prepare=prepare_long_log, sizes=(1100, 300),
    ),
    "loads of a silent site": Abuse(loads, {"connection to the silent site"}, BUSY, has_network=True),
    "abandoned waits": Abuse(waits, {"503 busy"}, BUSY),
    "slow and invalid heads": Abuse(heads, {"400 malformed", "414 target-too-long", "431 head-too-large"}, BUSY),
    "large and deep bodies": Abuse(bodies, {"400 malformed", "422 invalid"}),
    "explanations": Abuse(explanations, {"200 application/json"}, prepare=prepare_explanations, sizes=(5300, 300)),
    "ads and forks": Abuse(
        ads_and_forks, {"201 application/json", "204"}, prepare=prepare_ads_and_forks, sizes=(20_000, 1000),
    ),
    "many browsers": Abuse(
        browsers, {"201 application/json", "204", "409 limit-reached"}, {"200 application/json", "404 not-found"},
    ),
}


def run(name, port, is_short):
    """Abuses the service until SIGTERM."""
    try:
        if is_short:
            # On a busy machine, a process for idle processors would receive its answers too late.
            os.nice(19)
        else:
            # A process that is only nice keeps the processor for some milliseconds when the service could continue.
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        ABUSES[name].act(port, Tally())
    except Exception:  # Other threads go on, and would keep the process.
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
