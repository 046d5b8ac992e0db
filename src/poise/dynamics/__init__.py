"""Rigid-body dynamics of characters, batched over frames and compiled.

    (M(q) + diag(armature)) v̇ + c(q, v) + g(q) = τ + Jᵀ w

Every function takes one pose (1-D arrays) or frames first (F, …) and answers in kind. Forces τ act on
degrees of freedom [N·m or N]. Wrenches w are external: per body a force at the body's origin and a
torque, both in world axes, (F, n, 6). Gravity is an acceleration vector [m/s²]. The result of a
frame is the same to the bit in any batch, at any place, on any number of threads.

Examples:
    >>> walk = poise.clips.get("walk")
    >>> weights = poise.dynamics.gravity_force(walk.character, walk.q)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array, checked
from poise.character import Character
from poise.errors import InputError
from poise.gravity import GRAVITY

__all__ = [
    "GRAVITY",
    "bias",
    "forward_dynamics",
    "gravity_force",
    "inverse_dynamics",
    "kinetic_energy",
    "mass_matrix",
    "potential_energy",
    "simulate",
]


def inverse_dynamics(
    character: Character,
    q: ArrayLike,
    v: ArrayLike,
    acceleration: ArrayLike,
    *,
    gravity: ArrayLike = GRAVITY,
    wrenches: ArrayLike | None = None,
) -> Array:
    """Joint forces τ that give the acceleration v̇, (F, nv).

    Args:
        character: Whose joints and masses they are.
        q: Configuration (nq,) or (F, nq).
        v: Velocity (nv,) or (F, nv) [m/s, rad/s].
        acceleration: (nv,) or (F, nv) [m/s², rad/s²].
        gravity: [m/s²], (3,).
        wrenches: Forces [N] and torques [N·m] on bodies at their origins, world axes (F, n, 6). Default:
            none.

    Returns:
        Array: [N or N·m], (F, nv).

    Raises:
        InputError: A shape does not fit, or the character has no mass.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> forces = poise.dynamics.inverse_dynamics(walk.character, walk.q, walk.velocity, 0 * walk.velocity)
    """
    from poise.dynamics.rnea import inverse_batch
    from poise.workers import for_groups

    batch = _Batch.of(character, q)
    out = np.empty((batch.frames, character.nv))
    for_groups(
        inverse_batch,
        batch.frames,
        character.tree,
        batch.q,
        batch.rows(v, "v"),
        batch.rows(acceleration, "acceleration"),
        _own_armature(character, None),
        _vector(gravity),
        batch.wrenches(wrenches),
        out,
    )
    return batch.answer(out)


def bias(
    character: Character,
    q: ArrayLike,
    v: ArrayLike,
    *,
    gravity: ArrayLike = GRAVITY,
    wrenches: ArrayLike | None = None,
) -> Array:
    """Joint forces that keep v constant: Coriolis, centrifugal and gravity terms c + g, (F, nv).

    Args:
        character: Whose joints and masses they are.
        q: Configuration (nq,) or (F, nq).
        v: Velocity (nv,) or (F, nv) [m/s, rad/s].
        gravity: [m/s²], (3,).
        wrenches: Forces [N] and torques [N·m] on bodies at their origins, world axes (F, n, 6). Default:
            none.

    Returns:
        Array: [N or N·m], (F, nv).

    Raises:
        InputError: A shape does not fit, or the character has no mass.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> forces = poise.dynamics.bias(walk.character, walk.q, walk.velocity)
    """
    still = np.zeros_like(np.asarray(v, dtype=np.float64))
    return inverse_dynamics(character, q, v, still, gravity=gravity, wrenches=wrenches)


def gravity_force(character: Character, q: ArrayLike, *, gravity: ArrayLike = GRAVITY) -> Array:
    """Joint forces that hold a pose at rest, (F, nv).

    Args:
        character: Whose joints and masses they are.
        q: Configuration (nq,) or (F, nq).
        gravity: [m/s²], (3,).

    Returns:
        Array: [N or N·m], (F, nv).

    Raises:
        InputError: A shape does not fit, or the character has no mass.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> weights = poise.dynamics.gravity_force(walk.character, walk.q)
    """
    still = np.zeros((*np.shape(q)[:-1], character.nv))
    return inverse_dynamics(character, q, still, still, gravity=gravity)


def mass_matrix(character: Character, q: ArrayLike, *, armature: ArrayLike | None = None) -> Array:
    """M + diag(armature), (F, nv, nv); the character's own armature unless another is given.

    Args:
        character: Whose joints and masses they are.
        q: Configuration (nq,) or (F, nq).
        armature: Inertia on degrees of freedom [kg or kg·m²], (nv,). Default: the character's.

    Returns:
        Array: [kg, kg·m, kg·m²], (F, nv, nv).

    Raises:
        InputError: A shape does not fit, or the character has no mass.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> inertia = poise.dynamics.mass_matrix(walk.character, walk.q[0])
    """
    from poise.dynamics.crba import mass_batch
    from poise.workers import for_groups

    batch, nv = _Batch.of(character, q), character.nv
    out = np.empty((batch.frames, nv, nv))
    still, inertia = np.zeros((1, nv)), _own_armature(character, armature)
    for_groups(mass_batch, batch.frames, character.tree, batch.q, still, inertia, out)
    return batch.answer(out)


def forward_dynamics(
    character: Character,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    *,
    armature: ArrayLike | None = None,
    gravity: ArrayLike = GRAVITY,
    prescribed: Mapping[str, ArrayLike] | None = None,
    wrenches: ArrayLike | None = None,
) -> Array:
    """Accelerations v̇, (F, nv).

    ``armature`` (nv,) replaces the character's own. ``prescribed`` maps names of bodies to the
    accelerations of their joints, (F, joint's nv) or (joint's nv,): those joints move as told
    (their τ is ignored) and all others feel it.

    Args:
        character: Whose joints and masses they are.
        q: Configuration (nq,) or (F, nq).
        v: Velocity (nv,) or (F, nv) [m/s, rad/s].
        tau: Joint forces (nv,) or (F, nv) [N or N·m].
        armature: Inertia on degrees of freedom [kg or kg·m²], (nv,). Default: the character's.
        gravity: [m/s²], (3,).
        prescribed: Accelerations of joints that move as told, by body [m/s², rad/s²].
        wrenches: Forces [N] and torques [N·m] on bodies at their origins, world axes (F, n, 6). Default:
            none.

    Returns:
        Array: [m/s², rad/s²], (F, nv).

    Raises:
        InputError: A shape does not fit, or the character has no mass.
        UnknownNameError: A prescribed body does not exist.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> held = poise.dynamics.gravity_force(walk.character, walk.q)
        >>> still = poise.dynamics.forward_dynamics(walk.character, walk.q, 0 * walk.velocity, held)
    """
    from poise.dynamics.aba import forward_batch
    from poise.workers import for_groups

    batch = _Batch.of(character, q)
    out = np.empty((batch.frames, character.nv))
    told, given = batch.prescribed(prescribed)
    for_groups(
        forward_batch,
        batch.frames,
        character.tree,
        batch.q,
        batch.rows(v, "v"),
        batch.rows(tau, "tau"),
        _own_armature(character, armature),
        _vector(gravity),
        told,
        given,
        batch.wrenches(wrenches),
        out,
    )
    _require_finite(character, out)
    return batch.answer(out)


def simulate(
    character: Character,
    q: ArrayLike,
    v: ArrayLike,
    *,
    step: float,
    steps: int,
    tau: ArrayLike | None = None,
    armature: ArrayLike | None = None,
    gravity: ArrayLike = GRAVITY,
    prescribed: Mapping[str, ArrayLike] | None = None,
    wrenches: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """States (q, v) after ``steps`` steps of ``step`` seconds, forces and prescriptions held constant.

    Semi-implicit Euler on the manifold: v ← v + h v̇, q ← q ⊕ h v.

    Args:
        character: Whose joints and masses they are.
        q: Configuration to begin at, (nq,) or (F, nq).
        v: Velocity to begin with, (nv,) or (F, nv) [m/s, rad/s].
        step: Length of a step [s, > 0].
        steps: How many [≥ 0].
        tau: Joint forces (nv,) or (F, nv) [N or N·m]. Default: none.
        armature: Inertia on degrees of freedom [kg or kg·m²], (nv,). Default: the character's.
        gravity: [m/s²], (3,).
        prescribed: Accelerations of joints that move as told, by body [m/s², rad/s²].
        wrenches: Forces [N] and torques [N·m] on bodies at their origins, world axes (F, n, 6). Default:
            none.

    Returns:
        tuple[Array, Array]: Configuration and velocity at the end.

    Raises:
        InputError: A shape does not fit, the character has no mass, or the step is not positive.
        UnknownNameError: A prescribed body does not exist.

    Examples:
        >>> figure = poise.characters.humanoid()
        >>> q, v = figure.rest_pose(), [0.0] * figure.nv
        >>> q, v = poise.dynamics.simulate(figure, q, v, step=0.001, steps=100)
    """
    from poise.dynamics.integration import Held, simulate_batch
    from poise.dynamics.window_arrays import Mechanism
    from poise.workers import for_groups

    if not (np.isfinite(step) and step > 0 and steps >= 0):
        raise InputError(f"a simulation needs step > 0 and steps ≥ 0, not step={step}, steps={steps}")
    batch = _Batch.of(character, q)
    end_v = batch.rows(v, "v")
    drive = np.zeros_like(end_v) if tau is None else batch.rows(tau, "tau")
    told, given = batch.prescribed(prescribed)
    for_groups(
        simulate_batch,
        batch.frames,
        Mechanism(character.tree, _own_armature(character, armature), _vector(gravity), told),
        batch.q,
        end_v,
        Held(drive, given, batch.wrenches(wrenches)),
        float(step),
        int(steps),
        grain=max(1, 16 // max(1, int(steps))),
    )
    _require_finite(character, end_v)
    return batch.answer(batch.q), batch.answer(end_v)


def kinetic_energy(character: Character, q: ArrayLike, v: ArrayLike) -> Array:
    """½ vᵀ (M + diag(armature)) v [J], (F,).

    Args:
        character: Whose joints and masses they are.
        q: Configuration (nq,) or (F, nq).
        v: Velocity (nv,) or (F, nv) [m/s, rad/s].

    Returns:
        Array: [J], (F,).

    Raises:
        InputError: A shape does not fit, or the character has no mass.

    Examples:
        >>> walk = poise.clips.get("walk")
        >>> energy = poise.dynamics.kinetic_energy(walk.character, walk.q, walk.velocity)
    """
    return _energies(character, q, v, GRAVITY)[..., 0]


def potential_energy(character: Character, q: ArrayLike, *, gravity: ArrayLike = GRAVITY) -> Array:
    """−Σ m g·x, zero where the centre of mass is level with the origin [J], (F,).

    Args:
        character: Whose joints and masses they are.
        q: Configuration (nq,) or (F, nq).
        gravity: [m/s²], (3,).

    Returns:
        Array: [J], (F,).

    Raises:
        InputError: A shape does not fit, or the character has no mass.

    Examples:
        >>> jump = poise.clips.get("jump")
        >>> energy = poise.dynamics.potential_energy(jump.character, jump.q)
    """
    still = np.zeros((*np.shape(q)[:-1], character.nv))
    return _energies(character, q, still, gravity)[..., 1]


def _energies(character: Character, q: ArrayLike, v: ArrayLike, gravity: ArrayLike) -> Array:
    from poise.dynamics.energy import energy_batch
    from poise.workers import for_groups

    batch = _Batch.of(character, q)
    out = np.empty((batch.frames, 2))
    inertia, down = _own_armature(character, None), _vector(gravity)
    for_groups(energy_batch, batch.frames, character.tree, batch.q, batch.rows(v, "v"), inertia, down, out)
    return batch.answer(out)


# Inputs, checked once ------------------------------------------------------------------------


class _Batch(NamedTuple):
    """Frames of one call. Arrays are fresh, writable and contiguous: kernels compile for nothing else."""

    character: Character
    q: Array  # (F, nq)
    single: bool

    @classmethod
    def of(cls, character: Character, q: ArrayLike) -> _Batch:
        single = np.ndim(q) == 1
        shape = (character.nq,) if single else (None, character.nq)
        rows = np.array(checked(q, "q", shape), order="C", ndmin=2)
        return cls(character, rows, single)

    @property
    def frames(self) -> int:
        return len(self.q)

    def rows(self, values: ArrayLike, name: str) -> Array:
        """Values per degree of freedom, (F, nv)."""
        shape = (self.character.nv,) if self.single else (self.frames, self.character.nv)
        return np.array(checked(values, name, shape), order="C", ndmin=2)

    def wrenches(self, values: ArrayLike | None) -> Array:
        """External wrenches, (F, 6 n), or no frames."""
        n = len(self.character.bodies)
        if values is None:
            return np.empty((0, 6 * n))
        shape = (n, 6) if self.single else (self.frames, n, 6)
        return np.array(checked(values, "wrenches", shape), order="C").reshape(self.frames, 6 * n)

    def prescribed(self, wanted: Mapping[str, ArrayLike] | None) -> tuple[NDArray[np.bool_], Array]:
        """Which links move as told (L,), and how (F, nv) or no frames."""
        tree, nv = self.character.tree, self.character.nv
        told = np.zeros(len(tree.parent), dtype=np.bool_)
        if not wanted:
            return told, np.empty((0, nv))
        given = np.zeros((self.frames, nv))
        for name, values in wanted.items():
            span = self.character.dofs(self.character.index(name))
            width = span.stop - span.start
            shape = (width,) if np.ndim(values) == 1 else (self.frames, width)
            given[:, span] = checked(values, f"prescribed acceleration of {name!r}", shape)
            told[(tree.v_start >= span.start) & (tree.v_start < span.stop)] = True
        return told, given

    def answer(self, out: Array) -> Array:
        """The result in the form of the question."""
        return out[0] if self.single else out


def _own_armature(character: Character, armature: ArrayLike | None) -> Array:
    """Joint inertia per degree of freedom, (nv,)."""
    if armature is None:
        return np.array(character.tree.armature)
    values = np.array(checked(armature, "armature", (character.nv,)))
    if (values < 0).any():
        worst = character.dof_names[int(np.argmin(values))]
        raise InputError(f"armature must not be negative; that of {worst!r} is {values.min()}")
    return values


def _vector(gravity: ArrayLike) -> Array:
    return np.array(checked(gravity, "gravity", (3,)))


def _require_finite(character: Character, out: Array) -> None:
    """A joint that moves nothing has no acceleration: say which."""
    if np.isfinite(out).all():
        return
    frame, dof = (int(x) for x in np.argwhere(~np.isfinite(out))[0])
    for i in range(len(character.bodies)):
        span, beyond = character.dofs(i), character.subtree(i)
        if span.start < span.stop and not any(character.bodies[k].mass.mass for k in beyond):
            raise InputError(
                f"{character.names[i]!r} moves but carries no mass; give it a mass or its joint an armature"
            )
    raise InputError(f"the acceleration of {character.dof_names[dof]!r} in frame {frame} is not finite")
