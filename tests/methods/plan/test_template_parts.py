"""What templates are made of: curves through keys, how far steps have begun, and what films show."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from types import SimpleNamespace

import numpy as np
import pytest

import poise
from poise import clips
from poise.errors import InputError
from poise.methods.plan.template.eased import eased
from poise.methods.plan.template.gait import stepping
from poise.methods.plan.template.result import TemplateResult
from poise.methods.plan.template.wish import FARTHEST, MOST_FRAMES, MOST_STEPS, Wish
from poise.world import World, step

T = np.linspace(-1.0, 6.0, 701)
STEPS = [SimpleNamespace(lift=1.0, land=2.0), SimpleNamespace(lift=1.8, land=4.0)]


def test_steps_come_and_go_smoothly():
    share = stepping(T, STEPS)
    assert (share[T <= 0.7] == 0).all()
    assert (share[T >= 4.3] == 0).all()
    inside = (T >= 1.5) & (T <= 3.5)
    np.testing.assert_allclose(share[inside], 1.0)
    assert (np.diff(share[inside.argmax() - 90 : inside.argmax()]) >= 0).all()
    assert np.abs(np.diff(share)).max() < 0.03
    np.testing.assert_allclose(share, stepping(5.0 - T, STEPS), atol=1e-12)  # as it comes, so it goes


def test_one_short_step_is_a_step():
    (when,) = np.nonzero(stepping(T, [SimpleNamespace(lift=1.0, land=1.2)]))
    assert T[when].min() > 0.7
    assert T[when].max() < 1.5
    assert not stepping(T, []).any()


def test_curves_pass_through_their_keys_as_fast_as_they_say():
    keys = [(0.0, 1.0, 0.5), (1.0, 2.0, -1.0, 3.0), (3.0, 0.0)]
    found = eased(keys, T)
    for time, value, *rates in keys:
        at = int(np.argmin(np.abs(T - time)))
        assert found[at] == pytest.approx(value, abs=1e-9)
        if 0 < time < 3:
            slope = (found[at + 1] - found[at - 1]) / (T[at + 1] - T[at - 1])
            assert slope == pytest.approx(rates[0], abs=2e-2)
    assert (found[T < 0] == 1.0).all()
    np.testing.assert_allclose(found[T > 3], 0.0, atol=1e-12)


@pytest.mark.parametrize("raised", [False, True])
def test_films_show_a_world_that_is_more_than_level_ground(raised):
    flat = World.flat(0.0)
    world = flat.with_surfaces([*flat.surfaces, step("step", (1, -1), (2, 1), 0.2)]) if raised else flat
    asked = SimpleNamespace(score=SimpleNamespace(world=world), outcomes=lambda clip: ())
    shown = TemplateResult(clips.get("reach"), asked, 0.0).filmed()
    assert shown == ({"world": world} if raised else {})


@pytest.mark.parametrize(
    ("scene", "asked", "said"),
    [
        ("walk", {"over": 1e9}, "field 'over': at most 10000 m"),
        ("walk", {"over": 1e300}, "field 'over': at most 10000 m"),
        ("walk", {"over": 9000.0}, "steps would be needed; a template makes 1,000: ask for a shorter way"),
        ("run", {"over": 9000.0}, "steps would be needed"),
        ("trot", {"over": 9000.0, "character": "camel"}, "steps would be needed"),
        ("walk", {"route": [(0.0, 0.0), (1e300, 0.0)]}, "field 'route': at most 10000 m"),
        ("walk", {"footsteps": [(0.0, -2e4)]}, "field 'footsteps': at most 10000 m"),
        (
            "walk",
            {"footsteps": [(0.1 * k, 0.1) for k in range(1001)]},
            "footsteps.: 1,001 are too many",
        ),
        ("walk", {"steps": 10**9}, "field 'steps': 1,000,000,000 are too many; a template makes 1,000"),
        ("walk", {"fps": 100_000}, "frames; a template makes 36,000: ask for less time"),
        ("jump", {"high": 1e300}, "field 'high': at most 10000 m"),
        ("jump", {"spin": 1e300}, "field 'spin': at most 36000°"),
        ("turn", {"spin": 36_000.0}, "steps would be needed|frames; a template makes"),
        ("reach", {"to": (0.0, 0.0, 1e300)}, "field 'to': at most 10000 m"),
        ("crouch", {"seconds": 1e6}, "would have 60,000,000 frames"),
        ("stand", {"seconds": 1e300}, "frames; a template makes 36,000"),
    ],
)
def test_what_would_take_all_memory_or_days_is_refused_at_once(scene, asked, said):
    began = process_time()
    with pytest.raises(InputError, match=said):
        poise.plan(scene, grounded=False, **asked)
    assert process_time() - began < 5.0


def test_wishes_on_their_bounds_are_taken():
    guide = (Path(__file__).parents[3] / "docs/guide/plan.md").read_text(encoding="utf-8")
    assert (
        f"{MOST_STEPS:,} steps and {MOST_FRAMES:,} frames, and goes no farther than {FARTHEST / 1000:g} km"
        in guide
    )
    Wish(over=1e4, high=1e4, steps=1000, to=(0.0, -1e4, 0.0), angle=200 * np.pi, route=[(1e4, 0.0)])
    assert Wish().counted(1000.0) == 1000
    assert [Wish().counted(n) for n in (0.0, 0.3, 1.0, 1.0 + 1e-12, 1.1)] == [1, 1, 1, 1, 2]
    times, dt = Wish(fps=30.0).times(1200.0)
    assert (len(times), dt, times[-1]) == (36_001, 1 / 30, 1200.0)
    with pytest.raises(InputError, match="frames"):
        Wish(fps=30.0).times(1200.1)


@pytest.mark.parametrize("seconds", [1e-300, 1e-9, 1e-3])
def test_the_shortest_motion_has_two_frames(seconds):
    assert Wish().times(seconds)[0].tolist() == [0.0, 1 / 60]
    assert poise.plan("stand", seconds=seconds, grounded=False, judge=False).clip.frames == 2
