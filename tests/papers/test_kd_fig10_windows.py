"""Kry et al. 2012, Fig. 10, as numbers: error against full dynamics over window and frame.

The paper's floppy hat needs windows of 4 s, and at some moments much less. So does a loose body that jumps:
calm before, long swings after landing.
"""

from __future__ import annotations

import sys

import numpy as np
import pytest

from poise import clips
from poise.arrays import Array
from poise.dynamics.modal import slowest_decay
from poise.errors import InputError, MissingDependencyError
from poise.methods.loosen.simulate.simulator import Simulator
from poise.methods.loosen.window.error_map import error_map, plot_error_map
from poise.methods.loosen.window.length import choose
from poise.methods.loosen.window.truncation import Nodes, rms

WINDOWS = np.arange(1, 51) / 20
"""Up to 2.5 s."""


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    return Simulator(clips.get("jump"), "loose")


@pytest.fixture(scope="module")
def errors(simulator: Simulator) -> Array:
    return error_map(simulator, WINDOWS)


def test_the_map_is_the_error_of_the_states_themselves(simulator, errors):
    # Long before the clip the first pose is held, so a very long window is full dynamics.
    nodes, times = Nodes(simulator), simulator.clip.times
    full = nodes.positions(simulator.states(times, 9.0)[0])
    for k in (3, 17, 40):
        direct = rms(nodes.positions(simulator.states(times, WINDOWS[k])[0]) - full)
        np.testing.assert_allclose(errors[k], direct, atol=1e-6)


def test_windows_between_frames_and_in_any_order(simulator, errors):
    few = error_map(simulator, [0.5, 0.111, 0.25, 0.5])
    np.testing.assert_array_equal(few[0], few[3])
    np.testing.assert_allclose(few[[0, 2]], errors[[9, 4]], atol=1e-12)
    assert few.shape == (4, simulator.clip.frames)
    assert few[1].max() > few[2].max()


def test_the_worst_error_falls_at_the_rate_of_the_slowest_swing(simulator, errors):
    clip, gains = simulator.clip, simulator.gains
    worst = errors.max(axis=1)
    use = (WINDOWS > 0.8) & (WINDOWS < 2.2)
    measured = -np.polyfit(WINDOWS[use], np.log(worst[use]), 1)[0]
    held = range(6)
    rates = [
        slowest_decay(clip.character, q, gains.stiffness[0], gains.damping[0], fixed=held)
        for q in clip.q[::20]
    ]
    assert 0.8 * min(rates) < measured < 1.6 * max(rates)
    assert worst[-1] < 1e-3 * worst[0]


def test_some_frames_need_much_less_than_others(simulator, errors):
    choice = choose(simulator)
    enough = errors <= choice.tolerance
    # From which window on is a frame imperceptibly different?
    needed = WINDOWS[np.where(enough.all(axis=0), 0, len(WINDOWS) - np.argmin(enough[::-1], axis=0))]
    assert needed.max() > 1.5
    assert needed[:40].max() < 0.35 * needed.max()
    assert np.mean(needed < 0.6 * needed.max()) > 0.3
    assert (choice.windows >= needed - 0.05 - 1e-9).all()
    assert choice.windows.mean() < 0.65 * choice.seconds


def test_the_picture(simulator, errors, tmp_path):
    pytest.importorskip("matplotlib")
    from PIL import Image

    choice = choose(simulator)
    axes = plot_error_map(
        errors, WINDOWS, fps=60.0, tolerance=choice.tolerance, chosen=choice.windows, title="jump, loose"
    )
    assert axes.get_ylabel() == "window [s]"
    assert axes.get_xlabel() == "frame"
    path = tmp_path / "map.png"
    axes.figure.savefig(path)
    with Image.open(path) as picture:
        pixels = np.asarray(picture.convert("L"), dtype=float)
    assert pixels.shape[1] > 1000
    # Long windows are dark, short ones during the jump are bright.
    inner = pixels[pixels.shape[0] // 5 : -pixels.shape[0] // 5]
    assert inner[:20, 200:600].mean() < 25
    assert pixels[-130, 450:650].mean() > 150


def test_the_picture_says_what_it_needs(errors, monkeypatch):
    with pytest.raises(InputError, match="increasing order"):
        plot_error_map(errors[::-1], WINDOWS[::-1])
    for name in [m for m in sys.modules if m.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingDependencyError, match=r"poise\[plots\]"):
        plot_error_map(errors, WINDOWS)
