"""Compiled kernels: one decorator, and a word to the user while the first run compiles.

Kernels are compiled by numba once per machine and kept on disk (:mod:`poise.kernel_cache`). A cold start
takes seconds, so it is announced: every real compilation (a cache hit is none) is one line on standard error,
where that is a terminal or ``POISE_VERBOSE`` is set.

A kernel gives the same bits in the process that compiled it as in those that read it from the cache, and
whatever else is loaded: it calls its own copies of its helpers (:func:`_call_own_helpers`).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from inspect import signature
from typing import Any, TypeVar

import numba
from numba.core import codegen, event

from poise.kernel_cache import KernelCache, explain

F = TypeVar("F", bound=Callable[..., Any])

# Contraction and reassociation let the compiler use fused and vector arithmetic. NaN and infinity
# keep their meaning (no "nnan", "ninf"): bad numbers must be found, not assumed away.
FAST = {"contract", "nsz", "reassoc", "arcp"}
OTHERWISE = "links kernels in a way unknown to Poise: last places may differ between first and later runs"


def _call_own_helpers() -> None:
    """Make every kernel of ours call the copies of helpers that were optimised with it.

    numba links helpers into each kernel as weak symbols: at run time, whichever copy of a name was loaded
    first serves all. Copies are optimised with their callers, so they may round differently, and results
    would depend on what this process compiled or loaded before. While machine code is made, such copies are
    private to their kernel; afterwards they are weak again, as other kernels link them for inlining (private
    earlier, they would be inlined otherwise and the largest kernels lose a third of their speed).
    """
    library: Any = getattr(codegen, "JITCodeLibrary", None)
    make = getattr(library, "_finalize_final_module", None)
    if make is None or list(signature(make).parameters) != ["self"]:
        explain(f"numba {numba.__version__} {OTHERWISE}")
        return

    def finalise(self: Any) -> None:
        try:
            shared = _helpers_of_ours(self._final_module)
        except AttributeError as problem:
            explain(f"numba {numba.__version__} {OTHERWISE} ({problem})")
            shared = []
        for function in shared:
            function.linkage = "internal"
        make(self)
        for function in shared:
            function.linkage = "linkonce_odr"

    library._finalize_final_module = finalise


def _helpers_of_ours(module: Any) -> list[Any]:
    """Copies of helpers in a module that holds a kernel of ours."""
    defined = [f for f in module.functions if not f.is_declaration]
    ours = any(f.name.startswith("_ZN5poise") for f in defined)
    return [f for f in defined if ours and f.linkage.name == "linkonce_odr"]


_call_own_helpers()


def kernel(
    *, fast: bool = True, inline: bool = False, merged: bool = False, allocates: bool = True
) -> Callable[[F], F]:
    """Decorator: compile with numba, cached on disk, without the interpreter lock.

    ``fast`` allows contraction and reassociation; ``inline`` is a hint for small helpers, which need no
    cache entry of their own. ``merged`` makes a helper part of its caller for certain: where the compiler
    decides, it may decide otherwise for wide and narrow lanes, which then round differently. A kernel that
    neither makes nor returns arrays may say ``allocates=False``: no references are counted then, which costs
    some nanoseconds per call and array, also of those in tuples.
    Kernels are serial: ``poise.workers`` runs one over ranges on several threads.
    """

    def decorate(function: F) -> F:
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
        options["no_cfunc_wrapper"] = True  # nobody calls kernels from C
        if not allocates:
            options["_nrt"] = False
        if merged:
            options["forceinline"] = True
        if fast:
            options["fastmath"] = FAST
        compiled: Any = numba.njit(**options)(function)
        if not (inline or merged) and KernelCache.fits(compiled):
            compiled._cache = KernelCache(function)
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
