"""The switch for a certificate, compared with the library `cryptography`."""

from __future__ import annotations

import base64
import hashlib
import ssl
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from pcm_browser import certificate_switch, start_service


def expected(pem: str) -> str:
    key = x509.load_pem_x509_certificate(pem.encode()).public_key()
    der = key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return f"--ignore-certificate-errors-spki-list={base64.b64encode(hashlib.sha256(der).digest()).decode()}"


def test_the_certificate_of_a_server_and_of_a_file(tmp_path: Path) -> None:
    with start_service() as service:
        host, _, port = service.receiver.url.removeprefix("https://").rpartition(":")
        assert certificate_switch(service.receiver.url) == expected(ssl.get_server_certificate((host, int(port))))
        assert certificate_switch(f"{host}:{port}") == certificate_switch(service.receiver.url)
        authority = Path(service.receiver.ca_file).read_text()
        assert certificate_switch(service.receiver.ca_file) == expected(authority)
        (tmp_path / "chain.pem").write_text(f"a note\n{authority}\n{authority}")
        assert certificate_switch(tmp_path / "chain.pem") == expected(authority)


def test_neither_a_server_nor_a_file(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("")
    with pytest.raises(ValueError, match="contains no certificate"):
        certificate_switch(tmp_path / "empty.pem")
    with pytest.raises(ValueError, match="expected HOST:PORT, or the path of a certificate"):
        certificate_switch("http://127.0.0.1:80")
    with pytest.raises(OSError):  # noqa: PT011
        certificate_switch("127.0.0.1:9")
