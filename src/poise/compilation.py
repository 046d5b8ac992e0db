"""Compiled kernels: one decorator, and a word to the user while the first run compiles.

Kernels are compiled by numba for a level of processors (:mod:`poise.kernels.cpu_level`) and kept on disk, or
shipped (:mod:`poise.kernels.cache`). What has to be compiled takes seconds, so it is announced: every real
compilation (a cache hit is none) is one line on standard error, where that is a terminal or
``POISE_VERBOSE`` is set.

A kernel gives the same bits in the process that compiled it as in those that read it from the cache, and
whatever else is loaded: it calls its own copies of its helpers (:func:`_call_own_helpers`).
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, TypeVar

import numba
from numba.core import codegen, event
from numba.core.registry import CPUDispatcher

from poise.kernels import compile_log, cpu_level
from poise.kernels.cache import KernelCache, explain
from poise.kernels.compile_log import compilations

__all__ = ["FAST", "compilations", "kernel"]

F = TypeVar("F", bound=Callable[..., Any])

# Contraction and reassociation let the compiler use fused and vector arithmetic. NaN and infinity
# keep their meaning (no "nnan", "ninf"): bad numbers must be found, not assumed away.
FAST = {"contract", "nsz", "reassoc", "arcp"}
OTHERWISE = "links kernels in a way unknown to Poise: last places may differ between first and later runs"


def _call_own_helpers() -> None:
    """Make every kernel of ours call the copies of helpers that were optimised with it, for its level.

    numba links helpers into each kernel as weak symbols: at run time, whichever copy of a name was loaded
    first serves all. Copies are optimised with their callers, so they may round differently, and results
    would depend on what this process compiled or loaded before. While machine code is made, such copies are
    private to their kernel; afterwards they are weak again, as other kernels link them for inlining (private
    earlier, they would be inlined otherwise and the largest kernels lose a third of their speed).

    Machine code is made by the level's own target machine and handed to numba as if it came from a cache:
    what others compile with numba in this process is compiled as ever.
    """
    library: Any = getattr(codegen, "JITCodeLibrary", None)
    make: Any = getattr(library, "_finalize_final_module", None)
    optimise: Any = getattr(library, "_optimize_final_module", None)
    known = make is not None and list(signature(make).parameters) == ["self"]
    if not known or optimise is None or not hasattr(codegen.CPUCodegen, "_pass_builder"):
        explain(f"numba {numba.__version__} {OTHERWISE}")
        cpu_level.only_native()
        return

    def optimise_for_level(self: Any) -> None:
        level, codegen = cpu_level.chosen(), self._codegen
        if level is None or not _holds_ours(self._final_module):
            optimise(self)
            return
        before, codegen._tm = codegen._tm, cpu_level.target_machine(level)
        try:
            optimise(self)
        finally:
            codegen._tm = before

    def finalise(self: Any) -> None:
        try:
            shared = _helpers_of_ours(self._final_module)
        except AttributeError as problem:
            explain(f"numba {numba.__version__} {OTHERWISE} ({problem})")
            shared = []
        for function in shared:
            function.linkage = "internal"
        level = cpu_level.chosen()
        if level is not None and _holds_ours(self._final_module):
            _make_for_level(self, make, level)
        else:
            make(self)
        for function in shared:
            function.linkage = "linkonce_odr"

    library._optimize_final_module = optimise_for_level
    library._finalize_final_module = finalise


def _make_for_level(library: Any, make: Callable[[Any], None], level: cpu_level.CpuLevel) -> None:
    """Machine code of a level, which numba finds where it would otherwise look for what it has cached."""
    code = cpu_level.target_machine(level).emit_object(library._final_module)
    caching, inspection = library._object_caching_enabled, library._disable_inspection
    library.enable_object_caching()
    library._set_compiled_object(code)
    make(library)
    library._object_caching_enabled, library._disable_inspection = caching, inspection
    library._compiled, library._compiled_object = True, code


def _holds_ours(module: Any) -> bool:
    """Whether a kernel of ours is defined in a module."""
    return any(f.name.startswith("_ZN5poise") for f in module.functions if not f.is_declaration)


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
    decides, it may decide otherwise for wide and narrow lanes, which then round differently; what only copies
    cannot, and would be compiled once for each place that it is called from. A kernel that
    neither makes nor returns arrays may say ``allocates=False``: no references are counted then, which costs
    some nanoseconds per call and array, also of those in tuples.
    Kernels are serial: ``poise.workers`` runs one over ranges on several threads.
    """

    def decorate(function: F) -> F:
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
        options["no_cfunc_wrapper"] = True  # nobody calls kernels from C
        if not allocates:
            options["_nrt"] = False
        # Said either way: left open, numba takes it from the kernel that a helper is first compiled for, and
        # all that a merged one calls is merged too.
        options["forceinline"] = merged
        if fast:
            options["fastmath"] = FAST
        compiled: Any = numba.njit(**options)(function)
        if inline or merged:
            return _without_door(compiled, function, options)
        if KernelCache.fits(compiled):
            told = sorted((name, sorted(x) if isinstance(x, set) else x) for name, x in options.items())
            compiled._cache = KernelCache(function, repr(told))
        return compiled

    return decorate


class _Helper(CPUDispatcher):
    """A helper as other kernels see it, without the code by which Python would call it.

    That code takes apart every array and tuple among the arguments: for a hundred helpers it takes a third of
    the time in which a large kernel compiles, and nobody runs it. Where Python does call a helper (tests do),
    a twin is compiled that has it.
    """

    _twin_options: dict[str, Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        twin = self.__dict__.get("_twin")
        if twin is None:
            twin = self._twin = numba.njit(**self._twin_options)(self.py_func)
        return twin(*args, **kwargs)


def _without_door(compiled: Any, function: Any, options: dict[str, Any]) -> Any:
    """The helper, or where numba makes dispatchers of another kind, the dispatcher as it came."""
    if type(compiled) is not CPUDispatcher:
        return compiled
    helper: Any = numba.njit(**{**options, "no_cpython_wrapper": True})(function)
    helper.__class__ = _Helper
    helper._twin_options = options
    return helper


class _Listener(event.Listener):
    """Tells the log of real compilations; helpers compile inside their callers."""

    def on_start(self, event: Any) -> None:
        compile_log.began(event.data["dispatcher"].py_func.__qualname__, compiling=True)

    def on_end(self, event: Any) -> None:
        compile_log.ended()


compile_log.listen(compile_log.announce)
event.register("numba:compile", _Listener())  # type: ignore[no-untyped-call]
