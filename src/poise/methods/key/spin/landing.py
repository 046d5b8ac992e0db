"""The angular momentum that lands a body in a given orientation: a shooting problem in three unknowns.

    r(H) = log(R_wantedᵀ R(end; H)) = 0

R after a whole turn hardly depends on the axis of the turn (not at all for a round body), so the problem is
close to singular exactly where it is most wanted. Hence Levenberg–Marquardt, in units of the rotation that H
makes, with short steps: it goes where it must and leaves alone what does not matter. It starts from

* H along the wanted axis, by the mean inertia; if that does not lead to a landing with as many turns as
  wanted,
* a rigid body of the mean inertia that spins steadily about its principal axis nearest to the wanted one, led
  over to the moving shape by shares, I_s = (1 − s) Ī + s I, h_s = s h.

A body that is asked to turn with limbs that swing it off its axis may have no landing nearby; the closest
found is then the answer, with how far it misses.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.manifold import so3
from poise.methods.key.spin.free_rotation import spatial
from poise.methods.key.spin.inertia_history import InertiaHistory
from poise.solvers.levenberg_marquardt import Damping, lessen

MET = 1e-9
"""An end this close [rad] is met."""
ITERATIONS = 30
"""Most steps of the search for a momentum."""
LONGEST = 0.7
"""Longest step [rad]."""
DAMPING = Damping(1e-3, 0.1, 1e-14, 2e4)
"""In squares of rotation per rotation."""
FIRST_STRIDE, LEAST_STRIDE = 0.25, 1 / 64
"""Of the share of the moving shape, from one problem to the next."""
_DIFFERENCE = 1e-5  # [rad]


class Found(NamedTuple):
    """A momentum and where it leads."""

    momentum: Array
    """[kg·m²/s] (3,)."""
    missed: float
    """Distance from the wanted end [rad]."""
    as_often: bool = False
    """Whether it turns as often as wanted on the way, to half a turn about the wanted axis."""


def landing_momentum(
    history: InertiaHistory,
    start: Array,
    end: Array,
    turns: int,
    axis: Array,
    *,
    refine: float = 1.0,
    guess: Array | None = None,
) -> Found:
    """H that turns a body from R = ``start`` to ``end`` (4,), with whole turns about a world axis (3,)."""
    duration = float(history.edges[-1] - history.edges[0])
    rest = so3.log(so3.multiply(end, so3.conjugate(start)))
    wanted = 2 * math.pi * turns * axis + rest  # about, as a rotation vector
    frame = so3.to_matrix(start)
    inertia, own = history.at(np.linspace(history.edges[0], history.edges[-1], 65))
    mean, mean_own = frame @ inertia.mean(axis=0) @ frame.T, frame @ own.mean(axis=0)
    shooting = _Shooting(history, start, end, mean / duration, refine)

    def judged(found: Found) -> Found:
        swept = spatial(history, found.momentum[None], start, refine=refine).swept()
        return found._replace(as_often=abs(float((swept - wanted) @ axis)) < math.pi)

    found = judged(shooting.solved(mean @ wanted / duration + mean_own if guess is None else guess))
    if (found.missed <= MET and found.as_often) or guess is not None:
        return found
    moments, axes = np.linalg.eigh(mean)
    nearest = int(np.argmax(np.abs(axis @ axes)))
    about = axes[:, nearest] * math.copysign(1.0, axis @ axes[:, nearest])
    led = moments[nearest] * 2 * math.pi * turns / duration * about
    share, stride = 0.0, FIRST_STRIDE
    while share < 1 and stride >= LEAST_STRIDE:
        ahead = min(share + stride, 1.0)
        target = so3.multiply(so3.exp(ahead * rest), start)
        first = led + (ahead - share) * (mean @ rest / duration + mean_own)
        blend = _Shooting(history.towards_rigid(ahead), start, target, mean / duration, refine)
        trial = blend.solved(first, iterations=ITERATIONS // 3)
        if trial.missed <= 1e-3:  # close enough to go on from
            led, share, stride = trial.momentum, ahead, 1.5 * stride
        else:
            stride /= 2
    other = judged(shooting.solved(led))
    return min((found, other), key=lambda f: (not f.as_often, f.missed))


class _Shooting:
    """r(H) and its zero."""

    def __init__(self, history: InertiaHistory, start: Array, end: Array, unit: Array, refine: float) -> None:
        self.history, self.start, self.end, self.refine = history, start, end, refine
        self.unit = unit  # momentum per rotation vector (3, 3)

    def _errors(self, momenta: Array) -> Array:
        """r (B, 3)."""
        ends = spatial(self.history, momenta, self.start, refine=self.refine).turns[-1]
        return so3.difference(ends, self.end)

    def solved(self, momentum: Array, iterations: int = ITERATIONS) -> Found:
        """From a guess to the end, or as close as steps that only lessen the error lead."""
        probes = _DIFFERENCE * np.concatenate([np.zeros((1, 3)), np.eye(3), -np.eye(3)]) @ self.unit.T

        def look(momentum: Array) -> tuple[float, Array]:
            errors = self._errors(momentum + probes)
            return float(np.linalg.norm(errors[0])), errors

        def step(momentum: Array, errors: Array, damping: float) -> Array:
            jacobian = (errors[1:4] - errors[4:]).T / (2 * _DIFFERENCE)
            gram = jacobian.T @ jacobian + damping * np.eye(3)
            turn = -np.linalg.solve(gram, jacobian.T @ errors[0])
            turn *= min(1.0, LONGEST / max(float(np.linalg.norm(turn)), 1e-300))
            return momentum + self.unit @ turn

        found = lessen(
            momentum, look, step, DAMPING, iterations=iterations, enough=1e-13, gain=1e-4, rounding=MET / 100
        )
        return Found(found.x, found.size)
