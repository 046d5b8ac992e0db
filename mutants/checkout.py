"""A copy of the checkout in which breakages are made, with a cache of compiled kernels of its own.

The cache begins with the user's. Kernels that a breakage changes, with all that call them, are compiled anew.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mutants.mutation import Mutation


class Checkout:
    """The copy below ``folder``; the real clips beside the original are linked beside it."""

    def __init__(self, original: Path, folder: Path) -> None:
        self.original, self.folder = original.resolve(), folder.resolve()
        self.root = self.folder / "checkout"
        self.package = self.root / "src" / "poise"
        self.warm = self.folder / "kernels"

    def renew(self) -> None:
        """Make the copy what the original is now."""
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.original, check=True, capture_output=True,
        ).stdout.decode()  # fmt: skip
        wanted = {name for name in listed.split("\0") if name and (self.original / name).is_file()}
        for name in sorted(wanted):
            source, target = self.original / name, self.root / name
            data = source.read_bytes()
            if not target.exists() or target.read_bytes() != data:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                target.chmod(source.stat().st_mode)
        for path in sorted(self.root.rglob("*.py")):
            if path.relative_to(self.root).as_posix() not in wanted and "node_modules" not in path.parts:
                path.unlink()
        self._link("src/poise/studio/web/node_modules", self.root / "src/poise/studio/web/node_modules")
        self._link("../shared", self.folder / "shared")
        self._take_kernels()
        built = "src/poise/studio/static"  # a copy: trials of the browser's half build it anew
        if (self.original / built).is_dir():
            shutil.copytree(self.original / built, self.root / built, dirs_exist_ok=True)

    def _link(self, name: str, target: Path) -> None:
        source = (self.original / name).resolve()
        if source.exists() and not target.exists():
            target.symlink_to(source)

    def _take_kernels(self) -> None:
        """Have what the user's own cache holds: files of kernels are named after their code."""
        own = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "poise" / "kernels"
        for source in own.glob("*/*.kernel"):
            target = self.warm / "poise" / source.relative_to(own)
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)

    @property
    def environment(self) -> dict[str, str]:
        """For processes that run in the copy."""
        more = os.environ.get("PYTHONPATH", "")
        path = [str(self.root / "src"), str(self.root), *([more] if more else [])]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(path), "NUMBA_CACHE_DIR": str(self.warm)}

    @contextmanager
    def broken(self, mutation: Mutation) -> Iterator[dict[str, str]]:
        """The copy with one breakage, and the environment to run in; afterwards all is as it was.

        Kernels that it breaks are kept beside the sound ones: files of kernels are named after their code.
        """
        path = self.root / mutation.file
        source, stamp = path.read_bytes(), path.stat()
        environment = {**self.environment, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            path.write_bytes(mutation.applied(source))
            yield environment
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
