"""What one sees of dynamic states in the clip that is handed out: its frames, and its curve between them.

A clip holds the states at its frames; between them it is its own C¹ cubic (``poise.motion.sampler``), and its
velocity at a frame is the central difference of the frames around. Constraints are met where they are seen,
so a time between frames looks at the frames on either side, and at those around each for its velocity.

The velocity of a *place* is that of its path through the frames, which is what a viewer sees and what a
program that is handed the frames measures: (x_{f+1} − x_{f−1}) / 2 dt at a frame, the slope of the C¹ cubic
through the frames' places between them. The joints' own velocity, J(q_f) (q_{f+1} ⊖ q_{f−1}) / 2 dt, differs
by up to 0.15 m/s in a punch at 60 frames a second: a hand goes round its shoulder between frames.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, IntArray
from poise.constraints import Constraint
from poise.constraints.report import Outcome, measure, outcome
from poise.handles import PointDifference, PointPosition
from poise.kinematics import Kinematics
from poise.manifold import ProductManifold, so3
from poise.motion import Clip
from poise.motion.sampler import slope, turned, way


@dataclass(frozen=True, eq=False)
class Sight:
    """From which states a configuration, and a velocity, at T times are seen."""

    state: IntArray
    """At the time or, between frames, at the frame before it and the one after, (T,) or (T, 2)."""
    around: IntArray | None
    """Three each, for velocities: before, at and after, or on one side at the ends, (T, 3) or (T, 2, 3)."""
    share: Array | None
    """Between frames: how far from the one to the other, (T,)."""

    @property
    def states(self) -> IntArray:
        """All that are looked at, each once."""
        return np.unique(self.state if self.around is None else self.around)

    @property
    def key(self) -> bytes:
        """The same for those that look at the same times."""
        return self.state.tobytes() + (b"" if self.share is None else self.share.tobytes())

    @property
    def nearest(self) -> IntArray:
        """The state nearest to each time, (T,)."""
        if self.share is None:
            return self.state
        return np.where(self.share < 0.5, self.state[:, 0], self.state[:, 1])

    def __call__(
        self, manifold: ProductManifold, dt: float, states: Array, *, moving: bool
    ) -> tuple[Array, Array | None]:
        """Configurations (N, T, nq) in sets of states (N, S, nq), and velocities (N, T, nv) if ``moving``."""
        v = None
        if self.around is not None:
            v = at_the_time(self.pace(manifold, dt, states), self)
        if self.share is None or v is None:
            return states[:, self.state], v if moving else None
        a, b = states[:, self.state[:, 0]], states[:, self.state[:, 1]]
        s, delta = self.share[:, None], manifold.minus(b, a)
        leave, arrive = dt * v[:, :, 0], turned(manifold, delta, dt * v[:, :, 1], so3.right_jacobian_inverse)
        f = way(s, delta, leave, arrive)
        if not moving:
            return manifold.plus(a, f), None
        rate = slope(s, delta, leave, arrive) / dt
        return manifold.plus(a, f), turned(manifold, f, rate, so3.right_jacobian)

    def path_rate(self, dt: float, places: Array) -> Array:
        """Velocities (N, T, d) of paths through places (N, …, d) at the states around (T, 3) or (T, 2, 3)."""
        v = at_the_time(np.diff(places, axis=-2) / dt, self)
        if self.share is None:
            return v
        where = np.argmax(self.around == self.state[..., None], axis=-1)  # (T, 2)
        own = np.take_along_axis(places, where[None, :, :, None, None], axis=-2)[..., 0, :]  # (N, T, 2, d)
        s = self.share[:, None]
        return np.asarray(slope(s, own[:, :, 1] - own[:, :, 0], dt * v[:, :, 0], dt * v[:, :, 1]) / dt)

    def pace(self, manifold: ProductManifold, dt: float, states: Array) -> Array:
        """Velocities of the intervals around, (N, …, 2, nv)."""
        assert self.around is not None
        return manifold.minus(states[:, self.around[..., 1:]], states[:, self.around[..., :2]]) / dt


def is_path_rate(constraint: Constraint) -> bool:
    """Whether a constraint is on the velocity of a place, which is seen as that of its path."""
    return constraint.rate and isinstance(constraint.handle, PointPosition | PointDifference)


def measured(constraint: Constraint, clip: Clip) -> Outcome:
    """How well a clip meets a constraint as it is seen."""
    if not is_path_rate(constraint):
        return measure(constraint, clip)
    times, known = constraint.when.times(clip), dict[float, int]()
    look = sight(clip, times, lambda t: known.setdefault(round(t, 12), len(known)), moving=True)
    assert look.around is not None
    kin = Kinematics(clip.character, clip.sampler.configuration(np.array(list(known))))
    places = constraint.handle.value(kin)[look.around]
    return outcome(constraint, kin, times, value=look.path_rate(clip.dt, places[None])[0])


def together(every: Sequence[Sight]) -> Sight:
    """Several sights as one; all are of frames, or all between them."""
    around = [s.around for s in every if s.around is not None]
    share = [s.share for s in every if s.share is not None]
    return Sight(
        np.concatenate([s.state for s in every]),
        np.concatenate(around) if around else None,
        np.concatenate(share) if share else None,
    )


def at_the_time(pace: Array, sight: Sight) -> Array:
    """Rates of change at the states of a sight (N, …, d), from those of the intervals around (N, …, 2, d)."""
    assert sight.around is not None
    where = np.argmax(sight.around == sight.state[..., None], axis=-1)  # 0, 1 or 2: ahead, centre, behind
    share = np.array([[1.5, -0.5], [0.5, 0.5], [-0.5, 1.5]])[where]
    return np.asarray(share[..., :1] * pace[..., 0, :] + share[..., 1:] * pace[..., 1, :])


def sight(clip: Clip, times: Array, number: Callable[[float], int], *, moving: bool) -> Sight:
    """How a clip is looked at at times [s]; ``number`` gives each state's time its number."""
    x = times * clip.fps
    on_frame = np.abs(x - np.rint(x)) < 1e-9 * np.maximum(1.0, np.abs(x))
    if on_frame.all():
        around = np.array([_stencil(clip, float(t), number) for t in times]) if moving else None
        return Sight(np.array([number(float(t)) for t in times]), around, None)
    before = np.minimum(np.floor(x), np.inf if clip.loop else max(clip.frames - 2, 0))
    both = np.stack([before, before + 1], axis=1) / clip.fps  # (T, 2)
    around = np.array([[_stencil(clip, float(t), number) for t in pair] for pair in both])
    state = np.array([[number(float(t)) for t in pair] for pair in both])
    return Sight(state, around, x - before)


def _stencil(clip: Clip, t: float, number: Callable[[float], int]) -> list[int]:
    """States that a velocity at a frame is taken from: around it, or on one side at the ends."""
    dt = clip.dt
    first = -1
    if not clip.loop and t - dt < -1e-9:
        first = 0
    elif not clip.loop and t + dt > clip.duration + 1e-9:
        first = -2
    return [number(t + (first + k) * dt) for k in range(3)]
