"""The switch with which Chromium accepts the certificate of a server in a test."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import ssl
from pathlib import Path
from urllib.parse import urlsplit


def certificate_switch(server: str | os.PathLike[str]) -> str:
    """Returns the argument of Chromium that accepts a certificate by its public key.

    Unlike `ignore_https_errors` of Playwright, it changes nothing else, so that caching and beacons are as in production.

    Example::

        switch = certificate_switch("certificate.pem")
        arguments = ["--remote-debugging-port=0", switch]  # chromium.launch(args=arguments)

    Args:
        server: The address of the server, such as `127.0.0.1:8443`, or the path of a file with its certificate in PEM.

    Raises:
        OSError: The server does not respond.
        ValueError: The text is neither an address nor a file with a certificate.
    """
    key = hashlib.sha256(_public_key(ssl.PEM_cert_to_DER_cert(_certificate(server)))).digest()
    return f"--ignore-certificate-errors-spki-list={base64.b64encode(key).decode()}"


def _certificate(server: str | os.PathLike[str]) -> str:
    if Path(server).is_file():
        found = re.search("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", Path(server).read_text(), re.DOTALL)
        if found is None:
            raise ValueError(f"{server} contains no certificate in PEM")
        return found[0]
    text = str(server)
    address = urlsplit(text if "://" in text else f"https://{text}")
    if address.scheme != "https" or not address.hostname:
        raise ValueError(f"certificate_switch({text!r}): expected HOST:PORT, or the path of a certificate")
    return ssl.get_server_certificate((address.hostname, address.port or 443), timeout=10)


def _public_key(certificate: bytes) -> bytes:
    """Returns the SubjectPublicKeyInfo of a certificate (RFC 5280, section 4.1)."""
    _, content, _ = _element(certificate)
    _, rest, _ = _element(content)
    fields = []
    while rest:
        field, _, rest = _element(rest)
        fields.append(field)
    # The version, with the tag 0xA0, may be absent.
    return fields[6 if fields[0][0] == 0xA0 else 5]


def _element(der: bytes) -> tuple[bytes, bytes, bytes]:
    """Returns the first element of DER: whole, its content, and the rest."""
    size, start = der[1], 2
    if size & 0x80:
        start += size & 0x7F
        size = int.from_bytes(der[2:start], "big")
    return der[: start + size], der[start : start + size], der[start + size :]
