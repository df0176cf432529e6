"""A news site with an ad and a pixel, and a shop, served by routes of Playwright."""

from __future__ import annotations

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
