"""Posts published postbacks to `pcm-browser receive` over TLS as a stranger's client does, with Python's urllib, and verifies the
signed values of a web ad with Python's cryptography.

    receive.py EXECUTABLE FIXTURES
"""

import base64
import json
import re
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import uuid
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

PATHS = {
    "skadnetwork": "/.well-known/skadnetwork/report-attribution/",
    "adattributionkit": "/.well-known/appattribution/report-attribution/",
}


def require(is_so, what):
    if not is_so:
        sys.exit(f"scripts/test-signatures: {what}")


class Receiver:
    """The endpoint, with the lines of its output."""

    def __init__(self, process, folder, is_json):
        self.process, self.is_json = process, is_json
        line = self.line()
        address = json.loads(line)["url"] if is_json else line
        found = re.search(r"https://127\.0\.0\.1:\d+", address)
        require(found, f"receive said {line!r}")
        self.url = found[0]
        self.context = ssl.create_default_context(cafile=f"{folder}/ca.pem")

    def line(self):
        return self.process.stdout.readline()

    def post(self, path, body, **headers):
        """The status and the JSON of a response, and the line that the endpoint printed."""
        request = urllib.request.Request(self.url + path, body, {"Content-Type": "application/json"} | headers)
        try:
            with urllib.request.urlopen(request, timeout=60, context=self.context) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        line = self.line()
        return status, json.loads(text), json.loads(line) if self.is_json else line


@contextmanager
def receiving(executable, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        command = [executable, "receive", "--port", "0", "--key-bits", "2048", "--ca-out", f"{folder}/ca.pem", *arguments]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            yield Receiver(process, folder, "--json" in arguments)
        finally:
            process.terminate()
            process.wait()


def check_vectors(receiver, fixtures):
    """Each published postback has its verdict. A host for each, because examples share identifiers."""
    rows = [row for row in json.loads((fixtures / "vectors.json").read_text()) if row["file"].endswith(".json")]
    count = 0
    for row in [row for row in rows if row["subject"] == "postback"]:
        body = (fixtures / row["file"]).read_bytes()
        for path in (PATHS[row["framework"]], "/postbacks"):
            status, answer, line = receiver.post(path, body, Host=f"{row['name'].lower()}.example")
            require((status, answer) == (200, {}), f"{row['name']} at {path}: {status} {answer}")
            found = line["postback"]
            require(found["verdict"] == row["verdict"], f"{row['name']}: {found}")
            require(found["key"].endswith(row["key"]), f"{row['name']}: the key {found['key']}")
            test = "development" if "development" in row["key"] else "production"
            environment = None if row["verdict"] != "valid" else "test" if row["keyFile"] else test
            require(found["environment"] == environment, f"{row['name']}: {found['environment']}")
            require(found["duplicateOf"] is None, f"{row['name']} is a duplicate")
            if row["signedText"]:
                require(found["signedText"].replace("\u2063", "|") == row["signedText"], f"{row['name']}: {found['signedText']}")
            count += 1
        other = next(path for framework, path in PATHS.items() if framework != row["framework"])
        require(receiver.post(other, body)[0] == 400, f"{row['name']} is accepted at {other}")
    return count


def check_duplicate(receiver, fixtures):
    item = json.loads((fixtures / "vectors/postback-v3.0-a.json").read_text())
    first = receiver.post("/postbacks", json.dumps(item).encode())[2]
    again = receiver.post("/postbacks", json.dumps(item | {"conversion-value": 63}).encode())[2]
    require(first["verdict"] == "accepted" and again["verdict"] == "duplicate", f"{first} {again}")
    found = again["postback"]
    require((found["duplicateOf"], found["changed"]) == (first["number"], ["conversion-value"]), f"{found}")


def check_payload(receiver, fixtures):
    nonce = uuid.uuid4()
    request = {
        "source_domain": "news.example", "source_engagement_type": "click_to_App_Store",
        "source_nonce": base64.urlsafe_b64encode(nonce.bytes).decode().rstrip("="), "version": "4.0",
    }  # fmt: skip
    status, found, _ = receiver.post("/.well-known/skadnetwork/get-signed-payload", json.dumps(request).encode())
    require(status == 200, f"get-signed-payload: {status} {found}")
    signature = base64.b64decode(found.pop("signature"), validate=True)
    timestamp = found.pop("timestamp")
    wanted = {
        "version": "4.0", "ad_network_id": "example123.skadnetwork", "source_identifier": 5239, "itunes_item_id": 525463029,
        "nonce": str(nonce), "source_domain": "news.example",
    }  # fmt: skip
    require(found == wanted, f"the signed values are {found}")
    text = "\u2063".join([*map(str, wanted.values()), "1", str(timestamp)])
    key = serialization.load_pem_public_key((fixtures / "keys/ad-network.public.pem").read_bytes())
    key.verify(signature, text.encode(), ec.ECDSA(hashes.SHA256()))


def check_lines(receiver, fixtures):
    """Without `--json`, a postback is a line for people."""
    line = receiver.post(PATHS["skadnetwork"], (fixtures / "vectors/postback-v4.0-a.json").read_bytes())[2]
    require(line.startswith("postback 1 at 127.0.0.1: valid, SKAdNetwork 4.0, "), f"the line is {line!r}")


def main(executable, fixtures):
    fixtures = Path(fixtures)
    keys = [text for name in ("service-p192.txt", "service-p256.txt") for text in ("--postback-key", str(fixtures / "keys" / name))]
    with receiving(executable, "--json", "--postback-path", "/postbacks", *keys) as receiver:
        count = check_vectors(receiver, fixtures)
        check_duplicate(receiver, fixtures)
        check_payload(receiver, fixtures)
    with receiving(executable) as receiver:
        check_lines(receiver, fixtures)
    print(f"{count} published postbacks have their verdicts at an endpoint with TLS, and its web ad verifies with cryptography")


main(*sys.argv[1:])
