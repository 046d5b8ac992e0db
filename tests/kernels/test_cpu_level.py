"""Kernels are made for a level of processors: that of the machine, or the one that is asked for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from poise.errors import InputError
from poise.kernels import cpu_level
from poise.kernels.cpu_level import CpuLevel

X86 = cpu_level.LEVELS["x86_64"]
"""Highest first."""


@pytest.fixture
def machine(monkeypatch):
    """A machine that has what the test says."""

    def have(*features: str, **environment: str) -> CpuLevel | None:
        for name in (cpu_level.VARIABLE, "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(cpu_level, "_features", lambda: frozenset(features))
        monkeypatch.setattr(cpu_level, "architecture", lambda: ("x86_64", "linux-gnu"))
        cpu_level._asked.cache_clear()
        return cpu_level.chosen()

    yield have
    cpu_level._asked.cache_clear()


def test_the_highest_level_that_a_machine_runs_is_taken(machine):
    v4, v3 = X86
    assert machine(*v4.needs, "sse2") == v4
    assert machine(*v3.needs) == v3
    assert machine(*(v4.needs - {"avx512dq"})) == v3, "all of AVX-512 that the level has, or none"
    assert machine("sse2") is None, "whatever numba makes of an old machine"


def test_another_level_can_be_asked_for(machine):
    v4, v3 = X86
    assert machine(*v4.needs, POISE_CPU_LEVEL="x86-64-v3") == v3
    assert machine(*v4.needs, POISE_CPU_LEVEL="native") is None
    assert machine(*v4.needs, NUMBA_CPU_NAME="generic") is None, "who tells numba is obeyed"


def test_a_level_that_cannot_be_is_refused(machine):
    v4, v3 = X86
    with pytest.raises(InputError, match="this processor has no avx512bw, avx512cd"):
        machine(*v3.needs, POISE_CPU_LEVEL="x86-64-v4")
    with pytest.raises(
        InputError, match="'v9'; on this kind of processor it may be x86-64-v4, x86-64-v3, nat"
    ):
        machine(*v4.needs, POISE_CPU_LEVEL="v9")


needs_x86 = pytest.mark.skipif(cpu_level.architecture()[0] != "x86_64", reason="levels of x86-64")
EIGHT = """
define void @f(ptr %a, ptr %b) {
  %x = load <8 x double>, ptr %a, align 8
  %y = load <8 x double>, ptr %b, align 8
  %p = fmul contract <8 x double> %x, %y
  %s = fadd contract <8 x double> %p, %y
  store <8 x double> %s, ptr %a, align 8
  ret void
}
"""


@needs_x86
def test_machine_code_of_a_level_keeps_to_its_registers():
    import llvmlite.binding as llvm

    import poise.compilation  # noqa: F401  starts LLVM

    made = {}
    for level in X86:
        made[level.name] = cpu_level.target_machine(level).emit_assembly(llvm.parse_assembly(EIGHT))
    assert "zmm" in made["x86-64-v4"]
    assert "zmm" not in made["x86-64-v3"]
    assert "vfmadd" in made["x86-64-v3"], "multiplied and added at once"


PROGRAM = """
import numpy as np
from poise import dynamics
from poise.character.presets import humanoid
from poise.compilation import compilations
from poise.kernels.cache import own_folders
body, rng = humanoid(), np.random.default_rng(1)
v, a = rng.normal(size=(2, 16, body.nv))
found = dynamics.inverse_dynamics(body, np.tile(body.rest_pose(), (16, 1)), v, a)
print(float(np.abs(found).sum()), compilations(), *sorted(p.name for p in own_folders()[0].path.iterdir()))
"""


@needs_x86
def test_levels_agree_to_rounding_and_share_no_files(tmp_path):
    runs = [level.name for level in X86 if cpu_level.runs(level)]
    if len(runs) < 2:
        pytest.skip("this machine runs one level only")
    told = {}
    for level in runs:
        environment = {
            **os.environ,
            "NUMBA_CACHE_DIR": str(tmp_path),
            "TMPDIR": str(tmp_path),
            "POISE_CPU_LEVEL": level,
        }
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        value, compiled, *files = done.stdout.split()
        assert int(compiled) > 0, "what was made for another level is not used"
        told[level] = (float(value), set(files))
    (one, before), (other, after) = told.values()
    assert one == pytest.approx(other, rel=1e-12)
    assert before < after
    assert len(after) == 2 * len(before)
