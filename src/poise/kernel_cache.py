"""Compiled kernels, kept between runs: one file each, in the first folder that takes it.

    own cache folder  →  temporary folder (of this user alone)  →  memory, for this run

A file is named after everything that its machine code depends on (the kernel, the types it was compiled for
and the constants it holds, the processor, the versions of Python and numba) and lies in a folder named after
all sources that hold kernels: helpers are compiled into their callers, so a file is never stale, wherever the
package is installed and whenever its files were written. It is written whole or not at all and carries a
checksum: a damaged one is dropped and its kernel compiled anew. Two processes that compile one kernel write
the same file, and whoever removes a folder that is in use costs its users a compilation, no more.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import shutil
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numba.core.compiler
import numba.core.serialize

from poise.errors import PoiseError
from poise.files import write_bytes
from poise.kernel_constants import constants, layouts

_result: Any = numba.core.compiler.CompileResult
_dumps: Any = numba.core.serialize.dumps

KEEP = 3
"""Caches of this many versions of the package are kept."""
MAGIC = b"poise kernel 1\n"
PACKAGE = Path(__file__).parent
_VERSION_FOLDER = re.compile("[0-9a-f]{16}")


class Folder:
    """A place for kernels: that of this version of the package below ``base``."""

    def __init__(self, base: Path, *, private: bool) -> None:
        self.base, self.private = base, private
        self.path = base / _sources()
        self._known = False

    def read(self, name: str) -> bytes | None:
        """What a file holds; None if there is none, or it is not to be trusted."""
        if self.private and not _ours(self.base):
            return None
        try:
            data = (self.path / name).read_bytes()
        except OSError:
            return None
        if not self._known:
            self._known = True
            with suppress(OSError):  # so that the folders longest unused are those that go
                os.utime(self.path)
        body = data[len(MAGIC) + 32 :]
        if data[: len(MAGIC) + 32] != MAGIC + hashlib.sha256(body).digest():
            self.drop(name)
            return None
        return body

    def write(self, name: str, body: bytes) -> None:
        """Keep a kernel; ``OSError`` or ``PoiseError`` if that cannot be."""
        if self.private:
            self.base.mkdir(mode=0o700, exist_ok=True)
            if not _ours(self.base):
                raise PermissionError(13, "it belongs to somebody else", str(self.base))
        if not self.path.is_dir():
            self.path.mkdir(parents=True, exist_ok=True)
            self._prune()
        write_bytes(self.path / name, MAGIC + hashlib.sha256(body).digest() + body)

    def drop(self, name: str) -> None:
        """Forget a file that is damaged."""
        with suppress(OSError):
            (self.path / name).unlink()

    def _prune(self) -> None:
        """Forget what other versions of the package kept, the latest apart; harmless to those who use it."""
        with suppress(OSError):
            others = [p for p in self.base.iterdir() if _VERSION_FOLDER.fullmatch(p.name) and p != self.path]
            others.sort(key=lambda p: p.stat().st_mtime, reverse=True)
            for old in others[KEEP - 1 :]:
                shutil.rmtree(old, ignore_errors=True)


@cache
def folders() -> tuple[Folder, ...]:
    """Where kernels are looked for and kept, in this order."""
    found = []
    given, root = os.environ.get("NUMBA_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):  # there is no home
        own = Path(given) / "poise" if given else Path(root or Path.home() / ".cache") / "poise" / "kernels"
        found.append(Folder(own, private=False))
    # Not tempfile.gettempdir(): where nothing is writable it takes the current folder, which is the user's.
    named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    shared = next((Path(p) for p in (*named, "/tmp", "/var/tmp") if p and Path(p).is_dir()), None)
    if shared is not None:
        user = os.getuid() if hasattr(os, "getuid") else "user"
        found.append(Folder(shared / f"poise-kernels-{user}", private=True))
    return tuple(found)


class KernelCache:
    """What numba asks for the machine code of one kernel, in place of a cache of its own."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @property
    def cache_path(self) -> str | None:
        """The folder that comes first."""
        return next((str(folder.path) for folder in folders()), None)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled kernel for these types, or None."""
        context.refresh()
        name = self._name(signature, context.codegen())
        for folder in folders():
            body = folder.read(name)
            if body is None:
                continue
            try:
                known, parts = pickle.loads(body)
                if known == signature:  # names of types may coincide
                    return _result._rebuild(context, *parts)
            except Exception as problem:  # whatever it is, compiling anew cures it
                folder.drop(name)
                explain(f"{folder.path / name} is dropped: {type(problem).__name__}: {problem}")
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a kernel that was just compiled."""
        if compiled.library.has_dynamic_globals or any(not each.can_cache for each in compiled.lifted):
            return
        name = self._name(signature, compiled.codegen)
        body = _dumps((signature, compiled._reduce()))
        refused = []
        for folder in folders():
            try:
                folder.write(name, body)
            except (OSError, PoiseError) as problem:
                refused.append((folder, problem))
            else:
                if refused:
                    _tell(refused, f"they are kept in {folder.path}")
                return
        _tell(refused, "this run compiles them for itself, and so will the next")

    @staticmethod
    def fits(dispatcher: Any) -> bool:
        """Whether this numba asks a cache, and takes kernels apart, as is known here."""
        before = getattr(dispatcher, "_cache", None)  # none where numba is told not to compile
        asks = all(hasattr(before, name) for name in ("load_overload", "save_overload", "cache_path"))
        known = asks and hasattr(_result, "_reduce") and hasattr(_result, "_rebuild")
        if before is not None and not known:
            explain(
                f"numba {numba.__version__} keeps kernels in a way unknown to Poise: every run compiles them"
            )
        return known

    def enable(self) -> None:
        """As numba asks; it is always in use."""

    def disable(self) -> None:
        """As numba asks; it is always in use."""

    def flush(self) -> None:
        """As numba asks when a kernel is to be compiled anew: the new file replaces the old one."""

    def _name(self, signature: Any, codegen: Any) -> str:
        """The file of a kernel and its types."""
        function: Any = self._function
        mark = hashlib.sha256()
        for part in (signature, *layouts(signature), codegen.magic_tuple(), _versions()):
            mark.update(repr(part).encode() + b"\0")
        for source, name, value in constants(function):
            mark.update(f"{_stamp(source)}\0{name}\0".encode() + value + b"\0")
        line = function.__code__.co_firstlineno
        readable = re.sub(
            r"[^\w.]", "", f"{function.__module__.removeprefix('poise.')}.{function.__qualname__}"
        )
        return f"{readable[:120]}-{line}-{mark.hexdigest()[:24]}.kernel"


@cache
def _sources() -> str:
    """A mark of all files of the package that hold kernels."""
    mark = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"@kernel" in source or path.name in ("lanes.py", "compilation.py"):
            mark.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + source)
    return mark.hexdigest()[:16]


@cache
def _stamp(source: str) -> str:
    """The contents of the file of a kernel that is not the package's; for those the folder says it."""
    path = Path(source)
    if path.is_relative_to(PACKAGE):
        return path.relative_to(PACKAGE).as_posix()
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else source


@cache
def _versions() -> tuple[str, ...]:
    """Of everything that makes machine code, and that reads it back."""
    found = [sys.implementation.cache_tag or "", getattr(sys, "abiflags", "")]
    for library in ("numba", "llvmlite", "numpy"):
        try:
            found.append(version(library))
        except PackageNotFoundError:
            found.append("")
    return tuple(found)


def _ours(folder: Path) -> bool:
    """Whether a folder in a shared place is a real one that nobody but this user can write to.

    What lies there is run: somebody else must not have put it there.
    """
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    mine = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
    return stat.S_ISDIR(found.st_mode) and mine


@cache
def explain(text: str) -> None:
    """A word for those who asked for it; the same one is not said again."""
    if os.environ.get("POISE_VERBOSE"):
        print(f"poise: {text}", file=sys.stderr, flush=True)


@cache
def _told() -> list[str]:
    return []


def _tell(refused: Sequence[tuple[Folder, Exception]], remedy: str) -> None:
    """Say once in a run that kernels could not be kept where they belong, and what is done instead."""
    if _told():
        return
    _told().append(remedy)
    said = "; ".join(f"{folder.path}: {_reason(problem)}" for folder, problem in refused)
    where = said or "there is no cache folder and no temporary one"
    print(f"poise: compiled kernels cannot be kept ({where}); {remedy}", file=sys.stderr, flush=True)


def _reason(problem: Exception) -> str:
    if isinstance(problem, OSError):
        return problem.strerror or str(problem)
    return str(problem).rpartition(": ")[2]
