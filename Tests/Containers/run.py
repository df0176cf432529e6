"""Runs the Compose files and the recipe for Testcontainers with the image pcm-browser: run.py PROJECT FOLDER [CHECK...]

It is the first process of separate namespaces, so each container ends with it, and its network has no way out. podman's health checks
need systemd, so the tests poll /readyz.
"""

import http.client
import json
import os
import pathlib
import ssl
import subprocess
import sys
import threading
import time
from datetime import datetime, timezone

import yaml

project, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
token = "containers"
START = datetime(2026, 11, 20, 10, tzinfo=timezone.utc)
secrets = {"PCM_BROWSER_API_TOKEN": token, "PCM_POSTGRES_PASSWORD": "postgres"}


def run(*command, status=0, **options):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300, cwd=project, **options)
    output = done.stdout + done.stderr
    assert status is None or done.returncode == status, f"{' '.join(map(str, command))}: {done.returncode}\n{output}"
    return output


def compose(file, *arguments):
    return run("podman-compose", "--file", file, *arguments, env=os.environ | secrets)


def call(method, path, body=None, *, port=8726, authority=None, bearer=token, host="127.0.0.1"):
    """The status and the body of a response."""
    if authority:
        context = ssl.create_default_context(cadata=authority)
        connection = http.client.HTTPSConnection("localhost", port, timeout=30, context=context)
    else:
        connection = http.client.HTTPConnection(host, port, timeout=30)
    headers = {"Host": f"localhost:{port}"} | ({"Authorization": f"Bearer {bearer}"} if bearer else {})
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def succeed(method, path, body=None, **options):
    status, text = call(method, path, body, **options)
    assert status < 300, f"{method} {path}: {status} {text}"
    return json.loads(text) if text else None


def until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except (OSError, http.client.HTTPException):
            pass
        if time.monotonic() > end:
            logs = "".join(run("podman", "logs", "--tail", "20", name, status=None) for name in containers())
            raise AssertionError(f"{what} after {seconds} s\n{run('podman', 'ps', '--all')}\n{logs}")
        time.sleep(0.1)


def containers():
    return run("podman", "ps", "--all", "--format", "{{.Names}}").split()


def is_ready(**options):
    return call("GET", "/readyz", bearer=None, **options)[0] == 200


def inspect(name):
    return json.loads(run("podman", "inspect", name))[0]


def kill(name):
    """Kills the process of a container, which is restarted."""
    before = inspect(name)["State"]["Pid"]
    os.kill(before, 9)
    until(lambda: inspect(name)["State"]["Pid"] != before, f"{name} is not killed")


def check_isolation(name):
    """The root is read-only, and the program has no capabilities, also not by set-user-ID programs."""
    run("podman", "exec", name, "touch", "/etc/new", status=1)
    run("podman", "exec", name, "touch", "/tmp/new")
    state = run("podman", "exec", name, "cat", "/proc/1/status")
    for line in ("Uid:\t10001\t", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1"):
        assert line in state, f"{name}: no {line} in\n{state}"


def check_health(file):
    """The health checks of a Compose file pass in its containers."""
    for service, settings in yaml.safe_load((project / file).read_text())["services"].items():
        test = settings["healthcheck"]["test"]
        words = ["sh", "-c", test] if isinstance(test, str) else test[1:]
        for name in [name for name in containers() if f"_{service}_" in name]:
            run("podman", "exec", name, *words)


def play(browser):
    """A click, a purchase, and two days."""
    path = f"/v1/browsers/{browser}"
    succeed("PUT", path, {"seed": "1", "clock": {"mode": "manual", "start": START.isoformat()}})
    succeed("PUT", f"{path}/apps/com.example.news", {"reportEndpoint": "https://news.example"})
    tap = {"bundleIdentifier": "com.example.news", "sourceIdentifier": 4, "destinationURL": "https://shop.example/", "tapVerified": True}
    assert succeed("POST", f"{path}/event-attributions", tap)["outcome"] == "stored"
    purchase = {"firstPartyURL": "https://shop.example/thanks", "pixelOf": "news.example", "triggerData": 12}
    assert succeed("POST", f"{path}/triggering-events", purchase)["outcome"] == "attributed"
    succeed("POST", f"{path}/clock/advance", {"by": "PT48H"})


def check_image():
    settings = json.loads(run("podman", "image", "inspect", "pcm-browser"))[0]
    assert settings["User"] == "pcm-browser" and "http://127.0.0.1:8726/healthz" in str(settings["Healthcheck"])
    refused = run("podman", "run", "--rm", "--network", "none", "pcm-browser", status=2)
    assert "set --api-token-file, --api-token, or PCM_BROWSER_API_TOKEN" in refused, refused
    version = run("podman", "run", "--rm", "--network", "none", "pcm-browser", "--version")
    return version.strip()


def check_compose():
    """A click becomes two reports over TLS. Data survives the end of the process."""
    compose("docker-compose.yml", "up", "--detach", "--no-build")
    try:
        until(is_ready, "the service is not ready")
        browser, receiver = ([name for name in containers() if part in name][0] for part in ("pcm-browser", "receiver"))
        for name in (browser, receiver):
            check_isolation(name)
        # The service has no private key, and cannot change the authority that it trusts.
        run("podman", "exec", browser, "grep", "-r", "PRIVATE KEY", "/shared", "/data", status=1)
        run("podman", "exec", browser, "touch", "/shared/new", status=1)
        assert call("GET", "/v1", bearer=None)[0] == 401
        authority = run("podman", "exec", receiver, "cat", "/shared/ca.pem")
        until(lambda: call("GET", "/healthz", port=8443, authority=authority)[0] == 200, "the receiver is not ready")
        check_health("docker-compose.yml")
        play("compose")
        reports = succeed("GET", "/admin/reports", port=8443, authority=authority)["items"]
        assert [report["verdict"] for report in reports] == ["accepted", "accepted"], reports
        assert call("GET", "/admin/reports", port=8443, authority=authority, bearer=None)[0] == 401
        kill(browser)
        until(is_ready, "the service is not restarted")
        assert len(succeed("GET", "/v1/browsers/compose/reports?state=delivered")["items"]) == 2
        return f"{len(reports)} reports"
    finally:
        compose("docker-compose.yml", "down", "--volumes")


class Instances:
    """The two instances behind the balancer, and later instances with the same options."""

    def __init__(self):
        self.service = yaml.safe_load((project / "docker-compose.postgres.yml").read_text())["services"]["pcm-browser"]
        self.names = [name for name in containers() if "pcm-browser" in name]
        assert len(self.names) == 2, self.names
        (self.network,) = inspect(self.names[0])["NetworkSettings"]["Networks"]

    def address(self, name):
        return inspect(name)["NetworkSettings"]["Networks"][self.network]["IPAddress"]

    def start(self, name):
        first = self.service
        values = {"PCM_BROWSER_API_TOKEN": token, "PCM_BROWSER_STORE": first["environment"]["PCM_BROWSER_STORE"], "PGPASSWORD": "postgres"}
        environment = [word for item in values.items() for word in ("--env", "=".join(item))]
        run("podman", "run", "--detach", "--name", name, "--network", self.network, "--network-alias", "pcm-browser", "--read-only",
            "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", *environment, "pcm-browser", *first["command"])
        self.names.append(name)
        until(lambda: is_ready(host=self.address(name)), f"{name} is not ready")

    def calls(self):
        """The number of calls of browsers that each instance has answered."""
        counts = {}
        for name in self.names:
            _, text = call("GET", "/metrics", host=self.address(name))
            lines = [line for line in text.splitlines() if line.startswith("pcm_http_requests_total") and "/v1/browsers/{browser}" in line]
            counts[name] = sum(int(line.rsplit(" ", 1)[1]) for line in lines)
        return counts

    def serving(self, browser):
        """The instances that answer the calls of a browser."""
        before = self.calls()
        for _ in range(5):
            succeed("GET", f"/v1/browsers/{browser}")
        after = self.calls()
        return {name for name in self.names if after[name] > before[name]}


class Load:
    """Calls of many browsers through the balancer, one after the other. While `lock` is held, no call is under way.

    An instance that stops cancels a call that it has not begun, and says that nothing was changed. Or it closes the connection before it
    has read the call, and the balancer answers 502. Clients repeat such a call.
    """

    def __init__(self):
        self.lock, self.failures, self.count, self.longest, self.goes_on = threading.Lock(), [], 0, 0.0, True
        self.canceled = 0
        self.thread = threading.Thread(target=self.work, daemon=True)

    def work(self):
        while self.goes_on:
            with self.lock:
                start = time.monotonic()
                try:
                    status, text = call("POST", f"/v1/browsers/load-{self.count % 20}/clock/advance", {"by": "PT1S"})
                except (OSError, http.client.HTTPException) as error:
                    status, text = 0, repr(error)
                self.count += 1
                self.longest = max(self.longest, time.monotonic() - start)
                if status == 502 or status == 503 and '"code":"cancelled"' in text:
                    self.canceled += 1
                elif status != 200:
                    self.failures.append(f"call {self.count} after {time.monotonic() - start:.1f} s: {status} {text[:300]}")

    def __enter__(self):
        for number in range(20):
            succeed("PUT", f"/v1/browsers/load-{number}", {"seed": "1", "clock": {"mode": "manual", "start": START.isoformat()}})
        self.thread.start()
        return self

    def pass_calls(self, what, count=60):
        """Waits for further calls, none of which may fail."""
        end = self.count + count
        until(lambda: self.count >= end or self.failures, f"no {count} calls {what}")
        assert not self.failures, f"{what}: {self.failures}"

    def __exit__(self, *_):
        self.goes_on = False
        self.thread.join(60)

    def moved_seconds(self):
        """The sum of what the calls have moved the clocks of the browsers by."""
        clocks = [succeed("GET", f"/v1/browsers/load-{number}")["clock"] for number in range(20)]
        return sum((datetime.fromisoformat(clock["now"]) - START).total_seconds() for clock in clocks)


def served_by(instances, load):
    """The instances that answer the calls of browsers. The calls of one browser have one instance, as soon as the balancer knows all."""
    with load.lock:
        serving = [instances.serving(f"load-{number}") for number in range(20)]
    return set.union(*serving) if all(len(names) == 1 for names in serving) else set()


def check_instances():
    """Killing, replacing, and adding an instance fails no call that was not sent."""
    file = "docker-compose.postgres.yml"
    compose(file, "up", "--detach", "--no-build")
    try:
        until(is_ready, "no instance is ready")
        instances = Instances()
        first, second = instances.names
        for name in instances.names:
            until(lambda name=name: is_ready(host=instances.address(name)), f"{name} is not ready")
        check_isolation(first)
        check_health(file)
        with Load() as load:
            load.pass_calls("with two instances")
            until(lambda: served_by(instances, load) == {first, second}, "only one instance is used")
            with load.lock:
                kill(second)
            load.pass_calls("after a kill")
            until(lambda: is_ready(host=instances.address(second)), f"{second} is not restarted")
            with load.lock:
                run("podman", "rm", "--force", "--time", "0", second)
            instances.names.remove(second)
            load.pass_calls("after the loss of an instance")
            instances.start("third")
            load.pass_calls("with a new instance")
            until(lambda: served_by(instances, load) == {first, "third"}, "the new instance has no calls")
            assert load.canceled == 0, f"{load.canceled} calls were canceled before an instance was stopped"
            run("podman", "stop", "--time", "30", first)
            instances.names.remove(first)
            load.pass_calls("after a replacement")
            # Only one call was under way when the instance was stopped.
            assert load.canceled <= 1, f"{load.canceled} calls were canceled"
        # A canceled call has changed nothing.
        assert load.moved_seconds() == load.count - load.canceled, f"{load.moved_seconds()} of {load.count} calls, {load.canceled} canceled"
        return f"{load.count} calls, the longest took {load.longest:.1f} s"
    finally:
        run("podman", "rm", "--force", "--time", "0", "third", status=None)
        compose(file, "down", "--volumes")


def check_testcontainers():
    """The recipe passes as it is, with podman in place of Docker."""
    socket = folder / "podman.sock"
    server = subprocess.Popen(["podman", "system", "service", "--time", "0", f"unix://{socket}"], stderr=subprocess.DEVNULL)
    try:
        until(socket.exists, "podman's service has no socket")
        environment = os.environ | {
            "DOCKER_HOST": f"unix://{socket}", "TESTCONTAINERS_RYUK_DISABLED": "true", "TESTCONTAINERS_CONNECTION_MODE": "docker_host",
        }
        output = run(
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "examples/ci/test_with_container.py", env=environment)
        return output.strip().splitlines()[-1]
    finally:
        server.terminate()
        server.wait()
        socket.unlink(missing_ok=True)


def remove_everything():
    run("podman", "rm", "--all", "--force", "--time", "0", status=None)
    run("podman", "volume", "prune", "--force", status=None)
    run("podman", "network", "prune", "--force", status=None)


run("ip", "link", "set", "lo", "up")
assert "default" not in run("ip", "route"), "the network has a way out"
remove_everything()
try:
    checks = [check_image, check_compose, check_instances, check_testcontainers]
    for check in [check for check in checks if not sys.argv[3:] or check.__name__.removeprefix("check_") in sys.argv[3:]]:
        start = time.monotonic()
        facts = check()
        print(f"passed: {check.__name__.removeprefix('check_')}, {time.monotonic() - start:.0f} s; {facts}", flush=True)
finally:
    remove_everything()
    run("podman", "rmi", "--force", "pcm-browser", status=None)
    run("podman", "image", "prune", "--force", status=None)
