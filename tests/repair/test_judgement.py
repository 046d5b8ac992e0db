"""Judgement kind by kind: a repair may not pay for one fault with another, however bad the phase was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import poise
from poise import clips
from poise.plausibility.finding import Finding
from poise.repair.accept import BARELY, EDGE, SLACK, impossible, scores
from poise.repair.accept import worse as judged_worse

CLIP = clips.get("jump")
SAME = np.arange(CLIP.frames, dtype=float)
RIGHT = poise.check(CLIP).report


def worse(before, after, sources) -> str:
    """What got worse, in words."""
    got = judged_worse(before, after, sources)
    return "" if got is None else got.words


def found(kind: str, score: float, start: int = 20, end: int = 40, words: str = "it does so") -> Finding:
    return Finding(kind, start, end, "", 1.0, "m", 0.0, score, words)


def report(*findings: Finding, moved: bool = False):
    """The clip with these findings, its phases as bad as the worst within; ``moved``: frames 25 to 35."""

    def judged(phase):
        inside = [f.score for f in findings if f.start <= phase.end and f.end >= phase.start]
        return replace(phase, score=min(inside, default=1.0))

    physics = RIGHT.physics
    if moved:
        q = np.array(CLIP.q)
        q[25:36, 2] += 0.01
        physics = replace(physics, take=replace(physics.take, clip=CLIP.with_q(q)))
    return replace(RIGHT, physics=physics, findings=findings, phases=tuple(map(judged, RIGHT.phases)))


def test_one_fault_mended_does_not_pay_for_another():
    """The phase is no worse than it was: only the kind tells."""
    before = report(found("penetration", 0.3))
    after = report(found("penetration", 0.6), found("skate", 0.4, words="slides"), moved=True)
    assert "slides" in worse(before, after, SAME)
    assert worse(before, report(found("penetration", 0.6), moved=True), SAME) == ""


def test_a_kind_may_not_fall_further_nor_reach_further():
    before = report(found("penetration", 0.3), found("skate", 0.7))
    assert worse(before, report(found("skate", 0.7), moved=True), SAME) == ""
    assert "→ 0.50" in worse(before, report(found("skate", 0.5), moved=True), SAME)
    within, beyond = 40 + round(EDGE * CLIP.fps), 41 + round(EDGE * CLIP.fps)
    for end, said in ((within, False), (beyond, True)):
        assert bool(worse(before, report(found("skate", 0.7, end=end), moved=True), SAME)) == said, end


@pytest.mark.parametrize(
    ("score", "said"),
    [(0.7 - 0.5 * SLACK, False), (0.7 - 2 * SLACK, True), (BARELY - 0.01, True), (BARELY, False)],
)
def test_scores_vary_a_little_and_hidden_trifles_come_up(score, said):
    """By so much as measurements do; a trifle may come up where the phase was worse anyway."""
    known = [found("skate", 0.7)] if score < 0.75 else []
    before = report(found("penetration", 0.3), *known)
    assert bool(worse(before, report(found("skate", score), moved=True), SAME)) == said


def test_what_a_repair_did_not_touch_it_is_not_blamed_for():
    before = report(found("penetration", 0.3))
    assert worse(before, report(found("penetration", 0.3), found("skate", 0.4)), SAME) == ""
    far = found("skate", 0.4, CLIP.frames - 12, CLIP.frames - 2)
    assert worse(before, report(found("penetration", 0.3), far, moved=True), SAME) == ""


def test_scores_are_the_worst_at_every_frame():
    both = report(found("skate", 0.7, 10, 20), found("skate", 0.4, 15, 30), found("spin", 0.1, 50, 60))
    curve = scores(both, "skate")
    assert (curve[10:15] == 0.7).all()
    assert (curve[15:31] == 0.4).all()
    assert (np.delete(curve, range(10, 31)) == 1).all()
    assert scores(both)[55] == 0.1
    more = round(0.1 * CLIP.fps)
    assert np.flatnonzero(scores(both, "spin", wider=0.1) < 1).tolist() == list(range(50 - more, 61 + more))


def test_a_new_timing_may_not_make_another_kind_serious():
    before = report(found("gravity", 0.1))
    assert impossible(before, report(found("gravity", 0.2), found("skate", 0.6))) == ""
    assert "(skate, spin)" in impossible(before, report(found("spin", 0.4), found("skate", 0.3)))
