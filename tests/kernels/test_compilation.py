"""Kernels give the same bits in the process that compiles them as in those that read them from the cache."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from poise.compilation import kernel

HIT = """
import hashlib, poise
from poise import constraints as c
from poise.compilation import compilations
clip = poise.clips.get("punch")
pin = c.pin("RightHandCentre", [0.6, 0.1, 1.4], 0.85)
found = poise.hit(clip, [pin], tension="loose", window=0.3).clip
print(compilations() > 0, hashlib.sha256(found.q.tobytes()).hexdigest())
"""


def test_the_process_that_compiles_gives_the_bits_of_those_that_follow(tmp_path):
    """Without private helpers the first of these runs differs from the second in the last places."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "TMPDIR": str(tmp_path)}
    told = [
        subprocess.run(
            [sys.executable, "-c", HIT], env=environment, capture_output=True, text=True, check=True
        )
        for _ in range(2)
    ]
    (compiled, first), (cached, second) = (each.stdout.split() for each in told)
    assert (compiled, cached) == ("True", "False")
    assert first == second


@kernel(inline=True)
def _hinted(x: float) -> float:
    return x * x + 1.0


@kernel(merged=True)
def _merged(x: float) -> float:
    return _hinted(x) - _hinted(x + 1.0)


@kernel(inline=True)
def _whole(x: float) -> float:
    return _merged(x)


def test_what_a_merged_helper_calls_is_not_merged_for_that():
    """Left open, numba hands the demand on to all that is called, whoever has it compiled first."""
    compiled: Any = _whole
    assert compiled(2.0) == 5.0 - 10.0
    for helper, wanted in ((_hinted, False), (_merged, True)):
        found: Any = helper
        (text,) = found.inspect_llvm().values()
        line = next(x for x in text.splitlines() if x.startswith("define") and f"{found.__name__}B" in x)
        number = line.rpartition("#")[2].split()[0]
        attributes = next(x for x in text.splitlines() if x.startswith(f"attributes #{number} "))
        assert ("alwaysinline" in attributes) == wanted
