"""A pytest plugin that stands for the Docker engine, which the tests lack: a container of the image is a process of the binary,
started as the Dockerfile says.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from unittest import mock

import testcontainers.core.container as module

BINARY = os.environ["PCM_TEST_BINARY"]
DOCKERFILE = pathlib.Path(os.environ["PCM_TEST_DOCKERFILE"]).read_text()


def json_line(instruction):
    return json.loads(re.search(rf"^{instruction} (\[.*\])$", DOCKERFILE, re.MULTILINE).group(1))


class ProcessOfTheImage(module.DockerContainer):
    def start(self):
        assert self.image == "pcm-browser" and json_line("ENTRYPOINT") == ["pcm-browser"]
        assert f"EXPOSE {8726}\n" in DOCKERFILE and "ENV XDG_STATE_HOME=/data\n" in DOCKERFILE
        self.folder = tempfile.mkdtemp()
        self.log = open(f"{self.folder}/log", "wb")
        self.process = subprocess.Popen(
            [BINARY, *json_line("CMD"), "--port", "0"], env={**self.env, "XDG_STATE_HOME": self.folder},
            stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)
        self._wait_strategy.wait_until_ready(self)
        return self

    def stop(self, *_, **__):
        self.process.terminate()
        assert self.process.wait(20) == 0
        self.log.close()
        shutil.rmtree(self.folder)

    def get_logs(self):
        return pathlib.Path(f"{self.folder}/log").read_bytes(), b""

    def get_wrapped_container(self):
        return mock.Mock(status="running" if self.process.poll() is None else "exited")

    def get_container_host_ip(self):
        return "localhost"

    def get_exposed_port(self, port):
        assert str(port) in map(str, self.ports) and port == 8726
        return int(re.search(rb"listening on http://0\.0\.0\.0:(\d+)", self.get_logs()[0]).group(1))


module.DockerClient = mock.MagicMock()
module.DockerContainer = ProcessOfTheImage
