"""Every method: the same bits, however many threads a linear algebra library may use."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import poise
from poise import clips
from poise.arrays import Array
from poise.clips import faces as acted
from poise.constraints import Constraint, pin
from poise.kinematics import Kinematics
from poise.methods.plan.scene import bundled as scenes


def mark(clip: poise.Clip, name: str, frame: int, way: tuple[float, float, float]) -> Constraint:
    place = Kinematics(clip.character, clip.q[frame : frame + 1]).point(name)[0]
    return pin(name, place + np.array(way), frame * clip.dt, name=name)


def hit() -> Array:
    clip = clips.get("punch")
    return poise.hit(clip, [mark(clip, "RightHand", 51, (0.05, 0.1, 0.1))]).clip.q


def loosened() -> Array:
    return poise.loosen(clips.get("punch"), "loose", "auto").clip.q


def worn() -> Array:
    (hat,) = poise.wear(clips.get("punch")).attached
    return hat.mesh.vertices


def living() -> Array:
    clip = acted.get("smile")
    return poise.hit(clip, [{"region": "*", "at": 0.8}], "loose", 0.5).mesh.vertices


def adapted() -> Array:
    clip = clips.get("reach")
    wanted = [mark(clip, "RightHand", clip.frames // 2, (0.1, 0.0, 0.2))]
    return poise.adapt(clip, wanted, plants=False).clip.q


def retargeted() -> Array:
    return poise.retarget(clips.get("walk"), scenes.get("side jump").figure()).clip.q


def keyed() -> Array:
    clip = clips.get("punch")
    return poise.pose(clip, [mark(clip, "RightHand", 0, (0.2, 0.1, 0.3))]).q


def played() -> Array:
    return poise.perform(script="ymca").clip.q


def planned() -> Array:
    return poise.plan("four punches").clip.q


def repaired() -> Array:
    return poise.fix(clips.get("run")).clip.q


def judged() -> Array:
    return np.array([phase.score for phase in poise.check(clips.get("jump")).report.phases])


METHODS = [hit, loosened, worn, living, adapted, retargeted, keyed, played, planned, repaired, judged]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.__name__)
def test_algebra_on_more_threads_changes_no_bit(method: Callable[[], Array]) -> None:
    results = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            results.append(np.asarray(method()))
    assert results[0].size
    assert np.array_equal(*results), np.abs(results[0] - results[1]).max()
