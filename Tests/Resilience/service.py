"""The service as a process, and calls to it."""

import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
from contextlib import closing
from pathlib import Path

# A service that does not start or stop within this time has failed. Loaded machines need a part of it.
PATIENCE = 60


class Failure(Exception):
    """The service did something that it must not do."""


class Late(Failure):
    """The service did not answer in time."""


class Gone(Exception):
    """The service was killed before it answered."""


class Service:
    """`pcm-browser serve` on a port that the kernel chooses. Without a data folder, the arguments name a database."""

    def __init__(self, binary, data, arguments=(), environment=None, log=None):
        command = [str(binary), "serve", "--port", "0", *(["--data", str(data)] if data else []), *arguments]
        self.log = log
        with open(log or os.devnull, "ab") as errors:
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, env=os.environ | (environment or {})
            )
        self.port = None
        self.lock = threading.Lock()

    @property
    def pid(self):
        return self.process.pid

    def wait_until_ready(self):
        """Waits for the first line, which contains the port. Raises `Gone` when the process ends before."""
        is_late = threading.Event()
        timer = threading.Timer(PATIENCE, lambda: (is_late.set(), self.kill()))
        timer.start()
        line = self.process.stdout.readline().decode()
        timer.cancel()
        if is_late.is_set():
            raise Failure(f"the service was not ready within {PATIENCE} seconds")
        found = re.search(r" is listening on http://127\.0\.0\.1:(\d+)", line)
        if not found:
            raise Gone(line)
        self.port = int(found[1])
        return self

    def send(self, number):
        """Sends a signal. The lock prevents a signal to another process with the same number."""
        with self.lock:
            if self.process.returncode is None:
                os.kill(self.pid, number)

    def kill(self):
        self.send(signal.SIGKILL)

    def terminate(self):
        self.send(signal.SIGTERM)

    def pause(self):
        self.send(signal.SIGSTOP)

    def resume(self):
        self.send(signal.SIGCONT)

    @property
    def has_ended(self):
        with self.lock:
            return self.process.poll() is not None

    def wait(self):
        """Waits for the end of the process and returns its status, which is negative after a signal."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with self.lock:
                if self.process.poll() is not None:
                    self.process.stdout.close()
                    return self.process.returncode
            time.sleep(0.002)
        self.kill()
        raise Failure(f"the service did not end within {PATIENCE} seconds")

    def stop(self):
        self.terminate()
        status = self.wait()
        if status:
            raise Failure(f"the service ended with status {status} after SIGTERM")

    def memory(self):
        """Returns the resident memory and its maximum in bytes."""
        text = Path(f"/proc/{self.pid}/status").read_text()
        return tuple(int(re.search(rf"{name}:\s+(\d+) kB", text)[1]) << 10 for name in ("VmRSS", "VmHWM"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))


class Caller:
    """One connection to the service, and its calls."""

    def __init__(self, port, patience=PATIENCE):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)

    def call(self, method, path, body=None, headers=None):
        """Returns the status and the decoded body. A body of bytes is sent as it is, any other as JSON. Raises `Gone` without an
        answer, and `Late` after too long a time."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        fields = ({"Content-Type": "application/json"} if data else {}) | (headers or {})
        try:
            self.connection.request(method, path, data, fields)
            answer = self.connection.getresponse()
            content = answer.read()
        except TimeoutError as error:
            self.connection.close()
            raise Late(f"{method} {path} had no answer within {self.connection.timeout} seconds") from error
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            raise Gone(repr(error)) from error
        is_json = "json" in answer.headers.get("Content-Type", "")
        return answer.status, json.loads(content) if is_json else content.decode()

    def read_stream(self, path, last, identifier=None):
        """Reads a stream of events on another connection, up to a sequence number or to the end of the stream.

        Returns the status and the events with their identifiers; without success, the status and the body. Raises `Gone`
        without an answer.
        """
        fields = {"Accept": "text/event-stream"} | ({"Last-Event-ID": identifier} if identifier else {})
        address = (self.connection.host, self.connection.port)
        with closing(http.client.HTTPConnection(*address, timeout=PATIENCE)) as connection:
            try:
                connection.request("GET", path, headers=fields)
                answer = connection.getresponse()
                if answer.status != 200:
                    return answer.status, json.loads(answer.read())
            except TimeoutError as error:
                raise Failure(f"GET {path} had no answer within {PATIENCE} seconds") from error
            except (OSError, http.client.HTTPException) as error:
                raise Gone(repr(error)) from error
            return 200, read_messages(answer, last)

    def get(self, path):
        """Returns the decoded body of a 200."""
        status, body = self.call("GET", path)
        if status != 200:
            raise Failure(f"GET {path} returned {status}: {body}")
        return body

    def items(self, path):
        """Returns the items of all pages of a list."""
        found, cursor = [], None
        while True:
            page = self.get(path + ("&" if "?" in path else "?") + "limit=1000" + (f"&cursor={cursor}" if cursor else ""))
            found += page["items"]
            cursor = page["next"]
            if not cursor:
                return found

    def close(self):
        self.connection.close()


def read_messages(lines, last):
    """Returns the events of a stream with their identifiers, up to a sequence number. A stream that breaks has ended."""
    messages, identifier, end = [], None, time.monotonic() + PATIENCE
    try:
        for line in lines:
            if time.monotonic() > end:
                raise Failure(f"event {last} was not in a stream within {PATIENCE} seconds, but {messages[-1:]}")
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field == "id":
                identifier = value
            elif field == "data":
                messages.append((identifier, json.loads(value)))
                if messages[-1][1]["sequence"] >= last:
                    break
    except TimeoutError as error:
        raise Failure(f"a stream stalled after {messages[-1:]}") from error
    except (OSError, http.client.HTTPException):
        pass
    return messages
