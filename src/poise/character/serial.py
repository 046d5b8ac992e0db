"""A character as plain data, and back without losing a bit.

``to_dict`` gives what JSON can hold (Python's JSON writes floats so that they read back exactly);
infinite limits are the strings "inf" and "-inf". The arrays of a skin are kept apart, by name, for a
container that stores arrays.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import frozen
from poise.character.body import Body, Mass
from poise.character.character import Character
from poise.character.joint import Joint, JointKind
from poise.character.shape import Shape, ShapeKind
from poise.character.skin import MorphTarget, Skin
from poise.errors import InputError

VERSION = 1
_PER_DOF = ("lower", "upper", "stiffness", "damping", "armature")
_MOTOR = ("speed", "effort")
"""Written where a joint has them: files of before have none."""


def _plain(values: ArrayLike) -> Any:
    """An array as nested lists of floats, infinities as strings."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim:
        return [_plain(v) for v in array]
    value = float(array)
    return value if math.isfinite(value) else str(value)


def _array(values: Any) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)  # "inf" and "-inf" are numbers to numpy


def _with_bits(made: Any, **fields: Any) -> Any:
    """The same object with fields exactly as stored: scaling to unit length again could move a last bit."""
    for name, value in fields.items():
        exact = _array(value).reshape(getattr(made, name).shape)
        if not np.allclose(exact, getattr(made, name), rtol=1e-12, atol=1e-12):
            raise InputError(f"{name} {value} has not unit length")
        object.__setattr__(made, name, frozen(exact))
    return made


def to_dict(character: Character) -> dict[str, Any]:
    """Everything but the arrays of the skin."""
    return {
        "version": VERSION,
        "name": character.name,
        "mass_source": character.mass_source,
        "notes": list(character.notes),
        "bodies": [_body_to_dict(b) for b in character.bodies],
    }


def from_dict(data: Mapping[str, Any], *, skin: Skin | None = None) -> Character:
    """The character that ``to_dict`` described."""
    if data.get("version") != VERSION:
        raise InputError(
            f"a character of version {data.get('version')!r}; this Poise reads version {VERSION}"
        )
    try:
        return Character(
            data["name"],
            [_body_from_dict(b) for b in data["bodies"]],
            skin=skin,
            mass_source=data["mass_source"],
            notes=data["notes"],
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise InputError(
            f"the character is incomplete or damaged: {type(problem).__name__} {problem}"
        ) from None


def _body_to_dict(body: Body) -> dict[str, Any]:
    joint = body.joint
    return {
        "name": body.name,
        "parent": body.parent,
        "joint": {
            "kind": joint.kind.name.lower(),
            "axis": _plain(joint.axis),
            **{f: _plain(getattr(joint, f)) for f in _PER_DOF},
            **{f: _plain(v) for f in _MOTOR if np.isfinite(v := np.asarray(getattr(joint, f))).any()},
            **({"name": joint.name} if joint.name else {}),
        },
        "offset": _plain(body.offset),
        "rest": _plain(body.rest),
        "mass": {
            "mass": body.mass.mass,
            "centre": _plain(body.mass.centre),
            "inertia": _plain(body.mass.inertia),
        },
        "shapes": [
            {
                "kind": s.kind.value,
                "size": _plain(s.size),
                "position": _plain(s.position),
                "rotation": _plain(s.rotation),
                "material": s.material,
            }
            for s in body.shapes
        ],
        "points": {n: _plain(p) for n, p in body.points.items()},
        "side": body.side,
        "limb": body.limb,
    }


def _body_from_dict(data: Mapping[str, Any]) -> Body:
    said = data["joint"]
    per_dof = {f: _array(said[f]) for f in (*_PER_DOF, *(f for f in _MOTOR if f in said))}
    kind, name = JointKind.named(said["kind"]), str(said.get("name", ""))
    joint = _with_bits(Joint(kind, said["axis"], name=name, **per_dof), axis=said["axis"])
    shapes = [
        _with_bits(
            Shape(ShapeKind(s["kind"]), s["size"], s["position"], s["rotation"], s["material"]),
            rotation=s["rotation"],
        )
        for s in data["shapes"]
    ]
    mass = Mass(data["mass"]["mass"], data["mass"]["centre"], _array(data["mass"]["inertia"]))
    body = Body(
        data["name"],
        data["parent"],
        joint,
        data["offset"],
        data["rest"],
        mass,
        tuple(shapes),
        data["points"],
        data["side"],
        data["limb"],
    )
    made: Body = _with_bits(body, rest=data["rest"])
    return made


def skin_to_arrays(skin: Skin) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """A skin's arrays by name, and the plain rest (names of morph targets, extras that JSON can hold)."""
    arrays: dict[str, NDArray[Any]] = {
        name: getattr(skin, name) for name in ("vertices", "faces", "bodies", "weights", "inverse_bind")
    }
    if skin.normals is not None:
        arrays["normals"] = skin.normals
    for k, morph in enumerate(skin.morphs):
        arrays[f"morph_{k}_indices"], arrays[f"morph_{k}_deltas"] = morph.indices, morph.deltas
    extras: dict[str, Any] = {}
    for name, value in skin.extras.items():
        if isinstance(value, np.ndarray) and value.dtype != object:
            arrays[f"extra_{name}"] = value
        elif _is_plain(value):
            extras[name] = value
    lost = [n for n in skin.extras if n not in extras and f"extra_{n}" not in arrays]
    return arrays, {"morphs": [m.name for m in skin.morphs], "extras": extras, "lost": lost}


def _is_plain(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except (TypeError, ValueError):
        return False


def skin_from_arrays(arrays: Mapping[str, NDArray[Any]], rest: Mapping[str, Any]) -> Skin:
    """The skin that ``skin_to_arrays`` took apart."""
    morphs = tuple(
        MorphTarget(name, arrays[f"morph_{k}_indices"], arrays[f"morph_{k}_deltas"])
        for k, name in enumerate(rest["morphs"])
    )
    extras = {
        n.removeprefix("extra_"): frozen(a, dtype=a.dtype)
        for n, a in arrays.items()
        if n.startswith("extra_")
    }
    skin = Skin(
        arrays["vertices"],
        arrays["faces"],
        arrays["bodies"],
        arrays["weights"],
        arrays["inverse_bind"],
        morphs,
        arrays.get("normals"),
        {**rest["extras"], **extras},
    )
    made: Skin = _with_bits(skin, weights=arrays["weights"])
    return made
