"""Callers that abuse the service in one way each, while another caller clicks.

The 99th percentile of a click during each abuse is compared with the one before it. An abuser is a separate process with a
low priority, because it would run on another machine.
"""

import argparse
import concurrent.futures
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ledger import require
from load import START, require_success
from service import Caller, Failure, Gone, Service

BROWSER = "/v1/browsers/abused"
LINK = {"pageURL": "https://news.example/", "attributionSourceID": "1", "attributionDestination": "https://shop.example"}
PIXEL = {"firstPartyURL": "https://shop.example/", "pixelOf": "news.example", "triggerData": 1}


def must(caller, method, path, body=None):
    status, answer = caller.call(method, path, body)
    require_success(status, answer)
    return answer


def head(method, path, *fields):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *fields, "", ""]).encode()


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def forever(action):
    """Repeats an action. An answer such as 503, or the end of a connection, is what an abuser expects."""
    while True:
        try:
            action()
        except (OSError, Gone):
            time.sleep(0.01)


def at_once(count, make):
    """Runs the actions of several abusers, each in a thread."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        list(pool.map(lambda number: forever(make(number)), range(count)))


def prepare_advance(caller):
    must(caller, "PUT", f"{BROWSER}/sites/news.example", {"report": [{"status": 503}]})
    must(caller, "POST", f"{BROWSER}/link-clicks", LINK)
    must(caller, "POST", f"{BROWSER}/triggering-events", PIXEL)


def advance(port):
    """Moves a clock to its end, with an endpoint that is down."""

    def make(_):
        caller = Caller(port)
        return lambda: caller.call("POST", f"{BROWSER}/clock/advance", {"to": "9998-12-31T00:00:00Z"})

    at_once(2, make)


def prepare_long_log(caller):
    for number in range(1100):
        page = f"https://news.example/{number}/" + "a" * 3800
        must(caller, "POST", f"{BROWSER}/link-clicks", LINK | {"pageURL": page, "landingURL": page})


def unread_lists(port):
    """Requests long lists and reads nothing."""

    def round():
        connections = [connect(port) for _ in range(150)]
        for connection in connections:
            connection.sendall(head("GET", f"{BROWSER}/events?limit=1000") * 3)
        time.sleep(3)
        for connection in connections:
            connection.close()

    forever(round)


def unread_streams(port):
    """Opens event streams from the beginning of a long log and reads nothing."""

    def round():
        connections = [connect(port) for _ in range(150)]
        for connection in connections:
            connection.sendall(head("GET", f"{BROWSER}/events", "Accept: text/event-stream", "Last-Event-ID: 0"))
        time.sleep(3)
        for connection in connections:
            connection.close()

    forever(round)


def loads(port):
    """Loads pages of a site that never answers, and leaves."""
    silent = socket.create_server(("127.0.0.1", 0))
    target = f"http://127.0.0.1:{silent.getsockname()[1]}/"
    body = json.dumps({"firstPartyURL": "https://shop.example/", "url": target}).encode()
    request = head("POST", f"{BROWSER}/loads", "Content-Type: application/json", f"Content-Length: {len(body)}") + body

    def round():
        connections = [connect(port) for _ in range(200)]
        for connection in connections:
            connection.sendall(request)
        time.sleep(0.5)
        for connection in connections:
            connection.close()

    forever(round)


def waits(port):
    """Waits for events that do not come, and leaves."""

    def round():
        connections = [connect(port) for _ in range(900)]
        for connection in connections:
            connection.sendall(head("GET", f"{BROWSER}/events?after=900000&wait=PT60S"))
        time.sleep(0.5)
        for connection in connections:
            connection.close()

    forever(round)


def heads(port):
    """Sends heads that do not end, and heads that are not valid."""
    broken = [
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"\x00\x01\x02\r\n\r\n", head("GET", "/" + "a" * 9000),
        head("POST", "/v1/browsers", "Content-Length: 99999999999999999999"), head("GET", "/", *["A: b"] * 200),
    ]

    def round():
        slow = [connect(port) for _ in range(300)]
        for _ in range(50):
            for connection in slow[:20]:
                connection.send(b"G")
            for request in broken:
                with connect(port) as connection:
                    connection.sendall(request)
                    connection.recv(4096)
        for connection in slow:
            connection.close()

    forever(round)


def bodies(port):
    """Sends large and deep bodies."""
    deep = b"[" * 60_000
    plist = b"<?xml version='1.0'?><plist><dict>" + b"<key>a</key><array>" * 50_000
    many = json.dumps({"labels": {f"key{number}": "x" * 200 for number in range(250)}}).encode()

    def make(number):
        caller = Caller(port).connection

        def send():
            for path, body, kind in (
                (f"{BROWSER}/link-clicks", deep, "application/json"), (f"{BROWSER}/apps", plist, "application/xml"),
                ("/v1/browsers/other", many, "application/json"),
            ):
                caller.request("POST" if "clicks" in path else "PUT", path, body, {"Content-Type": kind})
                caller.getresponse().read()

        return send

    at_once(4, make)


def explanations(port):
    """Asks 40 times at once for the explanation of a destination with many events."""

    def make(_):
        caller = Caller(port)
        return lambda: caller.call("GET", f"{BROWSER}/explain?about=shop.example")

    at_once(40, make)


def prepare_explanations(caller):
    for _ in range(5300):
        must(caller, "POST", f"{BROWSER}/link-clicks", LINK)


def browsers(port):
    """Creates browsers up to the limit, and deletes some of them."""

    def make(number):
        caller = Caller(port)
        names = (f"/v1/browsers/new-{number}-{index % 2000}" for index in range(1 << 40))

        def create():
            name = next(names)
            caller.call("PUT", name, {"storage": "ephemeral", "clock": {"mode": "manual"}})
            if name.endswith("7"):
                caller.call("DELETE", name)

        return create

    at_once(4, make)


# Each abuse, and what it needs before.
ABUSES = {
    "endless advance": (advance, prepare_advance),
    "unread lists": (unread_lists, prepare_long_log),
    "unread event streams": (unread_streams, prepare_long_log),
    "loads of a silent site": (loads, None),
    "abandoned waits": (waits, None),
    "slow and invalid heads": (heads, None),
    "large and deep bodies": (bodies, None),
    "explanations": (explanations, prepare_explanations),
    "many browsers": (browsers, None),
}


class Probe:
    """Clicks at a steady pace."""

    def __init__(self, port):
        self.caller = Caller(port)

    def percentiles(self, count):
        """Clicks, and returns the median, the 99th percentile, and the maximum in milliseconds."""
        times = []
        for number in range(count):
            body = LINK | {"attributionDestination": f"https://d{number % 100}.example"}
            begin = time.monotonic()
            must(self.caller, "POST", "/v1/browsers/probe/link-clicks", body)
            times.append((time.monotonic() - begin) * 1000)
            time.sleep(0.005)
        times.sort()
        return [round(value, 2) for value in (times[count // 2], times[int(count * 0.99)], times[-1])]


def measure(name, count, folder):
    """Returns the figures of one abuse, against a service without data."""
    _, prepare = ABUSES[name]
    arguments = ["--allow-private-networks", "--max-browsers", "2000"]
    service = Service(os.environ["PCM_BROWSER_BINARY"], Path(folder, name), arguments, log=Path(folder, "log"))
    abuser = None
    try:
        service.wait_until_ready()
        caller, probe = Caller(service.port), Probe(service.port)
        manual = {"seed": "1", "clock": {"mode": "manual", "start": START}}
        must(caller, "PUT", "/v1/browsers/probe", manual)
        must(caller, "PUT", BROWSER, manual | {"storage": "ephemeral", "settings": {"deliveryPolicy": "reliable"}})
        if "loads" not in name:
            must(caller, "PUT", f"{BROWSER}/network", {"mode": "simulated"})
        if prepare:
            prepare(caller)
        probe.percentiles(100)
        calm = probe.percentiles(count)
        memory, _ = service.memory()
        abuser = subprocess.Popen(["nice", "-n", "19", sys.executable, __file__, "--abuser", name, str(service.port)])
        probe.percentiles(100)
        abused = probe.percentiles(count)
        require(abuser.poll() is None, f"the abuser of {name} ended")
        most = service.memory()[1]
        abuser.kill()
        metrics = caller.call("GET", "/metrics")[1]
        require(not re.search(r'status="500"', metrics), f"{name}: a request was answered with 500")
        service.stop()
    finally:
        if abuser:
            abuser.kill()
            abuser.wait()
        service.kill()
    return {
        "abuse": name, "calm p50": calm[0], "calm p99": calm[1], "abused p50": abused[0], "abused p99": abused[1],
        "abused maximum": abused[2], "ratio of p99": round(abused[1] / calm[1], 1), "memory before MB": memory >> 20,
        "memory maximum MB": most >> 20,
    }


def main():
    parser = argparse.ArgumentParser(prog="scripts/abuses", description=__doc__)
    parser.add_argument("--abuser", nargs=2, metavar=("NAME", "PORT"), help=argparse.SUPPRESS)
    parser.add_argument("--clicks", type=int, default=1000, help="the number of measured clicks in each phase")
    parser.add_argument("--only", choices=ABUSES, help="one abuse")
    parser.add_argument("--json", metavar="FILE", help="write the result")
    options = parser.parse_args()
    if options.abuser:
        ABUSES[options.abuser[0]][0](int(options.abuser[1]))
    results = []
    print(f"{'abuse':24} {'calm p99':>9} {'abused p99':>11} {'ratio':>6} {'maximum':>8} {'memory MB':>10}")
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name in [options.only] if options.only else ABUSES:
                figures = measure(name, options.clicks, folder)
                results.append(figures)
                print(
                    f"{name:24} {figures['calm p99']:9} {figures['abused p99']:11} {figures['ratio of p99']:6} "
                    f"{figures['abused maximum']:8} {figures['memory maximum MB']:10}", flush=True,
                )
        except (Failure, Gone) as failure:
            print(Path(folder, "log").read_text()[-4000:], end="")
            sys.exit(f"FAILED: {failure}")
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=2) + "\n")


main()
