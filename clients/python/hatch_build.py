"""Puts the service's executable into the wheel, and tags the wheel with its platform."""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformWheel(BuildHookInterface[Any]):
    """Reads two variables; without them, the wheel is a client for any platform.

    * `PCM_WHEEL_BIN`: the folder with `pcm-browser` and the shared libraries that it loads from there.
    * `PCM_WHEEL_PLATFORM`: the platform, such as `manylinux_2_36_x86_64`.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the folder as `pcm_browser/bin`, and sets the tag."""
        folder, platform = os.environ.get("PCM_WHEEL_BIN"), os.environ.get("PCM_WHEEL_PLATFORM")
        if not folder and not platform:
            return
        if not folder or not platform:
            raise ValueError("set both PCM_WHEEL_BIN and PCM_WHEEL_PLATFORM, or none")
        if not os.access(os.path.join(folder, "pcm-browser"), os.X_OK):
            raise ValueError(f"PCM_WHEEL_BIN: {folder} has no executable pcm-browser")
        build_data["force_include"][os.path.abspath(folder)] = "pcm_browser/bin"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
