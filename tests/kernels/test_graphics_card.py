"""The same kernels on a graphics card: played by the processor everywhere, and by a card where there is one.

numba-cuda decides when it is loaded whether it plays a card: what runs on one runs in a process of its own.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys

import pytest

from poise.errors import MissingDependencyError, PoiseError, UnknownNameError
from poise.kernels import graphics_card
from poise.kernels.graphics_card import NoCardError, on_device, serves, wanted
from poise.operations.loosen import Loosen
from poise.project.layer import layer

SAME = 1e-12
FOUND = 1e-9
"""The same for a search, which amplifies last places by as much as its derivatives are differences."""
COMPARISON = """
import json, sys
import numpy as np
import poise
from poise import clips, constraints
from poise.kernels.graphics_card import serves
from poise.kinematics import Kinematics
from poise.kinematics.bundle import Bundle, Quantities
from poise.methods.loosen.simulate.simulator import Simulator
from poise.motion import operators
from poise.operations.loosen import Simulation

try:
    serves("cuda", 1, 1)
except poise.errors.PoiseError as problem:
    print(json.dumps({"problem": str(problem)}))
    sys.exit()
off = {}
clip = operators.trim(clips.get("punch"), 0.5, 0.7)
every = ({"order": 1}, {"order": 2, "dampers": "reference", "root": "driven"}, {"gravity": "compensated"})
for options in every:
    for tension in ("relaxed", {"*": 3.0})[: 1 + (options == every[0])]:
        told = [
            Simulator(clip, tension, Simulation(step=0.02, device=device, **options)).states(
                clip.times[4:7], np.linspace(0.04, 0.08, 3)
            )
            for device in ("cpu", "cuda")
        ]
        name = f"states {options} {tension}"
        off[name] = max(float(np.abs(a - b).max()) for a, b in zip(*told))
hand = Kinematics(clip.character, clip.q).point("RightHandCentre")
at = float(clip.times[8])
wishes = [constraints.pin("RightHandCentre", hand[8] + 0.02, at), constraints.at_rest("RightHandCentre", at)]
usual = {"width": 0.1, "step": 0.02}
found = [poise.hit(clip, wishes, "relaxed", 0.05, device=device, **usual) for device in ("cpu", "cuda")]
assert all(each.report.met for each in found)
off["hit"] = float(np.abs(found[0].clip.q - found[1].clip.q).max())
rng = np.random.default_rng(0)
q = clip.character.manifold.random(rng, 9, spread=0.5)
v = rng.normal(size=(9, clip.character.nv))
hands = ("RightHandCentre", "LeftHandCentre")
here, there = (Bundle(clip.character, 9, hands, device=device).update(q, v) for device in ("cpu", "cuda"))
assert here.on_card is None
assert there.on_card is not None
for name in Quantities._fields:
    off[f"bundle {name}"] = float(np.abs(getattr(here, name) - getattr(there, name)).max())
one = Simulator(clip, "relaxed", Simulation(device="cuda"))
many, alone = one.states(clip.times[4:9], 0.05)[0], one.states(clip.times[6:7], 0.05)[0]
off["company"] = 0.0 if (many[2] == alone[0]).all() else 1.0
print(json.dumps(off))
"""


def compared(**environment: str) -> dict[str, float]:
    """Largest differences between processor and card, by what was computed."""
    told = {k: v for k, v in os.environ.items() if k not in ("NUMBA_ENABLE_CUDASIM", "POISE_DEVICE")}
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", COMPARISON],
        capture_output=True, text=True, env=told | environment,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr[-3000:]
    found: dict[str, float] = json.loads(process.stdout.splitlines()[-1])
    return found


def strays(off: dict[str, float]) -> dict[str, float]:
    """What differs by more than it may."""
    return {name: value for name, value in off.items() if not value < (FOUND if name == "hit" else SAME)}


@pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")
@pytest.mark.timeout(1200)
def test_a_card_that_is_played_gives_the_processors_results():
    off = compared(NUMBA_ENABLE_CUDASIM="1")
    assert len(off) > 10
    assert strays(off) == {}


@pytest.mark.timeout(1200)
def test_a_real_card_gives_the_processors_results():
    off = compared()
    if "problem" in off:
        pytest.skip(f"no graphics card: {off['problem']}")
    assert strays(off) == {}


def test_the_call_says_before_the_block_before_the_environment(monkeypatch):
    monkeypatch.delenv("POISE_DEVICE", raising=False)
    assert wanted() == "cpu"
    monkeypatch.setenv("POISE_DEVICE", "auto")
    assert wanted() == "auto"
    with on_device("cpu"):
        assert wanted() == "cpu"
        assert wanted("cuda") == "cuda"
        with on_device(None):
            assert wanted() == "auto"
    assert wanted() == "auto"


def test_devices_that_are_not_known_are_named(monkeypatch):
    with pytest.raises(UnknownNameError, match=r"no device named 'gpu'.*cpu, cuda, auto"):
        wanted("gpu")
    monkeypatch.setenv("POISE_DEVICE", "cud")
    with pytest.raises(UnknownNameError, match=r"'cud' in POISE_DEVICE; did you mean 'cuda'"):
        wanted()
    with pytest.raises(UnknownNameError, match="device"):
        Loosen(device="gpu")


@pytest.fixture
def without_card(monkeypatch):
    graphics_card._problem.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    graphics_card._problem.cache_clear()


def test_without_the_extra_one_line_says_what_to_install(without_card):
    without_card.setattr(graphics_card, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"poise\[gpu\].*leave out the device") as told:
        serves("cuda", 10**6, 1)
    assert "\n" not in str(told.value)
    assert not serves("auto", 10**6, 1), "auto takes the processor"


def test_without_a_card_one_line_says_so(without_card):
    problem = NoCardError("there is none")
    without_card.setattr(graphics_card, "_problem", lambda: problem)
    with pytest.raises(PoiseError, match="there is none; leave out the device"):
        serves("cuda", 1, 1)
    assert not serves("auto", 10**6, 1)
    assert not serves("cpu", 10**6, 1)


def test_small_batches_are_the_processors(monkeypatch):
    monkeypatch.setattr(graphics_card, "_problem", lambda: None)
    assert serves("auto", 100, 100)
    assert not serves("auto", 99, 100)
    assert serves("cuda", 1, 100)


def test_layers_do_not_keep_the_device():
    kept = layer("loosen", "soft", tension="loose", device="cuda")
    assert kept.device is None
    assert Loosen(device="cuda").device == "cuda"
    assert kept == layer("loosen", "soft", tension="loose")


def test_commands_end_with_one_line_and_status_2(without_card, tmp_path):
    from typer.testing import CliRunner

    from poise.cli.app import app

    without_card.setattr(graphics_card, "find_spec", lambda name: None)
    (tmp_path / "in").mkdir()
    recipe = tmp_path / "recipe.json"
    recipe.write_text('{"steps": [{"do": "loosen"}]}')
    for command in (
        ["loosen", "walk", "-o", str(tmp_path / "out.bvh"), "--device", "cuda"],
        ["batch", str(recipe), str(tmp_path / "in"), "-o", str(tmp_path / "out"), "--device", "cuda"],
    ):
        graphics_card._problem.cache_clear()
        said = CliRunner().invoke(app, command)
        assert said.exit_code == 2, said.output
        assert "poise[gpu]" in " ".join(said.output.split())


def test_what_is_kept_is_named_after_its_code(tmp_path, monkeypatch):
    """A helper's constant, two calls down, changes the name; whoever reads it back finds the new one."""
    from poise.dynamics import window_steps
    from poise.dynamics.windows import run_window

    before = graphics_card.mark_of(run_window)
    assert before == graphics_card.mark_of(run_window)
    monkeypatch.setattr(window_steps, "GAMMA", 0.5)
    assert graphics_card.mark_of(run_window) != before


@pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed")
def test_what_is_kept_lies_beside_the_processors_kernels(tmp_path):
    from poise.dynamics.windows import run_window

    def run() -> None: ...

    kept = graphics_card._kept_beside(tmp_path / "kernels", run_window, run, large=True)
    assert kept.cache_path == str(tmp_path / "kernels")
    assert graphics_card.mark_of(run_window) in kept._impl.filename_base
