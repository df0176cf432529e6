"""Runs the examples of the README and of the tutorials about Python and content cards against a running service: run.py README.md URL INFO.PLIST BINARY

The blocks run as they stand, but for the service's address. They run in an empty folder with the manifest in it.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap

readme, url = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
manifest, binary = pathlib.Path(sys.argv[3]).resolve(), pathlib.Path(sys.argv[4]).resolve()


def block(language, containing):
    """The one fenced block of a language that contains a text, without the list's indentation."""
    blocks = re.findall(rf"^ *```{language}\n(.*?)^ *```", readme.read_text(), re.DOTALL | re.MULTILINE)
    found = [text for text in blocks if containing in text]
    assert len(found) == 1, f"{len(found)} blocks of {language} contain {containing}"
    return textwrap.dedent(found[0])


def local(text):
    return text.replace("http://127.0.0.1:8726", url)


def run(arguments, folder, expected_status=0, environment=None):
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=120, env=environment)
    output = done.stdout + done.stderr
    assert done.returncode == expected_status, f"{arguments}: {done.returncode}\n{output}"
    return output


def check_python(folder):
    """The examples pass. Without a verified tap, a test fails with the output that the documentation shows."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PCM_")}
    environment["PCM_BROWSER_BINARY"] = str(binary)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    text = (readme.parent / "Sources/PCMApp/Documentation.docc/Python.md").read_text()
    example, test = block("python", "def test_"), folder / "test_ads.py"
    test.write_text(example)
    run([*command, test.name], folder, environment=environment)
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert example in blocks
    for number, part in enumerate(blocks):
        (folder / f"test_{number}.py").write_text(part)
    assert f"{len(blocks)} passed" in run([*command, *(f"test_{number}.py" for number in range(len(blocks)))], folder, environment=environment)
    wrong = 'destination_url="https://shop.example/", tap_verified=False)'
    test.write_text(example.replace('destination_url="https://shop.example/")', wrong))
    output = run([*command, test.name], folder, expected_status=1, environment=environment)
    shown = re.search(r"^```\n(=+ FAILURES.*?)^```", text, re.DOTALL | re.MULTILINE).group(1).splitlines()
    position = 0
    for line in shown:
        if line.strip() not in ("…", ""):
            position = output.index(line.rstrip("…"), position)


def check_curl(folder):
    example = local(block("sh", "checkout-curl"))
    example = example.replace("Fixtures/manifests/news-reader/Info.plist", "Info.plist").replace("curl ", "curl -sS --fail-with-body ")
    output = run(["bash", "-euc", example], folder)
    assert output.count(" was delivered.") == 2, output


def check_device(folder):
    """The ad's postback is verified, and an ad with another signature leads to none."""
    example = local(block("sh", "install-curl"))
    fixtures = readme.parent / "Fixtures/device/keys"
    example = example.replace("Fixtures/device/keys", str(fixtures)).replace(".build/debug/pcm-browser", str(binary))
    example = example.replace("curl ", "curl -sS --fail-with-body ")
    output = run(["bash", "-euc", example], folder)
    assert "valid, a postback of SKAdNetwork 4.0" in output, output
    assert "${s}5239${s}" in example
    forged = example.replace("${s}5239${s}", "${s}5238${s}").replace("install-curl", "install-forged")
    output = run(["bash", "-euc", forged], folder, expected_status=1)
    assert "signature-invalid" in output and "unattributed" in output, output


def check_openssl(folder):
    """The certificate names both sites, and is its own authority."""
    run(["bash", "-euc", block("sh", "openssl req")], folder)
    run(["openssl", "verify", "-CAfile", "ca.pem", "-verify_hostname", "shop.example", "ca.pem"], folder)
    run(["openssl", "verify", "-CAfile", "ca.pem", "-verify_hostname", "news.example", "ca.pem"], folder)


def check_scenarios(folder):
    """The examples pass, and each fails with another outcome."""
    for name, outcome in [("App to web with a pixel", "stored"), ("An ad wins an install", "recorded")]:
        example, file = block("yaml", f"scenario: {name}\n"), folder / "example.yaml"
        file.write_text(example)
        run([binary, "run", file.name], folder)
        file.write_text(example.replace(f"outcome: {outcome}", "outcome: rejected"))
        run([binary, "run", file.name], folder, expected_status=1)


def check_cards(folder):
    """The tutorial leads to a delivered report. Without verified taps, it leads to none."""
    text = (readme.parent / "Sources/PCMApp/Documentation.docc/Cards.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    example = local("".join(blocks)).replace("curl ", "curl -sS --fail-with-body ")
    output = run(["bash", "-euc", example], folder)
    for part in ['"shownCount":2,"droppedCount":1', "card-class-unknown", "tap-not-verified", '"outcome":"stored"',
                 '"source_engagement_type":"click"', '"clicks":2']:
        assert part in output, f"{part}: {output}"
    assert output.count('"state":"delivered"') == 2, output
    unverified = example.replace("clicks\n", "clicks -H \"$json\" -d '{\"tapVerified\":false}'\n").replace("cards-curl", "cards-unverified")
    output = run(["bash", "-euc", unverified], folder)
    assert '"state":"delivered"' not in output and '"clicks":2' in output, output
    scenario, file = re.search(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE).group(1), folder / "cards.yaml"
    file.write_text(scenario)
    run([binary, "run", file.name], folder)
    file.write_text(scenario.replace("outcome: stored", "outcome: discarded"))
    run([binary, "run", file.name], folder, expected_status=1)


for check in [check_openssl, check_curl, check_device, check_python, check_scenarios, check_cards]:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(manifest, folder)
        check(pathlib.Path(folder))
        print(f"passed: {check.__name__.removeprefix('check_')}")
