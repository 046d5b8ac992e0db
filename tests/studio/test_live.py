"""Quick answers: near to what the release gives, bounded, free of the way, and no part of any result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import poise
from poise import clips
from poise import constraints as c
from poise.kinematics import Kinematics
from poise.motion import Clip, operators
from poise.operations.frozen_data import thaw
from poise.operations.loosen import Loosen
from poise.project import Project
from poise.project.bypass import LayerError
from poise.studio.server import drag_step as quick
from poise.studio.server.drag_preview import Glimpse, Live

HAND, TIME = "RightHandCentre", 0.85


def boxer() -> tuple[Project, Live]:
    punch = poise.clips.get("punch")
    project = poise.Project().add_clip("punch", "punch").add("load", "punch", clip="punch")
    there = Kinematics(punch.character, punch.at(TIME)).point(HAND)[0]
    project.add("adapt", "aim", constraints=[fist(there)])
    project.add("hit", "hit", constraints=[fist(there)], tension="loose", window=0.3)
    return project, settled(project)


def fist(place: Any, time: float = TIME) -> c.Constraint:
    return c.pin(HAND, place, time, name="fist")


def settled(project: Project) -> Live:
    project.made()
    live = Live(project.evaluator)
    live.settle(project.document)
    return live


def moved(project: Project, layer: str, by: Any, time: float = TIME) -> None:
    punch = poise.clips.get("punch")
    there = Kinematics(punch.character, punch.at(TIME)).point(HAND)[0]
    project.set(layer, constraints=[fist(there + np.asarray(by), time)], gesture="drag")


def seen(live: Live, project: Project) -> Glimpse:
    found = live.glimpse(project.document)
    assert found is not None
    return found


def hand(clip: Clip, time: float = TIME) -> Any:
    return Kinematics(clip.character, clip.at(time)).point(HAND)[0]


def apart(a: Clip, b: Clip) -> float:
    """Root mean square distance of bodies [m]."""
    one, other = (Kinematics(x.character, x.q).positions for x in (a, b))
    return float(np.sqrt(np.mean(np.sum((one - other) ** 2, axis=-1))))


@pytest.mark.parametrize("layer", ["aim", "hit"])
def test_the_hand_is_where_it_is_dragged_and_the_rest_near_what_the_release_gives(layer):
    project, live = boxer()
    for k in range(1, 6):
        moved(project, layer, (0.0, 0.0, 0.01 * k))
        glimpse = seen(live, project)
    shown = glimpse.motions[layer]
    wanted = hand(poise.clips.get("punch")) + [0.0, 0.0, 0.05]
    assert np.linalg.norm(hand(shown) - wanted) < 2e-3
    assert apart(shown, project.clip(layer)) < 0.02
    assert apart(shown, live._settled[layer].after) > 2e-3


def test_what_several_layers_ask_of_one_place_is_followed_by_each_of_them():
    project, live = boxer()
    for k in range(1, 6):
        for layer in ("aim", "hit"):
            moved(project, layer, (-0.02 * k, 0.03 * k, -0.03 * k))
        glimpse = seen(live, project)
    wanted = hand(poise.clips.get("punch")) + [-0.1, 0.15, -0.15]
    for layer in ("aim", "hit"):
        assert np.linalg.norm(hand(glimpse.motions[layer]) - wanted) < 5e-3
        assert apart(glimpse.motions[layer], project.clip(layer)) < 0.02
    assert glimpse.carried == ()
    assert np.allclose(glimpse.reports["hit"].outcomes[0].wanted, wanted)


def test_what_several_layers_ask_beyond_reach_is_followed_without_leaps():
    project, live = boxer()
    places, step = [], np.array([0.06, 0.02, 0.06])
    for k in [*range(1, 11), *range(9, 0, -1)]:
        for layer in ("aim", "hit"):
            moved(project, layer, k * step)
        places.append(hand(seen(live, project).clip))
    assert np.linalg.norm(places[9] - places[0]) > 0.1
    assert np.linalg.norm(hand(poise.clips.get("punch")) + 10 * step - places[9]) > 0.2
    assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() < 1.5 * np.linalg.norm(step)
    assert np.linalg.norm(places[-1] - places[0]) < 0.02


def test_a_change_between_simulated_frames_is_as_if_they_were_simulated_too(monkeypatch):
    project, live = boxer()
    moved(project, "hit", (0.0, 0.01, 0.03))
    some = seen(live, project).clip
    monkeypatch.setattr(quick, "EVERY", 1)
    live._held.clear()
    every = seen(live, project).clip
    change = apart(every, live._settled["hit"].after)
    assert change > 2e-3
    assert 0 < apart(some, every) < 0.02 * change
    frame = round(TIME * 60)
    assert np.allclose(some.q[frame], every.q[frame], atol=1e-9)  # where it hits it is simulated


def test_a_target_out_of_reach_is_answered_as_quickly_and_the_way_back_is_free():
    project, live = boxer()
    before = project.evaluator.computed.copy()
    moved(project, "hit", (2.0, 0.0, 0.0))
    far = seen(live, project)
    assert not far.met
    assert not far.reports["hit"].met
    moved(project, "hit", (0.0, 0.0, 0.02))
    near = seen(live, project)
    assert near.reports["hit"].met
    moved(project, "hit", (0.0, 0.06, 0.0))
    seen(live, project)
    moved(project, "hit", (0.0, 0.0, 0.02))
    assert np.array_equal(seen(live, project).clip.q, near.clip.q)
    straight = boxer()
    moved(straight[0], "hit", (0.0, 0.0, 0.02))
    assert apart(near.clip, seen(straight[1], straight[0]).clip) < 1e-3
    assert project.evaluator.computed == before  # nothing was made in full


def test_what_is_said_while_something_is_dragged_was_measured_on_what_is_seen():
    project, live = boxer()
    punch = poise.clips.get("punch")
    there = Kinematics(punch.character, punch.at(TIME)).point(HAND)[0]
    moved(project, "hit", (0.0, 0.05, 0.0))
    glimpse = seen(live, project)
    off = float(np.linalg.norm(hand(glimpse.clip) - there))
    assert off == pytest.approx(0.05, abs=2e-3)
    # The layer below had its fist there; the one that is dragged takes it away.
    [lost] = (o for o in glimpse.reports["aim"].outcomes if o.name == "fist")
    assert lost.error == pytest.approx(off, abs=1e-9)
    assert not lost.met
    assert glimpse.reports["hit"].met
    # The one below is dragged, and the other keeps its target: each is as far off as it is seen to be.
    project, live = boxer()
    moved(project, "aim", (0.0, 0.05, 0.0))
    glimpse = seen(live, project)
    for layer, place in (("aim", there + (0.0, 0.05, 0.0)), ("hit", there)):
        [outcome] = (o for o in glimpse.reports[layer].outcomes if o.name == "fist")
        assert outcome.error == pytest.approx(np.linalg.norm(hand(glimpse.clip) - place), abs=1e-9)


def test_of_what_would_take_long_to_measure_nothing_is_said(monkeypatch):
    project, live = boxer()
    monkeypatch.setattr("poise.studio.server.drag_preview.MOST_POSES", 1)
    moved(project, "hit", (0.0, 0.05, 0.0))
    # Of both fists, each at one time, one is measured; of feet that stand for long, none.
    [report] = seen(live, project).reports.values()
    assert [outcome.name for outcome in report.outcomes] == ["fist"]


def test_a_target_can_be_dragged_in_time():
    project, live = boxer()
    for k in range(1, 4):
        moved(project, "hit", (0.0, 0.0, 0.0), TIME + 0.05 * k)
        glimpse = seen(live, project)
    wanted = hand(poise.clips.get("punch"))
    frame = round((TIME + 0.15) * 60)
    there = Kinematics(glimpse.clip.character, glimpse.clip.q[frame : frame + 1]).point(HAND)[0]
    assert glimpse.reports["hit"].met
    assert np.linalg.norm(there - wanted) < 1e-3


def test_a_slider_of_tension_keeps_the_windows_and_simulates_the_springs():
    clip = poise.clips.get("punch")
    project = poise.Project().add_clip("p", "punch").add("load", "s", clip="p")
    project.add("loosen", "loose", tension=3.0)
    live = settled(project)
    project.set("loose", tension=2.5)
    glimpse = seen(live, project)
    assert glimpse.carried == ()
    assert apart(glimpse.clip, project.clip()) < 3e-3
    assert apart(glimpse.clip, live._settled["loose"].after) > 3e-3
    assert clip.frames == glimpse.clip.frames


def test_under_targets_a_slider_keeps_their_correction_and_says_so():
    project, live = boxer()
    project.set("hit", tension="relaxed")
    glimpse = seen(live, project)
    assert glimpse.carried == ("hit",)
    assert apart(glimpse.clip, live._settled["hit"].after) > 1e-3
    # What it misses meanwhile is told, not what it met before.
    [fist_now] = glimpse.reports["hit"].outcomes
    punch = poise.clips.get("punch")
    there = Kinematics(punch.character, punch.at(TIME)).point(HAND)[0]
    off = np.linalg.norm(hand(glimpse.clip) - there)
    assert off > 1e-3
    assert not fist_now.met
    assert not glimpse.met
    assert fist_now.error == pytest.approx(off, rel=1e-6)
    assert "rides along" in fist_now.reason


def test_dynamics_above_what_is_dragged_are_simulated_only_where_they_feel_it():
    walk = operators.unroll(poise.clips.get("walk"), 4)
    project = poise.Project().add_clip("w", walk).add("load", "s", clip="w")
    at = float(walk.times[60])
    there = Kinematics(walk.character, walk.at(at)).point(HAND)[0] + [0.1, 0.0, 0.1]
    project.add("adapt", "reach", constraints=[c.pin(HAND, there, at, name="hand")])
    project.add("loosen", "loose", tension="loose", window=0.25)
    live = settled(project)
    project.set("reach", constraints=[c.pin(HAND, there + [0.0, 0.0, 0.02], at, name="hand")])
    glimpse = seen(live, project)
    assert glimpse.carried == ()
    under, before = glimpse.motions["reach"], live._settled["reach"].after
    changed = (under.q != before.q).any(axis=1)
    assert 0 < changed.sum() < walk.frames
    exact = poise.loosen(under, "loose", 0.25).clip
    assert np.abs(glimpse.clip.q - exact.q).max() < 1e-9
    last = np.flatnonzero(changed)[-1] + quick.MARGIN + 15  # frames of a window
    untouched = slice(last + 1, None)
    assert np.array_equal(glimpse.clip.q[untouched], live._settled["loose"].after.q[untouched])


def test_a_jolt_is_felt_for_as_long_as_windows_reach_back():
    before = operators.unroll(poise.clips.get("walk"), 3)
    layer, windows = Loosen(tension="loose"), np.full(before.frames, 0.25)
    q = np.array(before.q)
    elbow = before.character.coordinates(before.character.index("RightForeArm"))
    q[60:63, elbow.start] += 0.3
    now = before.with_q(q)
    after, exact = (poise.loosen(clip, "loose", 0.25).clip for clip in (before, now))
    found = quick.followed(now, before, after, layer, windows)
    assert np.abs(found.q - exact.q).max() < 1e-9
    assert np.abs(exact.q[70] - after.q[70]).max() > 1e-3
    assert np.array_equal(found.q[90:], after.q[90:])


def test_plants_that_become_constraints_are_dragged_like_others():
    project, live = boxer()
    from poise.operations.adapt import Adapt
    from poise.operations.result import Result
    from poise.operations.situation import Situation
    from poise.studio.server.plant_handles import plant_handles

    layer = project.document.layer("aim")
    assert isinstance(layer, Adapt)
    command = plant_handles("aim", layer, Situation(Result(project.clip("punch")))).command
    assert command is not None
    project.do(command)
    entries = thaw(project.document.layer("aim").constraints)
    number = next(k for k, entry in enumerate(entries) if "intervals" in entry)
    x, y, yaw = entries[number]["place"]
    place = {"layer": "aim", "path": f"constraints/{number}/place", "gesture": "foot"}
    for k in range(1, 6):
        project.do({"do": "set", **place, "value": [x + 0.01 * k, y, yaw]})
        glimpse = seen(live, project)
    point = next(iter(entries[number]["intervals"]))
    feet = [
        Kinematics(m.character, m.q[30:31]).point(point)[0]
        for m in (glimpse.motions["aim"], project.clip("aim"))
    ]
    assert np.linalg.norm(feet[0] - feet[1]) < 0.01


def test_nothing_of_a_drag_enters_a_result():
    project, live = boxer()
    for k in range(1, 4):
        for layer in ("aim", "hit"):
            moved(project, layer, (0.0, 0.01 * k, 0.0))
            seen(live, project)
    again = poise.Project(project.document)
    assert np.array_equal(project.clip().q, again.clip().q)


def test_what_a_drag_cannot_answer_is_made_in_full():
    project, live = boxer()
    project.add("wear", "hat")
    assert live.glimpse(project.document) is None
    project.undo()
    project.set("aim", smoothness=0.02)  # no constraint moved: the layer is made anew
    made = project.evaluator.computed["aim"]
    glimpse = seen(live, project)
    assert project.evaluator.computed["aim"] == made + 1
    assert np.array_equal(glimpse.motions["aim"].q, project.clip("aim").q)


def test_a_drag_after_undo_is_quick_again_from_its_second_move_on():
    project, live = boxer()
    project.evaluator.solutions.clear()
    moved(project, "aim", (0.0, 0.0, 0.01))
    seen(live, project)
    made = project.evaluator.computed["aim"]
    for k in range(2, 5):
        moved(project, "aim", (0.0, 0.0, 0.01 * k))
        seen(live, project)
    assert project.evaluator.computed["aim"] == made


def test_targets_can_be_muted_and_dragged_again():
    project, live = boxer()
    project.do({"do": "set", "layer": "hit", "path": "constraints/0/muted", "value": True})
    assert np.array_equal(seen(live, project).clip.q, project.clip().q)
    live = settled(project)
    project.do({"do": "set", "layer": "hit", "path": "constraints/0/target/value/2", "value": 1.3})
    assert np.array_equal(seen(live, project).clip.q, project.clip().q)
    project.do({"do": "remove", "layer": "hit", "path": "constraints/0/muted"})
    assert seen(live, project).reports["hit"].met


def test_complaints_name_the_layer():
    project, live = boxer()
    moved(project, "hit", (0.0, 0.0, 0.0), 99.0)
    with pytest.raises(LayerError, match=r"^layer 2 \('hit'\): (?!layer).*99") as found:
        live.glimpse(project.document)
    assert found.value.layer.name == "hit"


def test_a_weight_is_dragged_without_solving():
    project, live = boxer()
    before = project.evaluator.computed.copy()
    project.set("hit", weight=0.5)
    glimpse = seen(live, project)
    assert project.evaluator.computed == before or project.evaluator.computed["hit"] == before["hit"]
    assert np.array_equal(glimpse.clip.q, project.clip().q)


def test_long_clips_get_longer_steps_and_not_longer_waits(monkeypatch):
    clip = operators.unroll(poise.clips.get("walk"), 8)
    from poise.methods.loosen.simulate.simulator import Simulator

    steps: list[float] = []
    states = Simulator.states

    def counted(self, times, window, **which):
        steps.append(float(np.sum(self.steps(window, len(np.atleast_1d(times))))) * self.clip.character.nv)
        return states(self, times, window, **which)

    monkeypatch.setattr(Simulator, "states", counted)
    layer = Loosen(tension=3.0, step=0.002)
    quick.loosened(clip, layer, np.full(clip.frames, 2.0))
    assert steps[0] < 1.1 * quick.MOST


@pytest.mark.parametrize("time", [0.0, 9.0])
def test_a_body_of_a_long_clip_follows_before_all_of_it_is_adapted(time):
    walk = operators.unroll(clips.get("walk"), 16)
    place = Kinematics(walk.character, walk.at(time)).point("LeftHandCentre")[0] + [0.0, 0.03, 0.05]
    project = Project().add_clip("w", walk).add("load", "take", clip="w")
    live = Live(project.evaluator)
    project.evaluator.made(project.document)
    live.settle(project.document)
    project.add("adapt", "reach", constraints=[c.pin("LeftHandCentre", place, time, name="drag")])
    found = live.glimpse(project.document)
    assert found is not None
    assert found.carried == ("reach",)
    there = Kinematics(walk.character, found.clip.at(time)).point("LeftHandCentre")[0]
    assert np.linalg.norm(there - place) < 2e-3
    far = np.abs(walk.times - time) > 2.1
    np.testing.assert_array_equal(found.clip.q[far], walk.q[far])
    change = walk.character.manifold.minus(found.clip.q, walk.q)
    ends = np.abs(walk.times - time) > 1.9
    assert np.abs(change[ends]).max() < 0.03 * np.abs(change).max()  # no jump where the stretch ends
    assert project.evaluator.computed["reach"] == 0


WALL = {"name": "wall", "shape": {"kind": "box", "half": [0.05, 0.3, 0.3]}, "place": [0.75, 0.0, 1.35]}


@pytest.mark.parametrize("hits", [False, True])
def test_a_surface_that_is_dragged_is_run_into_as_it_goes(hits):
    project, _ = boxer()
    if not hits:
        project.do({"do": "become", "layer": "hit", "operation": "loosen"})
    project.set("hit", world={"surfaces": [WALL]})
    live = settled(project)
    project.set("hit", world={"surfaces": [{**WALL, "place": [0.7, 0.0, 1.35]}]}, gesture="drag")
    found = seen(live, project)
    assert np.array_equal(found.clip.q, project.made().clip.q)
    assert found.carried == ()
    # Springs are quick, and say that what is in the way is not felt meanwhile.
    live.settle(project.document)
    project.set("hit", tension="firm", gesture="slide")
    assert seen(live, project).carried == ("hit",)


def test_the_ground_carries_what_is_dragged_below_it():
    """Two steps in a window, not only what it added before; nothing of them is in the result."""
    punch = poise.clips.get("punch")
    project = poise.Project().add_clip("punch", "punch").add("load", "punch", clip="punch")
    there = Kinematics(punch.character, punch.at(TIME)).point(HAND)[0]
    project.add("adapt", "aim", constraints=[fist(there)])
    project.add("ground", "ground")
    live = settled(project)
    moved(project, "aim", (0.0, 0.0, 0.1))
    glimpse = seen(live, project)
    known = live._settled["ground"]
    below, shown = glimpse.motions["aim"], glimpse.motions["ground"]
    manifold = below.character.manifold
    ridden = below.with_q(manifold.plus(below.q, manifold.minus(known.after.q, known.before.q)))
    assert apart(shown, ridden) > 1e-3, "it answers to the drag"
    assert apart(shown, project.clip("ground")) < 0.03
    assert "ground" in glimpse.carried
