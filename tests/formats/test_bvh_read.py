"""Reading BVH: positions against a naive evaluation, and every freedom the format leaves its writers."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from bvh_cases import (
    PERSON,
    SIX,
    TURN,
    bvh,
    chain,
    characters_equal,
    in_file,
    person,
    person_values,
    point_positions,
)
from bvh_oracle import world_positions

from poise.character import JointKind
from poise.errors import InputError
from poise.formats import load


@pytest.fixture
def read(tmp_path):
    """Load a text through a file."""

    def load_text(text: str | bytes, **options):
        path = tmp_path / "clip.bvh"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load(path, **options)

    return load_text


def assert_places(clip, text, *, added=False, tolerance=1e-10):
    names, want = world_positions(text, added=added)
    got = in_file(clip, point_positions(clip, names))
    np.testing.assert_allclose(got, want, atol=tolerance)


def kinds(clip) -> dict[str, str]:
    return {b.name: b.joint.kind.name.lower() for b in clip.character.bodies}


def test_joints_and_ends_are_where_the_file_says(read):
    text = person()
    clip = read(text)
    assert_places(clip, text)
    assert kinds(clip) == {
        "Hips": "free",
        "Chest": "ball",
        "Head": "ball",
        "LeftArm": "ball",
        "LeftForeArm": "hinge",
        "LeftLeg": "ball",
        "LeftFoot": "ball",
        "RightLeg": "ball",
        "RightFoot": "fixed",
    }
    assert clip.rate == 30
    assert (clip.source.format, clip.source.up, clip.source.unit) == ("bvh", "y", 0.01)
    assert clip.character.point("Head_end").body == clip.character.index("Head")
    assert clip.name == clip.character.name == "clip"


def test_a_standing_figure_stands_inside(read):
    clip = read(person())
    head, foot = point_positions(clip, ["Head_end", "LeftFoot"])[0]
    assert head[2] - foot[2] > 1.0
    # What faces the file's z faces x inside; the file's x, the left of such a figure, is y.
    toe, heel = (clip.character.point(n).position for n in ("RightFoot_end", "RightFoot"))
    np.testing.assert_allclose(toe - heel, [0.14, 0.0, -0.06], atol=1e-15)


@pytest.mark.parametrize("order", ["".join(p) for p in permutations("XYZ")])
@pytest.mark.parametrize("place", ["XYZ", "ZXY", "YXZ"])
def test_any_channel_order_with_positions_before_between_and_after(read, order, place):
    positions, rotations = [f"{a}position" for a in place], [f"{a}rotation" for a in order]
    rng = np.random.default_rng(3)
    for mixed in (positions + rotations, rotations + positions, [*sum(zip(rotations, positions), ())]):
        skeleton = chain(("A", "1 2 3", "6 " + " ".join(mixed)), ("B", "3 40 1", "3 " + " ".join(rotations)))
        text = bvh(skeleton, rng.uniform(-170, 170, size=(5, 9)), form="%.9f")
        assert_places(read(text, mass=False), text)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: t.replace("\n", "\r\n", 30),
        lambda t: "\ufeff" + t,
        lambda t: t.replace("\n{", " {").replace("\n\t{", " {").replace("\n\t\t{", "{"),
        lambda t: t.replace("\n", "   \n\n\t\n"),
        lambda t: t.replace("\t", "    "),
        lambda t: t.replace(" ", "\t \t"),
        lambda t: t.replace("OFFSET", "offset").replace("JOINT", "Joint").replace("rotation", "Rotation"),
        lambda t: t.replace("Frames: ", "Frames:\t").replace("Frame Time: ", "FRAME TIME:"),
        lambda t: t.replace("Frames: ", "Frames : ").replace("Frame Time: ", "Frame Time "),
        lambda t: t.replace("HIERARCHY\n", "# made by hand\nHIERARCHY # skeleton\n// the root\n"),
        lambda t: t.replace("End Site", "End Site Tip").replace("\t}\n", "\t} # done\n"),
        lambda t: t.replace("0.0333333\n", "0.0333333\n# frames\n\n"),
        lambda t: t.rstrip("\n"),
        lambda t: t + "\n\n  \n",
        lambda t: t.replace("CHANNELS 0", ""),
    ],
)
def test_layout_does_not_matter(read, change):
    plain, changed = read(person()), read(change(person()))
    assert characters_equal(plain.character, changed.character)
    assert np.array_equal(plain.q, changed.q)
    assert plain.rate == changed.rate


def test_numbers_in_scientific_notation_and_with_many_digits(read):
    values = person_values()
    for form in ("%.17e", "%.20f", "%+.17g"):
        clip = read(bvh(PERSON, values, form=form))
        assert np.array_equal(clip.source.payload.values, values)


def test_frames_may_run_over_several_lines(read):
    text = person()
    head, body = text.split("0.0333333\n")
    wrapped = "\n".join(
        "\n".join([line[:50].rpartition(" ")[0], line[len(line[:50].rpartition(" ")[0]) :]])
        for line in body.splitlines()
    )
    clip = read(head + "0.0333333\n" + wrapped)
    assert np.array_equal(clip.q, read(text).q)
    assert any("several lines" in n for n in clip.source.notes)


def test_names_of_any_letters_and_repeated_ones(read):
    text = (
        person()
        .replace("Hips", "ヒップ")
        .replace("LeftArm", "mixamorig:L.Arm-1")
        .replace("Chest", "Brust Korb")
    )
    clip = read(text)
    assert {"ヒップ", "mixamorig:L.Arm-1", "Brust Korb"} <= set(clip.character.names)
    twice = person().replace("LeftLeg", "Leg").replace("RightLeg", "Leg").replace("LeftFoot", "Leg_2")
    clip = read(twice)
    assert clip.character.names[5:8] == ("Leg", "Leg_2", "Leg_3")
    assert any("made unique" in n for n in clip.source.notes)
    latin = person().encode().replace(b"Chest", "Köper".encode("latin-1"))
    clip = read(latin)
    assert "Köper" in clip.character.names
    assert any("Latin-1" in n for n in clip.source.notes)


def test_an_end_named_like_a_joint(read):
    text = person().replace("JOINT Head", "JOINT Chest_end").replace("LeftForeArm", "Chest_end_end")
    clip = read(text)
    assert set(clip.character.points) >= {"Chest_end", "Chest_end_end", "Chest_end_end_2"}


def test_root_without_rotations_or_without_positions(read):
    rng = np.random.default_rng(5)
    turns = rng.uniform(-60, 60, size=(4, 3))
    text = bvh(
        chain(("A", "0 0 0", "3 Xposition Yposition Zposition"), ("B", "0 9 0", TURN)),
        np.hstack([turns, turns]),
    )
    clip = read(text)
    assert kinds(clip) == {"A": "free", "B": "ball"}
    assert_places(clip, text)
    text = bvh(chain(("A", "5 90 2", TURN), ("B", "0 9 0", TURN)), np.hstack([turns, turns]))
    clip = read(text)
    assert kinds(clip)["A"] == "ball"
    assert_places(clip, text)
    text = bvh(
        chain(("A", "5 90 2", "4 Yposition Zrotation Xrotation Yrotation"), ("B", "0 9 0", TURN)),
        np.hstack([turns, turns, turns[:, :1]]),
    )
    assert_places(read(text), text)


def travelling(offset: str, place: np.ndarray) -> str:
    rng = np.random.default_rng(9)
    turns = rng.uniform(-40, 40, size=(len(place), 3))
    skeleton = chain(("A", "0 0 0", SIX), ("B", offset, SIX), ("C", "0 40 0", SIX))
    still = np.tile([0.0, 40.0, 0.0], (len(place), 1))
    values = np.hstack([turns, turns, place, turns, still if place[0, 1] > 1 else 0 * still, turns])
    return bvh(skeleton, values)


def test_positions_below_the_root_that_replace_the_offset(read):
    place = np.array([[1.0, 50.0, 0.5]]) + np.linspace(0, 4, 6)[:, None] * [1, 0.2, -0.5]
    text = travelling("0 50 0", place)
    clip = read(text)
    assert kinds(clip) == {"A": "free", "B": "free", "C": "ball"}
    assert_places(clip, text)
    assert any("replace OFFSET" in n for n in clip.source.notes)


def test_positions_below_the_root_that_are_added_to_the_offset(read):
    place = np.linspace(0, 4, 6)[:, None] * [1, 0.2, -0.5]
    text = travelling("0 50 0", place)
    clip = read(text)
    assert kinds(clip) == {"A": "free", "B": "free", "C": "ball"}
    assert_places(clip, text, added=True)
    assert any("added to OFFSET" in n for n in clip.source.notes)
    # Said rather than guessed:
    assert_places(read(text, positions="absolute"), text, added=False)
    assert_places(read(text, positions="offset"), text, added=True)


def test_constant_positions_elsewhere_are_folded_into_the_offset(read):
    place = np.tile([2.0, 55.0, -1.0], (5, 1))
    text = travelling("0 50 0", place)
    clip = read(text)
    assert kinds(clip)["B"] == "ball"
    assert_places(clip, text)


def test_root_channels_that_stay_at_zero_are_added_to_its_offset(read):
    values = person_values()
    values[:, :3] = 0.0
    text = bvh(PERSON.replace("OFFSET 0.0 0.0 0.0", "OFFSET 0.0 91.0 3.0", 1), values)
    assert_places(read(text), text, added=True)
    values[2, 2] = 40.0  # it travels: then it stands where it says
    text = bvh(PERSON.replace("OFFSET 0.0 0.0 0.0", "OFFSET 0.0 91.0 3.0", 1), values)
    assert_places(read(text), text)


def test_a_still_root_with_the_travel_on_the_hips(read):
    rng = np.random.default_rng(2)
    hips = np.stack([np.linspace(0, 200, 9), np.full(9, 90.0), np.zeros(9)], axis=1)
    skeleton = "HIERARCHY\nROOT Reference\n{\nOFFSET 0 0 0\nCHANNELS " + SIX + "\n"
    skeleton += PERSON.removeprefix("HIERARCHY\n").replace("ROOT", "JOINT") + "}\n"
    values = person_values(9)
    values[:, :3] = hips + rng.normal(scale=0.1, size=hips.shape)
    text = bvh(skeleton, np.hstack([np.zeros((9, 6)), values]))
    clip = read(text)
    assert (kinds(clip)["Reference"], kinds(clip)["Hips"]) == ("free", "free")
    assert_places(clip, text)
    assert any("stands still" in n and "'Hips'" in n for n in clip.source.notes)


def test_zero_length_bones(read):
    text = (
        person().replace("OFFSET 30.0 0.0 0.5", "OFFSET 0 0 0").replace("OFFSET 9.0 -5.0 0.0", "OFFSET 0 0 0")
    )
    assert_places(read(text), text)


def test_a_chain_deeper_than_the_recursion_limit(read):
    count = 1500
    text = bvh(
        chain(("A", "0 0 0", SIX), *[(f"j{i}", "0 0.1 0", "1 Xrotation") for i in range(count)]),
        np.zeros((1, 6 + count)),
    )
    assert len(read(text, mass=False).character.bodies) == count + 1


@pytest.mark.parametrize(
    "text_unit, metres", [(1.0, 0.01), (0.01, 1.0), (10.0, 0.001), (1 / 2.54, 0.0254), (0.1, 0.1)]
)
def test_the_unit_is_guessed_from_the_height(read, text_unit, metres):
    values = person_values()
    values[:, :3] *= text_unit
    scaled = "\n".join(
        "OFFSET " + " ".join(str(float(w) * text_unit) for w in line.split()[1:])
        if line.strip().startswith("OFFSET")
        else line
        for line in PERSON.splitlines()
    )
    clip = read(bvh(scaled + "\n", values))
    assert clip.source.unit == pytest.approx(metres)
    np.testing.assert_allclose(point_positions(clip), point_positions(read(person())), atol=1e-6)
    assert any(n.startswith("unit guessed") for n in clip.source.notes)


def test_said_units_and_axes_are_taken(read):
    clip = read(person(), scale=0.0254, up="z")
    assert (clip.source.unit, clip.source.up) == (0.0254, "z")
    assert not [n for n in clip.source.notes if "guessed" in n]
    assert_places(clip, person())
    with pytest.raises(InputError, match="no up axis named 'x'"):
        read(person(), up="x")
    with pytest.raises(InputError, match="scale must be"):
        read(person(), scale=0.0)
    with pytest.raises(InputError, match="positions"):
        read(person(), position="absolute")
    with pytest.raises(InputError, match="meaning of position channels"):
        read(person(), positions="relative")


def z_up(text: str) -> str:
    """The same file with (x, y, z) → (x, −z, y): every vector, channel and angle."""
    out = []
    for line in text.splitlines():
        if line.strip().startswith("OFFSET"):
            x, y, z = line.split()[1:]
            line = f"OFFSET {x} {-float(z)} {y}"
        out.append(line)
    return "\n".join(out) + "\n"


def test_z_up_is_seen(read):
    skeleton = z_up(PERSON)
    values = person_values()
    values[:, [1, 2]] = values[:, [2, 1]]
    text = bvh(skeleton, values)
    clip = read(text)
    assert clip.source.up == "z"
    assert_places(clip, text)
    anonymous = text
    for n, name in enumerate(
        ("Hips", "Chest", "Head", "LeftArm", "LeftForeArm", "LeftLeg", "LeftFoot", "RightLeg")
    ):
        anonymous = anonymous.replace(f" {name}\n", f" j{n}\n")
    assert read(anonymous.replace("RightFoot", "j9")).source.up == "z"


def test_a_rest_pose_that_lies_down_does_not_mislead(read):
    """The skeleton lies on its back at rest; the root's turn of −90° about x makes it stand."""
    values = person_values()
    values[:, 3:6] = [0.0, -90.0, 0.0]
    values[:, 6:] *= 0.1
    text = bvh(z_up(PERSON), values)
    clip = read(text)
    assert (clip.source.up, clip.source.unit) == ("y", 0.01)
    assert_places(clip, text)
    heights = point_positions(clip, ["Head_end", "Hips", "LeftFoot"])[..., 2]
    assert (np.diff(heights, axis=1) < -0.3).all()


def test_a_first_frame_of_rest_is_noted_and_dropped_on_request(read):
    values = person_values(30)
    values[:, 6:] += 35.0
    values[1:] = values[1] + 0.02 * (values[1:] - values[1])
    values[0, 3:] = 0.0
    text = bvh(PERSON, values)
    kept = read(text)
    assert kept.frames == 30
    assert any("rest pose put before the motion" in n for n in kept.source.notes)
    for choice in (True, "auto"):
        dropped = read(text, drop_tpose=choice)
        assert np.array_equal(dropped.q, kept.q[1:])
    ordinary = person(30)
    assert read(ordinary, drop_tpose="auto").frames == 30
    assert not any("rest pose" in n for n in read(ordinary).source.notes)
    assert read(ordinary, drop_tpose=True).frames == 29
    with pytest.raises(InputError, match="drop_tpose"):
        read(ordinary, drop_tpose="maybe")


def test_wraps_of_whole_turns_are_no_motion(read):
    values = person_values(40)
    wrapped = values.copy()
    wrapped[::2, 3:] += 360.0
    wrapped[::3, 5:9] -= 720.0
    a, b = read(bvh(PERSON, values)), read(bvh(PERSON, wrapped))
    # A hinge is an angle and keeps its winding; everything else is a rotation and has none.
    balls = [i for i, x in enumerate(a.character.bodies) if x.joint.kind is not JointKind.HINGE]
    dofs = np.concatenate([np.arange(a.character.dofs(i).start, a.character.dofs(i).stop) for i in balls])
    np.testing.assert_allclose(a.velocity[:, dofs], b.velocity[:, dofs], atol=1e-6)


@pytest.mark.parametrize("time, rate", [("0.0333333", Fraction(30)), ("0.041708333", Fraction(24000, 1001))])
def test_the_rate_is_exact(read, time, rate):
    assert read(person(time=time)).rate == rate


def test_masses_and_labels_are_optional(read):
    assert read(person(), mass=False).character.total_mass == 0
    assert read(person(), mass=False).character.mass_source == "none"
    assert read(person()).character.total_mass > 0
