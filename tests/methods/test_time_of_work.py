"""Times in reports are those of solving: compiling a kernel on the way, however long, is none of them."""

from __future__ import annotations

import pytest

import poise
from poise import clips, constraints
from poise.character.presets import planar_humanoid
from poise.kernels import compile_log
from poise.kinematics import Kinematics
from poise.methods.adapt.adapt import around, continued, dragged
from poise.methods.adapt.problem.problem import Problem
from poise.methods.key.pose.solve import solve
from poise.methods.key.pose.solver import PoseSolver
from poise.methods.key.sheet.keyframes import Keyframes
from poise.methods.perform.simulate.simulation import Simulation
from poise.operations.pose import Pose

WORK, COMPILING = 5.0, 3600.0


class Clock:
    """It goes only when it is told to."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def slow(monkeypatch):
    """Has a method of a class work for 5 s and a kernel compiled for an hour, each time it is called."""
    clock = Clock()
    monkeypatch.setattr(compile_log, "_state", compile_log._State())
    monkeypatch.setattr(compile_log, "_listeners", [])
    monkeypatch.setattr(compile_log, "time", clock)

    def make(owner: type, name: str) -> list[str]:
        calls, real = [], getattr(owner, name)

        def slowed(*given, **more):
            calls.append(name)
            clock.now += WORK
            compile_log.began("a kernel", compiling=True)
            clock.now += COMPILING
            compile_log.ended()
            return real(*given, **more)

        monkeypatch.setattr(owner, name, slowed)
        return calls

    return make


def test_of_an_adaptation(slow):
    clip, calls = clips.get("reach"), slow(Problem, "solve")
    place = Kinematics(clip.character, clip.q[40]).point("RightHandCentre")[0]
    first, second = (
        [constraints.pin("RightHandCentre", place + by, 40 / float(clip.rate))]
        for by in ([0.02, 0.0, 0.03], [0.03, 0.0, 0.03])
    )
    done = poise.adapt(clip, first)
    assert done.report.seconds == WORK * len(calls) > 0
    for again in (
        lambda: continued(done, second),
        lambda: dragged(done, second, around(clip, [40 / float(clip.rate)])),
    ):
        calls.clear()
        assert again().report.seconds == WORK * len(calls) > 0


def test_of_a_pose(slow):
    character, calls = planar_humanoid(), slow(PoseSolver, "solve")
    done = solve(character, [constraints.pin("RightHand", (0.3, 0.0, 1.2), 0.0)], Pose())
    assert done.report.seconds == WORK * len(calls) > 0


def test_of_key_frames(slow):
    character, calls = planar_humanoid(), slow(PoseSolver, "solve")
    rest = character.rest_pose()
    tracks = Keyframes(character, {0.0: rest, 1.0: rest}).pin("RightHand", at=(0.2, 0.8), to=(0.3, 0.0, 1.2))
    assert tracks.at([0.5]).report.seconds == WORK * len(calls) > 0


def test_of_a_performance(slow):
    clip, calls = clips.get("wave"), slow(Simulation, "run")
    report = poise.perform(clip, duration=0.3).report
    assert report.seconds == WORK * len(calls) > 0
    assert f"{0.3 / report.seconds:.0f} × real time" in report.message
