"""A host's skeleton as a character: where bones are and how they are turned comes back as it was told."""

from __future__ import annotations

import numpy as np
import pytest

from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.serve.figure import CLOSES, MOST_BONES, STILL, Figure, fleshed

BONES = ["hips", "leg", "foot"]
REST = np.array([[0.0, 0.0, 1.0], [0.1, 0.0, 0.9], [0.1, 0.3, 0.1]])
TIP = np.array([[0.1, 0.5, 0.0]])


def figure(**head) -> Figure:
    rng = np.random.default_rng(5)
    arrays = {
        "rest_positions": REST,
        "rest_rotations": so3.exp(rng.normal(size=(3, 3))),
        "tips": TIP,
    }
    told = {"name": "she", "bones": BONES, "parents": [-1, 0, 1], "tips": ["foot"], "mass": 50.0}
    return Figure.told(told | head, arrays)


def motion(of: Figure, frames: int = 5, stretch: float = 0.0, shift: float = 0.0) -> dict:
    """Bones turned at random: rigid, but for the foot, which may slide along the leg in time, or lie off."""
    rng = np.random.default_rng(7)
    turns = so3.exp(rng.normal(size=(frames, 3, 3)))
    x = np.empty((frames, 3, 3))
    x[:, 0] = rng.normal(size=(frames, 3))
    for i in (1, 2):
        way = np.tile(REST[i] - REST[i - 1], (frames, 1))
        if i == 2:
            way[:, 2] += shift + stretch * np.linspace(0, 1, frames)
        x[:, i] = x[:, i - 1] + so3.rotate(turns[:, i - 1], way)
    return {"positions": x, "rotations": so3.multiply(turns, of.rotations)}


def free(clip) -> list[str]:
    return [b.name for b in clip.character.bodies if b.joint.kind.name == "FREE"]


def test_a_figure_at_rest_is_where_its_bones_are():
    who = figure()
    assert who.size == pytest.approx(1.0), "from 0 to 1 in height, with the tip of the foot"
    clip = who.at_rest()
    kin = Kinematics(clip.character, clip.q)
    assert kin.positions[0] == pytest.approx(REST)
    assert kin.rotations[0] == pytest.approx(np.tile(np.eye(3), (3, 1, 1)))
    assert kin.point("foot_end")[0] == pytest.approx(TIP[0])
    assert clip.character.total_mass == pytest.approx(50.0)
    assert (clip.frames, clip.name, free(clip)) == (1, "she", ["hips"])
    assert figure(tips=[]).size == pytest.approx(0.9)
    assert figure(bones=[*BONES[:2], "hips_end"], tips=["hips_end", "hips"][:1]).at_rest().character


def test_a_figure_of_one_point_has_a_size_too():
    arrays = {"rest_positions": np.zeros((1, 3)), "rest_rotations": np.array([[1.0, 0, 0, 0]])}
    assert Figure.told({"name": "x", "bones": ["a"], "parents": [-1], "mass": False}, arrays).size == 1.0


def test_labels_of_tips_are_nobodys_names():
    arrays = {"rest_positions": REST, "rest_rotations": np.tile([1.0, 0, 0, 0], (3, 1)), "tips": TIP}
    told = {"name": "x", "bones": ["a", "a_end", "a_end_"], "parents": [-1, 0, 1], "tips": ["a"]}
    clip = Figure.told(told, arrays).at_rest()
    assert Kinematics(clip.character, clip.q).point("a_end__")[0] == pytest.approx(TIP[0])


def test_a_motion_comes_back_as_it_was_told():
    who = figure()
    told = motion(who)
    made = who.performing({"rate": "30", "name": "go"}, told)
    assert (made.clip.name, made.clip.rate, free(made.clip)) == ("go", 30, ["hips"])
    kin = Kinematics(made.clip.character, made.clip.q)
    assert kin.positions == pytest.approx(told["positions"])
    again = made.bones(made.clip)
    assert again["positions"] == pytest.approx(told["positions"])
    same = np.abs((again["rotations"] * told["rotations"]).sum(axis=2))
    assert same == pytest.approx(1.0)
    some = made.bones(made.clip, [3, 1], made.clip.q[[3, 1]])
    assert some["positions"] == pytest.approx(told["positions"][[3, 1]])
    assert some["rotations"] == pytest.approx(again["rotations"][[3, 1]])


@pytest.mark.parametrize(("part", "wanted"), [(0.5, ["hips"]), (2.0, ["hips", "foot"])])
def test_a_bone_whose_place_varies_is_free(part, wanted):
    who = figure()
    made = who.performing({"rate": 30}, motion(who, stretch=part * STILL * who.size))
    assert free(made.clip) == wanted


def test_a_rigid_figure_stretches_where_its_bones_are_told_alone():
    who = figure(rigid=True)
    told = motion(who, stretch=0.02)
    made = who.performing({"rate": 30}, told)
    assert free(made.clip) == ["hips"]
    assert made.bones(made.clip)["positions"] == pytest.approx(told["positions"])
    middle = Kinematics(made.clip.character, made.clip.q).positions[2, 2]
    assert middle == pytest.approx(told["positions"][2, 2]), "held in the middle of where it goes"


def test_a_bone_that_is_always_elsewhere_is_put_there():
    who = figure()
    told = motion(who, shift=-0.05)
    made = who.performing({"rate": 30}, told)
    assert free(made.clip) == ["hips"]
    assert Kinematics(made.clip.character, made.clip.q).positions == pytest.approx(told["positions"])


def test_characters_are_made_once():
    who = figure()
    a, b = (who.performing({"rate": 30}, motion(who)).clip.character for _ in range(2))
    assert a is b
    assert who.performing({"rate": 30}, motion(who, shift=0.1)).clip.character is not a
    assert all(body.shapes for body in fleshed(who.at_rest()).character.bodies[:2])
    solid = fleshed(who.at_rest())
    assert fleshed(solid) is solid


def cycle(of: Figure, turn: float, way: tuple[float, float], frames: int = 9) -> dict:
    """A hop that goes on and round: the last frame is the first, turned and moved on."""
    s = np.linspace(0, 1, frames)
    yaw = so3.exp(np.outer(s * turn, [0, 0, 1.0]))
    lean = so3.exp(np.outer(0.3 * np.sin(2 * np.pi * s), [1.0, 0, 0]))
    hips = np.column_stack([s * way[0], s * way[1], 1 + 0.1 * np.sin(2 * np.pi * s)])
    turns = so3.multiply(yaw, lean)
    x = np.stack([hips] * 3, axis=1)
    x[:, 1] = x[:, 0] + so3.rotate(turns, np.tile(REST[1] - REST[0], (frames, 1)))
    x[:, 2] = x[:, 1] + so3.rotate(turns, np.tile(REST[2] - REST[1], (frames, 1)))
    level = np.repeat(turns[:, None], 3, axis=1)
    return {"positions": x, "rotations": so3.multiply(level, of.rotations)}


@pytest.mark.parametrize("turn", [0.0, 0.5 * CLOSES, 0.7, -0.7, 3.0, -3.0])
def test_a_loop_goes_on_from_where_it_ends(turn):
    who = figure()
    told = cycle(who, turn, (1.5, 0.2))
    clip = who.performing({"rate": 30, "loop": True}, told).clip
    assert (clip.loop, clip.frames) == (True, 8)
    assert clip.travel.yaw == pytest.approx(turn if abs(turn) > CLOSES else 0.0)
    on = clip.travel.apply(clip.character, clip.q[0], 1)
    last = Kinematics(clip.character, on[None]).positions[0]
    assert last == pytest.approx(told["positions"][-1], abs=2 * CLOSES)
    closing = who.performing({"rate": 30, "loop": True}, told)
    assert closing.bones(closing.clip)["positions"] == pytest.approx(told["positions"], abs=2 * CLOSES)


def test_what_does_not_close_is_no_loop():
    who = figure()
    told = cycle(who, 0.3, (1.0, 0.0))
    told["rotations"][-1, 1] = so3.multiply(told["rotations"][-1, 1], so3.exp(np.array([0.1, 0, 0])))
    with pytest.raises(InputError, match=r"not a loop: .*leg\.r. is off by 0\.0"):
        who.performing({"rate": 30, "loop": True}, told)
    who.performing({"rate": 30, "loop": False}, told)
    short = cycle(who, 0.0, (0.0, 0.0), frames=2)
    with pytest.raises(InputError, match="not a loop"):
        who.performing({"rate": 30, "loop": True}, short)
    who.performing({"rate": 30, "loop": True}, cycle(who, 0.0, (0.0, 0.0), frames=3))


@pytest.mark.parametrize(
    ("head", "said"),
    [
        ({"bones": "hips"}, "field 'bones' must list the names"),
        ({"bones": []}, "field 'bones' must list the names"),
        ({"bones": ["a", "", "b"]}, "field 'bones' must list the names"),
        ({"bones": ["a", "b", "a"]}, "two bones are called 'a'"),
        ({"bones": [f"{k}" for k in range(MOST_BONES + 1)]}, "4097 are too many; at most 4096"),
        ({"bones": [f"{k}" for k in range(MOST_BONES)]}, "field 'parents' must have 4096 numbers"),
        ({"parents": [-1, 0]}, "must have 3 numbers"),
        ({"parents": [0, 0, 1]}, "'hips' must be -1"),
        ({"parents": [-1, 1, 1]}, "'leg' must be a number from 0 to 0, not 1"),
        ({"parents": [-1, -1, 1]}, "'leg' must be"),
        ({"parents": [-1, 0, True]}, "'foot' must be a number from 0 to 1"),
        ({"tips": ["hand"]}, "field 'tips'"),
        ({"tips": ["foot", "leg"]}, "array 'tips'"),
    ],
)
def test_what_is_no_figure_is_said(head, said):
    with pytest.raises(InputError, match=said):
        figure(**head)


@pytest.mark.parametrize(
    ("rate", "change", "said"),
    [
        (True, {}, "field 'rate'"),
        (None, {}, "field 'rate'"),
        (30, {"positions": np.zeros((0, 3, 3)), "rotations": np.zeros((0, 3, 4))}, "at least one frame"),
        (30, {"rotations": np.full((5, 3, 4), 0.6)}, "length 1, not 1.2"),
        (30, {"positions": np.full((5, 3, 3), 1e10)}, "array 'positions'"),
        (30, {"rotations": None}, "array 'rotations' is missing; available: positions"),
    ],
)
def test_what_is_no_motion_is_said(rate, change, said):
    who = figure()
    told = {name: a for name, a in (motion(who) | change).items() if a is not None}
    with pytest.raises(InputError, match=said):
        who.performing({"rate": rate}, told)


def test_quaternions_may_be_off_by_a_thousandth():
    who = figure()
    told = motion(who)
    plain = who.performing({"rate": 30}, told)
    near = who.performing({"rate": 30}, told | {"rotations": told["rotations"] * 1.0009})
    assert near.clip.q == pytest.approx(plain.clip.q)
    with pytest.raises(InputError, match="have length 1"):
        who.performing({"rate": 30}, told | {"rotations": told["rotations"] * 1.0011})
