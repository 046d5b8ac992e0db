"""The clips of a project, read when needed; what has moved, is missing or has changed is said clearly."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poise.errors import InputError, PoiseError, UnknownNameError
from poise.operations.frozen_data import encoded
from poise.project.clip_digest import clip_digest
from poise.project.clip_entry import ClipEntry
from poise.reading import beside, is_regular, read_bytes, trusting

if TYPE_CHECKING:
    from poise.motion import Clip

HELD = 64
"""How many clips are held in memory at most; others are read again when needed."""
SEARCHED = 500
"""How many files under the project's folder are looked at for one that has moved."""


@dataclass(frozen=True, eq=False)
class Loaded:
    """A clip, what it is, and what there is to say about it."""

    clip: Clip
    digest: str
    notice: str = ""


@dataclass(eq=False)
class Assets:
    """Reads entries, each only once while its file stays the same."""

    folder: Path = field(default_factory=Path)
    """Where relative paths start, and what the document names has to be …"""
    within: list[Path] = field(default_factory=list)
    """… or in one of these folders, or one of these files: what the user said."""
    blobs: dict[str, bytes] = field(default_factory=dict)
    """Clips that are kept in the project, by SHA-256."""
    _loaded: OrderedDict[bytes, tuple[object, Loaded]] = field(default_factory=OrderedDict)

    def load(self, name: str, entry: ClipEntry) -> Loaded:
        """The clip of an entry; ``name`` is for complaints."""
        key, state = encoded(entry), self._state(entry)
        known = self._loaded.get(key)
        if known is not None and known[0] == state:
            self._loaded.move_to_end(key)
            return known[1]
        try:
            found = self._read(entry, name)
        except PoiseError as problem:
            raise InputError(f"clip {name!r}: {problem}") from None
        self._loaded[key] = (state, found)
        if len(self._loaded) > HELD:
            self._loaded.popitem(last=False)
        return found

    def keep(self, clip: Clip) -> ClipEntry:
        """Take a clip into the project itself."""
        from poise.formats import native

        buffer = BytesIO()
        native.write(clip, buffer)
        data = buffer.getvalue()
        name = sha256(data).hexdigest()
        self.blobs[name] = data
        return ClipEntry(inside=name)

    def entry(self, path: Path, read: Mapping[str, object] | None = None) -> ClipEntry:
        """An entry for a file that the user names: wherever it lies, it may be read."""
        said = [path, *([Path(str(read["skeleton"]))] if read and "skeleton" in read else [])]
        self.within += [Path(os.path.realpath(file)) for file in said]
        kept: dict[str, Any] = {
            k: os.fspath(v) if isinstance(v, Path) else v for k, v in (read or {}).items()
        }
        return ClipEntry(file=self.shown(path), sha256=_sha(path), read=kept or None)

    def place(self, file: str, what: str) -> Path:
        """Where a file is that the document names; refused outside the folders it may name files of."""
        with trusting(*self.within):
            beside(self.folder, file, what)
        return self.folder / file

    def shown(self, path: Path, folder: Path | None = None) -> str:
        """A path as seen from the project's folder, or another (as it is, if it lies on another drive)."""
        full = path.resolve()
        try:
            return Path(os.path.relpath(full, (folder or self.folder).resolve())).as_posix()
        except ValueError:
            return str(full)

    def _state(self, entry: ClipEntry) -> object:
        if not entry.file:
            return None
        try:
            found = (self.folder / entry.file).stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _read(self, entry: ClipEntry, name: str) -> Loaded:
        from poise import clips, formats
        from poise.character import presets
        from poise.formats import native
        from poise.motion import Clip

        notice = ""
        if entry.bundled:
            if entry.bundled in clips.names():
                clip = clips.get(entry.bundled)
            elif entry.bundled in presets.names():
                who = presets.get(entry.bundled)
                clip = Clip(who, [who.rest_pose()], 30, name=entry.bundled)
            else:
                raise UnknownNameError(
                    "bundled clip or preset", entry.bundled, [*clips.names(), *presets.names()]
                )
        elif entry.inside:
            if entry.inside not in self.blobs:
                raise InputError(f"the container does not hold {entry.inside[:12]}…: the file is incomplete")
            clip = native.parse(self.blobs[entry.inside], Path(f"clips/{entry.inside}.npz"))
        else:
            path = self.place(entry.file, "its file")
            options: dict[str, Any] = dict(entry.read or {})
            if "skeleton" in options:
                self.place(os.path.abspath(str(options["skeleton"])), "its skeleton")
            if not is_regular(path):
                raise InputError(self._missing(entry))
            if entry.sha256 and _sha(path) != entry.sha256:
                notice = f"clip {name!r}: {entry.file} has changed since the project was saved"
            with trusting(self.folder, *self.within):
                clip = formats.load(path, **options)
        return Loaded(clip, clip_digest(clip), notice)

    def _missing(self, entry: ClipEntry) -> str:
        text = f"{entry.file} is missing (looked for in {self.folder.resolve()})"
        other = self._moved(entry)
        return f"{text}; the same file is now at {other.as_posix()}: link it anew" if other else text

    def _moved(self, entry: ClipEntry) -> Path | None:
        """A file under the project's folder with the bytes of the one that is missing."""
        if not entry.sha256:
            return None
        wanted = Path(entry.file)
        near = islice(self.folder.rglob(f"*{wanted.suffix}"), SEARCHED)
        # The old name first: most files move to other folders and keep theirs.
        for path in sorted(near, key=lambda p: p.name != wanted.name):
            if is_regular(path) and _sha(path) == entry.sha256:
                return path.relative_to(self.folder)
        return None


def _sha(path: Path) -> str:
    return sha256(read_bytes(path)).hexdigest()
