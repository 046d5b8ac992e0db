"""A tension turned into joint springs.

    Kp = I s² (2πf)²,    Kd = 2 ζ I s² (2πf),

I being the composite inertia that hangs on the joint in the rest pose (the diagonal of the mass matrix; for
a ball the mean of its three, since an arm that twists easily when straight does not when bent).

A joint tuned on its own inertia alone (s = 1) is slower in its chain: each joint of an arm gives way a
little. So every limb has its factor s, by which its slowest swing, all else held, is the one asked for: with
M the limb's block of the mass matrix and μ the largest root of M x = μ I x, the limb with s = 1 would swing
at f/√μ, hence s² = μ. Damping is proportional to stiffness within a limb, so that swing has the ratio asked
for too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array, frozen
from poise.character import Character, JointKind
from poise.contacts.patches import FOOT, patches
from poise.dynamics import mass_matrix
from poise.errors import InputError
from poise.operations.values.tension import HEAD, LEGS, Keyed, Spec, Spring, is_keyed, spring_of

CARRYING = 1.6
"""A driven root carries all: its frequency is so many times that asked for, or it would sag by a hand's width
(relaxed: 4.5 Hz, 12 mm)."""
WHOLE = {"hand": "arm", "foot": "leg"}
"""Limbs that are part of another."""


class Gains(NamedTuple):
    """Springs of every degree of freedom over time: one row (constant) or one per time asked."""

    stiffness: Array  # (1 or T, nv)
    damping: Array  # (1 or T, nv)


def gains_of(spring: Spring, inertia: Array) -> tuple[Array, Array]:
    """Kp and Kd of a spring on degrees of freedom with the given inertia, (n,) each."""
    if spring.frequency is not None:
        omega = 2 * np.pi * spring.frequency
        return inertia * omega**2, 2 * spring.ratio * inertia * omega
    stiffness = np.full_like(inertia, float(spring.stiffness or 0.0))
    if spring.damping is not None:
        return stiffness, np.full_like(inertia, spring.damping)
    return stiffness, 2 * spring.ratio * np.sqrt(stiffness * inertia)


@lru_cache(maxsize=16)
def inertia_of(character: Character) -> Array:
    """Composite inertia on each degree of freedom in the rest pose [kg·m² or kg], (nv,)."""
    inertia = np.diagonal(mass_matrix(character, character.rest_pose())).copy()
    bad = np.flatnonzero(~(inertia > 0))
    if len(bad):
        raise InputError(
            f"{character.dof_names[bad[0]]} of {character.name!r} moves no mass; give its bodies masses "
            "(poise.character.masses.with_guessed_masses)"
        )
    for dofs in character.manifold.rotation_slots[1]:
        inertia[dofs] = inertia[dofs].mean()
    return np.asarray(frozen(inertia))


@lru_cache(maxsize=16)
def limbs_of(character: Character) -> tuple[tuple[int, ...], ...]:
    """Bodies in limbs: those of one label and side that hang together, the root left out.

    Hands belong to arms, feet to legs.
    """
    what = [(b.side, WHOLE.get(b.limb, b.limb)) for b in character.bodies]
    number: dict[int, int] = {}
    found: list[list[int]] = []
    for i in range(1, len(what)):
        up = int(character.parents[i])
        if up > 0 and what[up] == what[i]:
            number[i] = number[up]
            found[number[i]].append(i)
        else:
            number[i] = len(found)
            found.append([i])
    return tuple(tuple(each) for each in found)


@lru_cache(maxsize=16)
def swinging_inertia(character: Character) -> Array:
    """I s²: what a frequency acts on, so that it is that of the limb's slowest swing, (nv,)."""
    inertia = np.array(inertia_of(character))
    mass = mass_matrix(character, character.rest_pose())
    for limb in limbs_of(character):
        dofs = np.concatenate([np.arange(character.nv)[character.dofs(body)] for body in limb])
        if len(dofs):
            scale = np.sqrt(inertia[dofs])
            inertia[dofs] *= float(np.linalg.eigvalsh(mass[np.ix_(dofs, dofs)] / np.outer(scale, scale))[-1])
    if character.bodies[0].joint.kind in (JointKind.FREE, JointKind.PLANAR):
        inertia[character.dofs(0)] *= CARRYING**2
    return np.asarray(frozen(inertia))


def path_to(character: Character, body: int) -> list[int]:
    """A body and those above it, up to the root's child."""
    path: list[int] = []
    for _ in character.bodies:
        if body <= 0:
            break
        path.append(body)
        body = int(character.parents[body])
    return path


@lru_cache(maxsize=16)
def standing_bodies(character: Character) -> frozenset[int]:
    """Bodies of legs: by their labels, and of whatever else a figure stands on at rest (forelegs, paws)."""
    out = {i for i, b in enumerate(character.bodies) if b.limb in ("leg", "foot")}
    own = patches(character)
    for body in own.body[own.kind == FOOT].tolist():
        for above in path_to(character, body):
            if character.bodies[above].limb not in ("foreleg", "arm", "hand", "leg", "foot"):
                break
            out.add(above)
    return frozenset(out)


def _still_gains(character: Character, spec: Any) -> tuple[Array, Array]:
    """Kp and Kd of a tension that does not change, (nv,) each; a preset's are worked out once."""
    return _preset_gains(character, spec) if isinstance(spec, str) else _sprung(character, spec)


@lru_cache(maxsize=64)
def _preset_gains(character: Character, name: str) -> tuple[Array, Array]:
    kp, kd = _sprung(character, name)
    return frozen(kp), frozen(kd)


def _sprung(character: Character, spec: Any) -> tuple[Array, Array]:
    inertia, legs = swinging_inertia(character), standing_bodies(character)
    entries: list[tuple[str, str | float | Spring]]
    if isinstance(spec, Mapping):
        entries = list(spec.items())
        if "*" not in spec:
            entries.insert(0, ("*", "relaxed"))
    else:
        entries = [("*", spec)]
    kp, kd = np.empty(character.nv), np.empty(character.nv)
    for pattern, value in entries:
        tension = spring_of(value)
        for body in character.select(pattern):
            span = character.dofs(body)
            gain = _preset_gain(character, body, legs) if isinstance(value, str) else 1.0
            p, d = gains_of(tension, inertia[span])
            kp[span], kd[span] = p * gain**2, d * gain
    return kp, kd


def _preset_gain(character: Character, body: int, legs: frozenset[int]) -> float:
    """How much tenser than others presets hold a body."""
    if body in legs:
        return LEGS
    return HEAD if character.bodies[body].limb == "head" else 1.0


def resolve(
    character: Character, tension: Spec | Keyed, times: Array | None = None, *, period: float | None = None
) -> Gains:
    """Gains of a tension for a character, at ``times`` where it is keyed; ``period`` [s] repeats the keys.

    Between keys stiffness and damping change geometrically (an octave in pitch takes as long anywhere).
    """
    if not is_keyed(tension):
        kp, kd = _still_gains(character, tension)
        return Gains(np.array(kp, ndmin=2), np.array(kd, ndmin=2))
    keys = _keys(tension)
    at = np.array([float(k[0]) for k in keys])
    if len(at) == 0 or (np.diff(at) <= 0).any() or not np.isfinite(at).all():
        raise InputError("keyed tension needs increasing, finite times")
    if period is not None and len(at) > 1 and at[-1] - at[0] >= period * (1 - 1e-9):
        keys, at = keys[:-1], at[:-1]  # the last key is the first again
    rows = [_still_gains(character, k[1]) for k in keys]
    if times is None:
        raise InputError("keyed tension needs the times it is wanted at")

    def blend(values: Array) -> Array:
        logs = np.log(np.maximum(values, 1e-12))
        return np.exp(np.stack([np.interp(times, at, column, period=period) for column in logs.T], axis=-1))

    return Gains(blend(np.array([r[0] for r in rows])), blend(np.array([r[1] for r in rows])))


def _keys(tension: Any) -> list[tuple[float, Spec]]:
    try:
        keys = [(float(time), spec) for time, spec in tension]
    except (TypeError, ValueError):
        raise InputError(
            "a tension is a name, a frequency [Hz], a Spring, a mapping by joint, or keys (time, tension); "
            f"not {tension!r}"
        ) from None
    return keys


def lag(gains: Gains) -> Array:
    """τ = Kd / Kp: how far a degree of freedom trails its reference [s], (nv,)."""
    return np.asarray(gains.damping.mean(axis=0) / np.maximum(gains.stiffness.mean(axis=0), 1e-12))
