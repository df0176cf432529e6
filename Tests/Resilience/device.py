"""The device's part of the load: ads that the published test network signs, and the calls that lead to postbacks."""

import base64
import subprocess
from pathlib import Path

NETWORK = "example123.skadnetwork"
POSTBACK_URL = "https://network.shops.example/postbacks"
# The paths to which postbacks are sent: the network's, and the path of the advertiser's copies.
POSTBACK_PATHS = ("/postbacks", "/.well-known/skadnetwork/report-attribution/")
SOURCE_ITEM = 1
# In milliseconds: 2026-11-20T10:00:00Z.
TIMESTAMP = 1795168800000
KEYS = Path(__file__).resolve().parents[2] / "Fixtures" / "device" / "keys"


def network():
    return {"publicKey": (KEYS / "ad-network.public.pem").read_text(), "postbackURL": POSTBACK_URL}


def source_app(endpoint):
    """The registration of an app that displays ads."""
    keys = {"NSAdvertisingAttributionReportEndpoint": endpoint, "SKAdNetworkItems": [{"SKAdNetworkIdentifier": NETWORK}]}
    return {"infoPlist": keys, "itemIdentifier": SOURCE_ITEM}


def advertised_app(item, endpoint):
    """The bundle identifier and the registration of an app that ads lead to."""
    return f"com.example.game{item}", {"infoPlist": {"NSAdvertisingAttributionReportEndpoint": endpoint}, "itemIdentifier": item}


def signed_ad(app, item):
    """The body of a call that displays an ad of SKAdNetwork 4.0 for an app."""
    nonce = f"00000000-0000-4000-8000-{item:012d}"
    text = "\u2063".join(["4.0", NETWORK, "5239", str(item), nonce, str(SOURCE_ITEM), "1", str(TIMESTAMP)])
    command = ["openssl", "dgst", "-sha256", "-sign", str(KEYS / "ad-network.private.pem")]
    signature = subprocess.run(command, input=text.encode(), check=True, capture_output=True).stdout
    return {
        "bundleIdentifier": app,
        "version": "4.0",
        "adNetworkIdentifier": NETWORK,
        "sourceIdentifier": 5239,
        "advertisedAppStoreItemIdentifier": item,
        "adImpressionIdentifier": nonce,
        "sourceAppStoreItemIdentifier": SOURCE_ITEM,
        "timestamp": TIMESTAMP,
        "signature": base64.b64encode(signature).decode(),
    }


def postback_key(body, host):
    """The identity of a postback: the advertised app, the window, and the recipient."""
    return body["app-id"], body["postback-sequence-index"], host
