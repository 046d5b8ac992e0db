"""What a method reports is what its clip shows: measured here by kinematics of the tests' own.

At frames, and between them on the clip's own curve.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "problems"))
from own_kinematics import Stance

import poise
from poise import clips, constraints
from poise.constraints import Outcome, Report
from poise.methods.adapt.adapt import around
from poise.methods.key.pose.solve import solve
from poise.methods.key.sheet.keyframes import Keyframes
from poise.methods.perform.script.timed_pose import TimedPose
from poise.motion import Clip
from poise.operations.pose import Pose

POINT, FRAME = "RightHand", 50
BETWEEN = FRAME + 0.37
OFFSETS = {"near": (0.05, -0.03, 0.04), "far": (3.0, 0.5, 1.0)}


@pytest.fixture(scope="module")
def punch() -> Clip:
    whole = clips.get("punch")
    return Clip(whole.character, whole.q[:80], whole.rate)


def place(clip: Clip, time: float, name: str = POINT) -> np.ndarray:
    return Stance(clip.character, clip.at(time)).point(name)


def told(report: Report, name: str) -> Outcome:
    return next(o for o in report.outcomes if o.name == name)


@pytest.mark.parametrize("frame", [FRAME, BETWEEN])
@pytest.mark.parametrize("away", list(OFFSETS))
@pytest.mark.parametrize("method", ["hit", "the paper's hit", "drag", "adapt", "exactly", "adapt's drag"])
def test_places(punch: Clip, method: str, away: str, frame: float) -> None:
    time = frame / punch.fps
    wanted = place(punch, time) + OFFSETS[away]
    asked = [constraints.pin(POINT, wanted, time, name="place")]
    moved = [constraints.pin(POINT, wanted + [0.0, 0.02, 0.0], time, name="place")]
    match method:
        case "hit":
            done = poise.hit(punch, asked, "loose", 0.3)
        case "the paper's hit":
            done = poise.hit(punch, asked, "loose", 0.3, method="paper")
        case "drag":
            done = poise.hit(punch, asked, "loose", 0.3).drag(moved)
        case "adapt" | "exactly":
            done = poise.adapt(punch, asked, exact=method == "exactly", plants=False)
        case _:
            begun = poise.adapt(punch, asked, plants=False)
            done = begun.drag(moved, around(punch, [time]))
    goal = wanted + [0.0, 0.02, 0.0] if "drag" in method else wanted
    off = np.linalg.norm(place(done.clip, time) - goal)
    assert told(done.report, "place").error == pytest.approx(off, abs=1e-9)
    if away == "near" and "drag" not in method:
        assert done.report.met, done.report


def test_what_ran_away_in_the_search_is_not_what_is_told() -> None:
    """A light limb on a soft spring: where it must be, the clip is simulated in smaller steps."""
    run = clips.get("run")
    asked = [
        constraints.pin("LeftToeBase", place(run, 0.3, "LeftToeBase") + [0.4, 0.0, 0.5], 0.3, name="toe")
    ]
    done = poise.hit(run, asked, poise.Spring(0.3, 0.05), 0.3, root="driven")
    off = np.linalg.norm(
        place(done.clip, 0.3, "LeftToeBase") - np.asarray(asked[0].target.at(np.zeros(1))[0])
    )
    assert told(done.report, "toe").error == pytest.approx(off, abs=1e-9)


@pytest.mark.parametrize("method", ["hit", "adapt"])
def test_places_held(punch: Clip, method: str) -> None:
    span = (FRAME / punch.fps, (FRAME + 9) / punch.fps)
    wanted = place(punch, span[0]) + [0.02, 0.03, 0.0]
    asked = [constraints.pin(POINT, wanted, span, name="held")]
    if method == "hit":
        clip, report = (lambda r: (r.clip, r.report))(poise.hit(punch, asked, "firm", 0.3))
    else:
        clip, report = (lambda r: (r.clip, r.report))(poise.adapt(punch, asked, plants=False))
    off = [np.linalg.norm(place(clip, k / clip.fps) - wanted) for k in range(FRAME, FRAME + 10)]
    assert told(report, "held").error == pytest.approx(max(off), abs=1e-9)


@pytest.mark.parametrize("frame", [FRAME, BETWEEN])
def test_velocities(punch: Clip, frame: float) -> None:
    time, step = frame / punch.fps, 1e-6
    asked = [constraints.moving(POINT, (1.0, 0.5, 0.0), time, name="pace")]
    done = poise.adapt(punch, asked, plants=False)
    pace = (place(done.clip, time + step) - place(done.clip, time - step)) / (2 * step)
    off = np.linalg.norm(pace - [1.0, 0.5, 0.0])
    assert told(done.report, "pace").error == pytest.approx(off, abs=2e-3)


@pytest.mark.parametrize("frame", [FRAME, BETWEEN, 0, 79])
def test_velocities_that_are_seen(punch: Clip, frame: float) -> None:
    """Of a hit: that of the point's path through the frames of the clip, whatever joints do between them."""
    from scipy.interpolate import CubicHermiteSpline

    asked = [constraints.moving(POINT, (1.0, 0.5, 0.0), frame / punch.fps, name="pace")]
    done = poise.hit(punch, asked, "relaxed", 0.3)
    path = np.array([place(done.clip, k / punch.fps) for k in range(punch.frames)])
    pace = np.gradient(path, 1 / punch.fps, axis=0, edge_order=2)
    seen = CubicHermiteSpline(np.arange(punch.frames) / punch.fps, path, pace)(frame / punch.fps, 1)
    off = np.linalg.norm(seen - [1.0, 0.5, 0.0])
    assert told(done.report, "pace").error == pytest.approx(off, abs=1e-7)
    assert off < 1e-2 or frame == 0


def test_pins_of_a_document(punch: Clip) -> None:
    start = punch.q[0]
    wanted = place(punch, 0.0) + [0.3, 0.1, 0.2]
    tracks = Keyframes(punch.character, start).pin(POINT, at=(0.0, 0.3), to=wanted, name="hand")
    baked = poise.key(tracks, fps=30, start=0.0, end=0.3)
    off = [np.linalg.norm(place(baked.clip, k / 30) - wanted) for k in range(10)]
    assert told(baked.report, "hand").error == pytest.approx(max(off), abs=1e-9)


def test_one_pose(punch: Clip) -> None:
    wanted = place(punch, 0.0) + [0.5, 0.1, 0.9]
    done = solve(punch.character, [constraints.pin(POINT, wanted, 0.0, name="hand")], Pose(), pose=punch.q[0])
    off = np.linalg.norm(Stance(punch.character, done.q).point(POINT) - wanted)
    assert told(done.report, "hand").error == pytest.approx(off, abs=1e-9)


def off_at(clip: Clip, q: np.ndarray, time: float) -> float:
    """How far the worst joint is from a pose [°]."""
    off = clip.character.manifold.minus(q, clip.at(time))
    spans = [clip.character.dofs(i) for i in range(1, len(clip.character.bodies))]
    return max(float(np.degrees(np.linalg.norm(off[span]))) for span in spans)


def test_keys_on_the_beat(punch: Clip) -> None:
    """At a frame an arrival is the clip's; between two, what the clip's own curve has is said beside it."""
    for time in (0.5, 0.5137):
        done = poise.perform(
            script=[TimedPose(punch.q[50], time, lead=0.4)],
            character=punch.character,
            duration=0.8,
            fps=24,
            from_pose=punch.q[40],
            tolerance=0.005,
        )
        (arrival,), off = done.arrivals, off_at(done.clip, punch.q[50], time)
        assert arrival.shown == pytest.approx(off, abs=1e-6)
        if time == 0.5:
            assert arrival.error == pytest.approx(off, abs=1e-6)
        else:
            assert off > 0.005 > arrival.error
            assert any("between two frames" in said for said in done.report.warnings)
