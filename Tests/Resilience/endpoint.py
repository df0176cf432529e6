"""A report endpoint over TLS that counts reports, signs tokens, and can strike at any point of a request."""

import asyncio
import base64
import json
import re
import ssl
import subprocess
import threading
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import device

PUBLIC_SUFFIXES = """// ===BEGIN ICANN DOMAINS===
example
shops.example
sources.example
// ===END ICANN DOMAINS===
"""
FOLDER = "/.well-known/private-click-measurement/"


def openssl(*arguments):
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True).stdout


class Certificates:
    """A certificate for all sites of the tests, and the files and options with which the service accepts it.

    Every label of shops.example and sources.example is a site, with one wildcard certificate for each.
    """

    def __init__(self, folder):
        self.file, self.key, self.suffixes = (Path(folder, name) for name in ("ca.pem", "key.pem", "suffixes.dat"))
        self.suffixes.write_text(PUBLIC_SUFFIXES)
        names = "DNS:*.shops.example,DNS:*.sources.example"
        openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", 30,
            "-keyout", self.key, "-out", self.file, "-subj", "/CN=endpoint", "-addext", f"subjectAltName={names}",
        )

    def arguments(self, port, host="127.0.0.1"):
        return [
            "--connect-to", f"::{host}:{port}", "--ca-file", str(self.file), "--public-suffix-list", str(self.suffixes),
        ]


class TokenKey:
    """An RSA-PSS key that signs blinded tokens, as a reference endpoint does."""

    def __init__(self, folder):
        path = Path(folder, "token.pem")
        options = ["rsa_keygen_bits:2048", "rsa_pss_keygen_md:sha384", "rsa_pss_keygen_mgf1_md:sha384"]
        options += ["rsa_pss_keygen_saltlen:48"]
        openssl("genpkey", "-algorithm", "RSA-PSS", "-out", path, *[text for o in options for text in ("-pkeyopt", o)])
        self.public = encode(openssl("pkey", "-in", path, "-pubout", "-outform", "DER"))
        text = openssl("pkey", "-in", path, "-text", "-noout").decode()
        self.modulus, self.exponent = (number_in(text, name) for name in ("modulus", "privateExponent"))

    def sign(self, blinded):
        signed = pow(int.from_bytes(decode(blinded), "big"), self.exponent, self.modulus)
        return encode(signed.to_bytes((self.modulus.bit_length() + 7) // 8, "big"))


def number_in(text, name):
    return int(re.sub(r"[:\s]", "", re.search(rf"^{name}:((?:\s+[0-9a-f:]+)+)$", text, re.MULTILINE)[1]), 16)


def encode(content):
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Endpoint:
    """Counts complete reports and accepted ones by source site, destination site, and host, and postbacks by `device.postback_key`.

    `strike` is called with "head", "body", or "answer" when the head of a report has arrived, its body has arrived, and the
    answer has been sent, and with the port at which it arrived. `status` returns the status for a report.
    """

    def __init__(self, certificates, token_key=None):
        self.received, self.accepted = Counter(), Counter()
        self.strike = lambda moment, port: None
        self.status = lambda: 200
        self.token_key = token_key
        self.loop = asyncio.new_event_loop()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificates.file, certificates.key)
        self.context.set_alpn_protocols(["http/1.1"])
        # Callers that are killed end connections at any point, which is not worth a message.
        self.loop.set_exception_handler(lambda loop, description: None)
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.servers = []
        self.port = self.listen()

    def listen(self):
        """Returns another port, at which the same reports are counted."""
        started = asyncio.start_server(self.serve, "127.0.0.1", 0, ssl=self.context, backlog=512)
        self.servers.append(asyncio.run_coroutine_threadsafe(started, self.loop).result())
        return self.servers[-1].sockets[0].getsockname()[1]

    @staticmethod
    def key(postback):
        """The key under which a postback of the API is counted."""
        item = int(postback["bundleIdentifier"].removeprefix("com.example.game"))
        return item, postback["sequenceIndex"], urlsplit(postback["url"]).hostname

    def close(self):
        for server in self.servers:
            self.loop.call_soon_threadsafe(server.close)
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def serve(self, reader, writer):
        try:
            while await self.answer_one(reader, writer):
                pass
        except (OSError, EOFError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def answer_one(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        target = head.split(" ", 2)[1]
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        is_postback = target in device.POSTBACK_PATHS
        is_report = is_postback or target == FOLDER + "report-attribution/"
        port = writer.get_extra_info("sockname")[1]
        if is_report:
            self.strike("head", port)
        body = json.loads(await reader.readexactly(int(fields.get("content-length", 0))) or b"null")
        status, content = 200, {}
        if is_report:
            key = (
                device.postback_key(body, fields["host"])
                if is_postback
                else (body["source_site"], body["attributed_on_site"], fields["host"])
            )
            self.received[key] += 1
            self.strike("body", port)
            status = self.status()
            self.accepted[key] += status == 200
        elif target == FOLDER + "get-token-public-key/" and self.token_key:
            content = {"token_public_key": self.token_key.public}
        elif target == FOLDER + "sign-unlinkable-token/" and self.token_key:
            blinded = body.get("source_unlinkable_token") or body.get("destination_unlinkable_token")
            content = {"unlinkable_token": self.token_key.sign(blinded)}
        text = json.dumps(content)
        writer.write(
            f"HTTP/1.1 {status} Status\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode()
        )
        await writer.drain()
        if is_report:
            self.strike("answer", port)
        return True
