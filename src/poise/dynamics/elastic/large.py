"""The small model for large motions: corotated forces on modes and their derivatives.

    u = u₀ + Σ ψⱼ xⱼ,     ẍ + c ẋ + λ x + g(x) + 2 E(ω) ẋ + P(d) x = −G d

The basis ψ spans the modes and the directions of their derivatives; it diagonalises M and K, so that the
linear part is exact for small motions; g is the rest of the corotated forces, by cubature. A bent body stays
as long as it is because the basis can follow and the forces make it.

Steps are implicit midpoint ones, which damp nothing and blow nothing up; Newton's matrix is learnt on the way
(Broyden), starting from the exact one of small motions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from poise.arrays import Array, IntArray
from poise.compilation import kernel
from poise.dynamics.elastic.cubature import Cubature, cubature
from poise.dynamics.elastic.inertia import Drive, fields
from poise.dynamics.elastic.reduced import ReducedModel, turned

AMPLITUDE = 0.12
"""Training shapes move the body by about this part of its size."""
TRAINING = 36
"""Shapes that cubature learns from."""
CLOSE = 2e-5
"""A step is solved when velocities change by less than this [m/s]."""
FAR = 1e4
"""Velocities [m/s] beyond which an iteration is given up."""
MOST = 30
"""Iterations per step."""
MOST_PIECES = 32
"""Parts into which a step that cannot be solved whole is divided, halving again and again."""


@dataclass(frozen=True, eq=False)
class LargeModel:
    """n coordinates of a body; fields as of ``ReducedModel``."""

    eigenvalues: Array  # (n,)
    drag: Array  # (n,)
    shapes: Array  # (n, free, 3)
    gains: Array  # (12, n)
    couplings: Array  # (12, n, n)
    coriolis: Array  # (3, n, n)
    points: Cubature
    lame: tuple[float, float]

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @cached_property
    def packed(self) -> Coordinates:
        """What compiled code takes of it."""
        return Coordinates(
            self.eigenvalues,
            self.drag,
            self.gains,
            self.couplings,
            self.coriolis,
            self.points,
            self.lame,
            np.asarray(np.abs(self.shapes).max(axis=(1, 2))),
        )


class Coordinates(NamedTuple):
    """A model as compiled code takes it: fields as of ``LargeModel``."""

    eigenvalues: Array
    drag: Array
    gains: Array
    couplings: Array
    coriolis: Array
    points: Cubature
    lame: tuple[float, float]
    sizes: Array
    """How far a unit of each coordinate moves the body [m], (n,)."""


class Runs(NamedTuple):
    """W runs over the steps of a drive."""

    start: IntArray  # (W,) the step before which each begins
    steps: IntArray  # (W,) how many it takes
    every: int
    """States after every so many steps are kept."""
    begin: Array  # (W, 2n) states to begin in


class Room(NamedTuple):
    """Where steps are worked out: n coordinates, P points."""

    F: Array  # (9, P)
    S: Array  # (9, P)
    g: Array  # (n,)
    force: Array  # (n,)
    coupling: Array  # (n, n)
    inverse: Array  # (n, n) of Newton's matrix
    mean: Array  # (n,) velocity in the middle of a step
    middle: Array  # (n,) x there
    r: Array  # (n,) what is left of the equation, and
    before: Array  # (n,) what was left before
    step: Array  # (n,)
    hy: Array  # (n,)
    sh: Array  # (n,)
    gain: Array
    """How far the mean velocity was from that at the start of the last step, (n,): where to begin next."""


def large(model: ReducedModel) -> LargeModel:
    """The model for large motions about the same shape at rest."""
    from scipy.linalg import eigh

    body, free = model.body, model.body.free
    span = np.concatenate([model.shapes, model.bends])
    flat = span.reshape(len(span), -1)
    mass = flat @ (body.free_mass @ flat.T)
    stiffness = flat @ (body.stiffness(model.rest) @ flat.T)
    eigenvalues, turn = eigh(0.5 * (stiffness + stiffness.T), 0.5 * (mass + mass.T))
    shapes = np.ascontiguousarray(np.tensordot(turn.T, span, 1))
    momentum = np.stack([(body.mass @ f)[free] for f in fields(body.nodes + model.rest)])
    coriolis, couplings = turned(body, shapes)
    training = np.linalg.solve(turn, _training(model, np.diag(stiffness)).T).T
    return LargeModel(
        eigenvalues,
        model.damping.mass + model.damping.stiffness * eigenvalues,
        shapes,
        np.einsum("cni,mni->cm", momentum, shapes),
        couplings,
        coriolis,
        cubature(body, model.rest, shapes, training),
        body.material.lame,
    )


def _training(model: ReducedModel, stiffness: Array) -> Array:
    """Shapes to learn from, in modes and directions of derivatives: softer ones larger, derivatives along."""
    rng = np.random.default_rng(1)
    extent = float(np.ptp(model.body.nodes, axis=0).max())
    first = float(np.abs(model.shapes[0]).max())
    energy = model.eigenvalues[0] * (AMPLITUDE * extent / first) ** 2
    m, b = len(model), model.bending.shape[1]
    out = rng.normal(size=(TRAINING, len(stiffness))) * np.sqrt(energy / stiffness)
    out *= rng.uniform(0.3, 1.6, size=(TRAINING, 1))
    out[:, m:] *= 0.3
    out[:, m:] += 0.5 * np.einsum("rij,ti,tj->tr", model.bending, out[:, :b], out[:, :b])
    return out


@kernel(inline=True)
def _remainder(x: Any, at: Cubature, lame: tuple[float, float], F: Any, S: Any, out: Any) -> None:
    """out (n,): g(x). F, S (9, P) are room to work in; all loops run over points, side by side."""
    weights, at_rest, gradients, moduli = at.weights, at.at_rest, at.gradients, at.moduli
    lam, mu = lame
    points, n = weights.shape[0], x.shape[0]
    for c in range(9):
        for p in range(points):
            S[c, p] = 0.0
    for j in range(n):
        for c in range(9):
            for p in range(points):
                S[c, p] += x[j] * gradients[j, c, p]  # the change of F
    for c in range(9):
        for p in range(points):
            F[c, p] = 0.0
        for d in range(9):
            for p in range(points):
                F[c, p] -= moduli[c, d, p] * S[d, p]
    # F holds −A ΔF, S the change; P(F) and P at rest are added below.
    for p in range(points):
        for half in range(2):
            a0, a1, a2 = at_rest[0, p], at_rest[1, p], at_rest[2, p]
            a3, a4, a5 = at_rest[3, p], at_rest[4, p], at_rest[5, p]
            a6, a7, a8 = at_rest[6, p], at_rest[7, p], at_rest[8, p]
            sign = -1.0
            if half == 0:
                a0, a1, a2 = a0 + S[0, p], a1 + S[1, p], a2 + S[2, p]
                a3, a4, a5 = a3 + S[3, p], a4 + S[4, p], a5 + S[5, p]
                a6, a7, a8 = a6 + S[6, p], a7 + S[7, p], a8 + S[8, p]
                sign = 1.0
            r0, r1, r2, r3, r4, r5, r6, r7, r8 = a0, a1, a2, a3, a4, a5, a6, a7, a8
            for _ in range(12):
                c0, c1, c2 = r4 * r8 - r5 * r7, r5 * r6 - r3 * r8, r3 * r7 - r4 * r6
                c3, c4, c5 = r2 * r7 - r1 * r8, r0 * r8 - r2 * r6, r1 * r6 - r0 * r7
                c6, c7, c8 = r1 * r5 - r2 * r4, r2 * r3 - r0 * r5, r0 * r4 - r1 * r3
                f = 1.0 / (r0 * c0 + r1 * c1 + r2 * c2)
                d0, d1, d2 = 0.5 * (f * c0 - r0), 0.5 * (f * c1 - r1), 0.5 * (f * c2 - r2)
                d3, d4, d5 = 0.5 * (f * c3 - r3), 0.5 * (f * c4 - r4), 0.5 * (f * c5 - r5)
                d6, d7, d8 = 0.5 * (f * c6 - r6), 0.5 * (f * c7 - r7), 0.5 * (f * c8 - r8)
                r0, r1, r2, r3, r4 = r0 + d0, r1 + d1, r2 + d2, r3 + d3, r4 + d4
                r5, r6, r7, r8 = r5 + d5, r6 + d6, r7 + d7, r8 + d8
                size = d0 * d0 + d1 * d1 + d2 * d2 + d3 * d3 + d4 * d4 + d5 * d5 + d6 * d6 + d7 * d7 + d8 * d8
                if size < 1e-24:
                    break
            t = r0 * a0 + r1 * a1 + r2 * a2 + r3 * a3 + r4 * a4 + r5 * a5 + r6 * a6 + r7 * a7 + r8 * a8
            k = lam * (t - 3.0) - 2 * mu
            F[0, p] += sign * (2 * mu * a0 + k * r0)
            F[1, p] += sign * (2 * mu * a1 + k * r1)
            F[2, p] += sign * (2 * mu * a2 + k * r2)
            F[3, p] += sign * (2 * mu * a3 + k * r3)
            F[4, p] += sign * (2 * mu * a4 + k * r4)
            F[5, p] += sign * (2 * mu * a5 + k * r5)
            F[6, p] += sign * (2 * mu * a6 + k * r6)
            F[7, p] += sign * (2 * mu * a7 + k * r7)
            F[8, p] += sign * (2 * mu * a8 + k * r8)
    for c in range(9):
        for p in range(points):
            F[c, p] *= weights[p]
    for j in range(n):
        s = 0.0
        for c in range(9):
            for p in range(points):
                s += gradients[j, c, p] * F[c, p]
        out[j] = s


@kernel(inline=True)
def _start_afresh(model: Coordinates, h: float, room: Room) -> None:
    """The inverse of a step's matrix for small motions, and nothing known of the last step."""
    room.gain[:] = 0.0
    room.inverse[:, :] = 0.0
    for i in range(model.eigenvalues.shape[0]):
        room.inverse[i, i] = 1.0 / (2 / h + model.drag[i] + 0.5 * h * model.eigenvalues[i])


@kernel(inline=True)
def _learn(room: Room) -> None:
    """Broyden: the inverse learns what the last step taught, H += (s − H y) sᵀH / sᵀH y."""
    inverse, step, r, before, hy, sh = room.inverse, room.step, room.r, room.before, room.hy, room.sh
    n = step.shape[0]
    bottom = 0.0
    for i in range(n):
        a, b = 0.0, 0.0
        for j in range(n):
            a += inverse[i, j] * (r[j] - before[j])
            b += step[j] * inverse[j, i]
        hy[i], sh[i] = a, b
    for i in range(n):
        bottom += step[i] * hy[i]
    if abs(bottom) > 1e-300:
        for i in range(n):
            f = (step[i] - hy[i]) / bottom
            for j in range(n):
                inverse[i, j] += f * sh[j]


@kernel(inline=True)
def _load(model: Coordinates, channels: Any, room: Room) -> None:
    """force = G d and coupling = P(d), d = channels (12,)."""
    n = model.eigenvalues.shape[0]
    for i in range(n):
        s = 0.0
        for c in range(12):
            s += channels[c] * model.gains[c, i]
        room.force[i] = s
        for j in range(n):
            p = 0.0
            for c in range(3, 12):
                p += channels[c] * model.couplings[c, i, j]
            room.coupling[i, j] = p


@kernel(inline=True)
def _left(model: Coordinates, spin: Any, v: Any, h: float, room: Room) -> None:
    """r = 2/h (v̄ − v) + c v̄ + λ x̄ + g(x̄) + P x̄ + 2E v̄ + G d."""
    n = v.shape[0]
    mean, middle, coriolis = room.mean, room.middle, model.coriolis
    _remainder(middle, model.points, model.lame, room.F, room.S, room.g)
    for i in range(n):
        s = 2 / h * (mean[i] - v[i]) + model.drag[i] * mean[i]
        s += model.eigenvalues[i] * middle[i] + room.g[i] + room.force[i]
        for j in range(n):
            s += room.coupling[i, j] * middle[j]
            s += mean[j] * (
                spin[0] * coriolis[0, i, j] + spin[1] * coriolis[1, i, j] + spin[2] * coriolis[2, i, j]
            )
        room.r[i] = s


@kernel(inline=True)
def _midpoint(model: Coordinates, spin: Any, h: float, x: Any, v: Any, room: Room) -> bool:
    """One step of x and v, solved for the mean velocity v̄ with x̄ = x + h/2 v̄; whether it could be solved."""
    n = x.shape[0]
    mean, gain = room.mean, room.gain
    largest = np.inf
    for i in range(n):
        mean[i] = v[i] + gain[i]  # as the last step went
    for attempt in range(MOST):
        for i in range(n):
            room.middle[i] = x[i] + 0.5 * h * mean[i]
        _left(model, spin, v, h, room)
        if attempt > 0:
            _learn(room)
        largest = 0.0
        for i in range(n):
            s = 0.0
            for j in range(n):
                s -= room.inverse[i, j] * room.r[j]
            room.step[i] = s
            mean[i] += s
            room.before[i] = room.r[i]
            largest = max(largest, abs(s) * model.sizes[i])
        if largest < CLOSE or not largest < FAR:
            break
    if not largest < CLOSE:
        return False
    for i in range(n):
        gain[i] = mean[i] - v[i]
        x[i] += h * mean[i]
        v[i] = 2 * mean[i] - v[i]
    return True


@kernel()
def run_large(
    first: int, last: int, model: Coordinates, drive: Drive, h: float, runs: Runs, out: Any
) -> None:
    """Runs ``first`` to ``last``: out (W, S, 2n), states after every ``runs.every`` steps of length h."""
    n, points = model.eigenvalues.shape[0], model.points.weights.shape[0]
    room = Room(
        np.empty((9, points)), np.empty((9, points)), np.empty(n), np.empty(n), np.empty((n, n)),
        np.empty((n, n)), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n), np.empty(n),
        np.empty(n), np.empty(n),
    )  # fmt: skip
    x, v, x0, v0 = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for run in range(first, last):
        x[:] = runs.begin[run, :n]
        v[:] = runs.begin[run, n:]
        _start_afresh(model, h, room)
        for k in range(runs.steps[run]):
            row = runs.start[run] + k
            _load(model, drive.channels[row], room)
            x0[:] = x
            v0[:] = v
            pieces, solved = 1, False
            while pieces <= MOST_PIECES:
                # A step that cannot be solved is taken in parts.
                part, solved = h / pieces, True
                x[:] = x0
                v[:] = v0
                if pieces > 1:
                    _start_afresh(model, part, room)
                for _ in range(pieces):
                    solved = _midpoint(model, drive.spin[row], part, x, v, room)
                    if not solved:
                        break
                if solved or pieces >= MOST_PIECES:
                    break
                pieces *= 2
            if pieces > 1:
                _start_afresh(model, h, room)
                if not solved:
                    x[:] = np.nan
            kept = (k + 1) // runs.every - 1
            if (k + 1) % runs.every == 0:
                out[run, kept, :n] = x
                out[run, kept, n:] = v
            if not solved:
                out[run, k // runs.every :] = np.nan
                break
