"""One pose, pulled about through sockets and a process of its own; judged by plain placement."""

from __future__ import annotations

import os
import signal
from statistics import quantiles

import numpy as np
import pytest
from running import Studio, TabClient

from poise import clips
from poise.kinematics import Kinematics
from poise.methods.key.pose.pull import Pull
from poise.project import Project

HAND, FEET = "RightHand", ["LeftHeel", "LeftBall", "RightHeel", "RightBall"]


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("poser")
    project = Project().add_clip("walk", "walk").add("load", "walk", clip="walk")
    with Studio(folder, project.save(folder / "walk.poise")) as running:
        yield running


def grabbed(tab: TabClient, session: int, **more: object) -> np.ndarray:
    q = np.array(clips.get("walk").q[10])
    tab.say("grab", session=session, q=q.tolist(), point=HAND, pins=FEET, number=session, **more)
    tab.until("grabbed", number=session)
    return q


def pulled(tab: TabClient, session: int, seq: int, place: np.ndarray, *, final: bool = False):
    tab.say("pull", session=session, seq=seq, place=place.tolist(), final=final, number=1000 + seq)
    while True:
        if tab.hear() is None:
            header, arrays = tab.packets[-1]
            if header["kind"] == "pulled" and header["seq"] == seq and header["session"] == session:
                return header, arrays


def points(q: np.ndarray, *names: str) -> np.ndarray:
    kin = Kinematics(clips.get("walk").character, q)
    return np.array([kin.point(name)[0] for name in names])


def test_a_hand_goes_where_it_is_pulled_and_pinned_feet_stay(studio):
    with studio.tab() as tab:
        q = grabbed(tab, 1)
        start = points(q, HAND)[0]
        goal = start + [0.12, -0.05, 0.2]
        for seq, share in enumerate(np.linspace(0.1, 1.0, 10)):
            header, _ = pulled(tab, 1, seq, start + share * (goal - start))
        header, arrays = pulled(tab, 1, 50, goal, final=True)
        found = np.array(header["q"])
        assert np.linalg.norm(points(found, HAND)[0] - goal) <= 1e-3
        assert np.abs(points(found, *FEET) - points(q, *FEET)).max() <= 1e-4
        assert header["off"] <= 1e-3
        kin = Kinematics(clips.get("walk").character, found)
        assert np.allclose(arrays["poses"][0, :, :3], kin.positions[0], atol=1e-6)
        assert np.allclose(header["com"], kin.com[0], atol=1e-9)


def test_what_is_out_of_reach_is_told_and_the_feet_stay(studio):
    with studio.tab() as tab:
        q = grabbed(tab, 2)
        header, _ = pulled(tab, 2, 1, points(q, HAND)[0] + [0.0, 0.0, 3.0], final=True)
        assert header["off"] > 1.0
        assert np.abs(points(np.array(header["q"]), *FEET) - points(q, *FEET)).max() <= 1e-4


def test_the_centre_of_mass_is_kept_where_that_is_asked_for(studio):
    with studio.tab() as tab:
        q = grabbed(tab, 3, balanced=True)
        header, _ = pulled(tab, 3, 1, points(q, HAND)[0] + [0.1, 0.0, 0.1], final=True)
        character = clips.get("walk").character
        moved = Kinematics(character, np.array(header["q"])).com[0] - Kinematics(character, q).com[0]
        assert np.abs(moved[:2]).max() <= 1e-4
        assert header["off"] <= 1e-3


def test_a_poser_that_dies_is_told_of_and_the_next_grab_has_another(studio):
    with studio.tab() as tab:
        grabbed(tab, 4)
        found = [p for p in _children(studio) if p != _solver(studio)]
        assert len(found) == 1
        os.kill(found[0], signal.SIGKILL)
        tab.say("pull", session=4, seq=1, place=[0.0, 0.0, 1.0], number=7)
        q = grabbed(tab, 5)
        header, _ = pulled(tab, 5, 2, points(q, HAND)[0])
        assert header["off"] < 1e-5


def test_pulls_are_few_steps_each():
    """Work, not time: what a pull takes on quiet cores is a few of these."""
    clip = clips.get("walk")
    held = Pull(clip.character, clip.q[10], HAND, pins=FEET)
    start = points(clip.q[10], HAND)[0]
    off = [held.to(start + [0.0, 0.0, 0.01 * k]) for k in range(20)]
    assert quantiles(off, n=20)[-1] < 1e-3


def _children(studio: Studio) -> list[int]:
    from running import children, command_line

    return [p for p in children(studio.process.pid) if "spawn_main" in command_line(p)]


def _solver(studio: Studio) -> int:
    return min(_children(studio))  # it was started first
