"""Acclaim files: places against a naive evaluation of the format's definition; broken ones refused."""

from __future__ import annotations

import numpy as np
import pytest
from bvh_cases import point_positions
from bvh_oracle import turn

from poise.errors import FileFormatError, InputError
from poise.formats import load

ASF = """# a leg and a spine
:version 1.10
:name test
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
  made by hand
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name hip
    direction 0.6 -0.8 0.0
    length 2.5
    axis 0 0 0 XYZ
  end
  begin
    id 2
    name femur
    direction 0.34202 -0.939693 0
    length 7.6
    axis 10 -5 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 3
    name tibia
    direction 0.34202 -0.939693 0
    length 7.2
    axis 0 0 20 XYZ
    dof rx
    limits (-10.0 170.0)
  end
  begin
    id 4
    name foot
    direction 0 -0.2 1
    length 2.2
    axis -90 3 20 XYZ
    dof rx rz
    limits (-45 90) (-70 20)
  end
  begin
    id 5
    name spine
    direction 0 1 0
    length 14
    axis 0 0 0 XYZ
    dof rx ry rz
  end
:hierarchy
  begin
    root hip spine
    hip femur
    femur tibia
    tibia foot
  end
"""
ASF = ASF.replace("limits (-45 90) (-70 20)", "limits (-45 90)\n           (-70 20)")


def values(frames: int = 5) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    sizes = {"root": 6, "femur": 3, "tibia": 1, "foot": 2, "spine": 3}
    return {name: rng.uniform(-60, 60, size=(frames, size)) for name, size in sizes.items()}


def amc(data: dict[str, np.ndarray], *, head: str = ":FULLY-SPECIFIED\n:DEGREES\n") -> str:
    out = head
    for k in range(len(data["root"])):
        out += f"{k + 1}\n" + "".join(
            name + " " + " ".join(f"{x:.12f}" for x in rows[k]) + "\n" for name, rows in data.items()
        )
    return out


def naive(data: dict[str, np.ndarray], frame: int) -> dict[str, np.ndarray]:
    """Starts of all bones, and "…_end", by the definition: L = C M C⁻¹, children start where bones end."""

    def fixed(angles):  # XYZ about fixed axes
        return turn("Z", angles[2]) @ turn("Y", angles[1]) @ turn("X", angles[0])

    bones = {
        "hip": ("root", [0.6, -0.8, 0], 2.5, [0, 0, 0], ""),
        "femur": ("hip", [0.34202, -0.939693, 0], 7.6, [10, -5, 20], "xyz"),
        "tibia": ("femur", [0.34202, -0.939693, 0], 7.2, [0, 0, 20], "x"),
        "foot": ("tibia", [0, -0.2, 1], 2.2, [-90, 3, 20], "xz"),
        "spine": ("root", [0, 1, 0], 14.0, [0, 0, 0], "xyz"),
    }
    root = data["root"][frame]
    turns, ends = {"root": fixed(root[3:])}, {"root": root[:3]}
    places = {"root": root[:3]}
    for name, (parent, direction, length, axis, dofs) in bones.items():
        angles = [0.0, 0.0, 0.0]
        for dof, value in zip(dofs, data.get(name, np.zeros((9, 0)))[frame]):
            angles["xyz".index(dof)] = value
        frame_of_bone = fixed(axis)
        turns[name] = turns[parent] @ frame_of_bone @ fixed(angles) @ frame_of_bone.T
        unit = np.array(direction, dtype=float) / np.linalg.norm(direction)
        places[name] = ends[parent]
        ends[name] = ends[parent] + turns[name] @ unit * length
    places["foot_end"], places["spine_end"] = ends["foot"], ends["spine"]
    return places


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "07.asf").write_text(ASF)
    (tmp_path / "07_01.amc").write_text(amc(values()))
    return tmp_path


def test_places_by_definition(folder):
    clip = load(folder / "07_01.amc")
    data = values()
    names = list(naive(data, 0))
    got = point_positions(clip, names) / clip.source.unit
    for frame in range(5):
        x, y, z = np.moveaxis(np.array([naive(data, frame)[n] for n in names]), -1, 0)
        np.testing.assert_allclose(got[frame], np.stack([z, x, y], axis=-1), atol=1e-9)


def test_what_the_character_is(folder):
    clip = load(folder / "07_01.amc")
    kinds = {b.name: b.joint.kind.name.lower() for b in clip.character.bodies}
    assert kinds == {
        "root": "free",
        "hip": "fixed",
        "femur": "ball",
        "tibia": "hinge",
        "foot": "ball",
        "spine": "ball",
    }
    assert clip.source.unit == pytest.approx(0.0254 / 0.45)
    assert clip.rate == 120
    assert any("no frame rate" in n for n in clip.source.notes)
    bodies = {b.name: b.joint for b in clip.character.bodies}
    np.testing.assert_allclose(np.degrees([bodies["tibia"].lower[0], bodies["tibia"].upper[0]]), [-10, 170])
    # File axes x, y, z are the body's y, z, x.
    np.testing.assert_allclose(np.degrees(bodies["femur"].lower), [-60, -160, -70])
    np.testing.assert_allclose(np.degrees(bodies["femur"].upper), [70, 20, 70])
    assert bodies["foot"].limited
    assert not bodies["spine"].limited
    assert load(folder / "07_01.amc", rate="24000/1001").rate * 1001 == 24000


def test_a_bone_called_like_the_end_of_another(tmp_path):
    (tmp_path / "x.asf").write_text(ASF.replace("hip", "foot_end"))
    character = load(tmp_path / "x.asf").character
    points = {b.name: list(b.points) for b in character.bodies if b.points}
    assert points == {"foot": ["foot_end_2"], "spine": ["spine_end"]}
    assert character.point("foot_end").body == character.index("foot_end")


def test_radians(folder):
    data = values()
    turned = {
        n: np.where(np.arange(r.shape[1]) < (3 if n == "root" else 0), r, np.radians(r))
        for n, r in data.items()
    }
    (folder / "07_02.amc").write_text(amc(turned, head=":FULLY-SPECIFIED\n:RADIANS\n"))
    a, b = load(folder / "07_01.amc"), load(folder / "07_02.amc")
    np.testing.assert_allclose(point_positions(a), point_positions(b), atol=1e-9)
    radians = ASF.replace("angle deg", "angle rad")
    for line in ASF.splitlines():
        if line.strip().startswith(("axis ", "limits", "(")) and any(c.isdigit() for c in line):
            words = line.replace("(", " ( ").replace(")", " ) ").split()
            new = " ".join(
                f"{np.radians(float(w)):.15f}" if w.lstrip("-").replace(".", "").isdigit() else w
                for w in words
            )
            radians = radians.replace(line, new)
    (folder / "08.asf").write_text(radians)
    (folder / "08_01.amc").write_text(amc(turned, head=":FULLY-SPECIFIED\n"))
    c = load(folder / "08_01.amc")
    np.testing.assert_allclose(point_positions(a), point_positions(c), atol=1e-9)
    np.testing.assert_allclose(a.character.lower, c.character.lower, atol=1e-12)


def test_layout_does_not_matter(folder):
    want = load(folder / "07_01.amc")
    text = (folder / "07_01.amc").read_text()
    order = dict(reversed(values().items()))
    for changed in (
        text.replace("\n", "\r\n"),
        text.replace(" ", "\t "),
        "# x\n" + text.replace("1\n", "1 # f\n", 1),
        amc(order),
    ):
        (folder / "07_01.amc").write_bytes(changed.encode())
        assert np.array_equal(load(folder / "07_01.amc").q, want.q)
    (folder / "07.asf").write_bytes(ASF.replace("\n", "\r\n").replace("(", "( ").encode())
    assert np.array_equal(load(folder / "07_01.amc").q, want.q)


def test_a_skeleton_alone_is_one_frame(folder):
    clip = load(folder / "07.asf")
    assert clip.frames == 1
    still = {n: np.zeros((1, r.shape[1])) for n, r in values().items()}
    x, y, z = naive(still, 0)["foot_end"]
    np.testing.assert_allclose(
        point_positions(clip, ["foot_end"])[0, 0] / clip.source.unit, [z, x, y], atol=1e-9
    )


def test_the_skeleton_is_found_or_asked_for(folder, tmp_path):
    (folder / "0.asf").write_text(ASF.replace(":name test", ":name wrong"))
    assert "skeleton 07.asf" in load(folder / "07_01.amc").source.notes
    (folder / "07.asf").rename(folder / "x.asf")
    (folder / "0.asf").unlink()
    assert "skeleton x.asf" in load(folder / "07_01.amc").source.notes
    (folder / "y.asf").write_text(ASF)
    with pytest.raises(
        FileFormatError, match=r"skeleton is not clear: found x.asf, y.asf beside it; say skeleton="
    ):
        load(folder / "07_01.amc")
    assert load(folder / "07_01.amc", skeleton=folder / "y.asf").frames == 5
    with pytest.raises(FileFormatError, match=r"z.asf: no such file"):
        load(folder / "07_01.amc", skeleton=folder / "z.asf")
    (folder / "x.asf").unlink()
    (folder / "y.asf").unlink()
    with pytest.raises(FileFormatError, match=r"there is no \.asf file"):
        load(folder / "07_01.amc")


def test_options(folder):
    clip = load(folder / "07_01.amc", scale=0.01, up="z", mass=False)
    assert (clip.source.unit, clip.source.up, clip.character.total_mass) == (0.01, "z", 0)
    with pytest.raises(InputError, match="scale"):
        load(folder / "07_01.amc", scale=0)
    (folder / "07.asf").write_text(ASF.replace("length 0.45", "length 1.0"))
    assert any("unit guessed" in n for n in load(folder / "07_01.amc").source.notes)


BROKEN_ASF = {
    "no section": ("hello\n" + ASF, 1, "expected a section"),
    "unknown section": (ASF.replace(":documentation", ":docs"), 8, "unknown section ':docs'"),
    "no root": (ASF.replace(":root", ":name"), None, "no :root section"),
    "no bones": (ASF[: ASF.index(":bonedata")], 14, "no :bonedata section"),
    "no hierarchy": (ASF[: ASF.index(":hierarchy")], None, "no :hierarchy section"),
    "angle": (ASF.replace("angle deg", "angle grad"), 7, "deg or rad"),
    "unit of length": (ASF.replace("length 0.45", "length 0"), 6, "length must be positive"),
    "axis order": (ASF.replace("axis 10 -5 20 XYZ", "axis 10 -5 20 XXZ"), 28, "axis order is XYZ"),
    "axis of words": (
        ASF.replace("axis 10 -5 20 XYZ", "axis a b c XYZ"),
        28,
        "axis of bone 'femur' needs 3 numbers",
    ),
    "dof": (ASF.replace("dof rx ry rz", "dof rx qy rz", 1), 29, "dof of bone 'femur' is 'rx qy rz'"),
    "limits": (ASF.replace("(-10.0 170.0)", "(-10.0)"), 41, "limits of bone 'tibia' needs 2 numbers"),
    "length": (ASF.replace("length 7.2", "length long"), 38, "length of bone 'tibia' needs 1 number"),
    "nan": (ASF.replace("length 7.2", "length nan"), 38, "length of bone 'tibia' needs 1 number"),
    "no end": (ASF.replace("  end\n:hierarchy", ":hierarchy"), None, "has no 'end'"),
    "begin in begin": (
        ASF.replace("  end\n  begin\n    id 2", "  begin\n    id 2"),
        22,
        "'begin' inside the bone",
    ),
    "nameless": (ASF.replace("    name tibia\n", ""), 34, "a bone without a name"),
    "two of a name": (ASF.replace("name tibia", "name femur"), 34, "second bone named 'femur'"),
    "unknown in hierarchy": (
        ASF.replace("femur tibia\n", "femur shin\n"),
        None,
        "no bone named 'shin' .*tibia",
    ),
    "two parents": (ASF.replace("tibia foot", "tibia foot spine"), None, "'spine' hangs from two"),
    "loose": (ASF.replace("    tibia foot\n", ""), None, "not connected to the root: foot"),
    "root order": (ASF.replace("TX TY", "TX TW"), 11, "names 'tw'"),
}
GOOD_AMC = amc(values(2))
BROKEN_AMC = {
    "no frames": (":FULLY-SPECIFIED\n:DEGREES\n", 2, "there are no frames"),
    "no frame number": (GOOD_AMC.replace("\n1\n", "\n", 1), 3, "expected a frame number, found 'root'"),
    "frame missing": (GOOD_AMC.replace("\n2\n", "\n3\n"), 9, "frame 3 follows frame 1"),
    "unknown bone": (GOOD_AMC.replace("tibia", "shin", 1), 6, "frame 1: no bone named 'shin' in 07.asf"),
    "bone missing": (
        GOOD_AMC.replace(GOOD_AMC.splitlines()[5] + "\n", ""),
        None,
        "frame 1 .* no values for bone 'tibia'",
    ),
    "too few values": (GOOD_AMC.replace("tibia ", "tibia # ", 1), 6, "frame 1: bone 'tibia' needs 1 number"),
    "too many values": (
        GOOD_AMC.replace("tibia ", "tibia 3 ", 1),
        6,
        "bone 'tibia' has 2 values, 1 are needed",
    ),
    "words": (GOOD_AMC.replace("tibia ", "tibia x", 1), 6, "bone 'tibia' needs 1 number"),
    "nan": (GOOD_AMC.replace("tibia ", "tibia nan # ", 1), 6, "bone 'tibia' needs 1 number"),
    "twice": (GOOD_AMC.replace("foot ", "tibia 1\nfoot ", 1), 7, "bone 'tibia' is given twice"),
    "cut": (GOOD_AMC[: GOOD_AMC.rindex("foot")], None, "frame 2 .* no values for bone 'foot'"),
}


@pytest.mark.parametrize(
    ("file", "text", "line", "message"),
    [pytest.param("07.asf", *what, id=f"skeleton, {case}") for case, what in BROKEN_ASF.items()]
    + [pytest.param("07_01.amc", *what, id=f"motion, {case}") for case, what in BROKEN_AMC.items()],
)
def test_broken_files_are_refused(folder, file, text, line, message):
    (folder / file).write_text(text)
    with pytest.raises(FileFormatError, match=message) as caught:
        load(folder / "07_01.amc")
    assert caught.value.line is not None
    assert line in (None, caught.value.line)
    assert file in str(caught.value)
