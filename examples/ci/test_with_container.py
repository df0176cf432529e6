"""Tests with the service in a container, for pytest: pip install pytest requests testcontainers

Build the image first, in a checkout of pcm-browser: docker build --tag pcm-browser .
"""

import secrets

import pytest
import requests
from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

TOKEN = secrets.token_hex(16)


@pytest.fixture(scope="session")
def api():
    service = DockerContainer("pcm-browser").with_env("PCM_BROWSER_API_TOKEN", TOKEN).with_exposed_ports(8726)
    with service.waiting_for(LogMessageWaitStrategy("pcm-browser is listening on")) as container:
        yield f"http://{container.get_container_host_ip()}:{container.get_exposed_port(8726)}/v1/browsers/container"


def test_a_tapped_ad_is_stored(api):
    def call(method, path, body):
        answer = requests.request(method, api + path, json=body, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30)
        assert answer.ok, answer.text
        return answer.json()

    call("PUT", "", {"seed": "1", "clock": {"mode": "manual", "start": "2026-11-20T10:00:00Z"}})
    call("PUT", "/network", {"mode": "simulated"})
    call("PUT", "/apps/com.example.news", {"reportEndpoint": "https://news.example"})
    tap = call("POST", "/event-attributions", {
        "bundleIdentifier": "com.example.news", "sourceIdentifier": 4, "destinationURL": "https://shop.example/", "tapVerified": True,
    })
    assert tap["outcome"] == "stored", tap["reasons"]
