"""The correction curve's shape: which bells, where, how wide, and on which degrees of freedom.

    f(t) = Σ_b c_b φ_b(t)

A position or pose constraint at t_i gets a bell φ_i; a velocity constraint there also the bell's
derivative, made dimensionless (σ φ'). Bells are centred ahead of their constraint by the limb's lag
τ = Kd/Kp: the dynamic state trails its reference by τ, so the reference must be there earlier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, IntArray
from poise.character import Character
from poise.constraints import Constraint
from poise.curves import Basis, Combined, CompactBells, EaseBells, GaussianBells, GaussianDerivatives
from poise.errors import InputError
from poise.handles import Pose
from poise.kinematics import Kinematics
from poise.methods.loosen.simulate.gains import lag
from poise.methods.loosen.simulate.simulator import Simulator
from poise.operations.values.bell import Bell

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Layout:
    """A basis and the degrees of freedom each of its functions may move."""

    basis: Basis
    free: Mask  # (K, nv)
    scale: Array
    """Radians (or metres) per unit of the whitened unknowns, (nv,)."""

    @cached_property
    def unknowns(self) -> tuple[IntArray, IntArray]:
        """Basis function and degree of freedom of each unknown, (n,), (n,)."""
        function, dof = np.nonzero(self.free)
        return function.astype(np.int64), dof.astype(np.int64)

    @cached_property
    def size(self) -> Array:
        """Radians (or metres) per unit of each unknown, (n,)."""
        return np.asarray(self.scale[self.unknowns[1]])

    def coefficients(self, u: Array) -> Array:
        """Coefficients (…, K, nv) of whitened unknowns (…, n)."""
        out = np.zeros((*u.shape[:-1], *self.free.shape))
        out[(..., *self.unknowns)] = u * self.size
        return out


def whitening(character: Character, inertia: Array) -> Array:
    """How readily each degree of freedom is used: (I_max / I)^¾, light ones no more than others, (nv,).

    Without a floor, light joints (wrists) would do all the work; without weights, heavy ones would. The power
    decides how local the change stays: with ½ (kinetic energy) a corrected punch moves the head by 4.4 cm,
    with ¾ by 2.2 cm for a slightly larger change of the arm.
    """
    turning = np.ones(character.nv, dtype=bool)
    turning[character.dofs(0)] = False
    heaviest = float(inertia[turning].max()) if turning.any() else float(inertia.max())
    floored = np.maximum(inertia, 0.02 * heaviest)
    return np.asarray((heaviest / floored) ** 0.75)


def movers(character: Character, constraint: Constraint, q: Array, joints: Sequence[str] | None) -> Mask:
    """Degrees of freedom that may move for a constraint, (nv,) bool.

    Those its handle feels at pose q, but not the root (which carries the feet), unless the handle is a
    pose or nothing else is left; or exactly the joints that match the patterns.
    """
    if joints is not None:
        wanted = np.zeros(character.nv, dtype=bool)
        for pattern in joints:
            for body in character.select(pattern):
                wanted[character.dofs(body)] = True
        if not wanted.any():
            raise InputError(f"none of the joints {', '.join(joints)} can move")
        return wanted
    handle = constraint.handle.bind(character)
    kin = Kinematics(character, q[None], np.zeros((1, character.nv)))
    change = handle.velocity_jacobian(kin) if handle.needs_velocity else handle.jacobian(kin)
    felt = np.abs(change[0]).max(axis=0) > 1e-9
    if not felt.any():
        raise InputError(f"{constraint.name}: no joint moves the {handle.label}")
    if not isinstance(constraint.handle, Pose):
        without = felt.copy()
        without[character.dofs(0)] = False
        if without.any():
            return without
    return felt


def build(
    simulator: Simulator,
    constraints: Sequence[Constraint],
    shapes: Sequence[Bell],
    joints: Sequence[str] | None,
    inertia: Array,
) -> Layout:
    """Bells for all constraints; those at the same time with the same shape share theirs."""
    clip = simulator.clip
    character = clip.character
    trail = lag(simulator.gains)
    bells: dict[tuple[str, str, float, float, float | None], Mask] = {}
    for constraint, shape in zip(constraints, shapes):
        times = constraint.when.times(clip)
        frame = round(float(times[0]) * clip.fps) % clip.frames
        mask = movers(character, constraint, clip.q[frame], joints)
        # Very soft limbs trail by more than a bell is wide; leading by that much would miss the window.
        lead = shape.lead if shape.lead is not None else min(float(np.mean(trail[mask])), 0.3 * shape.width)
        # An interval is covered by bells a third of their width apart.
        count = int(np.ceil((times[-1] - times[0]) / (shape.width / 3))) + 1 if len(times) > 1 else 1
        count = min(max(1, count), len(times))  # one for each frame is plenty
        for centre in np.linspace(times[0], times[-1], count) if count > 1 else times[:1]:
            kinds = ["value", "rate"] if constraint.rate or constraint.handle.needs_velocity else ["value"]
            for kind in kinds:
                key = (kind, shape.kind, round(float(centre) - lead, 9), shape.width, shape.fall)
                bells[key] = bells.get(key, np.zeros(character.nv, dtype=bool)) | mask
    parts: list[Basis] = []
    for name, form, middle, width, fall in bells:
        parts.append(bell(name, form, middle, width, fall))
    basis = parts[0] if len(parts) == 1 else Combined(tuple(parts))
    return Layout(basis, np.array(list(bells.values())), whitening(character, inertia))


def bell(kind: str, form: str, centre: float, width: float, fall: float | None) -> Basis:
    """One bell of a form, or (of the kind "rate") the derivative of one."""
    at, wide = np.array([centre]), np.array([width])
    if kind == "rate":
        return GaussianDerivatives(at, wide)
    if form == "gaussian":
        return GaussianBells(at, wide)
    if form == "compact":
        return CompactBells(at, wide)
    return EaseBells(at, wide, np.array([fall or width]))
