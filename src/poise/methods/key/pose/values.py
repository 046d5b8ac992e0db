"""A pose in numbers a person would write: joints by name, angles in degrees if so marked.

A joint's value is what ``JointValue`` measures: the angle of a hinge, the rotation vector of a ball, x, z and
angle of a planar root, place and rotation vector of a free one. A number is in radians or metres; "40 deg" is
40 degrees.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, checked
from poise.character import Character
from poise.errors import InputError
from poise.manifold import so3
from poise.manifold.product import ROTATION


def pose(
    character: Character, joints: Mapping[str, Any] | None = None, *, base: ArrayLike | None = None
) -> Array:
    """(nq,): the rest pose, or ``base``, with some joints changed: ``{"LeftLeg": "40 deg"}``."""
    q = np.array(character.rest_pose() if base is None else checked(base, "base", (character.nq,)))
    for name, value in (joints or {}).items():
        joint = character.bodies[character.index(name)].joint
        given = [value] if isinstance(value, str | int | float | np.number) else value
        if not isinstance(given, list | tuple | np.ndarray) or len(given) != joint.nv:
            many = "1 number" if joint.nv == 1 else f"{joint.nv} numbers"
            raise InputError(f"joint {name!r} ({joint.kind.name.lower()}) takes {many}, not {value!r}")
        numbers = np.array([quantity(part, f"joint {name!r}") for part in given])
        span, at = character.coordinates(name), 0
        parts = []
        for size in joint.kind.blocks:
            count = 3 if size == ROTATION else size
            part = numbers[at : at + count]
            parts.append(so3.exp(part) if size == ROTATION else part)
            at += count
        q[span] = np.concatenate(parts) if parts else q[span]
    return q


def quantity(value: Any, name: str) -> float:
    """A number, or text such as "40 deg" in radians."""
    text, factor = value, 1.0
    if isinstance(value, str):
        text = value.strip().removesuffix("°").strip()
        if text != value.strip() or text.endswith("deg"):
            text, factor = text.removesuffix("deg"), math.pi / 180.0
    try:
        number = factor * float(text)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise InputError(f'{name}: a value is a number [rad or m] or text such as "40 deg", not {value!r}')
    return number
