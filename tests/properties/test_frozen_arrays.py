"""Arrays that are handed out cannot be written to: nobody changes what others hold as well."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from poise import clips
from poise import constraints as c
from poise.character import MorphTarget, Skin
from poise.curves import BSpline, TangentCurve
from poise.kinematics import Kinematics


def arrays(thing: object) -> Iterator[tuple[str, np.ndarray]]:
    """Attributes of a thing that are arrays, worked out if need be."""
    for name in dir(thing):
        if not name.startswith("_") and isinstance(value := getattr(thing, name, None), np.ndarray):
            yield name, value


def things() -> dict[str, object]:
    clip = clips.get("walk")
    who = clip.character
    body = next(b for b in who.bodies if b.shapes and b.joint.nv == 3)
    basis = BSpline([0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0])
    morph = MorphTarget("smile", [0], [[0.1, 0.0, 0.0]])
    bind = np.tile(np.eye(4), (len(who.bodies), 1, 1))
    vertices = np.eye(3)
    return {
        "clip": clip,
        "character": who,
        "body": body,
        "mass": body.mass,
        "joint": body.joint,
        "shape": body.shapes[0],
        "kinematics": Kinematics(who, clip.q[:3], clip.velocity[:3]),
        "travel": clip.travel,
        "fixed target": c.Fixed([1.0, 2.0, 3.0]),
        "path": c.Path([0.0, 1.0], [[0.0, 0, 0], [1, 1, 1]]),
        "bounds of a constraint": c.pin("LeftToe", (0.0, 0.0, 0.0), 0.1),
        "basis": basis,
        "curve": TangentCurve(basis, np.zeros((len(basis.centres), who.nv))),
        "skin": Skin(vertices, [[0, 1, 2]], [[0]] * 3, np.ones((3, 1)), bind, (morph,), vertices),
        "morph target": morph,
    }


def test_arrays_are_closed_to_writing():
    for what, thing in things().items():
        found = dict(arrays(thing))
        assert found, what
        assert not [name for name, value in found.items() if value.size and value.flags.writeable], what


def test_what_was_given_stays_the_givers():
    """A copy is kept: writing to one's own array changes nothing that was made of it."""
    place = np.array([1.0, 2.0, 3.0])
    target = c.Fixed(place)
    place[:] = 9.0
    assert target.value.tolist() == [1.0, 2.0, 3.0]
    clip = clips.get("walk")
    q = np.array(clip.q)
    again = clip.with_q(q)
    q[:] = 0.0
    assert np.array_equal(again.q, clip.q)
