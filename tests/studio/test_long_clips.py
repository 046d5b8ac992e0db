"""Motions of ten thousand frames: what is looked at comes first, and is what all of it will be.

A quick answer is compared with making the whole motion in the same run, both in time of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
import numpy as np
import pytest

import poise
from poise.constraints import pin
from poise.kinematics import Kinematics
from poise.operations.frozen_data import encoded
from poise.project import Project
from poise.studio.packet import unpack
from poise.studio.server.drag_step import LONG, about
from poise.studio.server.messages import Window
from poise.studio.server.stage_data import StageData

LIVE = 0.05
"""What a quick answer may take, of what the whole motion takes."""
LOOK = 5000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("long")
    walk = poise.clips.get("walk")
    poise.repeat(walk, -(-10_000 // walk.frames)).clip.save(found / "long.bvh")
    return found


class Long:
    """A long walk with a layer on top, on a stage of its own."""

    def __init__(self, folder) -> None:
        self.project = Project()
        self.project.do({"do": "put-clip", "name": "long", "clip": {"file": "long.bvh"}})
        self.project.evaluator.assets.folder = folder
        self.project.add("load", "take", clip="long")
        self.clip = poise.load(folder / "long.bvh")
        self.stage = StageData()
        self.stage.move(folder, {})
        self.revision = 0
        self.whole = 0.0
        """What the whole motion took of a processor [s]."""
        self.shown: list[msgspec.Struct | bytes] = []

    def solve(self, *, live: bool, look: int = LOOK):
        self.revision += 1
        self.shown.clear()
        began = time.process_time()
        solved = self.stage.solve(
            encoded(self.project.document),
            self.revision,
            live=live,
            progress=lambda what, part: None,
            cancel=lambda: False,
            show=self.shown.append,
            look=look,
        )
        if not live:
            self.whole = time.process_time() - began
        return solved

    def took(self, change: Callable[[int], None], moves: int = 5) -> float:
        """The median of what a processor takes for a quick answer, of what it takes for the whole motion; the
        first of a drag may load code."""
        times = []
        for k in range(moves + 1):
            change(k)
            began = time.process_time()
            self.solve(live=True)
            times.append(time.process_time() - began)
        print(round(self.whole, 3), [round(t, 3) for t in times])
        return float(np.median(times[1:])) / self.whole

    def hand(self):
        at = LOOK / float(self.clip.rate)
        return Kinematics(self.clip.character, self.clip.at(at)).point("RightHand")[0], at


@pytest.fixture(scope="module")
def loose(folder) -> Long:
    long = Long(folder)
    long.project.add("loosen", "loose", tension="loose")
    long.solve(live=False)
    return long


def test_a_slider_of_a_loose_walk_answers_about_the_playhead(loose):
    taken = loose.took(lambda k: loose.project.set("loose", tension=2.0 + 0.1 * k))
    assert taken < LIVE
    loose.project.set("loose", tension="relaxed")
    found = loose.solve(live=True)
    first, last = found.window
    assert first <= LOOK <= last
    assert last - first < 200
    moved = [arrays for head, arrays in map(unpack, found.packets) if head["kind"] == "poses"]
    assert all(len(arrays["poses"]) <= last - first + 1 for arrays in moved)
    seen = loose.stage._shown.clip.q
    exact = loose.project.evaluator.frames(loose.project.document, range(first, last + 1))
    manifold = loose.clip.character.manifold
    assert np.abs(manifold.minus(seen[first : last + 1], exact)).max() < 0.1, "a draft, and yet like it"


def test_the_exact_motion_begins_where_somebody_looks(loose):
    loose.project.set("loose", tension="tense")
    loose.solve(live=False, look=3000)
    windows = [told for told in loose.shown if isinstance(told, Window)]
    assert [(w.revision, w.first <= 3000 <= w.last) for w in windows] == [(loose.revision, True)]
    (window,) = windows
    first = next(
        (head, arrays["poses"])
        for head, arrays in (unpack(p) for p in loose.shown if isinstance(p, bytes))
        if head["kind"] == "poses" and head["role"] == "result"
    )
    begin, early = first[0]["first"], first[1]
    whole = loose.stage._sent["result"].places
    late = whole[begin : begin + len(early), : early.shape[1] * early.shape[2]].reshape(early.shape)
    inside = slice(window.first - begin, window.last + 1 - begin)
    assert np.array_equal(early[inside], late[inside]), "bit for bit what all of it is in the end"


@pytest.mark.parametrize("layer", ["adapt", "hit"])
def test_a_hand_is_dragged_in_a_long_walk(folder, layer):
    long = Long(folder)
    place, at = long.hand()

    def target(k: int) -> list[dict]:
        return [pin("RightHand", place + [0, 0, 0.03 + 0.005 * k], at, name="hand").to_dict()]

    more = {"tension": "loose"} if layer == "hit" else {}
    long.project.add(layer, "aim", constraints=target(0), **more)
    long.solve(live=False)
    assert long.took(lambda k: long.project.set("aim", constraints=target(k + 1))) < LIVE


def test_what_rides_along_is_simulated_about_the_change_alone(folder):
    long = Long(folder)
    place, at = long.hand()

    def target(k: int) -> list[dict]:
        return [pin("RightHand", place + [0, 0, 0.03 + 0.005 * k], at, name="hand").to_dict()]

    long.project.add("adapt", "aim", constraints=target(0)).add("loosen", "loose", tension="loose")
    long.solve(live=False)
    assert long.took(lambda k: long.project.set("aim", constraints=target(k + 1))) < LIVE


def test_short_motions_are_looked_at_as_a_whole():
    walk = poise.clips.get("walk")
    assert walk.frames < LONG
    assert about(walk, 10).all()
