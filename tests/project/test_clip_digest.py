"""The digest of a clip changes with everything that moves or is moved, and with nothing else."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from poise import clips
from poise.character import MorphTarget, Skin
from poise.motion import Clip
from poise.motion.travel import Travel
from poise.project.clip_digest import character_digest, clip_digest


@pytest.fixture(scope="module")
def walk() -> Clip:
    clip = clips.get("walk")
    who = clip.character
    skin = Skin(
        vertices=[[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        faces=[[0, 1, 2], [0, 2, 3]],
        bodies=[[0], [1], [2], [3]],
        weights=np.ones((4, 1)),
        inverse_bind=np.tile(np.eye(4), (len(who.bodies), 1, 1)),
        morphs=(MorphTarget("smile", [0, 1], [[0.1, 0, 0], [0, 0.1, 0]]),),
        normals=np.tile([0.0, 0, 1], (4, 1)),
        extras={"colours": np.zeros((4, 3)), "material": {"metal": 0.5}},
    )
    dressed = who.with_bodies(who.bodies, skin=skin)
    return Clip(
        dressed, clip.q, clip.rate, loop=True, travel=clip.travel, morphs=np.full((clip.frames, 1), 0.25)
    )


def moved(array, *place):
    """A copy with one number raised by the least amount."""
    out = np.array(array)
    out[place] = np.nextafter(out[place], np.inf) if out.dtype.kind == "f" else out[place] + 1
    return out


MOTIONS = {
    "a coordinate": lambda c: {"q": moved(c.q, 3, 0)},
    "the rate": lambda c: {"rate": c.rate * Fraction(1001, 1000)},
    "whether it is a loop": lambda c: {"loop": False, "travel": Travel()},
    "the way of a cycle": lambda c: {"travel": Travel(moved(c.travel.translation, 0), c.travel.yaw)},
    "the turn of a cycle": lambda c: {"travel": Travel(c.travel.translation, 1e-9)},
    "an expression": lambda c: {"morphs": moved(c.morphs, 0, 0)},
    "no expressions": lambda c: {"morphs": None},
    "fewer frames": lambda c: {"q": c.q[:-1], "morphs": c.morphs[:-1]},
}


def _of(skin: Skin, **changes) -> Skin:
    names = ("vertices", "faces", "bodies", "weights", "inverse_bind", "morphs", "normals", "extras")
    return Skin(**{**{name: getattr(skin, name) for name in names}, **changes})


def _morph(skin: Skin, **changes) -> tuple[MorphTarget, ...]:
    (one,) = skin.morphs
    return (MorphTarget(**{"name": one.name, "indices": one.indices, "deltas": one.deltas, **changes}),)


SKINS = {
    "a vertex": lambda s: _of(s, vertices=moved(s.vertices, 0, 0)),
    "a triangle": lambda s: _of(s, faces=moved(s.faces, 0, 2)),
    "who moves a vertex": lambda s: _of(s, bodies=moved(s.bodies, 0, 0)),
    "where a body is bound": lambda s: _of(s, inverse_bind=moved(s.inverse_bind, 1, 0, 3)),
    "a normal": lambda s: _of(s, normals=moved(s.normals, 0, 0)),
    "no normals": lambda s: _of(s, normals=None),
    "the name of a morph target": lambda s: _of(s, morphs=_morph(s, name="frown")),
    "which vertices a target moves": lambda s: _of(s, morphs=_morph(s, indices=[0, 2])),
    "how far a target moves them": lambda s: _of(s, morphs=_morph(s, deltas=[[0.1, 0, 0], [0, 0.2, 0]])),
    "a material": lambda s: _of(s, extras={**s.extras, "material": {"metal": 0.6}}),
    "a colour": lambda s: _of(s, extras={**s.extras, "colours": np.ones((4, 3))}),
    "what an array is called": lambda s: _of(
        s, extras={"tints": s.extras["colours"], "material": s.extras["material"]}
    ),
}


@pytest.mark.parametrize("what", MOTIONS)
def test_every_part_of_a_motion_counts(walk, what):
    assert clip_digest(walk.replaced(**MOTIONS[what](walk))) != clip_digest(walk)


@pytest.mark.parametrize("what", SKINS)
def test_every_part_of_a_skin_counts(walk, what):
    who = walk.character
    other = who.with_bodies(who.bodies, skin=SKINS[what](who.skin))
    assert character_digest(other) != character_digest(who)


def test_every_part_of_a_body_counts(walk):
    who = walk.character
    hand = who.index("LeftHand")
    body = who.bodies[hand]
    changes = {
        "offset": moved(body.offset, 0),
        "points": {**body.points, "more": (0.0, 0.0, 0.1)},
        "shapes": body.shapes[:-1],
        "side": "right",
        "limb": "head",
    }
    for field, value in changes.items():
        bodies = [*who.bodies[:hand], body.replaced(**{field: value}), *who.bodies[hand + 1 :]]
        assert character_digest(who.with_bodies(bodies)) != character_digest(who), field


def test_names_and_notes_of_a_clip_do_not_count(walk):
    assert clip_digest(walk.replaced(name="another").with_note("looked at")) == clip_digest(walk)
    again = Clip(
        walk.character, np.array(walk.q), walk.rate, loop=True, travel=walk.travel, morphs=walk.morphs
    )
    assert clip_digest(again) == clip_digest(walk)
