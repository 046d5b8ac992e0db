"""Compiled kernels: one decorator, and a word to the user while the first run compiles.

Kernels are compiled by numba once per machine and cached on disk. A cold start takes seconds, so
it is announced: every real compilation (a cache hit is none) is one line on standard error, where
that is a terminal or ``POISE_VERBOSE`` is set.

A kernel gives the same bits in the process that compiled it as in those that read it from the cache, and
whatever else is loaded: it calls its own copies of its helpers (:func:`_call_own_helpers`).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import codegen, event

F = TypeVar("F", bound=Callable[..., Any])

# Contraction and reassociation let the compiler use fused and vector arithmetic. NaN and infinity
# keep their meaning (no "nnan", "ninf"): bad numbers must be found, not assumed away.
FAST = {"contract", "nsz", "reassoc", "arcp"}


KEEP = 3
"""Caches of this many versions of the package are kept."""


def _cache_folder() -> str:
    """A folder for compiled kernels that belongs to exactly these kernels.

    numba looks only at a kernel's own file to tell whether its cache is stale, not at the files of the
    helpers it calls; a folder named after all files that hold kernels is never stale. Empty where nothing
    is writable: numba then falls back on its own choice.
    """
    package = Path(__file__).parent
    mark = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        source = path.read_bytes()
        if b"@kernel" in source or path.name in ("lanes.py", "compilation.py"):
            mark.update(str(path.relative_to(package)).encode() + b"\0" + source)
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "poise" / "kernels"
    folder = base / mark.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        others = sorted(base.iterdir(), key=lambda p: p.stat().st_mtime, reverse=True)[KEEP:]
    except (OSError, RuntimeError):
        return ""
    for old in others:
        shutil.rmtree(old, ignore_errors=True)
    return str(folder)


_FOLDER = os.environ.get("NUMBA_CACHE_DIR") or _cache_folder()


def _call_own_helpers() -> None:
    """Make every kernel of ours call the copies of helpers that were optimised with it.

    numba links helpers into each kernel as weak symbols: at run time, whichever copy of a name was loaded
    first serves all. Copies are optimised with their callers, so they may round differently, and results
    would depend on what this process compiled or loaded before. While machine code is made, such copies are
    private to their kernel; afterwards they are weak again, as other kernels link them for inlining (private
    earlier, they would be inlined otherwise and the largest kernels lose a third of their speed).
    """
    library: Any = codegen.JITCodeLibrary
    make = library._finalize_final_module

    def finalise(self: Any) -> None:
        defined = [f for f in self._final_module.functions if not f.is_declaration]
        ours = any(f.name.startswith("_ZN5poise") for f in defined)
        shared = [f for f in defined if ours and f.linkage.name == "linkonce_odr"]
        for function in shared:
            function.linkage = "internal"
        make(self)
        for function in shared:
            function.linkage = "linkonce_odr"

    library._finalize_final_module = finalise


_call_own_helpers()


def kernel(*, fast: bool = True, inline: bool = False, allocates: bool = True) -> Callable[[F], F]:
    """Decorator: compile with numba, cached on disk, without the interpreter lock.

    ``fast`` allows contraction and reassociation; ``inline`` is a hint for small helpers, which need no
    cache entry of their own. A kernel that neither makes nor returns arrays may say ``allocates=False``: no
    references are counted then, which costs some nanoseconds per call and array, also of those in tuples.
    Kernels are serial: ``poise.workers`` runs one over ranges on several threads.
    """

    def decorate(function: F) -> F:
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "cache": not inline}
        options["no_cfunc_wrapper"] = True  # nobody calls kernels from C
        if not allocates:
            options["_nrt"] = False
        if fast:
            options["fastmath"] = FAST
        # Only our own kernels go to our folder: the setting is numba's for the whole process.
        settings: Any = numba.config
        before = settings.CACHE_DIR
        settings.CACHE_DIR = _FOLDER or before
        try:
            compiled: F = numba.njit(**options)(function)
        finally:
            settings.CACHE_DIR = before
        return compiled

    return decorate


def _announce(name: str, count: int, seconds: float) -> None:
    if not (sys.stderr.isatty() or os.environ.get("POISE_VERBOSE")):
        return
    if count == 1:
        print("Compiling kernels (once on this machine, later runs start at once) …", file=sys.stderr)
    print(f"  {seconds:5.1f} s  {name}", file=sys.stderr, flush=True)


class _Listener(event.Listener):
    """Counts real compilations and announces them as they start."""

    def __init__(self) -> None:
        self.count = 0
        self._depth = 0
        self._began = 0.0

    def on_start(self, event: Any) -> None:
        # Helpers compile inside their callers: only the outermost is worth a line.
        if self._depth == 0:
            self.count += 1
            if self.count == 1:
                self._began = time.perf_counter()
            name = event.data["dispatcher"].py_func.__qualname__
            _announce(name, self.count, time.perf_counter() - self._began)
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1


_listener = _Listener()
event.register("numba:compile", _listener)  # type: ignore[no-untyped-call]


def compilations() -> int:
    """How many kernels were really compiled in this process (0 when all came from the cache)."""
    return _listener.count
