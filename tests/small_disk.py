"""Real disks that are full or cannot be written to, for tests run by one who may mount them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def may_mount() -> bool:
    return (
        hasattr(os, "geteuid")
        and os.geteuid() == 0
        and shutil.which("mount") is not None
        and shutil.which("unshare") is not None
        and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0
    )


needs_mounting = pytest.mark.skipif(not may_mount(), reason="a small disk can only be made by root on Linux")


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """A disk of that size, mounted at a new folder."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(folder: Path) -> None:
    """Take all that is left of a disk."""
    with (folder / "filling").open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                pass
