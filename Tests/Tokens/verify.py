"""Plays the story of a click and a purchase with a nonce each between the executable's two commands, and verifies the
signatures in the reports with libraries that share nothing with ours: Python's cryptography, and the openssl command."""

import base64
import json
import re
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding

FOLDER = "/.well-known/private-click-measurement/"
SIGNERS = {"source": "news.example", "destination": "shop.example"}
SALT = 48


def require(is_so, what):
    if not is_so:
        sys.exit(f"scripts/test-tokens: {what}")


def decode(text):
    """Base64url without padding, as browsers write it."""
    require(re.fullmatch(r"[A-Za-z0-9_-]+", text), f"this is no base64url without padding: {text}")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@contextmanager
def running(executable, *arguments):
    """A command of the executable; its first line says where it listens, and that it is ready."""
    process = subprocess.Popen([executable, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        line = process.stdout.readline()
        found = re.search(r" is listening on (https?://127\.0\.0\.1:(\d+))", line)
        require(found, f"{arguments[0]} said {line!r}")
        yield found[1], int(found[2])
    finally:
        process.terminate()
        process.wait()


def caller(url, context=None):
    def call(method, path, body=None, **headers):
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60, context=context) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    return call


def play(service, nonces):
    """A click on a link of the source's site and a pixel on the destination's, each with a nonce; then two days pass."""
    browser = "/v1/browsers/tokens"
    service("PUT", browser, {"seed": "tokens", "storage": "ephemeral", "clock": {"mode": "manual"}})
    click = {
        "pageURL": "https://news.example/",
        "attributionSourceID": "42",
        "attributionDestination": "https://shop.example",
        "attributionSourceNonce": nonces["source"],
    }
    require(service("POST", browser + "/link-clicks", click)["outcome"] == "stored", "the click was not stored")
    target = f"https://news.example{FOLDER}trigger-attribution/12?attributionDestinationNonce={nonces['destination']}"
    trigger = {
        "firstPartyURL": "https://shop.example/thanks",
        "redirect": {"from": "https://news.example/pixel", "to": target},
    }
    outcome = service("POST", browser + "/triggering-events", trigger)
    require(outcome["outcome"] == "attributed", f"the event was not attributed: {outcome}")
    service("POST", browser + "/clock/advance", {"untilIdle": True})


def python_verifies(spki, signature, token, salt=SALT):
    scheme = padding.PSS(padding.MGF1(hashes.SHA384()), salt)
    try:
        serialization.load_der_public_key(spki).verify(signature, token, scheme, hashes.SHA384())
    except InvalidSignature:
        return False
    return True


def openssl_verifies(spki, signature, token):
    with tempfile.TemporaryDirectory() as folder:
        files = {"key.der": spki, "signature": signature, "token": token}
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        command = "openssl dgst -sha384 -keyform DER -verify key.der -signature signature -sigopt rsa_padding_mode:pss"
        options = f"-sigopt rsa_pss_saltlen:{SALT} -sigopt rsa_mgf1_md:sha384 token"
        run = subprocess.run(f"{command} {options}".split(), cwd=folder, capture_output=True, text=True)
    require(run.stdout.strip() in ("Verified OK", "Verification failure", "Verification Failure"), f"openssl: {run}")
    return run.returncode == 0


def check(verifies, keys, side, token, signature):
    """The signature stands for the token by its signer's key, and for nothing else."""
    other = next(key for name, key in keys.items() if name != side)
    forged = bytes([signature[0] ^ 1]) + signature[1:]
    require(verifies(keys[side], signature, token), f"{verifies.__name__}: the {side} token's signature is not taken")
    require(not verifies(keys[side], forged, token), f"{verifies.__name__}: a forged signature is taken")
    require(not verifies(keys[side], signature, token[::-1]), f"{verifies.__name__}: another token is taken")
    require(not verifies(other, signature, token), f"{verifies.__name__}: the other party's key is taken")


def check_reports(reports, keys):
    require({report["host"] for report in reports} == set(SIGNERS.values()), "there is not one report for each party")
    for report in reports:
        require(report["verdict"] == "accepted", f"the endpoint did not accept {report}")
        body = json.loads(report["body"])
        tokens = {side: decode(body[f"{side}_secret_token"]) for side in SIGNERS}
        require(tokens["source"] != tokens["destination"], "both parties signed the same token")
        for side, token in tokens.items():
            require(len(token) == 32, f"the {side} token has {len(token)} bytes")
            signature = decode(body[f"{side}_secret_token_signature"])
            for verifies in (python_verifies, openssl_verifies):
                check(verifies, keys, side, token, signature)
            # openssl does not even try: the key itself asks for the salt.
            require(not python_verifies(keys[side], signature, token, salt=32), "another salt length is taken")


def check_cookies(endpoint):
    """The listing has every received header, and would have a cookie."""

    def cookies():
        items = endpoint("GET", "/admin/requests?limit=100")["items"]
        return [h["value"] for item in items for h in item["headers"] if h["name"].lower() == "cookie"]

    require(cookies() == [], f"cookies arrived: {cookies()}")
    endpoint("GET", FOLDER + "get-token-public-key/", Cookie="id=1")
    require(cookies() == ["id=1"], "the endpoint does not list cookies")


def main(executable):
    with tempfile.TemporaryDirectory() as folder:
        names = [text for name in (*SIGNERS.values(), "127.0.0.1") for text in ("--name", name)]
        files = [text for name in SIGNERS.values() for text in ("--key", f"{name}={folder}/{name}.pem")]
        shared = ["--port", "0", "--key-bits", "2048", "--ca-out", f"{folder}/ca.pem"]
        with running(executable, "receive", *shared, *names, *files) as (url, port):
            endpoint = caller(url, ssl.create_default_context(cafile=f"{folder}/ca.pem"))
            nonces = dict(zip(SIGNERS, endpoint("POST", "/admin/nonces", {"mint": 2})["nonces"]))
            network = ["--connect-to", f"::127.0.0.1:{port}", "--ca-file", f"{folder}/ca.pem"]
            with running(executable, "serve", "--port", "0", "--data", f"{folder}/data", *network) as (service, _):
                play(caller(service), nonces)
            keys = {
                side: decode(endpoint("GET", FOLDER + "get-token-public-key/", Host=site)["token_public_key"])
                for side, site in SIGNERS.items()
            }
            check_reports(endpoint("GET", "/admin/reports")["items"], keys)
            check_cookies(endpoint)
    print("both tokens of both reports verify with Python's cryptography and with openssl; no cookie arrived")


main(sys.argv[1])
