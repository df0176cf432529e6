"""Instances of the service that share a PostgreSQL database, and callers that use them in turn."""

import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from service import PATIENCE, Caller, Failure, Gone, Late, Service

CLUSTER = Path(__file__).resolve().parent.parent / "PostgreSQL/cluster"
# A call without an answer in this time goes to another instance, and further ones avoid the instance for a while.
TIMEOUT = 2
AVOIDANCE = 3


class Database:
    """A PostgreSQL server in a temporary folder, which synchronizes its writes."""

    def __init__(self):
        self.process = subprocess.Popen(
            [CLUSTER, "fsync = on"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.folder = self.process.stdout.readline().strip()
        if not self.folder:
            sys.exit("PostgreSQL does not start")
        self.address = f"postgres://pcm@/postgres?host={self.folder}"

    def restart(self, mode):
        done = subprocess.run([CLUSTER, "restart", self.folder, mode], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(f"PostgreSQL does not start again: {done.stdout}{done.stderr}")

    def keep(self, folder):
        """Writes the tables and the server's log to a folder."""
        command = ["pg_dump", "--host", self.folder, "--user", "pcm", "--file", Path(folder, "postgresql.sql"), "postgres"]
        subprocess.run(command, check=False)
        Path(folder, "postgresql.log").write_text(Path(self.folder, "log").read_text(errors="replace"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Instance:
    """A process of the service that is started again after its end, with its own port of the endpoint."""

    def __init__(self, number, binary, arguments, port, folder):
        self.number, self.binary, self.arguments, self.endpoint_port = number, binary, arguments, port
        self.log = Path(folder, f"instance-{number}.log")
        self.service = None
        self.avoided_until = 0

    def start(self):
        """Starts it. A start that fails is repeated: the database may be restarting."""
        end = time.monotonic() + PATIENCE
        while True:
            service = Service(self.binary, None, self.arguments, log=self.log)
            try:
                self.service = service.wait_until_ready()
                self.avoided_until = 0
                return
            except Gone as gone:
                status = service.wait()
                if status != 2 or time.monotonic() > end:
                    raise Failure(f"instance {self.number} did not start, and ended with status {status}") from gone
                time.sleep(0.2)

    def stop(self):
        self.service.stop()

    def check(self):
        """Waits until it is ready: a lease that ended is renewed."""
        end, answer = time.monotonic() + PATIENCE, None
        while time.monotonic() < end:
            if self.service.has_ended:
                raise Failure(f"instance {self.number} ended with status {self.service.wait()}")
            with closing(Caller(self.service.port)) as caller:
                status, answer = caller.call("GET", "/readyz")
            if status == 200:
                return
            time.sleep(0.2)
        raise Failure(f"instance {self.number} is not ready: {answer}")


class Balancer(Caller):
    """Calls the instances in turn, as a load balancer does. A call without an answer, or with a temporary refusal, is repeated at
    the next instance. With its idempotency key, it takes effect once."""

    def __init__(self, instances, first=0):
        self.instances, self.turn = instances, first
        self.callers = {}
        # The reasons of repetitions.
        self.repeated = Counter()

    def call(self, method, path, body=None, headers=None):
        end, reason = time.monotonic() + PATIENCE, None
        while time.monotonic() < end:
            instance = self.next()
            try:
                status, answer = self.caller(instance).call(method, path, body, headers)
                if status != 503 or not answer["retryable"]:
                    return status, answer
                reason, detail = answer["code"], answer["detail"]
            except Late as late:
                reason, detail = "no answer in time", late
                instance.avoided_until = time.monotonic() + AVOIDANCE
            except Gone as gone:
                reason, detail = "no connection", gone
            self.repeated[reason] += 1
            time.sleep(0.02)
        raise Failure(f"{method} {path} had no success within {PATIENCE} seconds; at last, {reason}: {detail}")

    def next(self):
        """Returns the next instance that is not avoided, or the next one if all are."""
        now = time.monotonic()
        for _ in self.instances:
            self.turn += 1
            instance = self.instances[self.turn % len(self.instances)]
            if instance.avoided_until <= now:
                break
        return instance

    def caller(self, instance):
        service, caller = self.callers.get(instance.number, (None, None))
        if service is not instance.service:
            if caller:
                caller.close()
            service = instance.service
            caller = Caller(service.port, TIMEOUT)
            self.callers[instance.number] = service, caller
        return caller

    def close(self):
        for _, caller in self.callers.values():
            caller.close()
