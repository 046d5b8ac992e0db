"""The keys of a flight: as a stance's, but turned by the rotation that keeps angular momentum.

    y = y_c(t) a₀ + R(t) Σ_i exp(θ_i) b_i,       R from :mod:`poise.methods.spacetime.spin`

R depends on the whole course of the shape, through its inertia and its own momentum: a body that tucks early
has turned further when it lands. That is how the optimum learns to tuck.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array
from poise.manifold import so3
from poise.methods.spacetime.exponential import Turned, turned
from poise.methods.spacetime.footing import Footing
from poise.methods.spacetime.joint_limits import only_negative
from poise.methods.spacetime.modal_spline import ModalSpline
from poise.methods.spacetime.rows import Rows
from poise.methods.spacetime.spin import Spun, spun
from poise.methods.spacetime.stance_problem import Bound, images
from poise.methods.spacetime.start_state import StartState

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

    def velocity(self, time: float) -> Array:
        """[m/s] (3,)."""
        return self.speed + self.gravity * time


class FlightProblem:
    """Residuals C(y) and their Jacobian; instants must lie on the ends of steps."""

    def __init__(
        self,
        footing: Footing,
        spline: ModalSpline,
        start: StartState,
        duration: float,
        ballistics: Ballistics,
        asked: Sequence[Rows],
        never_below: Sequence[Rows] = (),
        turn: Array | None = None,
        turn_slack: float = 0.0,
        bounds: Sequence[Bound] = (),
    ) -> None:
        self.bounds = list(bounds)
        self.footing, self.spline, self.start, self.duration = footing, spline, start, duration
        self.ballistics = ballistics
        self.asked, self.never_below = list(asked), list(never_below)
        self.instants = [*self.asked, *self.never_below]
        self.wanted_turn, self.turn_slack, self._turned = turn, turn_slack, 0.0
        marks = np.unique([0.0, duration, *(rows.time for rows in self.instants)])
        rate = max(STEPS_PER_SECOND, STEPS_PER_RADIAN * self._first_spin())
        counts = np.maximum(np.ceil(rate * np.diff(marks)), 2).astype(int)
        pieces = [np.full(n, gap / n) for gap, n in zip(np.diff(marks), counts)]
        self.steps = np.concatenate(pieces)
        ends = np.concatenate([[0.0], np.cumsum(self.steps)])
        times = np.empty(2 * len(self.steps) + 1)
        times[::2], times[1::2] = ends, 0.5 * (ends[1:] + ends[:-1])
        times[-1] = duration
        self._at = [int(np.argmin(np.abs(ends - rows.time))) for rows in self.instants]
        sampled = spline.sample(times)
        low, n = spline.steered, footing.figure.bones
        self._by_unknown = sampled.by_unknown
        self._turning = np.ascontiguousarray(footing.turning[:, :low])
        extra, extra_rate = start.left_over(times, duration)
        base = np.einsum("bm,tma->tba", footing.turning, sampled.fixed)
        self._angles = base[..., 0].reshape(-1, n, 3) + extra
        self._rates = base[..., 1].reshape(-1, n, 3) + extra_rate
        self._handles = [footing.warp.handle(rows.columns) for rows in self.instants]

    def _first_spin(self) -> float:
        """How fast the reference shape would spin with the momentum of the take-off [rad/s]."""
        figure = self.footing.figure
        return float(np.linalg.norm(np.linalg.solve(figure.kin.inertia[0], self.ballistics.momentum)))

    def turn(self, step: Array) -> float:
        """The largest turn of a bone that a step makes at any instant [rad]."""
        moved = np.einsum("tnd,nd->tn", self._by_unknown[:, :, 0], step.reshape(self.spline.steered, -1))
        turns = (moved @ self._turning.T).reshape(-1, 3)
        return float(np.sqrt((turns**2).sum(axis=1).max(initial=0.0)))

    def rows(self, y: Array) -> tuple[Array, Array]:
        """C (r,) and J (r, unknowns)."""
        unknowns = y.reshape(self.spline.steered, -1)
        states = np.einsum("tnad,nd->tna", self._by_unknown, unknowns)
        shape = self._angles.shape
        now = turned(
            self._angles + (states[..., 0] @ self._turning.T).reshape(shape),
            self._rates + (states[..., 1] @ self._turning.T).reshape(shape),
        )
        found = self.footing.momentum.gradients(now)
        s = self._by_unknown  # (T, low, 2, d)
        frames = len(s)
        dj = self._chain(found.inertia_by_angle.reshape(frames, 9, -1), s[:, :, 0]).reshape(frames, 3, 3, -1)
        dl = self._chain(found.angular_by_angle, s[:, :, 0]) + self._chain(found.angular_by_rate, s[:, :, 1])
        inertia = found.inertia
        spin = spun(self.steps, inertia, found.angular, self.ballistics.momentum, self.start.spin, dj, dl)
        residuals, jacobians = [], []
        for k, asked in enumerate(self.instants):
            half = 2 * self._at[k]
            # δω at the instant: J δω = δRᵀ L₀ − δL − δJ ω
            i = self._at[k]
            pull = np.einsum("bad,b->ad", spin.variations[i], self.ballistics.momentum)
            pull = pull - dl[half] - np.einsum("abd,b->ad", dj[half], spin.rates[i])
            rate_variation = np.linalg.solve(inertia[half], pull)
            r, j = self._instant(k, asked, Turned(*(a[half] for a in now)), spin, rate_variation, s[half])
            if k >= len(self.asked):
                r, j = only_negative(r, j)
            residuals.append(r)
            jacobians.append(j)
        if self.wanted_turn is not None:
            r, j = self._whole_turn(spin)
            residuals.append(r)
            jacobians.append(j)
        for bound in self.bounds:
            r, j = bound.rows(y)
            residuals.append(r)
            jacobians.append(j)
        if not residuals:
            return np.zeros(0), np.zeros((0, y.size))
        return np.concatenate(residuals), np.concatenate(jacobians)

    def _chain(self, gradient: Array, s: Array) -> Array:
        """Gradients by turns of bones (T, a, 3n) to gradients by unknowns (T, a, unknowns)."""
        by_mode = gradient @ self._turning  # (T, a, low)
        out = by_mode[..., None] * s[:, None]
        return out.reshape(*by_mode.shape[:2], -1)

    def _instant(
        self, k: int, asked: Rows, now: Turned, spin: Spun, rate_variation: Array, s: Array
    ) -> tuple[Array, Array]:
        b, _ = self._handles[k]
        i = self._at[k]
        turn, turn_by = spin.rotations[i], spin.variations[i]  # R, δR (3, 3, D)
        omega = spin.rates[i]
        y, dy, by_angle, rate_by_angle = images(now, b)
        h = len(y)
        along = (by_angle @ self._turning)[:, :, None]  # (3h, low, 1)
        second = (rate_by_angle @ self._turning)[:, :, None]
        y_by = (along * s[:, 0]).reshape(h, 3, -1)
        dy_by = (second * s[:, 0] + along * s[:, 1]).reshape(h, 3, -1)
        cross = so3.hat(omega)
        moving = dy + y @ cross.T  # ω × y + ẏ, in the shape's frame
        moving_by = dy_by + np.einsum("ab,hbd->had", cross, y_by)
        moving_by = moving_by - np.einsum("hab,bd->had", so3.hat(y), rate_variation)
        whole = asked.columns[0][:, None]
        at = float(asked.time)
        place = whole * self.ballistics.place(at) + y @ turn.T
        rate = whole * self.ballistics.velocity(at) + moving @ turn.T
        place_by = np.einsum("abd,hb->had", turn_by, y) + np.einsum("ab,hbd->had", turn, y_by)
        rate_by = np.einsum("abd,hb->had", turn_by, moving) + np.einsum("ab,hbd->had", turn, moving_by)
        r = asked.aimed(place, rate, np.zeros(3), np.zeros((3, 3)))
        j = asked.place @ place_by.reshape(3 * h, -1) + asked.rate @ rate_by.reshape(3 * h, -1)
        return r, j

    def _whole_turn(self, spin: Spun) -> tuple[Array, Array]:
        """The turn of the whole about the wanted axis, less the wanted angle, and its derivative.

        The twist of R about the axis, 2 atan2(q·axis, q_w), is counted on through full turns.
        """
        assert self.wanted_turn is not None
        angle = float(np.linalg.norm(self.wanted_turn))
        axis = self.wanted_turn / angle
        r, by = spin.rotations[-1], spin.variations[-1]
        eta = np.einsum("ba,bcd->acd", r, by)  # Rᵀ δR = hat(η)
        eta = 0.5 * np.stack([eta[2, 1] - eta[1, 2], eta[0, 2] - eta[2, 0], eta[1, 0] - eta[0, 1]])
        q = so3.continuous(so3.from_matrix(spin.rotations @ self.start.spin.T))
        twist, w = q[:, 1:] @ axis, q[:, 0]
        turned_so_far = np.unwrap(2 * np.arctan2(twist, w), period=2 * np.pi)
        # q of R R₀ᵀ varies as ½ (0, R η) q
        e = 0.5 * (r @ eta)
        vector = q[-1, 1:]
        dw = -vector @ e
        dv = w[-1] * e + so3.hat(vector).T @ e
        slope = 2 * (w[-1] * (axis @ dv) - twist[-1] * dw) / (twist[-1] ** 2 + w[-1] ** 2)
        off = float(turned_so_far[-1]) - angle
        beyond = np.sign(off) * max(abs(off) - self.turn_slack, 0.0)
        self._turned = angle + off
        return TURN_WEIGHT * np.array([beyond]), TURN_WEIGHT * slope[None] * (beyond != 0)

    def turned_by(self, spin: Spun) -> float:
        """The turn of the whole about the wanted axis [rad]."""
        self._whole_turn(spin)
        return self._turned
