"""Measures the cost of open pages for a busy browser: throughput.py BINARY SECONDS [FIGURES]

One client makes about a thousand events a second, once with ten plain readers of the event stream, and once with ten open pages.
Prints the rate of each, their ratio, and the longest task in a page. Both share the machine with Chromium and the client.
"""

import http.client
import json
import statistics
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

from pages import MANIFEST, serving

READERS = 10
EVENTS_PER_SECOND = 1_000
RUNS = 3
TRIGGER = "https://news.example/.well-known/private-click-measurement/trigger-attribution/12"
TAP = {"bundleIdentifier": "com.example.news", "sourceIdentifier": 4, "destinationURL": "https://shop.example/"}
PIXEL = {"firstPartyURL": "https://shop.example/thanks", "redirect": {"from": "https://news.example/pixel", "to": TRIGGER}}
# Long tasks that Chromium reports, which last 50 ms or more.
OBSERVER = """window.longTasks = []; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) longTasks.push(entry.duration) }).observe({ type: "longtask", buffered: true });"""


class Client:
    def __init__(self, service):
        self.connection = http.client.HTTPConnection(urlsplit(service.url).netloc, timeout=30)

    def call(self, method, path, body=None):
        content = None if body is None else json.dumps(body)
        self.connection.request(method, path, content, {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        text = response.read()
        assert response.status < 300, f"{method} {path}: {response.status} {text[:300]}"
        return json.loads(text) if text else None


def furnish(service, name):
    service.call("PUT", f"/v1/browsers/{name}", {"clock": {"mode": "manual"}, "storage": "ephemeral"})
    service.call("PUT", f"/v1/browsers/{name}/network", {"mode": "simulated"})
    service.call("PUT", f"/v1/browsers/{name}/apps", MANIFEST, "application/x-plist")


def events_per_second(service, name, seconds):
    """Taps and triggering events in turn, paced by the events that they have made. Returns the events in a second."""
    client, path = Client(service), f"/v1/browsers/{name}"
    first = sequence = client.call("POST", path + "/event-attributions", TAP)["sequence"]
    start = time.monotonic()
    while (elapsed := time.monotonic() - start) < seconds:
        if sequence - first > elapsed * EVENTS_PER_SECOND:
            time.sleep(0.001)
            continue
        client.call("POST", path + "/triggering-events", PIXEL)
        sequence = client.call("POST", path + "/event-attributions", TAP)["sequence"]
    return (sequence - first) / (time.monotonic() - start)


def with_readers(service, name, seconds):
    stop, read = threading.Event(), [0] * READERS

    def follow(index):
        connection = http.client.HTTPConnection(urlsplit(service.url).netloc, timeout=30)
        connection.request("GET", f"/v1/browsers/{name}/events", headers={"Accept": "text/event-stream"})
        response = connection.getresponse()
        while not stop.is_set():
            read[index] += len(response.read1(65_536))
        connection.close()

    threads = [threading.Thread(target=follow, args=(index,), daemon=True) for index in range(READERS)]
    for thread in threads:
        thread.start()
    rate = events_per_second(service, name, seconds)
    stop.set()
    assert all(read), "a reader received nothing"
    return rate


def with_pages(chromium, service, name, seconds):
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(OBSERVER)
    pages = [context.new_page() for _ in range(READERS)]
    for page in pages:
        page.goto(f"{service.url}/browsers/{name}")
        page.locator("#status", has_text="Live").wait_for()
        page.evaluate("longTasks.length = 0")
    rate = []
    worker = threading.Thread(target=lambda: rate.append(events_per_second(service, name, seconds)))
    worker.start()
    while worker.is_alive():
        pages[0].wait_for_timeout(200)
    longest = max(page.evaluate("Math.max(0, ...longTasks)") for page in pages)
    shown = [page.locator("#status").text_content() for page in pages]
    context.close()
    return rate[0], longest, shown


def main():
    executable, seconds = Path(sys.argv[1]), float(sys.argv[2])
    readers, pages, tasks = [], [], []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        for run in range(RUNS):
            with serving(executable) as service:
                furnish(service, "readers")
                readers.append(with_readers(service, "readers", seconds))
                furnish(service, "pages")
                rate, longest, shown = with_pages(chromium, service, "pages", seconds)
                pages.append(rate)
                tasks.append(longest)
                print(f"run {run + 1}: ten readers {readers[-1]:.0f} events/s, ten pages {rate:.0f} events/s, longest task "
                      f"{longest:.0f} ms, {shown.count('Live')} pages live", flush=True)
        chromium.close()
    value, ceiling = statistics.median(pages), statistics.median(readers)
    spread = (max(pages) - min(pages)) / value
    print(f"pages {value:.0f} events/s, ceiling {ceiling:.0f}, ratio {value / ceiling:.2f}, spread {spread:.2f}, "
          f"longest task {max(tasks):.0f} ms")
    if len(sys.argv) > 3:
        with open(sys.argv[3], "a") as figures:
            figures.write(f"pages\t{value:.0f}\tevents/s\t{ceiling:.0f}\t{value / ceiling:.2f}\t{spread:.2f}\t\n")


main()
