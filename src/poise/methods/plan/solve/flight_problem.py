"""The keys of a flight: as a stance's, but turned by the rotation that keeps angular momentum.

    y = y_c(t) a₀ + R(t) Σ_i exp(θ_i) b_i,       R from :mod:`poise.methods.plan.model.free_rotation`

R depends on the whole course of the shape, through its inertia and its own momentum: a body that tucks early
has turned further when it lands. That is how the optimum learns to tuck.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.manifold import so3
from poise.manifold.symmetric import INDEX
from poise.methods.plan.limits.floor import Floor, heights_of
from poise.methods.plan.model.bone_rotations import BoneTurns
from poise.methods.plan.model.exponential import Turned, rotations, turned
from poise.methods.plan.model.free_rotation import Spun, spun
from poise.methods.plan.model.start_state import Stretch
from poise.methods.plan.solve.rows import Rows
from poise.methods.plan.solve.stacked_rows import StackedRows
from poise.methods.plan.solve.stance_problem import Bound

STEPS_PER_SECOND = 30.0
"""Runge–Kutta steps while searching; the exported motion is integrated anew and finer."""
STEPS_PER_RADIAN = 5.0
"""More of them where the body spins fast."""

TURN_WEIGHT = 0.3
"""Residual per radian of the whole body's turn."""


class Ballistics:
    """The centre of mass in the air: place, velocity, and momentum that stays."""

    def __init__(self, place: Array, velocity: Array, momentum: Array, gravity: Array) -> None:
        self.start, self.speed, self.momentum, self.gravity = place, velocity, momentum, gravity

    def place(self, time: Array | float) -> Array:
        """[m] (…, 3)."""
        t = np.asarray(time, dtype=np.float64)[..., None]
        return self.start + self.speed * t + 0.5 * self.gravity * t**2

    def velocity(self, time: Array | float) -> Array:
        """[m/s] (…, 3)."""
        return self.speed + self.gravity * np.asarray(time, dtype=np.float64)[..., None]


class FlightProblem:
    """Residuals C(y) and their Jacobian; instants must lie on the ends of steps."""

    def __init__(
        self,
        stretch: Stretch,
        ballistics: Ballistics,
        asked: Sequence[Rows],
        floor: Floor | None = None,
        turn: Array | None = None,
        turn_slack: float = 0.0,
        bounds: Sequence[Bound] = (),
    ) -> None:
        self.bounds = list(bounds)
        self.stretch = stretch
        self.footing, self.spline, self.start, self.duration = stretch
        self.ballistics = ballistics
        self.asked, self.floor = list(asked), floor
        self.instants = [*self.asked, *(heights_of(floor) if floor is not None else ())]
        self.stack = StackedRows(self.footing.warp, self.instants)
        self.lead = np.zeros(sum(len(rows.target) for rows in self.asked))
        """Rows aim beyond their targets by this much, to make up for what true poses lose."""
        self.wanted_turn, self.turn_slack = turn, turn_slack
        marks = np.unique([0.0, self.duration, *(rows.time for rows in self.instants)])
        rate = max(STEPS_PER_SECOND, STEPS_PER_RADIAN * self._first_spin())
        counts = np.maximum(np.ceil(rate * np.diff(marks)), 2).astype(int)
        pieces = [np.full(n, gap / n) for gap, n in zip(np.diff(marks), counts)]
        self.steps = np.concatenate(pieces)
        ends = np.concatenate([[0.0], np.cumsum(self.steps)])
        times = np.empty(2 * len(self.steps) + 1)
        times[::2], times[1::2] = ends, 0.5 * (ends[1:] + ends[:-1])
        times[-1] = self.duration
        of_point = np.array([self.instants[k].time for k in self.stack.instant_of_point])
        self._at = np.array([int(np.argmin(np.abs(ends - t.time))) for t in self.instants], dtype=np.int64)
        self._centre = ballistics.place(of_point) * self.stack.carried[:, None]  # (H, 3)
        self._speed = ballistics.velocity(of_point) * self.stack.carried[:, None]
        self.turns = BoneTurns(stretch, times)

    def _first_spin(self) -> float:
        """How fast the reference shape would spin with the momentum of the take-off [rad/s]."""
        figure = self.footing.figure
        return float(np.linalg.norm(np.linalg.solve(figure.kin.inertia[0], self.ballistics.momentum)))

    def turn(self, step: Array) -> float:
        """The largest turn of a bone that a step makes at any instant [rad]."""
        return self.turns.largest(step)

    def values(self, y: Array) -> Array:
        """C (r,)."""
        turns, rates = rotations(*self.turns.at(y))
        inertia, angular = self.footing.momentum.values(turns, rates)
        spin = spun(self.steps, inertia, angular, self.ballistics.momentum, self.start.spin)
        at = self._at[self.stack.instant_of_point]
        own = self._residual(*self._moved(turns, rates, spin.rotations[at], spin.rates[at])[2:])
        parts = [own, *(bound.values(y) for bound in self.bounds)]
        if self.wanted_turn is not None:
            parts.insert(1, TURN_WEIGHT * np.array([self._beyond(self.turned_by(spin.rotations)[0])]))
        return np.concatenate(parts)

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C (r,) and J (r, unknowns)."""
        stack, half = self.stack, 2 * self._at
        now = turned(*self.turns.at(y))
        found = self.footing.momentum.gradients(now)
        s = self.turns.by_unknown
        frames = len(s)
        by_mode = found.gradients @ self.turns.turning  # (T, 12, low)
        dj = (by_mode[:, :6, :, None] * s[:, None, :, 0]).reshape(frames, 6, -1)
        dl = by_mode[:, 6:9, :, None] * s[:, None, :, 0] + by_mode[:, 9:, :, None] * s[:, None, :, 1]
        dl = dl.reshape(frames, 3, -1)
        inertia = found.inertia
        spin = spun(self.steps, inertia, found.angular, self.ballistics.momentum, self.start.spin, dj, dl)
        # δω at the instants: J δω = δRᵀ L₀ − δL − δJ ω
        pull = np.einsum("tbad,b->tad", spin.variations[self._at], self.ballistics.momentum) - dl[half]
        pull -= np.einsum("tabd,tb->tad", dj[half][:, INDEX], spin.rates[self._at])
        omega_by = np.linalg.solve(inertia[half], pull)[stack.instant_of_point]  # (H, 3, D)
        at = self._at[stack.instant_of_point]
        turn, turn_by, omega = spin.rotations[at], spin.variations[at], spin.rates[at]
        y_own, moving, place, rate = self._moved(now.value, now.rate, turn, omega)
        c = self._residual(place, rate)
        by_angle, rate_by_angle = stack.gradients(Turned(*(a[half] for a in now)))
        count, size = len(at), y.size
        along = (by_angle @ self.turns.turning).reshape(count, 3, self.spline.steered, 1)
        second = (rate_by_angle @ self.turns.turning).reshape(along.shape)
        own = s[half][stack.instant_of_point][:, None]  # (H, 1, low, 2, d)
        y_by = (along * own[..., 0, :]).reshape(count, 3, size)
        moving_by = (second * own[..., 0, :] + along * own[..., 1, :]).reshape(count, 3, size)
        moving_by += so3.hat(omega) @ y_by - so3.hat(y_own) @ omega_by
        place_by = turn @ y_by + np.einsum("habd,hb->had", turn_by, y_own)
        rate_by = turn @ moving_by + np.einsum("habd,hb->had", turn_by, moving)
        j = stack.place @ place_by.reshape(3 * count, size) + stack.rate @ rate_by.reshape(3 * count, size)
        j[np.flatnonzero(c[len(self.lead) :] == 0) + len(self.lead)] = 0.0
        residuals, jacobians = [c], [j]
        if self.wanted_turn is not None:
            r, slope = self._whole_turn(spin)
            residuals.append(r)
            jacobians.append(slope)
        for bound in self.bounds:
            r, slope = bound.rows(y)
            residuals.append(r)
            jacobians.append(slope)
        return np.concatenate(residuals), np.concatenate(jacobians)

    def _moved(self, turns: Array, rates: Array, whole: Array, omega: Array) -> tuple[Array, ...]:
        """Points y and their velocities ω × y + ẏ in the shape's frame, and both in the world, (H, 3)."""
        half = 2 * self._at
        y, dy = self.stack.images(turns[half], rates[half])
        moving = dy + np.cross(omega, y)
        place = self._centre + np.einsum("hab,hb->ha", whole, y)
        return y, moving, place, self._speed + np.einsum("hab,hb->ha", whole, moving)

    def _residual(self, place: Array, rate: Array) -> Array:
        c = self.stack.residual(place, rate)
        equal = len(self.lead)
        c[:equal] += self.lead
        if self.floor is not None:
            c[equal:] = np.minimum(c[equal:] - self.floor.aim.ravel(), 0.0)
        return c

    def _whole_turn(self, spin: Spun) -> tuple[Array, Array]:
        """The turn of the whole about the wanted axis, less the wanted angle, and its derivative.

        The twist of R about the axis, 2 atan2(q·axis, q_w), is counted on through full turns.
        """
        turned_so_far, axis, q = self.turned_by(spin.rotations)
        beyond = self._beyond(turned_so_far)
        r, by = spin.rotations[-1], spin.variations[-1]
        eta = np.einsum("ba,bcd->acd", r, by)  # Rᵀ δR = hat(η)
        eta = 0.5 * np.stack([eta[2, 1] - eta[1, 2], eta[0, 2] - eta[2, 0], eta[1, 0] - eta[0, 1]])
        # q of R R₀ᵀ varies as ½ (0, R η) q
        e = 0.5 * (r @ eta)
        w, vector = q[0], q[1:]
        twist = vector @ axis
        dw = -vector @ e
        dv = w * e + so3.hat(vector).T @ e
        slope = 2 * (w * (axis @ dv) - twist * dw) / (twist**2 + w**2)
        return TURN_WEIGHT * np.array([beyond]), TURN_WEIGHT * slope[None] * (beyond != 0)

    def _beyond(self, turned_so_far: float) -> float:
        """By how much the whole turns too far, or (negative) not far enough."""
        assert self.wanted_turn is not None
        off = turned_so_far - float(np.linalg.norm(self.wanted_turn))
        return float(np.sign(off)) * max(abs(off) - self.turn_slack, 0.0)

    def turned_by(self, rotations: Array) -> tuple[float, Array, Array]:
        """Of a course (N, 3, 3): the turn about the wanted axis [rad], the axis (3,), the last R R₀ᵀ (4,)."""
        assert self.wanted_turn is not None
        axis = self.wanted_turn / np.linalg.norm(self.wanted_turn)
        q = so3.continuous(so3.from_matrix(rotations @ self.start.spin.T))
        turned_so_far = np.unwrap(2 * np.arctan2(q[:, 1:] @ axis, q[:, 0]), period=2 * np.pi)
        return float(turned_so_far[-1]), axis, q[-1]
