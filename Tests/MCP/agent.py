"""Uses `pcm-browser mcp` as a coding agent does, with the official client of the Model Context Protocol.

usage: agent.py PATH-OF-PCM-BROWSER
"""

import asyncio
import json
import subprocess
import sys
import tempfile

from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters

executable = sys.argv[1]

SERVER = StdioServerParameters(command=executable, args=["mcp"])
STAMP = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


class Agent:
    """A client that checks each call with the schema of its tool."""

    def __init__(self, client, schemas):
        self.client, self.schemas, self.count = client, schemas, 0

    async def __call__(self, name, **arguments):
        self.schemas[name].validate(arguments)
        self.count += 1
        result = await self.client.call_tool(name, arguments)
        (content,) = result.content
        assert not result.is_error, f"{name}: {content.text}"
        return content.text, result.structured_content


async def agent(client):
    schemas = {}
    for tool in (await client.list_tools()).tools:
        Draft202012Validator.check_schema(tool.input_schema)
        assert tool.description and "$ref" not in json.dumps(tool.input_schema), tool.name
        schemas[tool.name] = Draft202012Validator(tool.input_schema)
    return Agent(client, schemas)


async def unsent(client):
    """From nothing to the reason for which no report was sent: six calls."""
    call = await agent(client)
    await call("create_browser", browser="checkout", clock={"mode": "manual"})
    await call("register_app", browser="checkout", bundleIdentifier="com.example.news", reportEndpoint="https://news.example")
    _, tap = await call(
        "open_event_attribution", browser="checkout", bundleIdentifier="com.example.news", sourceIdentifier=4,
        destinationURL="https://shop.example/stand", tapVerified=False)
    assert tap["outcome"] == "discarded", tap
    await call("observe_triggering_event", browser="checkout", firstPartyURL="https://shop.example/done",
               pixelOf="news.example", triggerData=3)
    await call("advance_clock", browser="checkout", untilIdle=True)
    text, _ = await call("explain", browser="checkout", about="shop.example")
    assert call.count == 6, call.count
    assert "FAILED: tap-is-verified: tap-not-verified" in text and "change: " in text and "\n" in text, text
    return text


async def sent(client):
    """A report that is delivered, and the history as a test."""
    call = await agent(client)
    name = "tests/test_ads.py::test_tap[1]"
    await call("create_browser", browser=name, clock={"mode": "manual"}, seed="7b1f")
    await call("set_network", browser=name, mode="simulated")
    await call("follow_link", browser=name, pageURL="https://social.example/feed", attributionSourceID="7",
               attributionDestination="https://shop.example", landingURL="https://shop.example/")
    await call("observe_triggering_event", browser=name, firstPartyURL="https://shop.example/done",
               pixelOf="social.example", triggerData=3)
    await call("advance_clock", browser=name, untilIdle=True)
    _, reports = await call("list_reports", browser=name, state=["delivered"], include=["body"])
    assert [report["body"]["source_site"] for report in reports["items"]] == ["social.example"] * 2, reports
    text, expectation = await call("check_expectation", browser=name, noReport={})
    assert expectation["met"] is False and text == expectation["text"], expectation
    text, _ = await call("get_scenario", browser=name)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        played = subprocess.run([executable, "run", file.name], capture_output=True, text=True, timeout=60)
    assert played.returncode == 0, played.stdout + played.stderr
    await call("delete_browser", browser=name)


async def device(client):
    call = await agent(client)
    await call("create_browser", browser="phone", clock={"mode": "manual"})
    await call("register_app", browser="phone", bundleIdentifier="com.example.game",
               infoPlist={"CFBundleIdentifier": "com.example.game"}, itemIdentifier=525463029)
    network = "example123.skadnetwork"
    description = next(tool.description for tool in (await client.list_tools()).tools if tool.name == "register_ad_network")
    await call("register_ad_network", browser="phone", adNetwork=network, publicKey=description.split()[-1].rstrip("."),
               postbackURL="https://ads.example/postbacks")
    await call("register_app", browser="phone", bundleIdentifier="com.example.news", itemIdentifier=1234567891,
               infoPlist={"SKAdNetworkItems": [{"SKAdNetworkIdentifier": network}]})
    _, ad = await call("sign_ad", browser="phone", bundleIdentifier="com.example.news", version="4.0")
    _, displayed = await call("display_ad", browser="phone", **ad)
    assert displayed["outcome"] == "recorded", displayed
    _, install = await call("install_app", browser="phone", bundleIdentifier="com.example.game")
    text, _ = await call("explain", browser="phone", about=install["id"])
    assert text and install["winnerId"] == displayed["id"], install
    text, _ = await call("check_manifest", file="Fixtures/manifests/news-reader/Info.plist")
    assert "report endpoint" in text, text
    text, verdict = await call("verify_postback", postback='{"version":"4.0"}', keys="test")
    assert "fault" in text and verdict["verdicts"], text


async def errors(client):
    result = await client.call_tool("follow_link", {"browser": "default", "bogus": 1})
    assert result.is_error and "pageURL: " in result.content[0].text and "\nbogus: " in result.content[0].text, result
    result = await client.call_tool("explain", {"browser": "none", "about": "shop.example"})
    assert result.is_error and 'there is no browser "none"' in result.content[0].text, result
    result = await client.call_tool("explain", {"about": "shop.example"})
    assert result.is_error and result.content[0].text.startswith("browser: "), result
    result = await client.call_tool("explain", {"browser": "default", "about": "shop.example", "wait": 1})
    assert result.is_error and result.content[0].text.startswith("wait: "), result
    result = await client.call_tool("open_event_attribution", {"browser": "default", "bundleIdentifier": "com.example.none",
                                                               "sourceIdentifier": 4, "destinationURL": "https://shop.example/"})
    assert result.is_error and "call register_app" in result.content[0].text, result
    try:
        await client.call_tool("tap", {})
        raise AssertionError("a tool that does not exist was called")
    except MCPError as error:
        assert error.code == -32602 and "tap" in str(error), error


def exchange(*lines, arguments=("mcp",)):
    """Sends lines, ends the input, and returns the messages of the process."""
    result = subprocess.run(
        [executable, *arguments], input=b"\n".join(lines), capture_output=True, timeout=60)
    assert result.returncode == 0 and not result.stderr, result
    return [json.loads(line) for line in result.stdout.splitlines()]


def hostile():
    """Errors of the protocol are answers, the process goes on, and its output has nothing else."""
    ping = b'{"jsonrpc":"2.0","id":"last","method":"ping"}'
    lines = [b"\xff\xfe", b"{" * 100_000, b"x" * 9_000_000, b"[]", b"null", b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
             b'{"jsonrpc":"2.0","id":1.5,"method":"shutdown"}', b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}']
    *answers, last = exchange(*lines, ping)
    codes = [(answer["error"]["code"], answer["id"]) for answer in answers]
    assert codes == [(-32700, None)] * 3 + [(-32600, None)] * 3 + [(-32601, 1.5), (-32602, 2)], codes
    assert last["id"] == "last" and "result" in last, last
    assert exchange() == []
    call = {"name": "create_browser", "arguments": {"browser": "\u0000\ud800"}, "_meta": STAMP}
    (answer,) = exchange(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}).encode())
    assert "error" in answer or answer["result"]["isError"], answer


def closed_output():
    """A process whose reader is gone ends quietly."""
    process = subprocess.Popen(
        [executable, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    _, log = process.communicate(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n' * 3, timeout=60)
    assert process.returncode == 0 and not log, (process.returncode, log)


async def running_service():
    """The tools of a running service, which needs a token."""
    with tempfile.TemporaryDirectory() as folder:
        command = [executable, "serve", "--port", "0", "--data", folder, "--api-token", "sesame", "--connect-to", "::127.0.0.1:9"]
        service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            url = service.stdout.readline().split()[-1]
            variables = {"PCM_BROWSER_URL": url + "/", "PCM_BROWSER_API_TOKEN": "sesame"}
            async with Client(StdioServerParameters(command=executable, args=["mcp"], env=variables)) as client:
                assert url in client.instructions, client.instructions
                await unsent(client)
                await errors(client)
                service.terminate()
                service.wait(timeout=30)
                result = await client.call_tool("explain", {"browser": "checkout", "about": "shop.example"})
                assert result.is_error and "pcm-browser serve" in result.content[0].text, result
        finally:
            service.kill()
            service.wait()


async def main():
    texts = []
    for mode, revision in ("auto", "2026-07-28"), ("legacy", "2025-11-25"):
        async with Client(SERVER, mode=mode) as client:
            assert client.protocol_version == revision, client.protocol_version
            assert "create_browser" in client.instructions and client.server_info.name == "pcm-browser"
            texts.append(await unsent(client))
            await sent(client)
            await device(client)
            await errors(client)
    hostile()
    closed_output()
    await running_service()
    print(f"why no report was sent, in six calls:\n{texts[0]}")


asyncio.run(main())
