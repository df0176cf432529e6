"""Where the executable is found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pcm_browser
from pcm_browser import BinaryNotFound, find_binary, start_service


def executable(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)
    return file


def test_the_variable_then_the_package_then_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PCM_BROWSER_BINARY", raising=False)
    monkeypatch.setattr(pcm_browser._binary, "__file__", str(tmp_path / "package/_binary.py"))
    # The console script of the package has the same name, and would start itself.
    executable(tmp_path / "scripts/pcm-browser", "#!/usr/bin/env python3\n")
    monkeypatch.setenv("PATH", f"{tmp_path / 'scripts'}{os.pathsep}{tmp_path / 'installed'}")
    with pytest.raises(BinaryNotFound, match="PCM_BROWSER_BINARY"):
        find_binary()
    on_path = executable(tmp_path / "installed/pcm-browser", "\x7fELF")
    assert find_binary() == on_path
    packaged = executable(tmp_path / "package/bin/pcm-browser", "\x7fELF")
    assert find_binary() == packaged
    named = executable(tmp_path / "named", "\x7fELF")
    monkeypatch.setenv("PCM_BROWSER_BINARY", str(named))
    assert find_binary() == named
    monkeypatch.setenv("PCM_BROWSER_BINARY", str(tmp_path / "missing"))
    with pytest.raises(BinaryNotFound, match=r"missing, which is not an executable file"):
        find_binary()


def test_the_command_is_the_executable() -> None:
    run = subprocess.run([sys.executable, "-m", "pcm_browser", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout.strip()
    environment = {"PCM_BROWSER_BINARY": "/missing"}
    run = subprocess.run([sys.executable, "-m", "pcm_browser"], capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 1
    assert run.stderr.startswith("pcm-browser: PCM_BROWSER_BINARY is /missing")


def test_a_service_that_does_not_start_says_why() -> None:
    with pytest.raises(RuntimeError, match="bogus"):
        start_service("--connect-to", "bogus")


def test_the_command_and_the_plugin_start_without_the_client() -> None:
    # The oldest supported pluggy has no Result.
    older = "import pluggy, pytest; del pluggy.Result"
    code = f"{older}; import pcm_browser.__main__, pcm_browser.pytest_plugin, sys; sys.exit('httpx' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert all(getattr(pcm_browser, name).__module__ for name in pcm_browser.__all__)
    with pytest.raises(AttributeError, match="bogus"):
        pcm_browser.bogus  # type: ignore[attr-defined]  # noqa: B018
