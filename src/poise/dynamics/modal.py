"""Free vibrations of a character about a pose: how it swings on its joint springs, and how that dies out.

Small motions u of the free degrees of freedom (others are held) obey

    M ü + C u̇ + K u = 0,    K = joint stiffness (+ gravity's gradient ∂g/∂q)

*Modes* diagonalise M and K: K φ = ω² M φ with φᵀ M φ = 1; u = Σ φᵢ aᵢ. With Rayleigh damping
C = α M + β K each modal coordinate is an oscillator of its own, äᵢ + cᵢ ȧᵢ + ωᵢ² aᵢ = 0; with any other C
that is an approximation (cᵢ = φᵢᵀ C φᵢ), and the *damped spectrum*, the roots λ of

    det(λ² M + λ C + K) = 0,

is exact: every motion decays at least as e^{−σt}, σ = −max Re λ.

*Held* modes are those of a character some of whose points, orientations or centre of mass stay where they
are: motions obey J u = 0, a basis N of them comes from the singular values of J, and the modes are those of
Nᵀ K N and Nᵀ M N. With J the momentum matrix (:func:`poise.kinematics.Kinematics.momentum_matrix`) they are
the modes of a body in flight, without the six that move it as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array, IntArray, checked, frozen
from poise.character import Character
from poise.dynamics import GRAVITY, gravity_force, mass_matrix
from poise.errors import InputError

Complex = NDArray[np.complex128]

RIDGE = 1e-9
"""Added to a mass matrix that rounding has made indefinite, relative to its diagonal."""


class Rayleigh(NamedTuple):
    """Damping proportional to mass and stiffness, C = α M + β K."""

    mass: float = 0.0
    """α [1/s]: damps slow modes."""
    stiffness: float = 0.0
    """β [s]: damps fast modes."""


Damping = Rayleigh | ArrayLike | None
"""Rayleigh's, or per degree of freedom (nv,), or a matrix (nv, nv); none at all."""


class Linearised(NamedTuple):
    """M ü + C u̇ + K u = 0 over the free degrees of freedom."""

    free: IntArray
    """Which degrees of freedom may move (n,)."""
    mass: Array  # (n, n)
    damping: Array  # (n, n)
    stiffness: Array  # (n, n)


@dataclass(frozen=True, eq=False)
class Modes:
    """Vibration modes, slowest first."""

    eigenvalues: Array
    """λ = ω² [1/s²] (m,); negative where the pose falls over rather than swings."""
    shapes: Array
    """Columns φ with φᵀ M φ = 1, zero where held (nv, m)."""
    damping: Array
    """c of ä + c ȧ + λ a = 0 [1/s] (m,)."""
    mass: Array
    """The character's mass matrix at the pose (nv, nv)."""

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @property
    def angular(self) -> Array:
        """ω [rad/s] (m,); 0 where the mode does not swing back."""
        return np.sqrt(np.maximum(self.eigenvalues, 0.0))

    @property
    def frequencies(self) -> Array:
        """Undamped frequencies [Hz] (m,)."""
        return self.angular / (2 * np.pi)

    @property
    def ratios(self) -> Array:
        """Damping ratios ζ = c / 2ω (m,); 1 is critical."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.damping > 0, self.damping / (2 * self.angular), 0.0)

    @cached_property
    def decay(self) -> Array:
        """Slowest rate at which each mode dies out [1/s] (m,): ζω below critical damping, less above."""
        half = 0.5 * self.damping
        below = half**2 - self.eigenvalues
        return half - np.sqrt(np.maximum(below, 0.0))

    def coordinates(self, u: ArrayLike) -> Array:
        """Modal coordinates a of motions or velocities u (…, nv): a = φᵀ M u, (…, m)."""
        return np.asarray(u, dtype=np.float64) @ (self.mass @ self.shapes)

    def motion(self, a: ArrayLike) -> Array:
        """u = Σ φᵢ aᵢ of modal coordinates (…, m), (…, nv)."""
        return np.asarray(a, dtype=np.float64) @ self.shapes.T

    def excitation(self, force: ArrayLike) -> Array:
        """Modal accelerations that forces (…, nv) cause: φᵀ f, (…, m)."""
        return np.asarray(force, dtype=np.float64) @ self.shapes


def modes(
    character: Character,
    q: ArrayLike,
    stiffness: ArrayLike,
    *,
    damping: Damping = None,
    fixed: Sequence[int | str] = (),
    held: ArrayLike | None = None,
    gravity: ArrayLike | None = None,
    count: int | None = None,
) -> Modes:
    """The ``count`` slowest modes (all by default) about the pose q (nq,).

    ``stiffness`` is per degree of freedom (nv,) or a matrix (nv, nv) [N·m/rad or N/m]. ``fixed`` holds
    degrees of freedom (by number) or whole joints (by name); ``held`` are rows J (r, nv) such that
    motions obey J u = 0. ``gravity``, an acceleration, adds its gradient.
    """
    from scipy.linalg import eigh

    system = linearised(character, q, stiffness, damping=damping, fixed=fixed, gravity=gravity)
    free = system.free
    moves = _admissible(held, character, free)  # (free, n)
    n = moves.shape[1]
    if count is not None and not 1 <= count <= n:
        raise InputError(f"{character.name!r} has {n} modes here, so 1 to {n} can be asked for, not {count}")
    last = n - 1 if count is None else count - 1
    stiff, mass_of = (moves.T @ x @ moves for x in (system.stiffness, system.mass))
    values, vectors = eigh(stiff, mass_of, subset_by_index=None if last == n - 1 else (0, last))
    vectors = moves @ vectors
    # The sign of a mode means nothing; fix it, so that results do not depend on the library.
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.where(vectors[largest, np.arange(len(values))] < 0, -1.0, 1.0)
    shapes, mass = np.zeros((character.nv, len(values))), np.zeros((character.nv, character.nv))
    shapes[free] = vectors
    mass[np.ix_(free, free)] = system.mass
    c = (vectors * (system.damping @ vectors)).sum(axis=0)
    return Modes(frozen(values), frozen(shapes), frozen(c), frozen(mass))


def damped_spectrum(
    character: Character,
    q: ArrayLike,
    stiffness: ArrayLike,
    damping: Damping,
    *,
    fixed: Sequence[int | str] = (),
    gravity: ArrayLike | None = None,
) -> Complex:
    """All 2n roots λ of det(λ² M + λ C + K) = 0 [1/s], slowest decay first.

    They are the eigenvalues of the companion matrix [[0, 1], [−M⁻¹K, −M⁻¹C]].
    """
    system = linearised(character, q, stiffness, damping=damping, fixed=fixed, gravity=gravity)
    n = len(system.free)
    both = np.linalg.solve(system.mass, np.concatenate([system.stiffness, system.damping], axis=1))
    companion = np.zeros((2 * n, 2 * n))
    companion[:n, n:] = np.eye(n)
    companion[n:] = -both
    roots = np.linalg.eigvals(companion).astype(np.complex128)
    return roots[np.argsort(-roots.real, kind="stable")]


def slowest_decay(
    character: Character,
    q: ArrayLike,
    stiffness: ArrayLike,
    damping: Damping,
    *,
    fixed: Sequence[int | str] = (),
    gravity: ArrayLike | None = None,
) -> float:
    """σ = −max Re λ [1/s]: what is left of any small motion after t is of order e^{−σt} (σ ≤ 0: it stays)."""
    return float(-damped_spectrum(character, q, stiffness, damping, fixed=fixed, gravity=gravity)[0].real)


def linearised(
    character: Character,
    q: ArrayLike,
    stiffness: ArrayLike,
    *,
    damping: Damping = None,
    fixed: Sequence[int | str] = (),
    gravity: ArrayLike | None = None,
) -> Linearised:
    """M, C and K about the pose q (nq,), of the degrees of freedom that are not ``fixed``."""
    pose = checked(q, "q", (character.nq,))
    free = _free(character, fixed)
    mass = mass_matrix(character, pose)
    k = _matrix(stiffness, "stiffness", character.nv)
    if gravity is not None:
        k = k + gravity_gradient(character, pose, gravity=gravity)
    if damping is None:
        c = np.zeros_like(mass)
    elif isinstance(damping, Rayleigh):
        c = damping.mass * mass + damping.stiffness * k
    else:
        c = _matrix(damping, "damping", character.nv)
    block = np.ix_(free, free)
    own = np.diagonal(mass)[free]
    if not (own > 0).all():
        light = character.dof_names[int(free[np.argmin(own)])]
        raise InputError(f"{light} of {character.name!r} moves no mass; give its bodies masses, or hold it")
    inertia = mass[block]
    scale = 1.0 / np.sqrt(own)
    if not np.linalg.eigvalsh(scale[:, None] * inertia * scale)[0] > 1e-13:
        # Fingers and trunks differ by many powers of ten: the least is lost to rounding, and given back.
        inertia = inertia + np.diag(RIDGE * own)
    return Linearised(free, inertia, c[block], k[block])


def gravity_gradient(character: Character, q: ArrayLike, *, gravity: ArrayLike = GRAVITY) -> Array:
    """Stiffness that gravity adds about a pose: the symmetric part of ∂g/∂q, (nv, nv).

    A hanging limb is held by it, a raised one pushed over. (The skew part belongs to the ball joints'
    moving axes; it vanishes with the forces in equilibrium.)
    """
    step = 1e-5
    pose = checked(q, "q", (character.nq,))
    shifts = step * np.eye(character.nv)
    ahead = gravity_force(character, character.manifold.plus(pose, shifts), gravity=gravity)
    behind = gravity_force(character, character.manifold.plus(pose, -shifts), gravity=gravity)
    gradient = (ahead - behind).T / (2 * step)  # column j: what a turn of j changes
    return np.asarray(0.5 * (gradient + gradient.T))


def _free(character: Character, fixed: Sequence[int | str]) -> IntArray:
    held = np.zeros(character.nv, dtype=bool)
    for item in fixed:
        if isinstance(item, str):
            held[character.dofs(item)] = True
        elif 0 <= item < character.nv:
            held[item] = True
        else:
            raise InputError(f"{character.name!r} has degrees of freedom 0 to {character.nv - 1}, not {item}")
    free = np.flatnonzero(~held).astype(np.int64)
    if not len(free):
        raise InputError(f"every degree of freedom of {character.name!r} is held: nothing can vibrate")
    return free


def _admissible(held: ArrayLike | None, character: Character, free: IntArray) -> Array:
    """Columns that span the motions of the free degrees of freedom with ``held`` u = 0, (free, n)."""
    if held is None or not np.size(held):
        return np.eye(len(free))
    rows = checked(held, "held", (None, character.nv))[:, free]
    _, sizes, right = np.linalg.svd(rows)
    rank = int((sizes > 1e-9 * max(sizes[0], 1e-300)).sum())
    if rank == len(free):
        raise InputError(f"what is held leaves {character.name!r} no motion at all")
    return np.asarray(right[rank:].T)


def _matrix(values: ArrayLike, name: str, nv: int) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim < 2:
        return np.diag(checked(array, name, (nv,)))
    return checked(array, name, (nv, nv))
