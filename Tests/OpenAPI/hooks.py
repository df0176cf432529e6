"""Rules that a schema cannot express: texts for the formats of the document, a scene in which requests find something, and the
refusals that depend on stored data or on two inputs together."""

import json
import os
import re

import requests
import schemathesis
from hypothesis import strategies as st

APP = "com.example.news"
PLIST = (
    '<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>'
    "<key>CFBundleIdentifier</key><string>{}</string>"
    "<key>NSAdvertisingAttributionReportEndpoint</key><string>{}</string></dict></plist>"
)
SCENARIO = """scenario: generated
apps: {{ com.example.news: {{ reportEndpoint: "https://news.example" }} }}
steps:
  - event-attribution: {{ bundleIdentifier: com.example.news, sourceIdentifier: {}, destinationURL: "https://shop.example/" }}
    expect: {{ outcome: {} }}
"""
with open("Sources/COpenAPI/openapi.json", encoding="utf-8") as file:
    DOCUMENT = json.load(file)
DEVICE = "/v1/devices/{device}"


def example(path, method, name):
    """The value of an example of a body. The ads in the examples are signed with the published test key."""
    return DOCUMENT["paths"][path][method]["requestBody"]["content"]["application/json"]["examples"][name]["value"]


NETWORK = DOCUMENT["components"]["parameters"]["adNetwork"]["example"]
REGISTRATION = example(f"{DEVICE}/ad-networks/{{adNetwork}}", "put", "network")
ADVERTISED = "com.example.shop"
INFO_PLISTS = {
    APP: {
        "NSAdvertisingAttributionReportEndpoint": "https://news.example",
        "SKAdNetworkItems": [{"SKAdNetworkIdentifier": NETWORK}],
        "AdNetworkIdentifiers": [NETWORK],
    },
    ADVERTISED: {"NSAdvertisingAttributionReportEndpoint": "https://shop.example"},
}
ITEMS = {APP: 1234567891, ADVERTISED: 525463029}
TRIGGER = "https://news.example/.well-known/private-click-measurement/trigger-attribution/"

# Texts for the formats. No host in them exists, and the service is started so that it reaches none.

hosts = st.sampled_from(["news.example", "shop.example", "www.shop.example", "social.example", "co.uk", "münchen.example"])
urls = st.one_of(
    st.builds("{}://{}{}".format, st.sampled_from(["https", "http"]), hosts, st.sampled_from(["", "/", "/a?b=c#d", "/ä"])),
    st.from_regex(r"\Ahttps?://[a-z]{1,9}[.]example(:[1-9][0-9]{0,3})?/[a-z0-9/?=&:@._~-]{0,12}\Z"),
    st.sampled_from([TRIGGER + tail for tail in ("12/03", "12", "99", "1", "04/00?attributionSource=https://news.example")]),
)
names = st.one_of(
    st.from_regex(r"\A[a-z0-9_-][a-z0-9._-]{0,20}\Z"),
    st.sampled_from(["tests/test_ads.py::test_tap[https://shop.example-ü]", "100%", "a b", "a?b=c#d", "ü" * 100]),
)
apps = st.sampled_from([APP, ADVERTISED, "com.example.other", "com.apple.mobilesafari"])

schemathesis.openapi.format("uri", urls)
schemathesis.openapi.format("page-url", st.one_of(urls, st.sampled_from(["", "about:blank", "file:///a"])))
schemathesis.openapi.format("hostname", hosts)
schemathesis.openapi.format("p256-public-key", st.just(REGISTRATION["publicKey"]))
schemathesis.openapi.format("browser-name", names)
schemathesis.openapi.format("seed", st.one_of(names, st.sampled_from(["1", "\u0001", "x" * 200, "ü" * 100])))
schemathesis.openapi.format("label-value", st.sampled_from(["", "1842", "tests/test_ads.py::test_tap[ü]", "x" * 255, "ü" * 127]))
schemathesis.openapi.format("bundle-identifier", apps)
schemathesis.openapi.format("iso8601-duration", st.sampled_from(["PT0S", "PT0.05S", "PT1M", "PT48H", "P1D", "P1W2DT3H4M5.678S"]))
schemathesis.openapi.format(
    "date-time", st.datetimes().map(lambda at: at.replace(year=1970 + at.year % 8029, day=min(at.day, 28)).isoformat() + "Z")
)
schemathesis.openapi.format("scenario", st.builds(SCENARIO.format, st.integers(-1, 256), st.sampled_from(["stored", "ephemeral"])))
schemathesis.openapi.format("info-plist", st.builds(PLIST.format, apps, hosts.map("https://{}".format)))


YAML = ["application/yaml", "application/x-yaml", "text/yaml"]


@schemathesis.serializer("application/x-plist", "application/xml", "text/xml", "application/octet-stream", *YAML)
def serialize(context, value):
    """A manifest or a scenario is its own text, not a value to be wrapped in elements or quotes."""
    return value if isinstance(value, bytes) else str(value).encode()


# The scene: a browser with a manual clock, an app, a click and two reports, and a device with an ad network, postbacks, and a
# displayed ad. Most requests go to it.

SERVICE = os.environ["PCM_BROWSER_URL"]


def prepare(method, path, face="browsers", **body):
    response = requests.request(method, f"{SERVICE}/v1/{face}/standing{path}", timeout=10, **body)
    response.raise_for_status()
    return response.json()


prepare("PUT", "", json={"storage": "ephemeral", "seed": "1", "clock": {"mode": "manual", "start": "2026-11-20T10:00:00Z"}})
for app, keys in INFO_PLISTS.items():
    prepare("PUT", f"/apps/{app}", json={"infoPlist": keys, "itemIdentifier": ITEMS[app]})
prepare("PUT", f"/ad-networks/{NETWORK}", "devices", json=REGISTRATION)
prepare("POST", "/impressions", "devices", json=example(f"{DEVICE}/impressions", "post", "storekit"))
prepare("POST", "/installs", "devices", json={"bundleIdentifier": ADVERTISED})
prepare("POST", "/conversion-values", "devices", json={"bundleIdentifier": ADVERTISED, "fineValue": 12})
prepare("POST", "/clock/advance", json={"by": "P5D"})
POSTBACKS = [postback["id"] for postback in prepare("GET", "/postbacks", "devices")["items"]]
IMPRESSION = prepare("POST", "/impressions", "devices", json=example(f"{DEVICE}/impressions", "post", "adattributionkit"))["id"]
assert POSTBACKS, "no ad led to an install"
tap = {"bundleIdentifier": APP, "sourceIdentifier": 4, "destinationURL": "https://shop.example/"}
prepare("POST", "/event-attributions", json=tap)
redirect = {"from": "https://news.example/pixel", "to": TRIGGER + "12/03"}
prepare("POST", "/triggering-events", json={"firstPartyURL": "https://shop.example/", "redirect": redirect})


@schemathesis.hook
def before_call(context, case, kwargs):
    parameters, query = case.path_parameters or {}, case.query or {}
    operation = case.operation.definition.raw["operationId"]
    is_generated = case.meta is not None and case.meta.phase.name.value != "stateful"
    face = "device" if "device" in parameters else "browser"
    name = parameters.get(face)
    if operation in ("deleteBrowser", "deleteDevice") and name == "standing":
        parameters[face] = "gone"
    elif operation in ("deleteApp", "deleteDeviceApp") and parameters.get("bundleIdentifier") in INFO_PLISTS:
        parameters["bundleIdentifier"] = "com.example.other"
    elif operation not in WHOLE and is_generated and is_browser_name(name) and len(name) % 4:
        parameters[face] = "standing"
        # Most requests are about existing records of the device.
        for record, pattern, kept in RECORDS:
            if record in parameters and re.fullmatch(pattern, str(parameters[record])) and operation != "deleteAdNetwork":
                parameters[record] = kept
    # Waiting is tried, not endured: a valid wait becomes a short one. Five minutes are the most that may be
    # asked for, waiting or not, and a schema cannot limit a duration.
    for place in (query, case.body if isinstance(case.body, dict) else {}):
        if str(place.get("wait", "")).startswith("P"):
            place["wait"] = "PT0.05S"
        if operation == "settle" and str(place.get("within", "")).startswith("P"):
            place["within"] = "PT0.05S"
    # A repeated key answers with the browser of the first request, which a later step may have deleted.
    if not is_generated and operation in ("createBrowser", "forkBrowser") and case.headers:
        case.headers.pop("Idempotency-Key", None)


# The operations whose subject is the browser itself.
WHOLE = ("putBrowser", "deleteBrowser", "putDevice", "deleteDevice")
RECORDS = [
    ("adNetwork", r"[a-z0-9._-]{1,64}", NETWORK),
    ("impression", r"impression-[0-9]+", IMPRESSION),
    ("postback", r"postback-[0-9]+", POSTBACKS[0]),
]


def is_browser_name(name):
    return isinstance(name, str) and name.isprintable() and 1 <= len(name.encode()) <= 200


# Refusals of valid requests that no schema can foresee.


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if failure.code == "ST201" and case.media_type in YAML and "/sites/" in case.path:
        return False  # The text of a value that is no string may be the YAML of a site.
    if failure.code == "ST201" and case.path.endswith(("/explain", "/data")):
        return False  # A host that is no hostname in ASCII may be an internationalized name.
    if failure.code == "ST201" and response.status_code == 413:
        return False  # A body that is too large is rejected before it is read.
    if failure.code == "ST201" and case.path == "/v1/scenarios" and response.json().get("failure"):
        return False  # The failure of the scenario names the value, as an invalid body would.
    if failure.code == "ST101" and case.path.endswith("/attachments") and response.status_code == 502:
        return False  # No browser is at the address.
    if failure.code == "ST202" and case.path.endswith("/sdk-events") and has_code(response, "conflicting-members"):
        return False  # The members of one version of the SDK do not fit the other one.
    return failure.code != "ST202" or not depends_on_more_than_the_schema(response)


def has_code(response, code):
    return any(entry.get("code") == code for entry in response.json().get("errors", []))


def depends_on_more_than_the_schema(response):
    problem = response.json()
    texts = [problem["detail"]] + [entry.get("code", "") for entry in problem.get("errors", [])]
    return any(re.search(text, given) for text in EXPECTED for given in texts)


EXPECTED = [
    "^app-unknown$",  # which apps are registered
    "is not a cursor of this list|the cursor belongs to another browser|is not an ID of this stream",  # what is opaque
    "a clock does not go back",  # where the clock stands
    "(maximumAge|idleTimeout|minimumViewTime|consentWaitingInterval) is a duration from",  # the range of a duration
    "^app-not-installed$",  # which apps are installed
    "^postback-url-not-https$",  # the scheme of a URL
    "the windows begin with the first one",  # the members of a conversion
    "a re-engagement follows a tap",  # the same
    "the Info.plist is (not )?a Mac Catalyst app's",  # the platform in the manifest
    "an ad of (SKAdNetwork|AdAttributionKit) is ",  # the presentations of a framework
    "an ad with jws has no other values",
    "expected values that can be signed",
    "only calls of AdAttributionKit have (types|a tag)",
    "handleView\\(\\) is only for an ad of AdAttributionKit that the app renders",
    "^copy-endpoint-missing$",  # the keys of an app's manifest
    "every call of AdAttributionKit has a fine value|a registration locks no window",
    "device: POST creates a standard device",
    "the clock would pass the year 9999",
    "idleTimeout: default always exists",  # which browser it is
    "CFBundleIdentifier (is|must be|has|begins) ",  # the keys of a manifest, which the document does not list
    "a property list has no (null|U.0000)",  # the same, at any depth
    "the Idempotency-Key .* belongs to a request with another path or body",  # which keys were used
    "name: differs from",  # the name in the body must be the one in the path
    "name: POST generates the name",  # the schema of the body is that of PUT
    "^line [0-9]+, column [0-9]+: ",  # what the schema of scenarios says, which is a file of its own
    "give exactly one of redirect and pixelOf",
    "give exactly one of report and noReport",
    "give exactly one of allow and system",
    "event is empty",
    "bundleIdentifier is missing; allow is|system is the setting of the device",
    "wait is a duration from",
    "clickedAt: .* is not within the minute before the browser's time",  # where the clock stands
    "load has [0-9]+ bytes|frame has [0-9]+ bytes|(href|text|pageURL|devtools|context) has [0-9]+ bytes",  # a length in bytes
    "code is missing; a dropped click has one|code and href belong to page-click-dropped|text is missing; say in a sentence",
    "^(invalid-address|not-loopback)$",  # the form of the address of DevTools
    "hold: .* is too long",  # the range of a duration
    "triggerData is missing; a pixel has",
    "triggerData and priority belong to pixelOf",
    "reachedBy belongs to redirect",
    "^pixelOf: .* is not a host",  # the form of a host
    "the browser has [0-9]+ simulated sites, the maximum",
    "a scenario (has a manual clock|cannot express)|exceeds a scenario's limits",  # which browser it is, and its calls
]
