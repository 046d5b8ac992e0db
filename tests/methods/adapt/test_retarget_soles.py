"""Soles of a retargeted figure stand where the source's do, or the foot is named, with how far and when."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from poise import clips
from poise.constraints import During
from poise.contacts.patches import patches
from poise.methods.adapt.plants.detect import detect, known_feet
from poise.methods.adapt.retarget import soles
from poise.motion import Clip, operators


@pytest.fixture(scope="module")
def walk() -> Clip:
    return operators.resample(operators.unroll(clips.get("walk"), 2), 30)


def moved(clip: Clip, by: np.ndarray) -> Clip:
    """The clip with its root elsewhere, by (F, 3)."""
    q = np.array(clip.q)
    q[:, :3] += by
    return clip.with_q(q)


def missed(before: Clip, after: Clip) -> set[tuple[str, str]]:
    return {(line.limb, line.what) for line in soles.lines(before, after, 1.0) if not line.met}


def test_the_source_itself_stands_as_it_does(walk):
    lines = soles.lines(walk, walk, 1.0)
    assert {line.limb for line in lines} == {"left foot", "right foot"}
    assert {line.what for line in lines} == {"above", "below", "slide"}
    assert all(line.met for line in lines if line.what != "below")


def test_feet_that_float_sink_or_slide_are_named_with_how_far_and_when(walk):
    """By closed form: the whole figure is raised, lowered, or drawn along at a speed."""
    up, zero = np.zeros((walk.frames, 3)), np.zeros((walk.frames, 3))
    up[:, 2] = 0.03
    feet = {"left foot", "right foot"}
    assert {f for f, what in missed(walk, moved(walk, up)) if what == "above"} == feet
    assert {f for f, what in missed(walk, moved(walk, -up)) if what == "below"} == feet
    one = np.array(zero)
    one[20:30] = up[20:30]  # some frames alone are too high
    floats = [line for line in soles.lines(walk, moved(walk, one), 1.0) if line.what == "above"]
    worst = max(floats, key=lambda line: line.worst)
    assert worst.worst == pytest.approx(0.03, abs=0.012)
    assert 20 / 30 <= worst.time <= 29 / 30
    assert f"{worst.limb}: above" in str(worst.outcome())
    drift = np.array(zero)
    drift[:, 0] = 0.2 * np.asarray(walk.times)
    slides = {line.limb: line for line in soles.lines(walk, moved(walk, drift), 1.0) if line.what == "slide"}
    assert not any(line.met for line in slides.values())
    assert all(0.1 < line.worst < 0.35 for line in slides.values())


def test_who_always_stands_on_something_higher_stands_there(walk):
    """One foot that is never lower than 8 cm above the other's ground is no lower on the target."""
    feet = soles.soles(walk)
    size = patches(walk.character).scale
    own = soles.grounds(feet, size)
    assert abs(own["left foot"] - own["right foot"]) < 0.03
    left = feet["left foot"]
    high = {
        **feet,
        "left foot": left._replace(places=left.places + [0.0, 0.0, 0.08], lowest=left.lowest + 0.08),
    }
    assert soles.grounds(high, size)["left foot"] == own["right foot"]


def test_plants_last_as_long_as_the_sole_is_down(walk):
    """Cut short, a plant gets back what the flesh says; it never runs into the next one of its foot."""
    planted = detect(walk, known_feet(walk.character))
    cut = []
    for plant in planted:
        point, when = list(plant.intervals.items())[-1]
        end = max(when.start, when.end - 4 / 30)
        cut.append(replace(plant, intervals={**plant.intervals, point: During(when.start, end)}))
    on = {part: soles.stands(sole, 1 / 30, 1.0) for part, sole in soles.soles(walk).items()}
    gained = 0
    for short, long in zip(cut, soles.longer(walk, walk.character, cut)):
        *others, (point, when) = long.intervals.items()
        before = short.intervals[point]
        assert dict(others) == {p: w for p, w in short.intervals.items() if p != point}
        assert when.start == before.start
        part = "left foot" if "Left" in point else "right foot"
        assert on[part][round(before.end * 30) + 1 : round(when.end * 30) + 1].all()
        gained += when.end > before.end
        rows = [p for p in planted if p.name != short.name and set(p.intervals) & set(long.intervals)]
        for other in rows:
            start = min(w.start for w in other.intervals.values())
            assert start < when.start or start > when.end
    assert gained >= len(cut) // 2


def test_a_result_says_what_its_soles_miss_unless_feet_are_free(walk):
    result = poise.retarget(walk, "biped180")
    names = {o.name for o in result.report.outcomes}
    assert {"left foot: above", "right foot: below", "left foot: slide"} <= names
    bare = poise.retarget(walk, "biped180", plants=False)
    assert not any("foot: above" in o.name for o in bare.report.outcomes)
    lifted = np.array(result.clip.q)
    lifted[:, 2] += 0.05
    said = result.measured_on(result.clip.with_q(lifted))
    assert not said.met
    assert {o.name for o in said.outcomes if not o.met} >= {"left foot: above", "right foot: above"}
