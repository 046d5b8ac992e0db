"""Compiled kernels, kept between runs: one file each, in the first folder that takes it.

    shipped with the package  →  own cache folder  →  temporary folder (of this user alone)  →  memory

What is shipped (:mod:`poise.kernels.shipped`) is only read. A file is named after everything that its machine
code depends on: the code of the kernel and of the helpers compiled into it, the constants they hold, the
types it was compiled for, the level of processors, the versions of Python and numba. So it is never stale,
wherever the package is installed and whenever its files were written, and a change of one kernel leaves the
others as they are. Files lie in a folder named after the few sources that make machine code of all kernels.
A file is written whole or not at all and carries a checksum: a damaged one is
dropped and its kernel compiled anew. Two processes that compile one kernel write the same file, and whoever
removes a folder that is in use costs its users a compilation, no more.

Beside machine code a file holds the kernel as LLVM's bitcode, twice as large, which only another kernel that
is compiled with this one inside needs: it is read when that happens.
"""

from __future__ import annotations

import hashlib
import inspect
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

import llvmlite.binding
import numba.core.compiler
import numba.core.serialize
from numba.core import codegen

from poise.errors import PoiseError
from poise.files import write_bytes
from poise.kernels import compile_log, cpu_level
from poise.kernels.constants import constants, layouts
from poise.kernels.shipped import ShippedFolder, archive_of, joined, parted

_result: Any = numba.core.compiler.CompileResult
_dumps: Any = numba.core.serialize.dumps

KEEP = 3
"""Folders that are kept: of sources that make machine code as they are, and as they were."""
FILES = 1500
"""Kernels that a folder keeps, 0.2 MB each: the work of some ten versions of the package."""
MAGIC = b"poise kernel 2\n"
PACKAGE = Path(__file__).parents[1]
_VERSION_FOLDER = re.compile("[0-9a-f]{16}")


class Folder:
    """A place for kernels: that of this version of the package below ``base``."""

    def __init__(self, base: Path, *, private: bool) -> None:
        self.base, self.private = base, private
        self.path = base / sources()
        self._known = self._bounded = False

    def read(self, name: str) -> bytes | None:
        """What a file holds; None if there is none, or it is not to be trusted."""
        if self.private and not _ours(self.base):
            return None
        try:
            data = (self.path / name).read_bytes()
        except OSError:
            return None
        with suppress(OSError):  # so that what is longest unused goes first
            os.utime(self.path / name)
            if not self._known:
                self._known = True
                os.utime(self.path)
        body = data[len(MAGIC) + 32 :]
        if data[: len(MAGIC) + 32] != MAGIC + hashlib.sha256(body).digest():
            self.drop(name)
            return None
        return body

    def holds(self, name: str) -> bool:
        """Whether there is such a file to be trusted, sound or not."""
        return (not self.private or _ours(self.base)) and (self.path / name).is_file()

    def write(self, name: str, body: bytes) -> None:
        """Keep a kernel; ``OSError`` or ``PoiseError`` if that cannot be."""
        if self.private:
            self.base.mkdir(mode=0o700, exist_ok=True)
            if not _ours(self.base):
                raise PermissionError(13, "it belongs to somebody else", str(self.base))
        if not self.path.is_dir():
            self.path.mkdir(parents=True, exist_ok=True)
            self._prune()
        if not self._bounded:
            self._bounded = True
            self._bound()
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

    def _bound(self) -> None:
        """Forget the kernels longest unused, once there are many."""
        with suppress(OSError):
            kinds = (".kernel", ".nbi", ".nbc")  # those of a graphics card are kept by numba-cuda
            files = [path for path in self.path.iterdir() if path.suffix in kinds]
            kept = sorted(files, key=lambda p: p.stat().st_mtime, reverse=True)
            for old in kept[FILES:]:
                self.drop(old.name)


@cache
def folders() -> tuple[Folder | ShippedFolder, ...]:
    """Where kernels are looked for, and but for the shipped ones kept, in this order."""
    level = cpu_level.chosen()
    shipped = archive_of(level.name) if level is not None else None
    first = (ShippedFolder(shipped, sources()),) if shipped is not None and shipped.is_file() else ()
    return *first, *own_folders()


@cache
def own_folders() -> tuple[Folder, ...]:
    """Where kernels are kept, in this order."""
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

    def __init__(self, function: Callable[..., Any], options: str = "") -> None:
        self._function, self._options = function, options

    @property
    def cache_path(self) -> str | None:
        """The folder that comes first."""
        return next((str(folder.path) for folder in own_folders()), None)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled kernel for these types, or None."""
        compile_log.began(self._function.__qualname__, compiling=False)
        try:
            found = self._load(signature, context)
        finally:
            compile_log.ended()
        if compile_log.wanted():
            from poise.kernels.roster import entry

            compile_log.note("missing" if found is None else "loaded", entry(self._function, signature))
        return found

    def _load(self, signature: Any, context: Any) -> Any:
        context.refresh()
        name = self.file_name(signature, context.codegen())
        for folder in folders():
            body = folder.read(name)
            if body is None:
                continue
            try:
                code, bitcode = parted(body)
                known, symbols, parts = pickle.loads(code)
                if known == signature:  # names of types may coincide
                    return _rebuilt(context, symbols, parts, _later(folder, name, bitcode))
            except Exception as problem:  # whatever it is, compiling anew cures it
                folder.drop(name)
                explain(f"{folder.path / name} is dropped: {type(problem).__name__}: {problem}")
        return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a kernel that was just compiled."""
        if compile_log.wanted():
            from poise.kernels.roster import entry

            took = f"compiled in {compile_log.last_seconds():.1f} s"
            compile_log.note(took, entry(self._function, signature))
        if compiled.library.has_dynamic_globals or any(not each.can_cache for each in compiled.lifted):
            return
        name = self.file_name(signature, compiled.codegen)
        parts, bitcode = _apart(compiled._reduce())
        body = joined(_dumps((signature, _symbols(compiled.library), parts)), bitcode)
        refused = []
        for folder in own_folders():
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

    def file_name(self, signature: Any, generator: Any) -> str:
        """The file of a kernel and its types."""
        function: Any = self._function
        mark = hashlib.sha256()
        for part in (signature, *layouts(signature), self._target(generator), _versions()):
            mark.update(repr(part).encode() + b"\0")
        mark.update(self._options.encode() + b"\0")
        for source, name, value in constants(function):
            mark.update(f"{source}\0{name}\0".encode() + value + b"\0")
        readable = re.sub(
            r"[^\w.]", "", f"{function.__module__.removeprefix('poise.')}.{function.__qualname__}"
        )
        return f"{readable[:120]}-{mark.hexdigest()[:24]}.kernel"

    def _target(self, generator: Any) -> tuple[str, ...]:
        """What a kernel is compiled for: a level of processors, or what numba takes for other packages."""
        level = cpu_level.chosen()
        if level is None or self._function.__module__.partition(".")[0] != "poise":
            return tuple(generator.magic_tuple())
        return *cpu_level.architecture(), level.name, level.cpu, level.features


def _apart(parts: Any) -> tuple[Any, bytes]:
    """What numba makes of a kernel, without bitcode and without the text of its annotated source."""
    (name, kind, (machine_code, bitcode)), *rest = parts
    rest = ["" if isinstance(each, str) else each for each in rest]
    return ((name, kind, (machine_code, b"")), *rest), bitcode


def _symbols(library: Any) -> tuple[str, ...]:
    """Names that a kernel's machine code defines."""
    module = library._get_module_for_linking()
    every = (*module.functions, *module.global_variables)
    return tuple(each.name for each in every if not each.is_declaration)


def _later(folder: Folder | ShippedFolder, name: str, bitcode: bytes) -> Callable[[], bytes]:
    return (lambda: folder.bitcode(name)) if isinstance(folder, ShippedFolder) else (lambda: bitcode)


def _rebuilt(context: Any, symbols: Sequence[str], parts: Any, bitcode: Callable[[], bytes]) -> Any:
    """A kernel that can run; its bitcode is parsed when another kernel is compiled with it inside."""
    (name, kind, (machine_code, _)), *rest = parts
    if not _links_late():
        return _result._rebuild(context, (name, kind, (machine_code, bitcode())), *rest)
    context.codegen()._engine._defined_symbols.update(symbols)  # which numba would read from bitcode
    found = _result._rebuild(context, (name, kind, (machine_code, _nothing())), *rest)
    found.library._shared_module = None
    found.library._poise_bitcode = bitcode
    return found


@cache
def _nothing() -> bytes:
    """An empty module as bitcode."""
    code: bytes = llvmlite.binding.parse_assembly("").as_bitcode()
    return code


@cache
def _links_late() -> bool:
    """Have numba ask for bitcode when it links a kernel; False if this numba links in a way unknown here."""
    library: Any = getattr(codegen, "JITCodeLibrary", None)
    link = getattr(library, "_get_module_for_linking", None)
    engine = getattr(codegen, "JitEngine", None)
    known = engine is not None and hasattr(engine, "_load_defined_symbols")
    if not known or link is None or list(inspect.signature(link).parameters) != ["self"]:
        return False

    def linked(self: Any) -> Any:
        wanted = self.__dict__.pop("_poise_bitcode", None)
        if wanted is not None:
            self._shared_module = llvmlite.binding.parse_bitcode(wanted())
        return link(self)

    library._get_module_for_linking = linked
    return True


@cache
def sources() -> str:
    """A mark of the files of the package that make machine code of every kernel, intrinsics among them."""
    mark = hashlib.sha256()
    for name in ("compilation.py", "kernels/cpu_level.py", "dynamics/lanes.py"):
        mark.update(name.encode() + b"\0" + (PACKAGE / name).read_bytes())
    return mark.hexdigest()[:16]


@cache
def _versions() -> tuple[str, ...]:
    """Of everything that makes machine code, and that reads it back.

    numba's exactly: its kernels call functions of its own by name. llvmlite's but for repairs, and of numpy
    the generation: what kernels know of arrays is numba's own layout of them, the same for all of numpy 2.
    """
    found = [sys.implementation.cache_tag or "", getattr(sys, "abiflags", "")]
    for library, parts in (("numba", 9), ("llvmlite", 2), ("numpy", 1)):
        try:
            found.append(".".join(version(library).split(".")[:parts]))
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
