"""The one folder that the studio reads and writes."""

from __future__ import annotations

import os
from pathlib import Path

from poise.errors import InputError

KINDS = (
    ".poise",
    ".bvh",
    ".amc",
    ".asf",
    ".c3d",
    ".trc",
    ".npy",
    ".glb",
    ".gltf",
    ".fbx",
    ".usd",
    ".usda",
    ".usdc",
    ".usdz",
    ".xml",
    ".json",
    ".npz",
    ".wav",
    ".mid",
)
NOTES = ".bake.json"
"""Of how a file was baked, beside it: nothing to open."""
MOST = 2000
"""Files listed at most."""


class Workspace:
    """Paths are told relative to it, and nothing outside can be named, not even through links."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        if not self.root.is_dir():
            raise InputError(f"the workspace {root} is not a folder")

    def file(self, path: str) -> Path:
        """A path within the workspace, hidden files and folders aside: they are other programs'."""
        if "\0" in path or any(part.startswith(".") for part in Path(path).parts):
            raise InputError(f"{path!r} is not a valid name for a file of the workspace")
        return self.contains(self.root / path)

    def contains(self, path: Path) -> Path:
        """A path as it really is, links followed; refused where it leads out."""
        found = Path(os.path.realpath(path))
        if not found.is_relative_to(self.root):
            raise InputError(f"{path.name!r} lies outside the workspace {self.root.name!r}")
        return found

    def refuse_taken(self, path: Path, *, force: bool) -> None:
        """Complain of a file that exists, unless it is to be replaced."""
        if path.exists() and not force:
            name = self.shown(path)
            raise InputError(
                f"{name} already exists; choose another name, or confirm that you want to replace it"
            )

    def shown(self, path: Path | None) -> str:
        """A path as people see it."""
        if path is None:
            return ""
        real = path.resolve()
        return real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else real.name

    def nearer(self, words: str) -> str:
        """What a reader says of a file, with its path as people see it."""
        return words.replace(f"{self.root}{os.sep}", "")

    def files(self, *, every: bool = False) -> list[str]:
        """What can be opened, or ``every`` file; hidden files and folders left out."""
        found: list[str] = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(f for f in folders if not f.startswith((".", "node_modules", "__pycache__")))
            inside = Path(folder).relative_to(self.root)
            found += [
                (inside / n).as_posix()
                for n in sorted(names)
                if (every or (n.endswith(KINDS) and not n.endswith(NOTES))) and not n.startswith(".")
            ]
            if len(found) >= MOST:
                break
        return found[:MOST]
