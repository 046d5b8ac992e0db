"""Joint springs for characters that have none: presets by part of the body.

As in :mod:`poise.character.presets.stiffness`, a spring is told by the frequency at which it swings what its
joint carries. Here frequencies are about the *body's* axes (roll about x, flexion about y, twist about z),
whatever way the bones of a file are turned, and parts are found by their labels.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.character.presets.stiffness import carried_tensor
from poise.errors import InputError, UnknownNameError
from poise.kinematics import Kinematics
from poise.methods.plan.scene import checks as given

Hertz = tuple[float, float, float]
Factors = Mapping[str, float | Sequence[float]]
"""Of stiffness, by joint."""

STIFFNESSES: dict[str, dict[str, Hertz]] = {
    "standing": {
        "spine": (4.0, 4.0, 4.0),
        "head": (5.0, 5.0, 5.0),
        "arm": (5.0, 5.0, 5.0),
        "hand": (25.0, 25.0, 25.0),
        "leg": (1.2, 0.4, 1.2),
        "foot": (1.2, 0.66, 1.2),
        "tail": (8.0, 8.0, 8.0),
        "": (25.0, 25.0, 25.0),
    },
}
"""Frequencies [Hz] about x, y, z by limb. Legs are sprung against the weight they carry, softly in
flexion.
"""
STIFFNESSES["loose"] = {
    limb: (0.7 * x, 0.7 * y, 0.7 * z) for limb, (x, y, z) in STIFFNESSES["standing"].items()
}
STIFFNESSES["stiff"] = {
    limb: (1.4 * x, 1.4 * y, 1.4 * z) for limb, (x, y, z) in STIFFNESSES["standing"].items()
}


FREE: Hertz = (25.0, 6.0, 25.0)
"""How fast a limb that carries nothing swings at most [Hz]: roll, flexion, twist."""


SHARE = 0.03
"""Feet are sprung as if they were at least this part of their limb: light as they are, they must not flap."""


def stiffness(
    character: Character,
    q0: Array,
    preset: str | None = None,
    joints: Factors | None = None,
) -> Array:
    """Stiffness of the joints (nv, nv): the character's own, or by a preset where it has none.

    ``joints`` multiplies the stiffness of joints by name or pattern, about all axes or about each of the
    joint's own: ``{"*Arm": 2.0, "*Foot": (1.0, 0.1, 1.0)}``.
    """
    own = character.stiffness
    if preset is None and own.any():
        out = np.diag(own)
    else:
        name = preset or "standing"
        if name not in STIFFNESSES:
            raise UnknownNameError("stiffness preset", name, STIFFNESSES)
        out = _by_limb(character, q0, STIFFNESSES[name])
    for pattern, factor in (joints or {}).items():
        several = list(factor) if isinstance(factor, (tuple, list)) else [factor]
        for value in several:
            given.number(value, f"stiffness of joints {pattern!r}, a factor,", above=0)
        scale = np.ones(character.nv)
        for body in character.select(pattern):
            axes = character.bodies[body].joint.nv
            if len(several) not in (1, axes):
                name = character.names[body]
                raise InputError(f"{name!r} has {axes} axes: give one factor or {axes}, not {len(several)}")
            scale[character.dofs(body)] = np.sqrt(several)
        out = scale[:, None] * out * scale
    return out


def released(character: Character, q0: Array, stiffness: Array, idle: Collection[int]) -> Array:
    """Stiffness (nv, nv) while the joints of ``idle`` bodies carry nothing.

    A spring made for what stands above it would swing a free limb with up to a hundred hertz, a foot above
    all: it is put in series with one for what hangs below, K (K + k)⁻¹ k.
    """
    axes = Kinematics(character, q0).placement.axes[0]  # (nv, 3), world
    out = stiffness.copy()
    for i in idle:
        span = character.dofs(i)
        top = i
        while int(character.parents[top]) in idle:
            top = int(character.parents[top])
        below, limb = (float(np.trace(carried_tensor(character, j))) / 3 for j in (i, top))
        inertia = max(below, SHARE * limb, 1e-6 * character.total_mass)
        turn = axes[span]
        limit = turn @ np.diag(inertia * (2 * np.pi * np.array(FREE)) ** 2) @ turn.T
        own = stiffness[span, span]
        out[span, span] = own @ np.linalg.solve(own + limit, limit)
    return out


def _by_limb(character: Character, q0: Array, table: Mapping[str, Hertz]) -> Array:
    axes = Kinematics(character, q0).placement.axes[0]  # (nv, 3), world
    out = np.zeros((character.nv, character.nv))
    tips = _tips(character)
    for i, body in enumerate(character.bodies):
        if body.joint.kind not in (JointKind.HINGE, JointKind.BALL):
            continue
        limb = body.limb if body.limb in table else ""
        hertz = np.array(table[""] if i in tips else table[limb])
        above = limb in ("leg", "foot") and i not in tips
        # The mean of all axes: a limb must not spin like a top about its own.
        inertia = float(np.trace(carried_tensor(character, i, above=above))) / 3
        inertia = max(inertia, 1e-6 * character.total_mass)
        span = character.dofs(i)
        turn = axes[span]  # rows: the joint's axes in the world
        out[span, span] = turn @ np.diag(inertia * (2 * np.pi * hertz) ** 2) @ turn.T
    return out


def _tips(character: Character) -> set[int]:
    """Fingers and toes: what hangs below the first body of a hand or foot."""
    found = set()
    for i, body in enumerate(character.bodies):
        up = int(character.parents[i])
        if body.limb in ("hand", "foot") and up >= 0 and character.bodies[up].limb == body.limb:
            found.add(i)
    return found
