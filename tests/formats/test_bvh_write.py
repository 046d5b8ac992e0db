"""Writing BVH: what was not edited keeps its bytes, everything else keeps its place in the world."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from bvh_cases import (
    PERSON,
    SIX,
    TURN,
    bvh,
    chain,
    in_file,
    person,
    person_values,
    point_positions,
)
from bvh_oracle import world_positions

from poise.character import Body, Character, Joint, JointKind
from poise.errors import InputError
from poise.formats import load, save
from poise.manifold import so3
from poise.motion import Clip
from random_trees import random_character, random_state

LAYOUTS = {
    "plain": lambda t: t,
    "CRLF": lambda t: t.replace("\n", "\r\n"),
    "CR": lambda t: t.replace("\n", "\r"),
    "mark": lambda t: "\ufeff" + t,
    "blanks": lambda t: t.replace("\n", "  \n\n"),
    "comments": lambda t: t.replace("ROOT", "# skeleton\nROOT").replace("MOTION", "// frames\nMOTION"),
    "no last newline": lambda t: t.rstrip("\n"),
    "tail": lambda t: t + "\n \n",
    "wrapped": lambda t: t.replace(" 9", "\n9"),
}


@pytest.fixture
def loaded(tmp_path):
    def load_text(text: str, **options) -> Clip:
        path = tmp_path / "in.bvh"
        path.write_bytes(text.encode())
        return load(path, **options)

    return load_text


@pytest.fixture
def written(tmp_path):
    def save_text(clip: Clip, **options) -> str:
        return save(clip, tmp_path / "out.bvh", **options).read_bytes().decode()

    return save_text


def changed_lines(a: str, b: str) -> list[int]:
    a_lines, b_lines = a.split("\n"), b.split("\n")
    assert len(a_lines) == len(b_lines)
    return [n for n, (x, y) in enumerate(zip(a_lines, b_lines)) if x != y]


def edited(clip: Clip, frame: int, dofs: slice | list[int], amount: float) -> Clip:
    v = np.zeros((clip.frames, clip.character.nv))
    v[frame, dofs] = amount
    return clip.with_q(clip.character.manifold.plus(clip.q, v))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unedited_files_come_back_byte_for_byte(loaded, written, layout):
    text = LAYOUTS[layout](person())
    assert written(loaded(text)) == text


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_edit_by_zero_changes_nothing(loaded, written, layout):
    text = LAYOUTS[layout](person())
    clip = loaded(text)
    nothing = clip.character.manifold.plus(clip.q, np.zeros((clip.frames, clip.character.nv)))
    assert written(clip.with_q(nothing)) == text
    slots = clip.character.manifold.rotation_slots[0]
    opposite = np.array(clip.q)
    opposite[:, slots] *= -1.0
    assert written(clip.with_q(opposite)) == text


def test_masses_labels_and_more_points_do_not_touch_the_text(loaded, written):
    clip = loaded(person(), mass=False)
    bodies = [
        b.replaced(limb="arm", points={**b.points, f"{b.name} extra": (0, 0, 1)})
        for b in clip.character.bodies
    ]
    assert written(clip.replaced(character=clip.character.with_bodies(bodies))) == person()


def test_an_edited_frame_changes_its_own_line_and_only_the_joint_that_was_edited(loaded, written):
    text = person()
    clip = loaded(text)
    change = edited(clip, 3, clip.character.dofs("LeftArm"), 0.05)
    out = written(change)
    lines = changed_lines(text, out)
    assert lines == [text.split("\n").index("Frame Time: 0.0333333") + 1 + 3]
    old, new = (t.split("\n")[lines[0]].split() for t in (text, out))
    assert [n for n, (x, y) in enumerate(zip(old, new)) if x != y] == [12, 13, 14]
    back = loaded(out)
    np.testing.assert_allclose(back.character.manifold.minus(back.q, change.q), 0, atol=1e-14)


def test_moving_the_root_leaves_its_angles_and_turning_it_leaves_its_place(loaded, written):
    text = person()
    clip = loaded(text)
    line = text.split("\n").index("Frame Time: 0.0333333") + 1 + 5
    for dofs, columns in (([0, 1, 2], [0, 1, 2]), ([3, 4, 5], [3, 4, 5]), ([1], [0])):
        out = written(edited(clip, 5, dofs, 0.02))
        old, new = (t.split("\n")[line].split() for t in (text, out))
        assert [n for n, (x, y) in enumerate(zip(old, new)) if x != y] == columns


def test_edited_angles_stay_near_the_old_ones_in_branch_and_winding(loaded, written):
    rng = np.random.default_rng(4)
    values = person_values(12)
    values[:, 3:] += 360.0 * rng.integers(-3, 4, size=values[:, 3:].shape)
    values[:, 7] += 180.0  # the middle angle of the chest, on the other branch
    clip = loaded(bvh(PERSON, values, form="%.9f"))
    v = 0.01 * rng.normal(size=(clip.frames, clip.character.nv))
    out = written(clip.with_q(clip.character.manifold.plus(clip.q, v)))
    got = np.array([line.split() for line in out.splitlines()[-12:]], dtype=float)
    two_channels = [19, 20]  # whose third channel the edit needed, and got
    assert got.shape[1] == values.shape[1] + 1
    got = np.delete(got, 21, axis=1)
    difference = np.abs(got - values)
    assert difference[:, 3:].max() < 10.0
    assert difference[:, two_channels].max() < 10.0


def test_gimbal_lock_keeps_the_free_angle(loaded, written):
    values = person_values(4)
    values[:, 3:6] = [[0, 90, 20], [720.5, -90, 20], [0, 90, -1080.25], [33, 90, 41]]  # z x y
    text = bvh(PERSON, values)
    clip = loaded(text)
    out = written(edited(clip, 1, clip.character.dofs("Chest"), 0.1))
    assert len(changed_lines(text, out)) == 1
    tilt = np.array(clip.q)
    tilt[:, 3:7] = so3.multiply(tilt[:, 3:7], so3.exp([0.0, 1e-15, 0.0]))
    moved = np.array(tilt)
    moved[:, 0] += 0.01
    got = np.array([l.split() for l in written(clip.with_q(moved)).splitlines()[-4:]], dtype=float)
    np.testing.assert_allclose(got[:, 3:6], values[:, 3:6], atol=1e-6)


def test_frames_that_were_moved_cut_or_repeated_keep_their_text(loaded, written):
    text = person(9)
    clip = loaded(text)
    lines = text.split("\n")
    first = lines.index("Frame Time: 0.0333333") + 1
    out = written(clip.with_q(clip.q[[4, 5, 6, 6, 2]])).split("\n")
    assert out[first - 2] == "Frames: 5"
    assert out[first:] == [lines[first + k] for k in (4, 5, 6, 6, 2)] + [""]
    longer = written(clip.with_q(np.concatenate([clip.q, clip.q[:3]]))).split("\n")
    assert longer[first - 2] == "Frames: 12"
    assert longer[first:-1] == lines[first:-1] + lines[first : first + 3]


def test_new_frames_among_old_ones_continue_their_angles(loaded, written):
    values = person_values(6)
    values[:, 3:] += 720.0
    clip = loaded(bvh(PERSON, values))
    manifold = clip.character.manifold
    between = manifold.interpolate(clip.q[2], clip.q[3], np.array(0.5))
    again = manifold.interpolate(clip.q[2], clip.q[3], np.array(0.75))
    out = written(clip.with_q(np.concatenate([clip.q[:3], [between, again], clip.q[3:]])))
    # Two channels cannot say what lies between two poses of a foot: it gets its third.
    got = np.delete(np.array([l.split() for l in out.splitlines()[-8:]], dtype=float), 21, axis=1)
    turns = [c for c in range(3, values.shape[1]) if c != 15]
    assert np.abs(got[3:5][:, turns] - values[2:4].mean(axis=0)[turns]).max() < 15.0


def test_rate_and_frame_count_change_only_their_own_tokens(loaded, written):
    text = person()
    clip = loaded(text)
    out = written(clip.replaced(rate=Fraction(24000, 1001)))
    n = changed_lines(text, out)
    assert [out.split("\n")[i] for i in n] == ["Frame Time: 0.04170833"]
    assert loaded(out).rate == Fraction(24000, 1001)
    assert written(clip.replaced(rate=Fraction(30))) == text


def test_a_dropped_first_frame_stays_dropped(loaded, written):
    text = person(5)
    out = written(loaded(text, drop_tpose=True)).split("\n")
    lines = text.split("\n")
    first = lines.index("Frame Time: 0.0333333") + 1
    assert out == [*lines[: first - 2], "Frames: 4", lines[first - 1], *lines[first + 1 :]]


def test_channels_are_added_where_an_edit_needs_them(loaded, written):
    rng = np.random.default_rng(8)
    skeleton = chain(("A", "1 2 3", "3 Xposition Yposition Zposition"), ("B", "0 90 0", TURN))
    text = bvh(skeleton, rng.uniform(-40, 40, size=(5, 6)))
    clip = loaded(text, scale=0.01, up="y")
    turned = edited(clip, 2, [3, 4, 5], 0.3)
    out = written(turned)
    assert "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation" in out
    back = loaded(out, scale=0.01, up="y")
    np.testing.assert_allclose(point_positions(back), point_positions(turned), atol=1e-12)
    for dofs in ([0], [1], [2]):  # the edit still fits the channels there are
        assert "CHANNELS 3 Xposition" in written(edited(clip, 2, dofs, 0.3))

    text = bvh(
        chain(("A", "1 80 3", "4 Yposition Zrotation Xrotation Yrotation"), ("B", "0 90 0", TURN)),
        rng.uniform(70, 80, size=(5, 7)),
    )
    clip = loaded(text, scale=0.01, up="y")
    shifted = edited(clip, 2, [0, 1], 0.3)
    back = loaded(written(shifted), scale=0.01, up="y")
    np.testing.assert_allclose(point_positions(back), point_positions(shifted), atol=1e-12)

    clip = loaded(person())
    ankle = edited(clip, 2, clip.character.dofs("LeftFoot"), 0.3)
    out = written(ankle)
    assert "CHANNELS 3 Xrotation Zrotation Yrotation" in out
    np.testing.assert_allclose(point_positions(loaded(out)), point_positions(ankle), atol=1e-12)


def test_travel_below_the_root_is_edited_in_either_meaning(loaded, written):
    rng = np.random.default_rng(10)
    skeleton = chain(("A", "0 0 0", SIX), ("B", "0 50 0", SIX), ("C", "0 90 0", TURN))
    for centre in ([0, 50, 0], [0, 0, 0]):
        values = rng.uniform(-5, 5, size=(6, 15))
        values[:, 6:9] += centre
        text = bvh(skeleton, values)
        clip = loaded(text)
        assert written(clip) == text
        span = clip.character.dofs("B")
        moved = edited(clip, 4, [span.start], 0.01)
        out = written(moved)
        assert len(changed_lines(text, out)) == 1
        np.testing.assert_allclose(point_positions(loaded(out)), point_positions(moved), atol=1e-12)


def test_other_axes_or_units_on_request(loaded, written):
    clip = loaded(person())
    for options in ({"up": "z"}, {"scale": 0.0254}, {"up": "z", "scale": 1.0}):
        out = written(clip, **options)
        back = loaded(out)
        assert (back.source.up, back.source.unit) == (options.get("up", "y"), options.get("scale", 0.01))
        np.testing.assert_allclose(point_positions(back), point_positions(clip), atol=1e-12)
        assert "CHANNELS 3 Yrotation Xrotation Zrotation" in out  # the chest keeps its order
    assert written(clip, up="y", scale=0.01) == person()
    with pytest.raises(InputError, match="up axis"):
        written(clip, up="x")
    with pytest.raises(InputError, match="scale"):
        written(clip, scale=-1)
    with pytest.raises(InputError, match="digits"):
        written(clip, digits=40)


def test_digits_round_new_numbers_only(loaded, written):
    text = person()
    clip = loaded(text)
    out = written(edited(clip, 3, clip.character.dofs("Chest"), 0.05), digits=2)
    (line,) = changed_lines(text, out)
    new = out.split("\n")[line].split()
    assert [len(w.partition(".")[2]) for w in new[6:9]] == [2, 2, 2]
    assert len(new[0].partition(".")[2]) == 6


def test_another_skeleton_is_written_anew_with_the_old_orders(loaded, written):
    clip = loaded(person())
    bodies = [b.replaced(offset=1.5 * np.asarray(b.offset)) for b in clip.character.bodies]
    taller = Clip(clip.character.with_bodies(bodies), clip.q, clip.rate, source=clip.source)
    out = written(taller)
    assert "CHANNELS 3 Yrotation Xrotation Zrotation" in out
    back = loaded(out, scale=0.01, up="y")
    np.testing.assert_allclose(point_positions(back), point_positions(taller), atol=1e-12)


@pytest.mark.parametrize("root", list(JointKind))
@pytest.mark.parametrize("size", [0.2, 1.0, 12.0])
def test_any_character_reads_back_where_it_was(written, loaded, root, size):
    rng = np.random.default_rng([int(root), round(10 * size)])
    character = random_character(rng, 14, root=root)
    bodies = [
        b.replaced(offset=size * np.asarray(b.offset), points={f"{b.name}_end": size * rng.normal(size=3)})
        for b in character.bodies
    ]
    character = Character("any", bodies)
    q, _, _ = random_state(rng, character, 30, spread=0.7)
    clip = Clip(character, q, 30)
    back = loaded(written(clip), mass=False)
    assert back.rate == 30
    leaves = [n for i, n in enumerate(character.names) if i not in character.parents]
    names = [*character.names, *(f"{n}_end" for n in leaves)]
    np.testing.assert_allclose(point_positions(back, names), point_positions(clip, names), atol=1e-9)


@pytest.mark.parametrize("up", [None, "y", "z"])
def test_a_figure_that_lies_flat_states_its_up_axis(written, loaded, up):
    names = [f"s{i}" for i in range(8)]
    bodies = [
        Body(n, names[i - 1] if i else None, Joint.ball(), (0.3 * (i > 0), 0, 0)) for i, n in enumerate(names)
    ]
    bodies[3] = bodies[3].replaced(offset=(0.3, 1.5, 0.1))
    character = Character("snake", bodies)
    clip = Clip(character, np.tile(character.rest_pose(), (3, 1)), 30)
    text = written(clip, up=up)
    back = loaded(text, mass=False)
    assert back.source.up == (up or "y")
    np.testing.assert_allclose(point_positions(back), point_positions(clip), atol=1e-12)
    named = "Yposition Zposition Xposition" if up != "z" else "Zposition Xposition Yposition"
    assert named in text


def test_what_is_written_is_what_other_readers_see(written):
    """The text itself, evaluated by definition, gives the character's places."""
    rng = np.random.default_rng(77)
    character = random_character(rng, 10)
    q, _, _ = random_state(rng, character, 6)
    clip = Clip(character, q, 60)
    for up in ("y", "z"):
        for added in (False, True):  # OFFSET 0 wherever there are positions: both meanings agree
            names, places = world_positions(written(clip, up=up, scale=0.01), added=added)
            chosen = [names.index(n) for n in character.names]
            x, y, z = np.moveaxis(places[:, chosen] * 0.01, -1, 0)
            inside = np.stack([z, x, y] if up == "y" else [-y, x, z], axis=-1)
            np.testing.assert_allclose(inside, point_positions(clip), atol=1e-10)


def test_turning_joints_do_not_jump_in_new_files(written):
    t = np.linspace(0, 3, 200)
    root = Body("Spin", None, Joint.free())
    arm = Body("Arm", "Spin", Joint.hinge((1, 2, 3)), (0, 0, 1.0))
    character = Character("top", [root, arm])
    turns = so3.exp(np.stack([0.3 * np.sin(t), 0.2 * t, 9 * t], axis=-1))
    q = np.concatenate([np.zeros((200, 3)), turns, 5 * t[:, None]], axis=1)
    text = written(Clip(character, q, 30))
    values = np.array([l.split() for l in text.splitlines()[-200:]], dtype=float)
    assert np.abs(np.diff(values, axis=0)).max() < 30.0
    assert "e" not in "".join(text.splitlines()[-200:])  # no exponents


def test_names_that_the_format_cannot_hold(written, loaded):
    root = Body("left { arm", None, Joint.free())
    tip = Body("left _ arm", "left { arm", Joint.ball(), (0, 0, 1.5))
    clip = Clip(Character("odd", [root, tip]), np.tile(Character("odd", [root, tip]).rest_pose(), (2, 1)), 30)
    back = loaded(written(clip), mass=False)
    assert len(set(back.character.names)) == 2


def test_the_file_axes_of_a_read_clip_are_kept(loaded, written):
    clip = loaded(person(), up="z", scale=0.5)
    out = written(edited(clip, 0, [0], 0.5))
    again = loaded(out, up="z", scale=0.5)
    np.testing.assert_allclose(
        in_file(again, point_positions(again))[0, 0, 1], person_values()[0, 1] - 1.0, atol=1e-5
    )
