"""Four faults in one jump, bundled and captured: each is found and mended, and nothing else is moved.

A flight 1.3 times too fast, a sink of 5 cm into the floor, a foot that slides 3 cm as it stands, and a kick
of the body in the air.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from faults import changed, hurried, jerk, kicked, slid, sunk

import poise
from poise import clips
from poise.kinematics import Kinematics
from poise.methods.adapt.plants.quality import manner
from poise.motion import Clip
from poise.plausibility.finding import KINDS
from poise.repair.accept import scores
from poise.repair.result import FixResult

FOUND = {"gravity": "time", "penetration": "floor", "skate": "skate", "spin": "spin"}
"""What a check calls each fault, and what mends it."""
BLEND = 1 / 6
"""How far repairs may reach beyond a fault [s]."""


@dataclass(frozen=True)
class Case:
    """A jump and where its faults go: first and last frames."""

    sink: tuple[int, int]
    flight: tuple[int, int]
    kick: tuple[int, int]
    slide: tuple[int, int]
    foot: tuple[str, ...]
    leg: tuple[str, ...]


BUNDLED = Case((10, 45), (69, 98), (72, 96), (118, 134), ("RightHeel", "RightBall"), ("UpLeg", "Leg", "Foot"))
CAPTURED = Case(
    (20, 70), (128, 174), (132, 170), (250, 285),
    ("RightFoot", "RightToeBase", "RightToeBase_end"), ("UpLeg", "Leg", "Foot", "ToeBase"),
)  # fmt: skip


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
    assert {(f.kind, f.where) for f in poise.check(clean).report.findings} <= {
        ("skate", "left foot"),
        ("pop", "LeftHand"),
        ("impact", ""),
    }  # as recorded, or drawn
    leg = [f"Right{name}" for name in case.leg]
    wrong = kicked(sunk(clean, *case.sink, 0.05), *case.kick, 0.3)
    wrong = slid(wrong, list(case.foot), leg, *case.slide, np.array([0.03, 0.0, 0.0]))
    wrong, _ = hurried(wrong, *case.flight, 1.3)
    return Jump(case, clean, wrong, poise.fix(wrong))


def test_every_fault_is_found_and_mended(jump):
    result = jump.result
    for kind, repair in FOUND.items():
        assert result.before.of(kind), kind
        assert any(o.repair == repair and o.done and o.mended for o in result.outcomes), str(result)
    assert result.met
    assert {f.kind for f in result.after.findings} <= {"pop", "impact"}, "which no repair is about"
    assert poise.check(result.clip).report.plausible, "also by a floor of its own"


def test_each_is_taken_back_by_what_it_was(jump):
    case, result = jump.case, jump.result
    assert "the flight played 1.3" in result.outcomes[0].words
    assert abs(result.clip.frames - jump.clean.frames) <= 2  # of the flight; its gravity is as uncertain
    assert result.after.pace.gravity == pytest.approx(9.81, rel=0.05)
    now, was = (Kinematics(c.character, c.q) for c in (result.clip, jump.clean))
    own = slice(*case.sink)
    assert np.abs(now.com[own, 2] - was.com[own, 2]).max() < 0.006  # of 5 cm
    late = result.clip.frames - jump.clean.frames
    stands = np.arange(case.slide[0] - 5, case.slide[1] + 5)
    for point in case.foot:
        ways = (k.point(point)[stands + d, :2] for k, d in ((now, late), (was, 0)))
        after, before = (np.linalg.norm(np.ptp(way, axis=0)) for way in ways)
        assert after < before + 0.006  # of 3 cm
    air = np.arange(*case.kick)
    turned = jump.clean.character.manifold.minus(result.clip.q[air], jump.clean.q[air])
    assert np.abs(turned[:, 3:6]).max() < 0.1  # of 0.3, and the frames are others


def test_frames_that_were_right_are_the_same(jump):
    case, more = jump.case, jump.more
    blend = round(BLEND * jump.wrong.fps)
    fewer = jump.clean.frames - jump.wrong.frames  # that the slide came earlier
    faulty = [case.sink, case.flight, (case.slide[0] - fewer + more, jump.result.clip.frames)]
    # A capture has a fault of its own: a foot that creeps as it stands.
    own = poise.check(jump.clean).report
    faulty += [
        (c.start, c.end) for f in own.findings for c in own.contacts if c.part == f.where and c.end < 150
    ]
    frames = changed(jump.result, jump.wrong)
    assert len(frames)
    for f in frames:
        assert any(a - blend <= f <= b + blend for a, b in faulty), f
    right = slice(case.flight[1] + blend, case.slide[0] - blend)
    np.testing.assert_array_equal(
        jump.result.clip.q[right], jump.wrong.q[right.start - more : right.stop - more]
    )


def test_no_frame_phase_or_kind_is_less_plausible_than_it_was(jump):
    before, after = jump.result.before, jump.result.after
    at = np.rint(jump.result.sources).astype(int)
    for phase in before.phases:
        inside = (at >= phase.start) & (at <= phase.end)
        assert after.curve[inside].min() >= phase.score
    for kind in (None, *KINDS):
        assert (scores(after, kind) >= scores(before, kind)[at]).all()


def test_repairs_have_no_seams(jump):
    clean, wrong, mended = jump.clean, jump.wrong, jump.result.clip
    assert jerk(mended) <= max(jerk(clean), jerk(wrong)) * 1.001
    assert manner(mended).knees <= 1.05 * max(manner(clean).knees, manner(wrong).knees)

    # About the seams themselves: the velocity of the centre of mass jumps no more than in the clean clip.
    def steps(clip):
        return np.linalg.norm(np.diff(Kinematics(clip.character, clip.q).com, 2, axis=0), axis=1) / clip.dt

    assert steps(mended).max() <= 1.1 * steps(clean).max()
