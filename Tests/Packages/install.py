"""Installs each package into an empty system, and runs the README's first test there: install.py RELEASES ROOT README

RELEASES has the folder of one release. ROOT is a minimal Debian without a compiler, which is copied for the Debian package and the
archive. A wheel goes to a new virtual environment without anything else on its path. Prints the seconds from the install line to the
last passing test, and the sizes.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import time

releases, root, readme = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
(packages,) = releases.iterdir()
megabyte = 1_000_000
report_path = "/.well-known/private-click-measurement/report-attribution/"


def run(*command, expected_status=0, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=900, **options)
    output = done.stdout + done.stderr
    assert done.returncode == expected_status, f"{' '.join(map(str, command))}: {done.returncode}\n{output}"
    return output


def block(language, containing):
    """The fenced block of the README with a language and a text."""
    blocks = re.findall(rf"^ *```{language}\n(.*?)^ *```", readme.read_text(), re.DOTALL | re.MULTILINE)
    found = [text for text in blocks if containing in text]
    assert len(found) == 1, f"{len(found)} blocks of {language} contain {containing}"
    return textwrap.dedent(found[0])


def package(pattern):
    found = list(packages.glob(pattern))
    assert len(found) == 1, f"{packages} has {len(found)} files {pattern}"
    return found[0]


class EmptySystem:
    """A copy of the minimal Debian, with /proc, from which a program reads its arguments and its place."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def run(self, *command, **options):
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/srv", "DEBIAN_FRONTEND": "noninteractive"}
        return run("chroot", self.folder, *command, env=environment, **options)

    def take(self, file):
        shutil.copy(file, self.folder / "srv")

    def write(self, name, text):
        (self.folder / "srv" / name).write_text(text)


@contextlib.contextmanager
def empty_system():
    with tempfile.TemporaryDirectory() as folder:
        system = EmptySystem(pathlib.Path(folder) / "system")
        run("cp", "--archive", root, system.folder)
        run("mount", "-t", "proc", "proc", system.folder / "proc")
        try:
            for compiler in ("cc", "gcc", "clang", "swift"):
                system.run("sh", "-c", f"! command -v {compiler}")
            yield system
        finally:
            run("umount", system.folder / "proc")


def check_program(system, program):
    """The version with its commit, the demo, and the README's first test as a scenario, which fails with another outcome."""
    assert re.fullmatch(r"\d+\.\d+\.\d+ \([0-9a-f]{7,}\)\n", system.run(program, "--version"))
    demo = system.run(program, "demo")
    assert demo.count(report_path) >= 2, demo
    first = block("yaml", "scenario: ")
    system.write("wrong.yaml", first.replace("outcome: stored", "outcome: discarded"))
    assert "expected" in system.run(program, "run", "/srv/wrong.yaml", expected_status=1)


def check_share(system, program, folder, readme):
    """Each link of a page leads to a file, and the service has the documentation."""
    pages = [*folder.rglob("*.md"), readme]
    assert len(pages) > 40
    for page in pages:
        text = re.sub(r"^( *)```.*?^\1```$|`[^`\n]+`", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)\s#]+)", text):
            assert re.match(r"[a-z]+:", target) or (page.parent / target).exists(), f"{page}: {target}"
    for path in ("clients/node/index.js", "clients/swift/Package.swift", "examples/ci/first-test", "examples/python/test_ads.py"):
        assert (folder / path).is_file(), path
    call = (
        'a=${PCM_BROWSER_URL#http://}; exec 3<>"/dev/tcp/${a%:*}/${a#*:}"; '
        'printf "GET /documentation/documentation/pcm-browser/ci HTTP/1.1\\r\\nHost: $a\\r\\nConnection: close\\r\\n\\r\\n" >&3; cat <&3')
    page = system.run(program, "exec", "--", "bash", "-c", call)
    assert page.startswith("HTTP/1.1 200") and "/documentation/js/" in page, page[:500]


def check_unit(unit, program):
    """systemd knows every setting, and rates the exposure as low: below 2 of 10."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / unit.name
        copy.write_text(unit.read_text().replace("/usr/bin/pcm-browser", str(program)))
        assert run("systemd-analyze", "verify", "--man=no", copy) == ""
        run("systemd-analyze", "security", "--offline=true", "--threshold=20", copy)


def check_deb():
    with empty_system() as system:
        system.take(package("*.deb"))
        system.write("first-test.yaml", block("yaml", "scenario: "))
        system.run("apt-get", "-qq", "update")
        start = time.monotonic()
        system.run("sh", "-c", "apt-get -qq install -y --no-install-recommends /srv/*.deb")
        system.run("pcm-browser", "run", "/srv/first-test.yaml")
        seconds = time.monotonic() - start
        check_program(system, "pcm-browser")
        share = system.folder / "usr/share/pcm-browser"
        check_share(system, "pcm-browser", share, share / "README.md")
        unit = system.folder / "usr/lib/systemd/system/pcm-browser.service"
        check_unit(unit, system.folder / "usr/bin/pcm-browser")
        size = (system.folder / "usr/bin/pcm-browser").stat().st_size
        assert size < 60 * megabyte, f"the stripped binary has {size} bytes"
        assert "pcm-browser" in (system.folder / "usr/share/bash-completion/completions/pcm-browser").read_text()
        settings = system.folder / "etc/default/pcm-browser"
        assert settings.stat().st_mode & 0o777 == 0o600
        assert all(line.startswith("#") or not line for line in settings.read_text().splitlines())
        settings.write_text("PCM_BROWSER_OPTIONS=--port 8727\n")
        system.run("sh", "-c", "dpkg --install /srv/*.deb")
        assert settings.read_text() == "PCM_BROWSER_OPTIONS=--port 8727\n"
        run("man", "--local-file", "--warnings=all", system.folder / "usr/share/man/man1/pcm-browser.1.gz")
        run("umount", system.folder / "proc")
        assert "mount /proc" in system.run("pcm-browser", "verify", "/srv/none.json", expected_status=2)
        run("mount", "-t", "proc", "proc", system.folder / "proc")
        check_purge(system)
        return seconds, f"stripped binary {size / megabyte:.1f} MB"


def check_purge(system):
    """A purge removes the settings and the data, too, which the service and its administrator have created."""
    for file in (
            "etc/default/pcm-browser", "etc/systemd/system/pcm-browser.service.d/override.conf",
            "var/lib/private/pcm-browser/pcm-browser.sqlite"):
        (system.folder / file).parent.mkdir(parents=True, exist_ok=True)
        (system.folder / file).touch()
    wants = system.folder / "etc/systemd/system/multi-user.target.wants"
    wants.mkdir(exist_ok=True)
    for link, target in ((wants / "pcm-browser.service", "/usr/lib/systemd/system/pcm-browser.service"),
                         (system.folder / "var/lib/pcm-browser", "private/pcm-browser")):
        if not link.is_symlink():
            link.symlink_to(target)
    system.run("apt-get", "-qq", "purge", "-y", "pcm-browser")
    left = system.run("find", "/", "-xdev", "-name", "*pcm-browser*", "-not", "-path", "/srv/*")
    assert left == "", left


def check_archive():
    with empty_system() as system:
        system.take(package("*-linux-*.tar.gz"))
        system.write("first-test.yaml", block("yaml", "scenario: "))
        start = time.monotonic()
        system.run("sh", "-c", "cd /srv && tar xzf *.tar.gz && ln -s /srv/pcm-browser-*/bin/pcm-browser /usr/local/bin/")
        system.run("/usr/local/bin/pcm-browser", "run", "/srv/first-test.yaml")
        seconds = time.monotonic() - start
        check_program(system, "/usr/local/bin/pcm-browser")
        system.run("sh", "-c", "cd /srv/pcm-browser-* && sha256sum --check --quiet SHA256SUMS")
        # Nothing but the C library comes from the system.
        loaded = system.run("sh", "-c", "ldd /srv/pcm-browser-*/bin/pcm-browser")
        outside = {line.split()[0] for line in loaded.splitlines() if "/bin/../lib/" not in line}
        assert all(re.match(r"(linux-vdso|/lib64/ld-linux|lib(c|m|resolv|dl|pthread|rt))\b", name) for name in outside), outside
        folder = next((system.folder / "srv").glob("pcm-browser-*/"))
        check_share(system, "/usr/local/bin/pcm-browser", folder / "share/pcm-browser", folder / "README.md")
        parts = json.loads((folder / "pcm-browser.spdx.json").read_text())["packages"]
        for part in parts[1:]:
            licensed = part["licenseDeclared"] != "NOASSERTION" or (folder / "licenses" / part["name"]).is_dir()
            assert licensed, f"{part['name']} has no license"
        run(sys.executable, "-m", "spdx_tools.spdx.clitools.pyspdxtools", "--infile", folder / "pcm-browser.spdx.json")
        return seconds, f"{package('*-linux-*.tar.gz').stat().st_size / megabyte:.1f} MB, {len(parts)} parts"


class PythonEnvironment:
    """A new virtual environment with nothing else on its path, and the README's first test in its folder."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        run("python3", "-m", "venv", self.folder / "venv")
        self.variables = {"PATH": f"{folder}/venv/bin:/bin", "HOME": str(folder)}
        self.variables |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        (self.folder / "test_first.py").write_text(block("python", "def test_"))

    def run(self, *command, expected_status=0, **variables):
        return run(*command, expected_status=expected_status, env=self.variables | variables, cwd=self.folder)

    def pip(self, *arguments):
        return self.run(self.folder / "venv/bin/python", "-m", "pip", "--quiet", *arguments)

    def test(self, expected_status=0, **variables):
        return self.run(self.folder / "venv/bin/python", "-m", "pytest", "-q", "test_first.py", expected_status=expected_status, **variables)


def check_wheel():
    """The wheels of a download install without an index."""
    size = package("*manylinux*.whl").stat().st_size
    assert size < 30 * megabyte, f"the wheel has {size} bytes"
    with tempfile.TemporaryDirectory() as folder:
        python = PythonEnvironment(folder)
        python.pip("download", "--dest", "wheels", package("*manylinux*.whl"), "pytest")
        start = time.monotonic()
        python.pip("install", "--no-index", "--find-links", "wheels", "pcm-browser", "pytest")
        python.test()
        seconds = time.monotonic() - start
        program = python.folder / "venv/bin/pcm-browser"
        assert re.match(r"\d+\.\d+\.\d+ \(", python.run(program, "--version"))
        demo = python.run(program, "demo")
        assert demo.count(report_path) >= 2, demo
        return seconds, f"{size / megabyte:.1f} MB"


def check_client():
    """pip takes the wheel without the program where the other one does not fit, and its fixtures find another program or a service."""
    size = package("*-none-any.whl").stat().st_size
    with tempfile.TemporaryDirectory() as folder:
        python = PythonEnvironment(folder)
        for platform, kind in [
            ("manylinux_2_36_x86_64", "manylinux"), ("manylinux_2_31_x86_64", "none-any"), ("macosx_14_0_arm64", "none-any"),
            ("manylinux_2_36_aarch64", "none-any"),
        ]:
            target = python.folder / platform
            python.pip(
                "download", "--no-index", "--find-links", packages, "--no-deps", "--only-binary=:all:", "--platform", platform,
                "--dest", target, "pcm-browser")
            (found,) = target.iterdir()
            assert kind in found.name, f"pip takes {found.name} on {platform}"
        start = time.monotonic()
        python.pip("install", package("*-none-any.whl"), "pytest")
        assert "this wheel is for any platform and contains only the client" in python.test(expected_status=1)
        with tarfile.open(package("*-linux-*.tar.gz")) as archive:
            archive.extractall(python.folder, filter="data")
        program = next(python.folder.glob("pcm-browser-*/bin/pcm-browser"))
        python.test(PCM_BROWSER_BINARY=str(program))
        python.run(program, "exec", "--", python.folder / "venv/bin/python", "-m", "pytest", "-q", "test_first.py")
        return time.monotonic() - start, f"{size / megabyte:.1f} MB"


def check_release():
    """The checksums name every other file."""
    start = time.monotonic()
    run("sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS", cwd=packages)
    files = {path.name for path in packages.iterdir()} - {"SHA256SUMS"}
    assert files == {line.split()[1] for line in (packages / "SHA256SUMS").read_text().splitlines()}
    parts = json.loads(package("*.spdx.json").read_text())
    assert parts["packages"][0]["versionInfo"] == packages.name
    assert "### " in (packages / "NOTES.md").read_text() and "## [" not in (packages / "NOTES.md").read_text().replace("### ", "")
    with tarfile.open(package("*-documentation.tar.gz")) as archive:
        assert "documentation/documentation/pcm-browser/index.html" in archive.getnames()
    return time.monotonic() - start, f"{len(files)} files"


for check in [check_release, check_deb, check_archive, check_wheel, check_client]:
    seconds, facts = check()
    print(f"passed: {check.__name__.removeprefix('check_')}, {seconds:.0f} s; {facts}")
