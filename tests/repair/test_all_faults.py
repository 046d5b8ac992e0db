"""Three faults in one jump, bundled and captured: each is found and mended, and nothing else is moved.

A flight 1.3 times too fast, a sink of 5 cm into the floor, and a kick of the body in the air.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from faults import changed, hurried, jerk, kicked, sunk

import poise
from poise import clips
from poise.kinematics import Kinematics
from poise.motion import Clip
from poise.repair.result import FixResult

FOUND = {"gravity": "time", "penetration": "body", "spin": "spin"}
"""What a check calls each fault, and what mends it."""
BLEND = 0.25
"""How far repairs may reach beyond a fault [s]."""


@dataclass(frozen=True)
class Case:
    """A jump and where its faults go: first and last frames."""

    sink: tuple[int, int]
    flight: tuple[int, int]
    kick: tuple[int, int]


BUNDLED = Case((10, 45), (69, 98), (72, 96))
CAPTURED = Case((20, 70), (128, 174), (132, 170))


@dataclass(frozen=True)
class Jump:
    """As it should be, with the faults, and mended."""

    case: Case
    clean: Clip
    wrong: Clip
    result: FixResult

    @property
    def more(self) -> int:
        """By how many frames the mended clip is longer: the flight's."""
        return self.result.clip.frames - self.wrong.frames


@pytest.fixture(scope="module", params=["bundled", "captured"])
def jump(request):
    if request.param == "bundled":
        case, clean = BUNDLED, clips.get("jump")
    else:
        folder = request.getfixturevalue("shared_data") / "cmu_cgspeed_bvh"
        case, clean = CAPTURED, poise.load(folder / "16_01.bvh", drop_tpose="auto")
    world = poise.check(clean).report.world.confirmed()
    wrong = kicked(sunk(clean, *case.sink, 0.05), *case.kick, 0.3)
    wrong, _ = hurried(wrong, *case.flight, 1.3)
    return Jump(case, clean, wrong, poise.fix(wrong, world=world))


def test_every_fault_is_found_and_mended(jump):
    result = jump.result
    for kind, repair in FOUND.items():
        assert result.before.of(kind), kind
        assert any(o.repair == repair and o.done for o in result.outcomes), str(result)
        assert not result.after.of(kind), str(result)
    assert result.after.plausible


def test_each_is_taken_back_by_what_it_was(jump):
    case, result = jump.case, jump.result
    assert "the flight played 1.3" in result.outcomes[0].words
    assert abs(result.clip.frames - jump.clean.frames) <= 2  # of the flight; its gravity is as uncertain
    assert result.after.pace.gravity == pytest.approx(9.81, rel=0.05)
    now, was = (Kinematics(c.character, c.q) for c in (result.clip, jump.clean))
    own = slice(*case.sink)
    assert np.abs(now.com[own, 2] - was.com[own, 2]).max() < 0.01  # of 5 cm
    air = np.arange(*case.kick)
    turned = jump.clean.character.manifold.minus(result.clip.q[air], jump.clean.q[air])
    assert np.abs(turned[:, 3:6]).max() < 0.1  # of 0.3, and the frames are others


def test_frames_that_were_right_are_the_same(jump):
    case, more = jump.case, jump.more
    blend = round(BLEND * jump.wrong.fps)
    faulty = [case.sink, case.flight]
    # A capture has faults of its own.
    faulty += [(f.start, f.end) for f in poise.check(jump.clean).report.findings]
    faulty += [
        (f.start + d, f.end + d)
        for o in jump.result.outcomes
        for f in o.findings
        if o.repair != "time"
        for d in (0, more)
    ]
    frames = changed(jump.result, jump.wrong)
    assert len(frames)
    for f in frames:
        assert any(a - blend <= f <= b + blend for a, b in faulty), f


def test_repairs_have_no_seams(jump):
    clean, wrong, mended = jump.clean, jump.wrong, jump.result.clip
    assert jerk(mended) <= max(jerk(clean), jerk(wrong)) * 1.05


def test_the_table_says_what_moved_and_when(jump):
    result = jump.result
    body = [c for c in result.changes if c.part == "body"]
    assert any(c.start <= jump.case.sink[1] and c.end >= jump.case.sink[0] for c in body)
    assert max(c.furthest for c in body) < 0.3
    assert f"{100 * max(c.furthest for c in result.changes):.1f} cm" in str(result)
