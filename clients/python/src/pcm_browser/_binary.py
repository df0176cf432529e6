"""Finds the executable of the service."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


class BinaryNotFound(FileNotFoundError):
    """There is no executable of the service on this machine.

    Example::

        try:
            print("the service is", find_binary())
        except BinaryNotFound as error:
            pytest.skip(str(error))
    """


def find_binary() -> Path:
    """Returns the executable of the service: `PCM_BROWSER_BINARY`, or else in this package or on the PATH.

    Example::

        subprocess.run([find_binary(), "--version"], check=True)

    Raises:
        BinaryNotFound: There is none, or `PCM_BROWSER_BINARY` does not name an executable file.
    """
    if named := os.environ.get("PCM_BROWSER_BINARY"):
        if not _is_executable(named):
            raise BinaryNotFound(f"PCM_BROWSER_BINARY is {named}, which is not an executable file")
        return Path(named).absolute()
    packaged = Path(__file__).parent / "bin" / "pcm-browser"
    if _is_executable(packaged):
        return packaged
    # The console script of this package has the same name. It would look here again.
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in folders:
        found = shutil.which("pcm-browser", path=folder)
        if found and not _is_script(found):
            return Path(found).absolute()
    raise BinaryNotFound(
        "pcm-browser is not on this machine: this wheel is for any platform and contains only the client. Set "
        "PCM_BROWSER_BINARY to the executable, add its folder to the PATH, or set PCM_BROWSER_URL to the URL of a running "
        "service."
    )


def _is_executable(path: str | Path) -> bool:
    return Path(path).is_file() and os.access(path, os.X_OK)


def _is_script(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"#!"
