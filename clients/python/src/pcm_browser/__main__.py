"""The command `pcm-browser`, which is the executable of the service."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ._binary import BinaryNotFound, find_binary


def main() -> NoReturn:
    """Replaces this process by the executable, with the same arguments."""
    try:
        binary = find_binary()
    except BinaryNotFound as error:
        sys.exit(f"pcm-browser: {error}")
    os.execv(binary, [str(binary), *sys.argv[1:]])


if __name__ == "__main__":
    main()
