"""Keys as rows of numbers that must vanish.

At an instant with images y_h = 𝐖 a_h of some columns and their rates ẏ_h, the residual is

    r = P y + V ẏ − target        places, velocities, orientations and spins of bodies: linear in 𝐖 and 𝐖̇
    r = w (L − J ω* − L*)         angular momentum, or spin, of the whole

Orientations are told by the three axes of a bone: of unit vectors a small angle φ moves the nine numbers by
√2 φ, hence a factor 1/√2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array
from poise.manifold import so3
from poise.methods.plan.model.affine_figure import CENTRE, AffineFigure
from poise.methods.plan.model.ground_frame import GroundFrame
from poise.methods.plan.scene.partial_key import PERSON, TOLERANCES, WEIGHTS, PartialKey, split


@dataclass(frozen=True)
class Group:
    """The rows of one quantity of one key."""

    key: PartialKey
    quantity: str
    rows: slice
    scale: float
    """Residual per unit of the quantity."""
    tolerance: float
    """Met when it is this close."""

    def error(self, residual: Array) -> float:
        """How far the quantity is from what is asked, of the residual of all rows of the instant."""
        return float(np.linalg.norm(residual[self.rows])) / max(self.scale, 1e-300)


@dataclass(eq=False)
class Rows:
    """Everything that is asked at one instant, in a figure's own frame."""

    time: float
    columns: Array  # (1 + 3n, h)
    place: Array  # (r, 3h)
    rate: Array  # (r, 3h)
    target: Array  # (r,)
    spin: Array  # (r, 3): w of w (L − J ω* − L*); zero in other rows
    spin_rate: Array  # (3,): ω*, zero unless an angular velocity of the whole is asked
    groups: list[Group] = field(default_factory=list)

    @property
    def momentum(self) -> bool:
        """Whether angular momentum matters here."""
        return bool(self.spin.any())

    def residual(self, y: Array, dy: Array, angular: Array, inertia: Array) -> Array:
        """r (r,) of images y and rates (h, 3), momentum L (3,) and inertia J (3, 3)."""
        own = self.place @ y.ravel() + self.rate @ dy.ravel() - self.target
        return own + self.spin @ (angular - inertia @ self.spin_rate)


class RowBuilder:
    """Collects what is asked at one instant."""

    def __init__(self, figure: AffineFigure, frame: GroundFrame, time: float) -> None:
        self.figure, self.frame, self.time = figure, frame, time
        self._columns: list[Array] = []
        self._blocks: list[tuple[list[int], Array | None, Array | None, Array, Array]] = []
        self._groups: list[Group] = []
        self._spin_rate = np.zeros(3)
        self._lightness = PERSON / figure.character.total_mass
        self._count = 0

    def add(self, key: PartialKey) -> None:
        """All that a key says; targets are moved to the figure's own frame."""
        name, figure, frame = key.of, self.figure, self.frame
        into = frame.rotation.T
        if key.position is not None:
            self._axes(key, "position", into, self._local_position(key), moving=False)
        if key.velocity is not None:
            told, value = split(key.velocity)
            self._axes(key, "velocity", into, into @ value, moving=True, told=told)
        if key.orientation is not None:
            body = figure.body(name)
            given = so3.to_matrix(so3.normalise(np.asarray(key.orientation, dtype=np.float64)))
            turn = given if key.relative else into @ given @ figure.rotations[body].T
            self._bone(key, "orientation", body, place=np.eye(9), rate=None, target=turn.T.ravel())
        if key.angular_velocity is not None:
            told, value = split(key.angular_velocity)
            if name == CENTRE:
                self._whole(key, "angular_velocity", told, into @ value, spin=True)
            else:
                # Ẇ − hat(ω*) W = 0, three axes of the bone at a time
                across: Array = np.asarray(-np.kron(np.eye(3), so3.hat(into @ value)))
                body = figure.body(name)
                self._bone(key, "angular_velocity", body, place=across, rate=np.eye(9), target=np.zeros(9))
        if key.angular_momentum is not None:
            told, value = split(key.angular_momentum)
            self._whole(key, "angular_momentum", told, into @ value, spin=False)

    def done(self) -> Rows:
        """The rows collected."""
        h, size = len(self._columns), self._count
        place, rate = np.zeros((2, size, 3 * h))
        target, spin = np.zeros(size), np.zeros((size, 3))
        at = 0
        for indices, p, v, goal, turning in self._blocks:
            rows = slice(at, at + len(goal))
            where = [3 * i + axis for i in indices for axis in range(3)]
            if p is not None:
                place[rows, where] = p
            if v is not None:
                rate[rows, where] = v
            target[rows], spin[rows] = goal, turning
            at += len(goal)
        columns = np.stack(self._columns, axis=1) if h else np.zeros((1 + 3 * self.figure.bones, 0))
        return Rows(self.time, columns, place, rate, target, spin, self._spin_rate, self._groups)

    def _local_position(self, key: PartialKey) -> Array:
        told, value = split(() if key.position is None else key.position)
        if key.relative:
            return self.figure.reference @ self.figure.column(key.of) + value
        return self.frame.to_local(np.where(told > 0, value, self.frame.shift))

    def _axes(
        self,
        key: PartialKey,
        quantity: str,
        into: Array,
        target: Array,
        *,
        moving: bool,
        told: Array | None = None,
    ) -> None:
        """Rows along the axes that are told: world axes, or the figure's own for relative keys."""
        asked = getattr(key, quantity)
        told = split(asked)[0] if told is None else told
        axes = (np.eye(3) if key.relative and not moving else into.T)[told > 0]  # rows in the local frame
        scale = key.weight * WEIGHTS[quantity]
        index = self._column(self.figure.column(key.of))
        rows = scale * axes
        self._put(
            key, quantity, [index], None if moving else rows, rows if moving else None, rows @ target, scale
        )

    def _bone(
        self, key: PartialKey, quantity: str, body: int, *, place: Array, rate: Array | None, target: Array
    ) -> None:
        scale = key.weight * WEIGHTS[quantity]
        w = scale / np.sqrt(2)
        columns = self.figure.turn_columns(body)
        indices = [self._column(columns[:, k]) for k in range(3)]
        self._put(key, quantity, indices, w * place, None if rate is None else w * rate, w * target, scale)

    def _whole(self, key: PartialKey, quantity: str, told: Array, value: Array, *, spin: bool) -> None:
        scale = key.weight * WEIGHTS[quantity]
        if not spin:
            scale *= self._lightness
        axes = self.frame.rotation[told > 0]
        if spin:
            second = self.figure.reference @ self.figure.centred_mass @ self.figure.reference.T
            inertia = np.trace(second) * np.eye(3) - second
            rows = scale * axes @ np.linalg.inv(inertia)
            self._spin_rate = value
            goal = np.zeros(len(axes))
        else:
            rows = scale * axes
            goal = rows @ value
        self._put(key, quantity, [], None, None, goal, scale, rows)

    def _column(self, column: Array) -> int:
        for i, known in enumerate(self._columns):
            if np.array_equal(known, column):
                return i
        self._columns.append(column)
        return len(self._columns) - 1

    def _put(
        self,
        key: PartialKey,
        quantity: str,
        indices: list[int],
        place: Array | None,
        rate: Array | None,
        target: Array,
        scale: float,
        spin: Array | None = None,
    ) -> None:
        turning = np.zeros((len(target), 3)) if spin is None else spin
        self._blocks.append((indices, place, rate, target, turning))
        tolerance = TOLERANCES[quantity]
        if quantity == "angular_momentum":
            tolerance /= self._lightness
        rows = slice(self._count, self._count + len(target))
        self._groups.append(Group(key, quantity, rows, scale, tolerance))
        self._count += len(target)


def asked_at(
    keys: Sequence[PartialKey],
    duration: float,
    figure: AffineFigure,
    frame_at: Callable[[float], GroundFrame],
) -> list[Rows]:
    """What keys ask of a segment of a duration [s], instant by instant; its frame may move."""
    by_time: dict[float, RowBuilder] = {}
    for key in sorted(keys, key=lambda k: duration if k.at is None else k.at):
        time = duration if key.at is None or key.at > duration - 1e-12 else float(key.at)
        if time not in by_time:
            by_time[time] = RowBuilder(figure, frame_at(time), time)
        by_time[time].add(key)
    return [builder.done() for builder in by_time.values()]
