"""The processor that kernels are compiled for: a level that many machines share, not this machine's own name.

| level       | machines                                                  | LLVM's name |
|-------------|-----------------------------------------------------------|-------------|
| `x86-64-v4` | x86-64 with AVX-512 (F, BW, CD, DQ, VL)                   | `x86-64-v4` |
| `x86-64-v3` | x86-64 with AVX2 and FMA: nearly all since 2013           | `x86-64-v3` |
| `arm64`     | every 64-bit ARM; on a Mac every M1 and later             | `generic`   |
| `native`    | whatever else there is, as numba finds it                 |             |

The highest level that this machine can run is taken, or the one that ``POISE_CPU_LEVEL`` names. Kernels of
one level are the same bits on every machine that runs it, so they can be shipped, and results are the same
there; between levels results may differ in their last bits, because sums are taken in lanes of another width.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from poise.errors import InputError

VARIABLE = "POISE_CPU_LEVEL"
NATIVE = "native"


@dataclass(frozen=True)
class CpuLevel:
    """A level: what LLVM calls it, and what a processor must have to run it."""

    name: str
    cpu: str
    features: str
    """Beyond those of ``cpu``, as LLVM writes them."""
    needs: frozenset[str] = frozenset()
    """LLVM's names of what a processor must have."""


_V3 = frozenset(["avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.2", "xsave"])
_V4 = _V3 | frozenset(["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"])
LEVELS: dict[str, tuple[CpuLevel, ...]] = {
    "x86_64": (
        # Groups of eight states are whole registers there: no reason to prefer halves.
        CpuLevel("x86-64-v4", "x86-64-v4", "-prefer-256-bit", _V4),
        CpuLevel("x86-64-v3", "x86-64-v3", "", _V3),
    ),
    "arm64": (CpuLevel("arm64", "apple-m1" if sys.platform == "darwin" else "generic", ""),),
}
"""By kind of processor, highest first."""


@cache
def architecture() -> tuple[str, str]:
    """Kind of processor and of object files, from LLVM's name of this process: ("x86_64", "linux-gnu")."""
    import llvmlite.binding as llvm

    kind, _, rest = llvm.get_process_triple().partition("-")
    kind = {"aarch64": "arm64", "amd64": "x86_64"}.get(kind, kind)
    # "apple-darwin23.1.0" tells the release of the system, which machine code does not depend on.
    return kind, re.sub(r"[\d.]+$", "", rest.removeprefix("unknown-").removeprefix("pc-"))


def levels() -> tuple[CpuLevel, ...]:
    """Those of this kind of processor, whether this machine can run them or not; highest first."""
    return LEVELS.get(architecture()[0], ())


def runs(level: CpuLevel) -> bool:
    """Whether this machine can."""
    return not missing(level)


def missing(level: CpuLevel) -> list[str]:
    """What this machine lacks for a level."""
    return sorted(level.needs - _features())


@cache
def _features() -> frozenset[str]:
    import llvmlite.binding as llvm

    try:
        return frozenset(name for name, there in llvm.get_host_cpu_features().items() if there)
    except RuntimeError:  # LLVM cannot tell
        return frozenset()


class _Numba:
    """Whether this numba can be made to compile for a level."""

    knows_levels = True


def only_native() -> None:
    """Say that this numba compiles for this very processor, whatever is asked."""
    _Numba.knows_levels = False


def chosen() -> CpuLevel | None:
    """The level that kernels are compiled for and looked for; None: this very processor.

    Whoever tells numba which processor to compile for (``NUMBA_CPU_NAME``, ``NUMBA_CPU_FEATURES``) is obeyed.
    """
    return _asked() if _Numba.knows_levels else None


@cache
def _asked() -> CpuLevel | None:
    asked = os.environ.get(VARIABLE, "")
    if asked == NATIVE:
        return None
    known = {level.name: level for level in levels()}
    if asked:
        if asked not in known:
            valid = ", ".join([*known, NATIVE])
            raise InputError(f"{VARIABLE} is {asked!r}; on this kind of processor it may be {valid}")
        if lacking := missing(known[asked]):
            raise InputError(f"{VARIABLE} is {asked}, but this processor has no {', '.join(lacking)}")
        return known[asked]
    if any(os.environ.get(name) for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")):
        return None
    return next((level for level in levels() if runs(level)), None)


@cache
def target_machine(level: CpuLevel) -> Any:
    """What makes machine code of a level, for numba to run: its own, but for the processor."""
    import llvmlite.binding as llvm
    import numba.core.config
    from numba.core.codegen import JITCPUCodegen

    class Options(JITCPUCodegen):
        def __init__(self) -> None:
            self._tm_features = level.features

        def _get_host_cpu_name(self) -> str:
            return level.cpu

    config: Any = numba.core.config
    options, own = {"opt": config.OPT}, cast("Any", Options())
    own._customize_tm_options(options)
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(**options)
