"""Compares our signatures with libraries that share nothing with ours: Python's cryptography and PyJWT on P-256, ecdsa and the
openssl command on P-192. They verify our signatures, and `pcm-browser verify` verifies theirs, in all versions.

    verify.py EXECUTABLE SAMPLES KEYS
"""

import base64
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import ecdsa
import jwt
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

VERSIONS = ["1.0", "2.0", "2.1", "2.2", "3.0", "4.0"]
SEPARATOR = "\u2063"
CHOICES = random.Random(20261120)

POSTBACK = {
    "1.0": "ad-network-id campaign-id app-id transaction-id",
    "2.0": "version ad-network-id campaign-id app-id transaction-id redownload source-app-id",
    "2.2": "version ad-network-id campaign-id app-id transaction-id redownload source-app-id fidelity-type",
    "3.0": "version ad-network-id campaign-id app-id transaction-id redownload source-app-id fidelity-type did-win",
    "4.0": "version ad-network-id source-identifier app-id transaction-id redownload source-app-id source-domain fidelity-type "
    "did-win postback-sequence-index",
}
IMPRESSION = {
    "1.0": "ad-network-id campaign-id itunes-item-id nonce timestamp",
    "2.0": "version ad-network-id campaign-id itunes-item-id nonce source-app-id timestamp",
    "2.2": "version ad-network-id campaign-id itunes-item-id nonce source-app-id fidelity-type timestamp",
    "4.0": "version ad-network-id source-identifier itunes-item-id nonce source-app-id source-domain fidelity-type timestamp",
}
for names, same in ((POSTBACK, {"2.1": "2.0"}), (IMPRESSION, {"2.1": "2.0", "3.0": "2.2"})):
    names.update({version: names[other] for version, other in same.items()})


def require(is_so, what):
    if not is_so:
        sys.exit(f"scripts/test-signatures: {what}")


def text(value):
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def composed(item, names):
    return SEPARATOR.join(text(item[name]) for name in names[item["version"]].split() if name in item).encode()


def der_signature(item):
    return base64.b64decode(item.get("attribution-signature") or item["signature"], validate=True)


# ---- Verifying and signing ------------------------------------------------------------------------------------


def verifies(public, curve, signature, message):
    if curve == "p192":
        found = ecdsa_verifies(public, signature, message)
        require(openssl_verifies(public, signature, message) == found, "ecdsa and openssl disagree")
        return found
    try:
        serialization.load_pem_public_key(public).verify(signature, message, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True


def ecdsa_verifies(public, signature, message):
    try:
        key = ecdsa.VerifyingKey.from_pem(public.decode())
        return key.verify(signature, message, hashlib.sha256, sigdecode=ecdsa.util.sigdecode_der)
    except ecdsa.BadSignatureError:
        return False


def openssl_verifies(public, signature, message):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {"public.pem": public, "signature": signature, "message": message}.items():
            Path(folder, name).write_bytes(content)
        command = "openssl dgst -sha256 -verify public.pem -signature signature message"
        run = subprocess.run(command.split(), cwd=folder, capture_output=True, text=True)
    require(run.stdout.strip().lower() in ("verified ok", "verification failure"), f"openssl: {run}")
    return run.returncode == 0


def sign(private, curve, message):
    if curve == "p192":
        key = ecdsa.SigningKey.from_pem(private.decode())
        signature = key.sign(message, hashfunc=hashlib.sha256, sigencode=ecdsa.util.sigencode_der)
    else:
        key = serialization.load_pem_private_key(private, None)
        signature = key.sign(message, ec.ECDSA(hashes.SHA256()))
    return base64.b64encode(signature).decode()


# ---- Our signatures ---------------------------------------------------------------------------------------------


def check_sample(line, keys):
    sample = json.loads(line)
    name, item = sample["key"], sample["item"]
    public = (keys / f"{name}.public.pem").read_bytes()
    if not item.startswith("{"):
        return check_jws(item, public, "example123.adattributionkit")
    item = json.loads(item)
    if "jws-string" in item:
        return check_jws(item["jws-string"], public, name[:-2] + "/" + name[-1])
    if "ad_network_id" in item:
        require(list(item)[-3:] == ["source_domain", "timestamp", "signature"], f"a web ad's members: {item}")
        item = {name.replace("_", "-"): value for name, value in item.items()} | {"fidelity-type": 1}
    is_postback = "attribution-signature" in item
    curve = "p192" if is_postback and item["version"] in ("1.0", "2.0") else "p256"
    message, signature = composed(item, POSTBACK if is_postback else IMPRESSION), der_signature(item)
    require(verifies(public, curve, signature, message), f"the signature of {item} does not verify")
    require(not verifies(public, curve, signature, message + b"0"), f"the signature of {item} is that of another text, too")
    return ("postback" if is_postback else "impression", item["version"])


def check_jws(compact, public, key_identifier):
    header = jwt.get_unverified_header(compact)
    require(header == {"kid": key_identifier, "alg": "ES256"}, f"the header is {header}")
    raw = compact.split(".")[0]
    decoded = base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4)).decode()
    require(("\\/" in decoded) == ("/" in key_identifier), f"the slash is not escaped: {decoded}")
    options = {"verify_aud": False, "verify_iat": False}
    payload = jwt.decode(compact, public, algorithms=["ES256"], options=options)
    try:
        jwt.decode(compact[:-4] + ("AAAA" if compact[-4:] != "AAAA" else "BBBB"), public, algorithms=["ES256"], options=options)
        require(False, "a forged signature is taken")
    except jwt.InvalidSignatureError:
        return ("postback" if "postback-identifier" in payload else "impression", "AdAttributionKit")


# ---- Their signatures -------------------------------------------------------------------------------------------


def drawn_postback(version):
    later = lambda first: version >= first
    item = {"version": version, "ad-network-id": "example123.skadnetwork"}
    index = CHOICES.randint(0, 2) if version == "4.0" else 0
    if version == "4.0":
        item["source-identifier"] = "".join(CHOICES.choices("0123456789", k=CHOICES.randint(2, 4) if index == 0 else 2))
    else:
        item["campaign-id"] = CHOICES.randint(1, 100)
    item |= {"app-id": CHOICES.randrange(1 << 40), "transaction-id": drawn_uuid(), "redownload": CHOICES.random() < 0.5}
    won = not later("3.0") or index > 0 or CHOICES.random() < 0.7
    if later("2.0") and won and index == 0 and CHOICES.random() < 0.6:
        is_site = version == "4.0" and CHOICES.random() < 0.5
        item |= {"source-domain": "news.example"} if is_site else {"source-app-id": CHOICES.choice([0, 1234567891])}
    if later("2.2"):
        item["fidelity-type"] = 1 if "source-domain" in item else CHOICES.randint(0, 1)
    if later("3.0"):
        item["did-win"] = won
    if later("2.0") and won and index == 0 and CHOICES.random() < 0.5:
        item["conversion-value"] = CHOICES.randint(0, 63)
    if version == "4.0":
        item["postback-sequence-index"] = index
    return item


def drawn_impression(version):
    item = {"version": version, "ad-network-id": "example123.skadnetwork"}
    item |= {"source-identifier": CHOICES.randint(0, 9999)} if version == "4.0" else {"campaign-id": CHOICES.randint(1, 100)}
    item |= {"itunes-item-id": CHOICES.randrange(1 << 40), "nonce": drawn_uuid()}
    if version >= "2.0":
        item["source-app-id"] = CHOICES.choice([0, 1234567891])
    if version >= "2.2":
        item["fidelity-type"] = CHOICES.randint(0, 1)
    return item | {"timestamp": CHOICES.randrange(1_500_000_000_000, 1_900_000_000_000)}


def drawn_jws(private, key_identifier):
    payload = {
        "postback-identifier": drawn_uuid(), "postback-sequence-index": 0, "ad-network-identifier": "example123.adattributionkit",
        "source-identifier": "1234", "advertised-item-identifier": CHOICES.randrange(1 << 40),
        "impression-type": "app-impression", "conversion-type": CHOICES.choice(["download", "redownload", "re-engagement"]),
        "did-win": True,
    }  # fmt: skip
    headers = {"kid": key_identifier, "typ": None}
    return json.dumps({"jws-string": jwt.encode(payload, private, "ES256", headers), "conversion-value": 5})


def drawn_uuid():
    return str(uuid.UUID(int=CHOICES.getrandbits(128), version=4))


def verdicts(executable, keys, items):
    """The verdicts of `pcm-browser verify` on items, one on each line."""
    given = [argument for key in keys for argument in ("--key", str(key))]
    command = [executable, "verify", "--json", *given, "-"]
    run = subprocess.run(command, input="\n".join(items) + "\n", capture_output=True, text=True)
    require(run.returncode in (0, 1), f"{command}: {run.stderr}")
    found = [json.loads(line) for line in run.stdout.splitlines()]
    require(len(found) == len(items), f"{len(items)} items have {len(found)} verdicts")
    require((run.returncode == 0) == all(verdict["verdict"] == "valid" for verdict in found), "a wrong exit status")
    return found


def changed(item, names):
    """An item with another value of a signed member."""
    name = CHOICES.choice([name for name in ("app-id", "itunes-item-id", "timestamp", "transaction-id") if name in item])
    value = str(uuid.uuid5(uuid.NAMESPACE_URL, item[name])) if isinstance(item[name], str) else item[name] + 1
    return item | {name: value}


def check_signed_by_others(executable, keys, count=50):
    private = {name: (keys / f"{name}.private.pem").read_bytes() for name in ("skadnetwork-p192", "skadnetwork-p256", "ad-network")}
    good, bad, texts = [], [], []
    for version in VERSIONS:
        curve = "p192" if version in ("1.0", "2.0") else "p256"
        for _ in range(count):
            item = drawn_postback(version)
            item["attribution-signature"] = sign(private[f"skadnetwork-{curve}"], curve, composed(item, POSTBACK))
            good.append(item)
            bad.append(changed(item, POSTBACK))
    public = [keys / f"skadnetwork-{curve}.public.pem" for curve in ("p192", "p256")]
    expect(executable, public, [json.dumps(item) for item in good], [json.dumps(item) for item in bad])
    texts = [verdict["signedText"].encode() for verdict in verdicts(executable, public, [json.dumps(item) for item in good])]
    require(texts == [composed(item, POSTBACK) for item in good], "the signed texts differ")

    good, bad = [], []
    for version in VERSIONS:
        for _ in range(count):
            item = drawn_impression(version)
            item["signature"] = sign(private["ad-network"], "p256", composed(item, IMPRESSION))
            good.append(item)
            bad.append(changed(item, IMPRESSION))
    expect(executable, [keys / "ad-network.public.pem"], [json.dumps(item) for item in good], [json.dumps(item) for item in bad])

    good = [drawn_jws(private["ad-network"], "test/0") for _ in range(count)]
    bad = [drawn_jws(private["skadnetwork-p256"], "test/0") for _ in range(count)]
    expect(executable, [keys / "ad-network.public.pem"], good, bad)
    return 2 * len(VERSIONS) * count + count


def expect(executable, keys, good, bad):
    for verdict, item in zip(verdicts(executable, keys, good), good):
        require(verdict["verdict"] == "valid", f"{item}: {verdict}")
    for verdict, item in zip(verdicts(executable, keys, bad), bad):
        require(verdict["signature"] == "fails" and verdict["verdict"] == "invalid", f"{item}: {verdict}")


def main(executable, samples, keys):
    keys = Path(keys)
    lines = subprocess.run([samples, str(keys)], capture_output=True, text=True, check=True).stdout.splitlines()
    seen = {check_sample(line, keys) for line in lines}
    wanted = {(kind, version) for kind in ("postback", "impression") for version in [*VERSIONS, "AdAttributionKit"]}
    require(seen == wanted, f"missing samples: {wanted - seen}")
    count = check_signed_by_others(executable, keys)
    print(
        f"{len(lines)} signatures of ours verify with cryptography, PyJWT, ecdsa, and openssl; {count} of theirs verify here, "
        "and none of the changed ones"
    )


main(*sys.argv[1:])
