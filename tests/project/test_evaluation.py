"""Evaluation: the right motion, the same bits however it is asked for, and nothing computed in vain."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from boxing import FIST, boxer

import poise
from poise import clips, formats
from poise.constraints import Constraint
from poise.errors import CancelledError, InputError
from poise.kinematics import Kinematics
from poise.methods.loosen.wear.fit import wear_hat
from poise.methods.loosen.wear.hat import hat
from poise.methods.loosen.wear.hit import hit_attached
from poise.methods.loosen.wear.sway import sway
from poise.methods.plan.scene import bundled as scenes
from poise.operations.values.disturbance import Impulse
from poise.operations.wear import Wear
from poise.project import LAYERS, MoveLayer, Project, RenameLayer, SetField
from poise.project.cache import size_of


@pytest.fixture(scope="module")
def warm():
    """The project of the tests, evaluated once; tests undo what they do."""
    project = boxer()
    project.clip()
    return project


@pytest.fixture
def project(warm):
    steps = warm.history.undoable
    warm.evaluator.computed.clear()
    yield warm
    while warm.history.undoable > steps:
        warm.undo()


def test_layers_are_the_library(project):
    """What a project makes is what the methods make, called one after the other."""
    punch = clips.get("punch")
    feet = poise.adapt(punch)
    assert np.array_equal(project.clip("feet").q, feet.clip.q)
    loose = poise.loosen(feet, "loose", 0.3)
    assert np.array_equal(project.clip("loose").q, loose.clip.q)
    hit = poise.hit(feet, [Constraint.from_dict(FIST)], "loose", 0.3)
    assert np.array_equal(project.clip("hit").q, hit.clip.q)
    assert project.made().report.met


@pytest.mark.parametrize(("layer", "weight"), [("take", 1.0), ("loose", 1.0), ("loose", 0.4), ("hit", 0.4)])
def test_any_frame_on_demand_has_the_bits_of_the_whole(layer, weight):
    """In projects that made nothing yet, so that nothing is remembered."""
    chosen = [51, 3, 77, 3]
    alone, whole = boxer(hits=layer == "hit"), boxer(hits=layer == "hit")
    if weight != 1.0:
        for one in (alone, whole):
            one.set(layer, weight=weight)
    some = alone.frames(chosen, layer)
    assert np.array_equal(some, whole.clip(layer).q[chosen])
    if layer == "loose":
        assert alone.evaluator.computed["loose"] == 0, "four frames were simulated, not all"


def counted(project) -> dict[str, int]:
    project.clip()
    found = dict(project.evaluator.computed)
    project.evaluator.computed.clear()
    return found


def test_only_what_depends_on_an_edit_is_done_again():
    project = boxer()
    assert counted(project) == {"take": 1, "feet": 1, "hit": 1}
    assert counted(project) == {}
    project.set("hit", width=0.5)
    assert counted(project) == {"hit": 1}
    project.set("loose", tension="firm")
    assert counted(project) == {}, "nothing works on it"
    project.undo()
    project.undo()
    assert counted(project) == {}, "what was is remembered"
    project.set("feet", key_spacing=0.2)
    assert counted(project) == {"feet": 1, "hit": 1}
    project.undo()
    project.do(RenameLayer(layer="loose", name="slack")).do(SetField(field="name", value="x"))
    project.add_clip("walk", "walk")
    assert counted(project) == {}, "names change nothing"
    project.set("hit", muted=True)
    assert counted(project) == {}
    assert np.array_equal(project.clip().q, project.clip("feet").q)
    project.set("hit", muted=False)
    project.set("hit", weight=0.5)
    assert counted(project) == {}, "a weight solves nothing"
    project.set("feet", muted=True)
    assert counted(project) == {"hit": 1}


def test_weights_go_along_the_manifold(project):
    before, after = project.clip("feet").q, project.clip("hit").q
    project.set("hit", weight=0.25)
    manifold = project.clip().character.manifold
    part = manifold.minus(project.clip("hit").q, before)
    assert np.allclose(part, 0.25 * manifold.minus(after, before), atol=1e-12)
    project.set("hit", weight=0.0)
    assert np.array_equal(project.clip("hit").q, before)


def test_mute_and_solo(project):
    take = project.clip("take").q
    project.set("feet", muted=True)
    assert np.array_equal(project.clip("feet").q, take)
    project.set("feet", muted=False)
    project.set("feet", solo=True)
    assert np.array_equal(project.clip().q, project.clip("feet").q), "nothing else acts"
    project.set("feet", solo=False)
    project.set("hit", solo=True)
    hit = poise.hit(clips.get("punch"), [Constraint.from_dict(FIST)], "loose", 0.3)
    assert np.array_equal(project.clip().q, hit.clip.q)
    project.set("hit", solo=False)
    project.set("take", muted=True)
    with pytest.raises(InputError, match="no motion to work on"):
        project.clip()


def test_layers_are_reordered_where_it_makes_sense(project):
    project.set("hit", muted=True)
    project.do({"do": "remove-layer", "layer": "hit"}).do(MoveLayer(layer="feet", to=2))
    feet = poise.adapt(poise.loosen(clips.get("punch"), "loose", 0.3))
    assert np.array_equal(project.clip().q, feet.clip.q)


def test_two_takes_of_one_source(project):
    project.add("loosen", "firm", input="feet", tension="firm", window=0.3)
    assert np.array_equal(project.clip().q, poise.loosen(project.clip("feet"), "firm", 0.3).clip.q)
    assert counted(project) == {"firm": 1}
    project.do(SetField(field="output", value="hit"))
    assert np.array_equal(project.clip().q, project.clip("hit").q)


def test_cancelling_stops_and_leaves_nothing_half_done(project):
    project.set("feet", key_spacing=0.3)
    calls = 0

    def after_three() -> bool:
        nonlocal calls
        calls += 1
        return calls > 3

    with pytest.raises(CancelledError):
        project.made(cancel=after_three)
    assert project.evaluator.computed == Counter()
    told: list[tuple[str, float]] = []
    project.made(progress=lambda name, part: told.append((name, part)))
    assert [name for name, part in told if part == 1.0] == ["hit"]
    assert {name for name, _ in told} == {"feet", "hit"}
    parts = [part for _, part in told]
    assert parts == sorted(parts)


def test_memory_is_bounded_and_results_stay_right():
    small = boxer(hits=False)
    size = size_of(small.made())
    small.evaluator.cache.clear()
    small.evaluator.cache.memory = int(2.5 * size)
    rng = np.random.default_rng(0)
    for f in rng.uniform(1, 8, 12):
        small.set("loose", tension=float(f))
        small.clip()
        assert small.evaluator.cache.used <= small.evaluator.cache.memory
        assert len(small.evaluator.cache) <= 2
    expected = poise.loosen(small.clip("feet"), float(f), 0.3)
    assert np.array_equal(small.clip().q, expected.clip.q)


def test_a_clip_that_changes_on_disk_is_read_again_and_noticed(tmp_path):
    path = tmp_path / "take.bvh"
    clips.get("punch").save(path)
    project = Project()
    project.assets.folder = tmp_path
    project.add_clip("take", path).add("load", "take", clip="take").add("loosen", "loose")
    assert project.document.clips["take"].file == "take.bvh"
    before = project.clip().q
    assert project.evaluator.notices(project.document) == ()
    clips.get("wave").save(path)
    assert project.clip().frames == clips.get("wave").frames != len(before)
    (notice,) = project.evaluator.notices(project.document)
    assert "clip 'take': take.bvh has changed" in notice
    (tmp_path / "old").mkdir()
    clips.get("punch").save(path)
    path.rename(tmp_path / "old/renamed.bvh")
    with pytest.raises(
        InputError, match=r"layer 0 \('take'\): clip 'take': take.bvh is missing .* at old/renamed.bvh"
    ):
        project.clip()
    project.add_clip("take", tmp_path / "old/renamed.bvh")
    assert np.array_equal(project.clip().q, before)


def test_tracks_on_a_motion_hold_a_pin_and_change_nothing_else():
    project = Project()
    project.add_clip("punch", "punch").add("load", "take", clip="punch")
    pin = {"point": "LeftHandCentre", "at": [0.4, 0.6], "to": [0.3, 0.3, 1.2], "fade": 0.1}
    project.add("key", "hand", keyframes={"pins": [pin]})
    take, held = project.clip("take"), project.clip()
    at = Kinematics(held.character, held.at(0.5)).point("LeftHandCentre")[0]
    assert np.allclose(at, [0.3, 0.3, 1.2], atol=5e-3)
    assert np.array_equal(held.q[:10], take.q[:10]), "away from the pin, the motion itself"
    assert np.array_equal(project.frames([29, 31]), held.q[[29, 31]])
    assert held.rate == take.rate


def leap_on_a_walk() -> Project:
    """A hand is held while the centre of mass is thrown up and back: legs go forward, or back."""
    project = Project()
    project.add_clip("walk", "walk").add("load", "take", clip="walk")
    throw = {"kind": "projectile_3", "height": 1.287}
    keys = [
        {"time": 0.2, "position": [0.273, 0.0118, 0.9865], "template": throw},
        {"time": 0.6667, "position": [0.2188, 0.0065, 0.9839]},
    ]
    pin = {"point": "LeftHand", "at": [0.2, 0.6], "fade": 0.1}
    return project.add("key", "leap", keyframes={"pins": [pin], "path": {"keys": keys}})


def test_tracks_that_disagree_on_a_motion_do_not_pop():
    """The report says where the leg would jump, and when it moves instead; frames alone know of it too."""
    project = leap_on_a_walk()
    made = project.made()
    (said,) = [w for w in made.report.warnings if "LeftUpLeg would jump by" in w]
    start, end = (float(t) for t in re.search(r"goes over from ([\d.]+) to ([\d.]+) s", said).groups())
    assert not [w for w in made.report.warnings if " jumps by " in w]
    clip = made.clip
    moved = clip.character.manifold.minus(clip.q[1:], clip.q[:-1])[:, clip.character.dofs("LeftUpLeg")]
    inside = (clip.times[1:] >= start) & (clip.times[:-1] <= end)
    assert inside.sum() > 15
    assert np.linalg.norm(moved[inside], axis=1).max() < 0.3, "in one frame it would be 1.7"
    assert made.met, "the centre of mass is on its path"
    frame = int(30 * (start + end))
    assert np.array_equal(leap_on_a_walk().frames([frame, 0]), clip.q[[frame, 0]])


def test_what_starts_from_scratch():
    scene = scenes.get("lamp jump")
    project = Project()
    project.add("plan", "lamp", scene="lamp jump")
    expected = poise.plan(scene)
    assert np.array_equal(project.clip().q, expected.clip.q)
    project.set("lamp", scene=scene)
    assert np.array_equal(project.clip().q, expected.clip.q), "written out it is the same"
    conducting = Project().add("perform", "baton", script="conducting", duration=1.0)
    played = poise.perform(script="conducting", duration=1.0)
    assert np.array_equal(conducting.clip().q, played.clip.q)
    poses = [{"time": 0, "joints": {"LeftLeg": "10 deg"}}, {"time": 0.5, "joints": {"LeftLeg": "40 deg"}}]
    keys = {"version": 1, "character": "humanoid", "poses": poses}
    keyed = Project().add("key", "keys", keyframes=keys, fps=24)
    assert np.array_equal(keyed.clip().q, poise.key(keyframes=keys, fps=24).clip.q)


def test_a_blow_and_another_character():
    project = Project()
    project.add_clip("punch", "punch").add_clip("biped", "biped180")
    project.add("load", "take", clip="punch")
    blow = {"kind": "impulse", "time": 0.4, "point": "Head", "impulse": [0, 5, 0]}
    project.add("perform", "blow", follow=True, disturbances=[blow])
    played = poise.perform(clips.get("punch"), disturbances=[Impulse(0.4, "Head", (0, 5, 0))])
    assert np.array_equal(project.clip().q, played.clip.q)
    project.set("blow", muted=True)
    project.add("retarget", "biped", onto="biped")
    assert project.clip().character is poise.characters.get("biped180")
    project.set("biped", weight=0.5)
    with pytest.raises(InputError, match=r"layer 2 \('biped'\): field 'weight'"):
        project.clip()


def test_a_pose_retouched_by_hand():
    project = Project().add_clip("punch", "punch").add("load", "take", clip="punch")
    bent = [{"time": 0.5, "joints": {"RightForeArm": [1.2]}}]
    project.add("retouch", "elbow", edits=bent)
    assert np.array_equal(project.clip().q, poise.retouch(clips.get("punch"), bent).clip.q)
    assert np.array_equal(project.frames([30]), project.clip().q[[30]])


def test_tension_by_spring_and_over_time():
    project = boxer(hits=False)
    keys = [
        {"time": 0.0, "tension": "firm"},
        {"time": 1.0, "tension": {"*": "loose", "right arm": {"frequency": 2.0, "ratio": 0.3}}},
    ]
    project.set("loose", tension=keys)
    spring = poise.Spring(frequency=2.0, ratio=0.3)
    spec = [(0.0, "firm"), (1.0, {"*": "loose", "right arm": spring})]
    assert np.array_equal(project.clip().q, poise.loosen(project.clip("feet"), spec, 0.3).clip.q)
    assert np.array_equal(project.frames([40]), project.clip().q[[40]])


def test_a_hat_follows_and_nothing_can_follow_a_hat(tmp_path):
    project = boxer(hits=False)
    project.add("wear", "hat", modes=6, cells=60, window=0.5).add("wear", "plume", modes=6, cells=60)
    made = project.made()
    assert np.array_equal(made.clip.q, project.clip("loose").q), "the motion is as it was"
    soft = wear_hat(made.clip, Wear(modes=6, cells=60))
    # So loose a head shakes it out of all bounds of the quick model.
    exact = sway(made.clip, soft, 0.5, large=True)
    assert np.array_equal(made.attached[0].mesh.vertices, exact.vertices)
    assert len(made.attached) == 2
    assert np.array_equal(project.frames([9]), made.clip.q[[9]])
    for refused, words in (
        ({"do": "adapt", "name": "x"}, "put it before"),
        ({"do": "wear", "name": "x", "weight": 0.5}, "worn"),
        ({"do": "wear", "name": "x", "mesh": "trousers"}, "'trousers'"),
    ):
        with pytest.raises(InputError, match=words):
            project.do({"do": "add-layer", "layer": refused})
    project.do({"do": "remove-layer", "layer": "plume"})
    baked = project.bake(tmp_path / "x.npz", rate=30)
    worn = formats.load(tmp_path / "x.npz")
    assert len(worn.character.skin.vertices) > len(hat().points)
    assert np.array_equal(worn.q, baked.clip.q)
    assert project.bake(tmp_path / "x.bvh").notices == ("hat: .bvh files hold no meshes",)
    with pytest.raises(InputError, match="fit only their own wearer"):
        project.bake(character=poise.characters.get("biped180"))
    project.evaluator.computed.clear()
    project.set("loose", tension="firm")
    assert not np.array_equal(project.made().attached[0].mesh.vertices, made.attached[0].mesh.vertices)
    assert project.evaluator.computed == {"loose": 1, "hat": 1}


def test_the_tip_of_a_hat_hits_and_others_wear_the_same_motion():
    """What a project makes of it is what the method alone does, and the mesh is where it should be."""
    from poise.constraints import pin

    project = boxer(hits=False).set("loose", muted=True)
    project.add("wear", "plume", modes=6, cells=60).add("wear", "hat", modes=6, cells=60)
    before = project.made().attached[1]
    tip = before.attachment.point("tip")
    vertex = int(np.argmin(np.linalg.norm(before.attachment.surface.points - tip.place, axis=1)))
    frame = 30
    time = float(before.clip.times[frame])
    there = before.mesh.vertices[frame, vertex] + (0.02, 0.03, -0.02)
    asked = pin("Head", there.tolist(), time, name="tip").replaced(handle=tip)
    project.set("hat", constraints=[asked], width=1.2)
    made = project.made()
    assert made.met, made.report
    plume, hat_ = made.attached
    assert np.linalg.norm(hat_.mesh.vertices[frame, vertex] - there) < 1e-3
    assert np.linalg.norm(before.mesh.vertices[frame, vertex] - there) > 0.03
    assert np.array_equal(plume.clip.q, made.clip.q)
    assert np.array_equal(project.frames([frame]), made.clip.q[[frame]])
    below = project.clip("plume")
    alone = hit_attached(below, [asked], [before.attachment], Wear(width=1.2))
    assert np.array_equal(made.clip.q, alone.clip.q)


def test_a_fix_repairs_the_motion_below_it():
    jump = clips.get("jump")
    q = np.array(jump.q)
    q[15:45, 2] -= 0.06 * np.sin(np.linspace(0, np.pi, 30)) ** 2  # into the floor for a while
    project = Project().add_clip("jump", jump.with_q(q)).add("load", clip="jump")
    project.add("fix", "mended", floor=0.0)
    made = project.made()
    assert made.met
    before, after = (poise.check(project.clip(name)).report for name in ("load", "mended"))
    assert before.score < after.score
    assert np.array_equal(made.clip.q, project.frames(range(made.clip.frames)))
    with pytest.raises(InputError, match="wings"):
        project.set("mended", may=["wings"])


def test_a_motion_is_grounded_as_a_layer_like_by_itself():
    project = Project().add_clip("punch", "punch").add("load", clip="punch")
    project.add("ground", "stands")
    assert np.array_equal(project.clip("stands").q, poise.ground(clips.get("punch")).clip.q)


def test_operations_on_whole_clips_are_layers_too():
    project = Project().add_clip("walk", "walk").add("load", "take", clip="walk")
    project.add("repeat", "twice", cycles=2).add("reroute", "left", turn=30.0).add("mirror", "other")
    project.add("trim", "part", start=0.2, end=1.5).add("resample", "slow", fps=24)
    project.add("loop", "round", input="take")
    twice = poise.repeat(clips.get("walk"), 2)
    slow = poise.resample(poise.trim(poise.mirror(poise.reroute(twice, 30.0)), 0.2, 1.5), 24)
    assert np.array_equal(project.clip("slow").q, slow.clip.q)
    assert np.array_equal(project.clip().q, poise.loop(clips.get("walk")).clip.q)


def test_a_chain_hangs_as_it_does_by_itself():
    project = Project().add_clip("walk", "walk").add("load", "take", clip="walk")
    project.add("hang", "neck", joints=["Chest", "Head"])
    assert np.array_equal(project.clip().q, poise.hang(clips.get("walk"), ["Chest", "Head"]).clip.q)


def test_every_kind_of_layer_is_evaluated_here():
    text = Path(__file__).read_text() + (Path(__file__).parent / "boxing.py").read_text()
    for name in LAYERS:
        assert f'("{name}"' in text, f"{name} is not tried as a layer"


def test_errors_name_the_layer(project):
    project.do({"do": "set", "layer": "hit", "path": "constraints/0/when", "value": {"at": 99.0}})
    with pytest.raises(
        InputError, match=r"layer 3 \('hit'\): constraints: entry 0 \('fist'\): field 'when'.*99"
    ):
        project.clip()
    with pytest.raises(InputError, match="no frame 9999"):
        project.frames([9999], "loose")


def test_strips_of_the_projects_clips_are_made_anew_where_one_of_them_changes():
    project = Project().add_clip("a", "walk").add_clip("b", "punch")
    project.add("assemble", "track", strips=[{"clip": "a", "at": 0.0}, {"clip": "b", "at": 0.9}])
    assert project.clip().frames == 54 + 115
    project.clip()
    assert project.evaluator.computed["track"] == 1
    project.add_clip("b", "wave")
    assert project.clip().frames == 54 + 193
    with pytest.raises(InputError, match="used by track"):
        project.do({"do": "drop-clip", "name": "b"})
