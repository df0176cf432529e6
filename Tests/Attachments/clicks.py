"""Ways to click a link with attribution attributes, and the record that WebKit stores for each.

A page is at https://news.example/c/NAME/, and the ad leads to https://shop.example/c/NAME/landing. In the markup, `$ad` is the
ad, `$a` begins its tag, `$attributes` are the two attributes, `$to` is the landing, and `$here` the folder of the page, without
host. A row without an action clicks the element `ad`.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from playwright.async_api import Page
from sites import Sites

Act = Callable[[Page, Sites, str], Awaitable[Any]]

NONCE = "A" * 22


@dataclass(frozen=True)
class ClickCase:
    name: str
    html: str
    # `stored`, `discarded` with reasons, `handed-over` with reasons, or `dropped` with a code, for each click in order.
    expected: tuple[str, ...]
    act: Act
    files: dict[str, str] = field(default_factory=dict)
    opens_window: bool = False


def click(selector: str = "#ad", **options: Any) -> Act:
    return lambda page, sites, name: page.click(selector, **options)


def click_in(*frames: str, lands: bool = True) -> Act:
    """Clicks the ad in a frame, and again if the landing page is not requested, or the ad has no focus when it does not land.

    Chromium passes a click to the page until it knows where a frame of another process is.
    """
    async def act(page: Page, sites: Sites, name: str) -> None:
        place: Any = page
        for frame in frames:
            place = place.frame_locator(frame)
        for _ in range(3):
            await place.locator("#ad").click()
            try:
                if not lands and await place.locator("#ad").evaluate("(ad) => ad === document.activeElement"):
                    return
                await sites.seen(lambda request: request.path == f"/c/{name}/landing", within=2)
                return
            except TimeoutError:
                pass
    return act


async def press_enter(page: Page, sites: Sites, name: str) -> None:
    await page.focus("#ad")
    await page.keyboard.press("Enter")


async def tap(page: Page, sites: Sites, name: str) -> None:
    await page.tap("#ad")


async def click_twice(page: Page, sites: Sites, name: str) -> None:
    """Clicks a link to a window, and again after it has opened."""
    async with page.expect_popup() as window:
        await page.click("#ad")
    await (await window.value).wait_for_url("**/landing")
    await page.click("#ad")


async def click_known_window(page: Page, sites: Sites, name: str) -> None:
    """Presses a button that opens a window, and then clicks a link to that window."""
    async with page.expect_popup() as window:
        await page.click("button")
    await (await window.value).wait_for_load_state()
    await page.bring_to_front()
    await page.click("#ad", no_wait_after=True)
    await (await window.value).wait_for_url("**/landing")


async def click_in_window(page: Page, sites: Sites, name: str) -> None:
    """Presses a button whose script fills a window, and clicks the ad in it."""
    async with page.expect_popup() as window:
        await page.click("button")
    await (await window.value).click("#ad")
    await (await window.value).wait_for_url("**/landing")


async def click_and_return(page: Page, sites: Sites, name: str) -> None:
    for _ in range(2):
        await page.click("#ad")
        await page.wait_for_url("**/landing")
        await page.go_back(wait_until="commit")


async def click_three(page: Page, sites: Sites, name: str) -> None:
    for _ in range(3):
        async with page.context.expect_page():
            await page.click("#ad", modifiers=["Control"])


async def click_and_change(page: Page, sites: Sites, name: str) -> None:
    """Clicks a link whose page is slow. The page's script follows another one."""
    await page.click("#slow", no_wait_after=True)
    await page.wait_for_url("**/landing")
    sites.release(name)


async def click_and_stop(page: Page, sites: Sites, name: str) -> None:
    """Clicks a link whose page is slow. The page's script stops it."""
    await page.click("#slow", no_wait_after=True)
    await page.wait_for_function("document.title === 'done'")
    sites.release(name)


async def click_and_wait(page: Page, sites: Sites, name: str) -> None:
    """Waits for the second document after a click."""
    await page.click("#ad")
    await page.wait_for_url("**/landing")


async def wait_until_done(page: Page, sites: Sites, name: str) -> None:
    """Does nothing, and waits until the page's script has followed the link."""
    await page.wait_for_url("**/landing")


async def press_button_and_wait(page: Page, sites: Sites, name: str) -> None:
    await page.click("button")
    await page.wait_for_url("**/landing")


async def evaluate_click(page: Page, sites: Sites, name: str) -> None:
    await page.evaluate("document.querySelector('#ad').click()")


async def dispatch(page: Page, sites: Sites, name: str) -> None:
    await page.dispatch_event("#ad", "click")


def row(name: str, html: str, *expected: str, act: Act | None = None, **files: str) -> ClickCase:
    """A row. A file `frame_html` of a frame is at `frame.html`."""
    return ClickCase(name, html, expected, act or click(), {key.replace("_", "."): text for key, text in files.items()})


def opening(name: str, html: str, *expected: str, **options: Any) -> ClickCase:
    """A row that opens a window, which would hide the other pages of its context."""
    return replace(row(name, html, *expected, **options), opens_window=True)


def handler(script: str) -> str:
    """The ad with a listener."""
    return f"$ad<script>document.querySelector('#ad').addEventListener('click', (event) => {{ {script} }})</script>"


def ad(attributes: str) -> str:
    return f"<a id=ad {attributes} href='$to'>ad</a>"


def linking(to: str, more: str = "") -> str:
    return f"<a id=ad $attributes {more} href='{to}'>ad</a>"


def filling(script: str) -> str:
    """A button whose script fills a window with the text of an ad."""
    return f"<template>$ad</template><button onclick='const text = document.querySelector(`template`).innerHTML; {script}'>go</button>"


# The outcome is stored, with the site that WebKit gives a document without a host.
WITHOUT_SITE = "a click from nullOrigin to shop.example"
# A function that makes a link.
MAKE = ("<p><template>$ad</template><script>function make(target = '') { const link = document.querySelector('template').content"
        ".firstChild.cloneNode(true); document.adoptNode(link); link.innerHTML = '<b>ad</b>'; link.target = target; return link }"
        "</script>")
SLOW = "<a id=slow $attributes href='https://shop.example/hang/$name?$here/'>slow</a>"
BARE = "<a id=ad href='$to'>ad</a>"
SET = "ad.setAttribute('attributionsourceid', 7); ad.setAttribute('attributiondestination', 'https://shop.example')"
FRAME = "<iframe src='https://{}$here/frame.html'></iframe>"
SAME, CROSS = FRAME.format("news.example"), FRAME.format("other.example")

CLICKS = [
    # The same tab.
    row("same-tab", "$ad", "stored"),
    row("enter", "$ad", "stored", act=press_enter),
    row("touch", "$ad", "stored", act=tap),
    row("self", linking("$to", "target=_self"), "stored"),
    row("top-of-top", linking("$to", "target=_top"), "stored"),
    row("image", "<a $attributes href='$to'><img id=ad width=9 height=9 alt=ad></a>", "stored"),
    row("nested-elements", "<a $attributes href='$to'><b><i id=ad>ad</i></b></a>", "stored"),
    row("area", "<img usemap=#map width=50 height=50><map name=map><area $attributes shape=default href='$to'></map>", "stored",
        act=click("img")),
    row("block", "<a $attributes href='$to'><div id=ad>ad</div></a>", "stored"),
    row("ping", linking("$to", "ping=/empty"), "stored"),
    row("base-href", "<base href='https://shop.example'>" + linking("$here/landing"), "stored"),
    row("double-click", "$ad", "dropped no-navigation", "stored", act=lambda page, sites, name: page.dblclick("#ad")),
    row("page-that-came-back", "$ad", "stored", "stored", act=click_and_return),
    row("right-click", "$ad", act=click(button="right")),
    row("noreferrer-policy", linking("$to", "referrerpolicy=no-referrer"), "stored"),
    # Shadow trees and scripts that add the link.
    row("added-by-script", "<script>document.write(`$ad`)</script>", "stored"),
    row("open-shadow-root", "<p><script>document.querySelector('p').attachShadow({mode: 'open'}).innerHTML = `$ad`</script>",
        "stored"),
    row("declarative-shadow-root", "<p><template shadowrootmode=open>$ad</template></p>", "stored"),
    row("nested-shadow-roots",
        "<p><template shadowrootmode=open><div><template shadowrootmode=open>$ad</template></div></template></p>",
        "stored"),
    row("slot-in-link",
        "<p><template shadowrootmode=open><a $attributes href='$to'><slot></slot></a></template><b id=ad>ad</b></p>",
        "stored"),
    row("link-in-slot", "<p><template shadowrootmode=open><slot></slot></template>$ad</p>", "stored"),
    row("closed-shadow-root", "<span id=ad></span><script>const root = ad.attachShadow({mode: 'closed'});"
        "root.innerHTML = `<a $attributes href='$to'>ad</a>`; if (ad.shadowRoot || root.mode !== 'closed') ad.remove()</script>",
        "stored"),
    # Chromium hides the closed tree of the markup from every script, so the listener cannot see the link.
    row("closed-declarative-root", "<span id=ad><template shadowrootmode=closed><a $attributes href='$to'>ad</a></template></span>"),
    # Windows.
    opening("blank", linking("$to", "target=_blank"), "stored"),
    opening("blank-opener", linking("$to", "target=_blank rel=opener"), "stored"),
    opening("blank-noreferrer", linking("$to", "target=_blank rel=noreferrer"), "stored"),
    opening("named-window", linking("$to", "target=shop"), "stored"),
    opening("named-window-twice", linking("$to", "target=shop"), "stored", "stored", act=click_twice),
    opening("named-window-of-script", linking("$to", "target=shop") + "<button onclick='window.open(`$here/x`, `shop`)'>go</button>",
            "stored", act=click_known_window),
    # A document that a script writes has the URL of the script's page. A document that it fills has none, so WebKit names no site.
    opening("written-window", filling("const view = window.open(``); view.document.write(text); view.document.close()"), "stored",
            act=click_in_window),
    opening("filled-window", filling("window.open(``).document.body.innerHTML = text"), WITHOUT_SITE, act=click_in_window),
    opening("window-of-the-site", "<button onclick='window.open(`$here/pop.html`)'>go</button>", "stored", act=click_in_window,
            pop_html="$ad"),
    opening("blob-window", filling("window.open(window.URL.createObjectURL(new Blob([text], { type: `text/html` })))"), WITHOUT_SITE,
            act=click_in_window),
    opening("base-target-blank", "<base target=_blank>$ad", "stored"),
    opening("control-click", "$ad", "stored", act=click(modifiers=["Control"])),
    opening("shift-click", "$ad", "stored", act=click(modifiers=["Shift"])),
    opening("meta-click", "$ad", "stored", act=click(modifiers=["Meta"])),
    opening("middle-click", "$ad", "stored", act=click(button="middle")),
    opening("three-control-clicks", "$ad", "stored", "stored", "stored", act=click_three),
    opening("blank-redirect", linking("$via", "target=_blank"), "stored"),
    opening("blank-empty", linking("https://shop.example/empty?$here/", "target=_blank"), "dropped navigation-aborted"),
    opening("blank-download", linking("https://shop.example/file?$here/", "target=_blank"), "dropped download"),
    opening("blank-failing", linking("https://shop.example/close?$here/", "target=_blank"), "dropped landing-failed"),
    # Links that do not navigate a document.
    row("image-map-of-server", "<a $attributes href='$to'><img id=ad ismap width=9 height=9 alt=ad></a>", "stored"),
    row("document-opened-again", "<script>onload = () => { document.open(); document.write(`$ad`); document.close() }</script>",
        "stored"),
    row("svg-link", "<svg><a $attributes href='$to'><text id=ad y=20>ad</text></a></svg>", "dropped not-a-link"),
    row("button", "<button id=ad $attributes onclick='location = `$to`'>ad</button>", "dropped not-a-link"),
    row("link-without-address", "<a id=ad $attributes>ad</a>", "dropped not-a-link"),
    row("attributes-on-image", "<a href='$to'><img id=ad $attributes width=9 height=9 alt=ad></a>", "dropped not-a-link"),
    row("data-attributes", ad("data-attributionsourceid=7 data-attributiondestination=https://shop.example"),
        "dropped data-attributes"),
    row("document-without-address", linking("about:blank#$here/"), "dropped landing-not-http"),
    row("javascript-link", linking("javascript:void(`$here/`)"), "dropped no-navigation"),
    row("fragment", linking("#$here/"), "dropped no-navigation"),
    row("no-content", linking("https://shop.example/empty?$here/"), "dropped navigation-aborted"),
    row("download", linking("https://shop.example/file?$here/"), "dropped download"),
    row("download-attribute", linking("/file?$here/", "download"), "dropped download"),
    row("failing-landing", linking("https://shop.example/close?$here/"), "dropped landing-failed"),
    row("unknown-host", linking("https://shop.example:8443$here/landing"), "dropped landing-failed"),
    row("status-404-without-body", linking("https://shop.example/status/404?$here/"), "stored"),
    row("status-403-without-body", linking("https://shop.example/status/403?$here/"), "stored"),
    row("status-500-without-body", linking("https://shop.example/status/500?$here/"), "stored"),
    opening("blank-404-without-body", linking("https://shop.example/status/404?$here/", "target=_blank"), "stored"),
    # A driver waits for a navigation that has begun, so the page's scripts act.
    row("stopped", SLOW + "<script>slow.onclick = () => setTimeout(() => { stop(); document.title = 'done' }, 300)</script>",
        "dropped navigation-aborted", act=click_and_stop),
    row("another-link", SLOW + "$ad<script>slow.onclick = () => setTimeout(() => ad.click(), 300)</script>",
        "dropped superseded", "stored", act=click_and_change),
    # Links outside of the document.
    row("link-outside", MAKE + "<button onclick='make().click()'>go</button>", "stored", act=press_button_and_wait),
    row("element-in-link-outside", MAKE + "<button onclick='make().firstChild.click()'>go</button>", "stored",
        act=press_button_and_wait),
    row("event-of-link-outside", MAKE + "<button onclick='make().dispatchEvent(new MouseEvent(`click`))'>go</button>", "stored",
        act=press_button_and_wait),
    row("link-in-template", MAKE + "<button onclick='document.querySelector(`template`).content.firstChild.click()'>go</button>",
        "dropped no-navigation", act=click("button")),
    row("link-outside-prevented", MAKE + "<button onclick='const link = make(); link.onclick = () => false; link.click()'>go</button>",
        "dropped default-prevented", act=click("button")),
    row("link-outside-after-load", MAKE + "<script>onload = () => make().click()</script>", "discarded no-user-gesture",
        act=wait_until_done),
    row("link-that-was-outside", MAKE + "<script>const link = make(); link.dispatchEvent(new Event('x')); link.id = 'ad';"
        "document.body.append(link)</script>", "stored"),
    opening("link-outside-to-window", MAKE + "<button onclick='make(`_blank`).click()'>go</button>", "stored", act=click("button")),
    row("link-outside-in-frame", SAME + "<button onclick='frames[0].make().click()'>go</button>", "dropped navigates-a-frame",
        act=click("button"), frame_html=MAKE),
    row("link-outside-to-top", SAME + "<button onclick='frames[0].make(`_top`).click()'>go</button>", "stored",
        act=press_button_and_wait, frame_html=MAKE),
    # Listeners of the page.
    row("prevented", handler("event.preventDefault()"), "dropped default-prevented"),
    row("prevented-inline", linking("$to", "onclick='return false'"), "dropped default-prevented"),
    row("prevented-by-window", "$ad<script>addEventListener('click', (event) => event.preventDefault())</script>",
        "dropped default-prevented"),
    row("prevented-and-stopped", handler("event.preventDefault(); event.stopImmediatePropagation()"), "dropped default-prevented"),
    opening("prevented-and-open", handler("event.preventDefault(); window.open(event.target.href)"), "dropped default-prevented"),
    row("prevented-and-location", handler("event.preventDefault(); location = event.target.href"), "dropped default-prevented"),
    row("prevented-and-navigate", handler("event.preventDefault(); navigation.navigate(event.target.href)"),
        "dropped default-prevented"),
    row("attributes-set", BARE + f"<script>ad.onclick = () => {{ {SET} }}</script>", "stored"),
    row("attributes-set-early", BARE + f"<script>ad.onmousedown = () => {{ {SET} }}</script>", "stored"),
    row("attributes-set-and-stopped", BARE + f"<script>ad.onclick = (event) => {{ {SET}; event.stopPropagation() }}</script>",
        "stored"),
    row("attributes-in-namespace", BARE + "<script>for (const name of ['attributionsourceid', 'attributiondestination'])"
        "ad.setAttributeNS('urn:x', name, 7)</script>"),
    row("properties", BARE + "<script>ad.attributionSourceId = 7; ad.attributionDestination = 'https://shop.example'</script>",
        "stored"),
    row("attributes-removed", handler("event.target.removeAttribute('attributionsourceid');"
                                      "event.target.removeAttribute('attributiondestination')")),
    row("target-set", handler("event.target.href = `https://other.example$here/landing`"), "discarded landing-site-mismatch"),
    row("stopped-by-window", "$ad<script>addEventListener('click', (event) => event.stopImmediatePropagation(), true)</script>",
        "stored"),
    row("stopped-by-link", handler("event.stopImmediatePropagation()"), "stored"),
    row("link-removed", handler("event.target.remove()"), "stored"),
    row("failing-listener", handler("throw new Error('fails')"), "stored"),
    row("address-changed", handler("history.pushState(null, '', '?later')"), "stored"),
    # Scripts that click.
    row("script-after-load", "$ad<script>onload = () => ad.click()</script>", "discarded no-user-gesture", act=wait_until_done),
    row("script-in-console", "$ad", "discarded no-user-gesture", act=evaluate_click),
    row("dispatched-event", "$ad", "discarded no-user-gesture", act=dispatch),
    row("script-in-click", "$ad<button onclick='ad.click()'>", "stored", act=click("button")),
    row("script-after-click", "$ad<button onclick='setTimeout(() => ad.click(), 300)'>", "stored", act=press_button_and_wait),
    row("script-long-after-click", "$ad<button onclick='setTimeout(() => ad.click(), 1500)'>", "discarded no-user-gesture",
        act=press_button_and_wait),
    opening("script-opens", "$ad<button onclick='window.open(ad.href)'>", act=click("button")),
    row("script-navigates", "$ad<button onclick='location = ad.href'>", act=press_button_and_wait),
    row("form", "$ad<form action='$to'><button>go</button></form>", act=click("button")),
    # Frames. The source is the top page.
    row("frame", SAME, "dropped navigates-a-frame", act=click_in("iframe"), frame_html="$ad"),
    row("cross-site-frame", CROSS, "dropped navigates-a-frame", act=click_in("iframe"), frame_html="$ad"),
    row("frame-top", SAME, "stored", act=click_in("iframe"), frame_html="<a id=ad $attributes target=_top href='$to'>ad</a>"),
    row("cross-site-frame-top", CROSS, "stored", act=click_in("iframe"),
        frame_html="<a id=ad $attributes target=_top href='$to'>ad</a>"),
    row("frame-parent", CROSS, "stored", act=click_in("iframe"),
        frame_html="<a id=ad $attributes target=_parent href='$to'>ad</a>"),
    row("nested-frame-top", CROSS, "stored", act=click_in("iframe", "iframe"), frame_html="<iframe src=inner.html></iframe>",
        inner_html="<a id=ad $attributes target=_top href='$to'>ad</a>"),
    row("nested-frame-parent", CROSS, "dropped navigates-a-frame", act=click_in("iframe", "iframe"),
        frame_html="<iframe src=inner.html></iframe>", inner_html="<a id=ad $attributes target=_parent href='$to'>ad</a>"),
    row("frame-base-top-empty-target", CROSS, "stored", act=click_in("iframe"),
        frame_html="<base target=_top><a id=ad $attributes target='' href='$to'>ad</a>"),
    row("frame-base-top", CROSS, "stored", act=click_in("iframe"), frame_html="<base target=_top>$ad"),
    opening("frame-blank", SAME, "dropped new-window-from-a-frame", act=click_in("iframe"),
        frame_html="<a id=ad $attributes target=_blank href='$to'>ad</a>"),
    opening("cross-site-frame-blank", CROSS, "dropped new-window-from-a-frame", act=click_in("iframe"),
        frame_html="<a id=ad $attributes target=_blank href='$to'>ad</a>"),
    opening("frame-named-window", CROSS, "dropped new-window-from-a-frame", act=click_in("iframe"),
        frame_html="<a id=ad $attributes target=shop href='$to'>ad</a>"),
    # The page has the name.
    row("frame-names-page", "<script>name = '$name'</script>" + CROSS, "stored", act=click_in("iframe"),
        frame_html="<a id=ad $attributes target=$name href='$to'>ad</a>"),
    row("frame-names-frame", "<iframe name=inner></iframe>" + SAME.replace("src", "id=outer src"), "dropped navigates-a-frame",
        act=click_in("#outer"), frame_html="<a id=ad $attributes target=inner href='$to'>ad</a>"),
    row("frame-names-nothing", CROSS.replace("src", "sandbox src"), "dropped new-window-from-a-frame", act=click_in("iframe", lands=False),
        frame_html="<a id=ad $attributes target=shop href='$to'>ad</a>"),
    row("frame-in-srcdoc-top", "<iframe srcdoc=\"<a id=ad $attributes target=_top href='$to'>ad</a>\"></iframe>", "stored",
        act=click_in("iframe")),
    row("written-frame", "<iframe></iframe><script>frames[0].document.write(`<a id=ad $attributes target=_top href='$to'>ad</a>`);"
        "frames[0].document.close()</script>", "stored", act=click_in("iframe")),
    row("filled-frame", "<iframe></iframe><script>frames[0].document.body.innerHTML ="
        "`<a id=ad $attributes target=_top href='$to'>ad</a>`</script>", "stored", act=click_in("iframe")),
    row("sandbox-top", CROSS.replace("src", "sandbox='allow-top-navigation' src"), "stored", act=click_in("iframe"),
        frame_html="<a id=ad $attributes target=_top href='$to'>ad</a>"),
    row("sandbox-without-top", CROSS.replace("src", "sandbox='allow-scripts' src"), "dropped no-navigation",
        act=click_in("iframe", lands=False),
        frame_html="<a id=ad $attributes target=_top href='$to'>ad</a>"),
    row("frame-prevented", CROSS, "dropped default-prevented", act=click_in("iframe", lands=False),
        frame_html="<a id=ad $attributes target=_top onclick='return false' href='$to'>ad</a>"),
    row("link-into-frame", "<iframe name=inner></iframe><a id=ad $attributes target=inner href='$to'>ad</a>",
        "dropped navigates-a-frame"),
    # Redirects.
    row("redirects", linking("$via"), "stored"),
    row("redirected-elsewhere", linking("https://shop.example/go/302?to=https://other.example$here/landing"),
        "discarded landing-site-mismatch", act=click_and_wait),
    row("bounce-by-refresh", linking("https://other.example$here/bounce.html"), "discarded landing-site-mismatch",
        act=click_and_wait, bounce_html="<meta http-equiv=refresh content='0;url=$to'>"),
    row("bounce-by-script", linking("https://other.example$here/bounce.html"), "discarded landing-site-mismatch",
        act=click_and_wait, bounce_html="<script>onload = () => location.replace('$to')</script>"),
    row("subdomain", linking("https://www.shop.example$here/landing"), "stored"),
    row("plain-http-landing", linking("http://shop.example$here/landing"), "stored"),
    # Values of the attributes.
    row("without-attributes", BARE),
    row("source-only", ad("attributionsourceid=7"), "discarded attribute-missing"),
    row("destination-only", ad("attributiondestination=https://shop.example"), "discarded attribute-missing"),
    row("source-empty", ad("attributionsourceid='' attributiondestination=https://shop.example"), "discarded attribute-missing"),
    row("source-too-large", ad("attributionsourceid=256 attributiondestination=https://shop.example"),
        "discarded source-id-too-large"),
    row("source-not-a-number", ad("attributionsourceid=ab attributiondestination=https://shop.example"),
        "discarded source-id-not-a-number"),
    row("source-with-junk", ad("attributionsourceid=7px attributiondestination=https://shop.example"), "stored"),
    row("destination-relative", ad("attributionsourceid=7 attributiondestination=/shop"), "discarded destination-not-http"),
    row("destination-http", ad("attributionsourceid=7 attributiondestination=http://shop.example"), "stored"),
    row("destination-is-here", ad("attributionsourceid=7 attributiondestination=https://news.example"), "discarded same-site"),
    row("nonce", ad(f"$attributes attributionsourcenonce={NONCE}"), "stored"),
    row("nonce-invalid", ad("$attributes attributionsourcenonce=short"), "stored nonce-invalid"),
    # WebKit hands the link over before it loads anything.
    row("app-store", f"<a id=ad attributiondestination=https://network.example attributionsourcenonce={NONCE}"
        " href='https://apps.apple.com/app/id$number'>ad</a>", "handed-over app-store-link"),
    opening("app-store-in-window", f"<a id=ad attributiondestination=https://network.example attributionsourcenonce={NONCE}"
        " target=_blank href='https://apps.apple.com/app/id$number'>ad</a>", "handed-over app-store-link"),
]
