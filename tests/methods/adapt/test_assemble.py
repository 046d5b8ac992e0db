"""Strips on a track: frames as counted, each clip's own, and feet that stand where one goes into the next.

Feet are judged by plain placement (``Character.placement``) and by the sources' own speeds; no plant of the
solver's is asked.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import poise
from poise import clips
from poise.errors import InputError
from poise.motion import Clip, operators

SHARED = Path(__file__).parents[4] / "shared" / "data"
RISES = 0.04
"""Points that are so much higher than at their lowest do not stand [m]."""
STILL = 0.15
"""A point of a foot that is slower in the source stands [m/s]."""
FEET = ("LeftHeel", "LeftBall", "LeftFoot", "RightHeel", "RightBall", "RightFoot")
COURSE = (
    {"clip": "walk", "at": 0.0, "trim": [0.0, 2.4]},
    {"clip": "run", "at": 2.2, "loop": 2},
    {"clip": "jump", "at": 3.3, "trim": [0.2, 2.1], "speed": 0.92},
)


def paths(clip: Clip, points: tuple[str, ...]) -> np.ndarray:
    """Places of points in every frame, (F, points, 3)."""
    placed = zip(*clip.character.placement(clip.q))
    named = [clip.character.point(p) for p in points]
    return np.array([[x[n.body] + turn[n.body] @ n.position for n in named] for x, turn in placed])


def slow(clip: Clip, points: tuple[str, ...]) -> np.ndarray:
    """Which points stand in which frames, (F, points)."""
    speed = np.linalg.norm(np.gradient(paths(clip, points), axis=0), axis=2) * clip.fps
    return speed < STILL


def skated(result, points: tuple[str, ...] = FEET) -> float:
    """How far any point that stands in the source which leads gets from where it was, in passages [m]."""
    track, found, worst = result.track, paths(result.clip, points), 0.0
    for passage in track.passages:
        before, after = track.parts[passage.before], track.parts[passage.before + 1]
        stands = np.zeros((result.clip.frames, len(points)), dtype=bool)
        for part, low, high in (
            (before, passage.first, min(passage.middle - 1, before.last)),
            (after, passage.middle, passage.last),
        ):
            own = slow(part.clip, points)
            for frame in range(low, high + 1):
                stands[frame - track.start] = own[frame - part.first]
        # An ankle that is up over its ball does not stand, however slowly it moves.
        stands &= found[..., 2] < np.percentile(found[..., 2], 5, axis=0) + RISES
        for k, _ in enumerate(points):
            for down, group in itertools.groupby(enumerate(stands[:, k]), lambda each: each[1]):
                frames = [f for f, _ in group]
                if down and len(frames) > 2:
                    way = found[frames, k, :2]
                    worst = max(worst, float(np.linalg.norm(way - way[0], axis=1).max()))
    return worst


def test_a_walk_a_run_and_a_trimmed_jump():
    result = poise.assemble(list(COURSE))
    # 0 … 144, 132 … 212, 198 + ⌊1.9 / 0.92 · 60⌋
    assert result.spans == [(0, 144), (132, 212), (198, 198 + 123)]
    assert result.clip.frames == 322
    assert result.met, result.report
    assert skated(result) < 5e-3
    plain = poise.assemble(list(COURSE), feet=False)
    assert skated(plain) > 5 * skated(result)  # else nothing was to be done


def test_frames_away_from_passages_are_the_clips_own():
    result = poise.assemble(list(COURSE))
    walk = clips.get("walk")
    assert np.array_equal(result.clip.q[:64], walk.q)
    jump = operators.speed(operators.trim(clips.get("jump"), 0.2, 2.1), 0.92)
    late = slice(290 - 198, 324 - 198)
    got = result.clip.q[290:322]
    assert np.allclose(got[:, 7:], jump.q[late][:, 7:], rtol=0, atol=1e-12)  # all but where the root stands
    assert np.allclose(got[:, 2], jump.q[late][:, 2], rtol=0, atol=1e-12)


def test_nothing_jumps_where_strips_meet():
    for strips in (
        COURSE,
        [{"clip": "walk", "trim": [0, 1.5]}, {"clip": "wave"}],
        [{"clip": "punch"}, {"clip": "reach", "at": 2.2}],
    ):
        result = poise.assemble(list(strips))
        v, dt = result.clip.velocity, result.clip.dt
        most = max(np.abs(np.diff(clips.get(s["clip"]).velocity, axis=0)).max() for s in strips)
        assert np.abs(np.diff(v, axis=0)).max() < 2 * most + 60 * dt


def test_a_strip_that_touches_comes_in_by_its_blend():
    first, second = clips.get("punch"), clips.get("wave")
    result = poise.assemble([{"clip": "punch"}, {"clip": "wave", "blend": 0.5}], feet=False)
    assert result.clip.frames == first.frames + second.frames - 1
    assert np.array_equal(result.clip.q[: first.frames - 1], first.q[:-1])
    own = result.clip.q[first.frames - 1 + 30 :, 7:]
    assert np.allclose(own, second.q[30:, 7:], rtol=0, atol=1e-12)
    assert not np.allclose(result.clip.q[first.frames + 5, 7:], second.q[6, 7:], atol=1e-3)


def test_a_gap_is_bridged_and_told():
    result = poise.assemble([{"clip": "punch"}, {"clip": "wave", "at": 2.5}])
    assert result.clip.frames == 150 + 193
    assert any("nothing plays for 0.60 s" in w for w in result.report.warnings)


def test_placed_as_filmed_or_where_the_strip_before_got_to():
    strips = [{"clip": "walk", "loop": 3}, {"clip": "jump"}]
    on = poise.assemble(strips)
    filmed = poise.assemble([strips[0], {**strips[1], "place": "as filmed"}])
    jump = clips.get("jump")
    assert np.allclose(filmed.clip.q[-1, :7], jump.q[-1, :7], rtol=0, atol=1e-12)
    assert on.clip.q[-1, 0] > jump.q[-1, 0] + 3.0


def test_mirrored_and_round_after_round():
    result = poise.assemble([{"clip": "walk", "loop": 4, "mirror": True}])
    mirrored = operators.mirror(operators.unroll(clips.get("walk"), 4))
    assert np.allclose(result.clip.q, mirrored.q, rtol=0, atol=1e-12)


def test_a_foot_that_stands_elsewhere_steps_and_that_is_told():
    strips = [{"clip": "jump", "trim": [0, 0.5]}, {"clip": "jump", "trim": [2.2, 2.6], "at": 0.3}]
    apart = [strips[0], {**strips[1], "place": "as filmed"}]
    assert not poise.assemble(strips).report.warnings
    warnings = poise.assemble(apart).report.warnings
    assert any("steps over" in w and "strip 1" in w for w in warnings), warnings


def test_another_character_is_retargeted():
    who = poise.characters.get("humanoid")
    if not SHARED.exists():
        pytest.skip("the captures of shared/data are not here")
    file = SHARED / "cmu_cgspeed_bvh" / "02_01.bvh"
    result = poise.assemble([{"clip": "walk"}, {"clip": str(file), "trim": [0.5, 2.0]}])
    assert result.clip.character.names == who.names
    assert any("retargeted" in w for w in result.report.warnings)
    assert skated(result) < 1e-2


@pytest.mark.parametrize(
    ("first", "second"),
    [("02_01", "16_15"), ("16_15", "49_22"), ("07_01", "16_01"), ("143_23", "49_06")],
)
def test_captures_of_others(first: str, second: str):
    files = [next(iter(SHARED.glob(f"*/{name}.bvh")), None) for name in (first, second)]
    if None in files:
        pytest.skip(f"{first} or {second} of shared/data is not here")
    ends = [poise.load(str(f)).duration for f in files]
    low = min(1.5, ends[0] / 3)
    result = poise.assemble(
        [
            {"clip": str(files[0]), "trim": [0.2, low + 1.0]},
            {"clip": str(files[1]), "trim": [0.5, min(2.5, ends[1])], "at": low + 0.5},
        ]
    )
    feet = tuple(p for c in result.demands for p in [c.handle.point])
    if feet and result.clip.character.names == poise.load(str(files[0])).character.names:
        names = tuple(dict.fromkeys(feet))
        assert skated(result, names) < 5e-3, result.report


def test_what_cannot_be_played_is_said():
    for strips, words in (
        ([], "at least one strip"),
        ([{"clip": "walk", "at": -1.0}], "before the track does"),
        ([{"clip": "jump", "trim": [2.0, 1.0]}], "not after its start"),
        ([{"clip": "walk", "at": 1.0}, {"clip": "run", "at": 1.0}], "starts at 1 s as well"),
        ([{"clip": "walk"}, {"clip": "jump", "trim": [0, 9]}], r"strip 1 \('jump'\): cannot trim"),
        ([{"clip": "walk"}, {"clip": "nobody"}], r"strip 1 \('nobody'\)"),
    ):
        with pytest.raises(InputError, match=words):
            poise.assemble(strips)


def test_strips_as_they_are_typed():
    from poise.operations.assemble import strips_typed

    assert strips_typed("walk:0-2.4, run@2.2,my take.bvh@2.8:0.2-2.1*0.92") == [
        {"clip": "walk", "trim": [0.0, 2.4]},
        {"clip": "run", "at": 2.2},
        {"clip": "my take.bvh", "at": 2.8, "trim": [0.2, 2.1], "speed": 0.92},
    ]
