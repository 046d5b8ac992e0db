"""Poise's own format and the plain description of a character: nothing is lost, to the last bit."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from bvh_cases import person

from poise.character import Body, Character, Joint, JointKind, MorphTarget, Shape, Skin
from poise.character.serial import from_dict, to_dict
from poise.errors import FileFormatError, InputError
from poise.formats import load, save
from poise.motion import Clip, Travel
from random_trees import random_character, random_rotation, random_state


def rich_character(rng: np.random.Generator) -> Character:
    plain = random_character(rng, 12)
    bodies = []
    for i, body in enumerate(plain.bodies):
        nv = body.joint.nv
        joint = Joint(
            body.joint.kind,
            body.joint.axis,
            rng.uniform(-2, 0, nv) if i % 2 else -np.inf,
            rng.uniform(0, 2, nv) if i % 3 else np.inf,
            rng.uniform(0, 9, nv),
            rng.uniform(0, 9, nv),
            body.joint.armature,
        )
        shapes = (
            Shape.capsule(rng.normal(size=3), rng.normal(size=3), 0.1, "cloth"),
            Shape.box(rng.normal(size=3), (0.1, 0.2, 1 / 3), rotation=random_rotation(rng)),
        )
        bodies.append(
            body.replaced(
                joint=joint,
                shapes=shapes,
                points={f"tip {i} é": rng.normal(size=3)},
                side=("left", "right", "centre")[i % 3],
                limb="arm",
            )
        )
    return Character("rich", bodies, mass_source="capsules", notes=("guessed", "«ü»"))


def rich_skin(rng: np.random.Generator, bodies: int) -> Skin:
    count = 20
    return Skin(
        rng.normal(size=(count, 3)),
        rng.integers(count, size=(30, 3)),
        rng.integers(bodies, size=(count, 4)),
        rng.uniform(0.1, 1, size=(count, 4)),
        rng.normal(size=(bodies, 4, 4)),
        (
            MorphTarget("smile", [1, 5, 7], rng.normal(size=(3, 3))),
            MorphTarget("blink", [2], rng.normal(size=(1, 3))),
        ),
        rng.normal(size=(count, 3)),
        {
            "materials": [{"name": "skin", "colour": [0.1, 0.2, 1.0]}],
            "uv": rng.normal(size=(count, 2)),
            "object": object(),
        },
    )


def assert_same(a: Character, b: Character) -> None:
    assert (a.name, a.mass_source, a.notes, a.names) == (b.name, b.mass_source, b.notes, b.names)
    for x, y in zip(a.bodies, b.bodies):
        assert (x.name, x.parent, x.side, x.limb, x.joint.kind) == (
            y.name,
            y.parent,
            y.side,
            y.limb,
            y.joint.kind,
        )
        for field in ("axis", "lower", "upper", "stiffness", "damping", "armature"):
            assert np.array_equal(getattr(x.joint, field), getattr(y.joint, field)), field
        assert np.array_equal(x.offset, y.offset)
        assert np.array_equal(x.rest, y.rest)
        assert x.mass.mass == y.mass.mass
        assert np.array_equal(x.mass.centre, y.mass.centre)
        assert np.array_equal(x.mass.inertia, y.mass.inertia)
        assert list(x.points) == list(y.points)
        assert all(np.array_equal(x.points[n], y.points[n]) for n in x.points)
        assert len(x.shapes) == len(y.shapes)
        for s, t in zip(x.shapes, y.shapes):
            assert (s.kind, s.material) == (t.kind, t.material)
            for field in ("size", "position", "rotation"):
                assert np.array_equal(getattr(s, field), getattr(t, field))


@pytest.mark.parametrize("seed", range(12))
def test_a_character_survives_json_to_the_last_bit(seed):
    character = rich_character(np.random.default_rng(seed))
    text = json.dumps(to_dict(character), allow_nan=False)
    assert_same(character, from_dict(json.loads(text)))


@pytest.mark.parametrize("seed", range(3))
def test_a_whole_clip_survives_the_file(tmp_path, seed):
    rng = np.random.default_rng(seed)
    plain = rich_character(rng)
    character = Character(
        plain.name, plain.bodies, skin=rich_skin(rng, 12), mass_source=plain.mass_source, notes=plain.notes
    )
    q, _, _ = random_state(rng, character, 9)
    clip = Clip(
        character, q, Fraction(24000, 1001), loop=True, travel=Travel((1.1, 0.1, 0), 0.3), name="gång",
    )  # fmt: skip
    back = load(save(clip, tmp_path / "clip.npz"))
    assert_same(clip.character, back.character)
    assert np.array_equal(clip.q, back.q)
    assert (back.rate, back.loop, back.name) == (clip.rate, True, "gång")
    assert np.array_equal(back.travel.translation, clip.travel.translation)
    assert back.travel.yaw == clip.travel.yaw
    a, b = clip.character.skin, back.character.skin
    for field in ("vertices", "faces", "bodies", "weights", "inverse_bind", "normals"):
        assert np.array_equal(getattr(a, field), getattr(b, field)), field
    assert [m.name for m in b.morphs] == ["smile", "blink"]
    assert all(
        np.array_equal(x.deltas, y.deltas) and np.array_equal(x.indices, y.indices)
        for x, y in zip(a.morphs, b.morphs)
    )
    assert b.extras["materials"] == a.extras["materials"]
    assert np.array_equal(b.extras["uv"], a.extras["uv"])
    assert any("object" in n for n in back.source.notes)
    # Once more: the file of what was read is the same file.
    again = save(back.replaced(source=None), tmp_path / "again.npz")
    assert_same(load(again).character, clip.character)


def test_a_clip_from_bvh_remembers_where_it_came_from(tmp_path):
    path = tmp_path / "person.bvh"
    path.write_text(person())
    clip = load(path)
    back = load(save(clip, tmp_path / "person.npz"))
    s, t = clip.source, back.source
    assert (s.path, s.format, s.unit, s.up, s.notes) == (t.path, t.format, t.unit, t.up, t.notes)
    again = load(save(back, tmp_path / "again.bvh"))
    assert (again.source.unit, again.source.up) == (s.unit, s.up)


def test_every_joint_kind_is_there():
    kinds = {b.joint.kind for seed in range(6) for b in rich_character(np.random.default_rng(seed)).bodies}
    assert kinds == set(JointKind)


@pytest.fixture
def saved(tmp_path):
    root = Body("root", None, Joint.free())
    character = Character("one", [root])
    return save(Clip(character, character.rest_pose()[None], 30), tmp_path / "clip.npz")


def rewrite(path, change) -> None:
    with np.load(path) as archive:
        arrays = {n: archive[n] for n in archive.files}
    description = json.loads(arrays["poise"].tobytes())
    description = change(description, arrays) or description
    arrays["poise"] = np.frombuffer(json.dumps(description).encode(), np.uint8)
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda d, a: d.update(version=99), "version 99 of the format"),
        (lambda d, a: d["character"].update(version=7), "character of version 7"),
        (lambda d, a: d.pop("clip") and None, "not a whole description"),
        (lambda d, a: d["character"].pop("bodies") and None, "the character is incomplete"),
        (lambda d, a: d["character"]["bodies"][0].update(joint={}), "the character is incomplete"),
        (lambda d, a: d["character"]["bodies"][0].update(rest=[2, 0, 0, 0]), "unit length"),
        (lambda d, a: d["character"]["bodies"][0]["joint"].update(kind="rubber"), "no joint kind"),
        (lambda d, a: d["clip"].update(rate="0"), "frame rate must be a positive number from"),
        (lambda d, a: a.update(q=np.zeros((3, 2))), r"q must have shape \(…, 7\)"),
        (lambda d, a: a.update(q=np.full((1, 7), np.nan)), "must be finite"),
        (lambda d, a: a.pop("q") is None, "not a whole description"),
        (lambda d, a: [1, 2], "version None"),
    ],
)
def test_damaged_files_are_refused(saved, change, message):
    rewrite(saved, change)
    with pytest.raises(FileFormatError, match=message) as caught:
        load(saved)
    assert str(caught.value).startswith(str(saved))


def test_archives_that_are_cut_foreign_or_hold_objects(saved, tmp_path):
    whole = saved.read_bytes()
    for cut in (40, 200, len(whole) // 2, len(whole) - 5):
        saved.write_bytes(whole[:cut])
        with pytest.raises(FileFormatError, match="damaged or incomplete archive"):
            load(saved)
    foreign = tmp_path / "foreign.npz"
    np.savez(foreign, a=np.zeros(3))
    with pytest.raises(FileFormatError, match="not one of Poise's"):
        load(foreign)
    np.savez(foreign, poise=np.array([object()], dtype=object))
    with pytest.raises(FileFormatError, match="damaged or incomplete archive"):
        load(foreign)


def test_descriptions_of_no_version():
    with pytest.raises(InputError, match="version None"):
        from_dict({})
