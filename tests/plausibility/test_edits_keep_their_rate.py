"""A body that an edit throws about does what no body can; its clip was not recorded at another rate."""

from __future__ import annotations

import numpy as np
import pytest

import poise
from poise import clips
from poise.character.labels import roles
from poise.contacts.find import find
from poise.contacts.pace import flies_between_steps, sought


def pulled(name: str, side: str, at: float, by: tuple[float, float, float]) -> poise.Clip:
    """A bundled clip with a hand pulled away from where it is, feet kept."""
    clip = clips.get(name)
    hand = roles(clip.character)[f"{side} hand"]
    point = next(n for n, p in clip.character.points.items() if p.body == hand)
    frame = int(at * clip.frames)
    place = clip.character.placement(clip.q)[0][frame, hand] + np.array(by)
    wish = poise.constraints.pin(point, tuple(place), frame * clip.dt)
    return poise.adapt(clip, [wish]).clip


@pytest.fixture(scope="module")
def pulled_run():
    return pulled("run", "left", 0.6, (0.3, 0.0, 0.35))


def test_a_run_whose_hand_is_pulled_keeps_its_rate(pulled_run):
    report = poise.check(pulled_run).report
    assert report.support.pace == 1.0
    assert not report.of("rate")
    assert "too fast" not in report.verdict


def test_what_pushes_it_is_told(pulled_run):
    """Forces of half the weight, to and fro, are too little of something unseen, and too much for nothing."""
    told = poise.check(pulled_run).report.of("nowhere")
    assert told
    assert max(f.amount for f in told) > 0.4 * pulled_run.character.total_mass * 9.81


def test_walkers_step_twice_too_fast_is_no_run():
    """Whose feet are down together walks: steps of a third of a second tell no pace of it then."""
    walk = clips.get("walk")
    fast = walk.replaced(rate=walk.rate * 2)
    support = find(fast, pace=1.0)
    assert not flies_between_steps(support, {"left foot", "right foot"})
    assert flies_between_steps(find(clips.get("run"), pace=1.0), {"left foot", "right foot"})


@pytest.mark.parametrize(("side", "by"), [("left", (0.3, 0.0, 0.35)), ("right", (0.0, 0.3, 0.3))])
def test_a_jump_thrown_up_in_the_air_is_pushed_not_fast(side, by):
    report = poise.check(pulled("jump", side, 0.6, by)).report
    assert not report.plausible
    assert report.support.pace == 1.0
    assert not report.questions
    assert "too fast" not in report.verdict
    assert {f.kind for f in report.findings if f.serious} <= {"pull", "impact", "spin", "push", "support"}


def test_a_jump_that_is_twice_too_fast_still_is():
    jump = clips.get("jump")
    assert sought(jump.replaced(rate=jump.rate * 2), None).pace == 2.0
