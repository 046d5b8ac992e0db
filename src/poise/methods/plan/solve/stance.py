"""Solving a stance: reference pose, impact, splines, keys, and the poses that come of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from poise.arrays import Array
from poise.character import JointKind
from poise.dynamics import mass_matrix
from poise.kinematics import Kinematics
from poise.methods.plan.limits.above_ground import AboveGround
from poise.methods.plan.limits.floor import Floor
from poise.methods.plan.limits.ground_push import SETTLED, GroundPush
from poise.methods.plan.limits.joint_limits import LimitRows
from poise.methods.plan.limits.turn_limit import TurnLimit
from poise.methods.plan.model.affine_figure import CENTRE, AffineFigure
from poise.methods.plan.model.exponential import rotations, turned
from poise.methods.plan.model.ground_frame import GroundFrame
from poise.methods.plan.model.linear_dynamics import Footing
from poise.methods.plan.model.start_state import StartState, Stretch, at_rest, from_motion
from poise.methods.plan.motion_piece import MotionPiece, true_residual
from poise.methods.plan.scene.hold import Hold, as_holds
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.segment import Stance
from poise.methods.plan.scene.settings import Settings
from poise.methods.plan.solve.gauss_newton import Solved
from poise.methods.plan.solve.projection import Places, Projected, current_places, hold_jacobian, project
from poise.methods.plan.solve.refinement import searched
from poise.methods.plan.solve.rows import RowBuilder, Rows, asked_at
from poise.methods.plan.solve.stance_problem import Bound, StanceProblem

STEP = 0.035
"""Time between rows, about [s]."""
WEIGHT = 0.3
"""Of the path, against keys."""

CHECKS = 16
"""Instants per stance at which joint limits are looked at."""

BLOW = 0.02
"""How long an impact lasts [s]."""


class StanceMotion(MotionPiece):
    """A solved stance."""

    def __init__(
        self,
        stance: Stance,
        footing: Footing,
        frame: GroundFrame,
        start: StartState,
        drift: Array,
        places: Places,
        problem: StanceProblem,
        solved: Solved,
    ) -> None:
        super().__init__(stance.name, stance.duration, footing, frame, start, problem, solved)
        self.stance, self.problem = stance, problem
        self._drift = drift  # velocity over the ground at the start, world axes
        self.places = places  # of what is held
        self.effort += problem.spline.given_effort

    def slid(self, times: Array) -> Array:
        """How far everything has slid over the ground, world axes [m] (T, 3)."""
        rate = self.stance.slide
        if rate is None:
            return np.zeros((len(times), 3))
        return -np.expm1(-rate * times)[:, None] / rate * self._drift

    def last_state(self) -> StartState:
        """The modal state it ends in; nothing is left over by then."""
        modal = self.problem.spline.states(np.array([self.duration]), self.solved.y)[0]
        still = np.zeros((self.footing.figure.bones, 3))
        return StartState(modal, still, still, np.eye(3))

    def warped(self, times: Array) -> Array:
        """𝐖 (T, 3, 1 + 3n) in the segment's own frame, before bones are made rigid."""
        return self.footing.warp.pose(rotations(self.angles(times)))

    def projected(self, times: Array) -> Projected:
        """True poses in the segment's own frame."""
        return project(self.footing.figure, self.warped(times), self.places)

    def pose(self, times: Array) -> Array:
        """True poses in the world (T, nq)."""
        times = np.asarray(times, dtype=np.float64)
        q = self.frame.moved(self.character, self.projected(times).q)
        if self._drift.any():
            free = self.character.bodies[0].joint.kind is JointKind.FREE
            axes = [0, 1, 2] if free else [0, 2]
            first = self.character.coordinates(0).start
            q[:, first : first + len(axes)] += self.slid(times)[:, axes]
        return q

    def reason(self) -> str:
        """Why keys that are missed may be so."""
        if self.solved.converged:
            return "the search ended here: the key asks more than the modes can do in the time"
        return "the search did not converge; more time, fewer keys or more modes may help"

    def true_residual(self, rows: Rows) -> Array:
        """What is left of rows in the exported motion."""
        q, v = self.state(rows.time)
        # Rows are told in the segment's own frame, which slides with it.
        drift = self._drift * np.exp(-(self.stance.slide or 0.0) * rows.time)
        v = _without_drift(v, drift)
        local = GroundFrame(self.slid(np.array([rows.time]))[0]).moved(self.character, q[None], back=True)
        local = self.frame.moved(self.character, local, back=True)[0]
        v = self.frame.turned_velocity(self.character, v, back=True)
        return true_residual(self.footing.figure, rows, local, v)


def solve_stance(
    stance: Stance,
    settings: Settings,
    before: tuple[Array, Array] | None,
    previous: MotionPiece | None = None,
) -> StanceMotion:
    """From the pose and velocity in which the ``previous`` segment ended; None: at rest in the reference."""
    character = settings.character
    holds = as_holds(character, stance.holds)
    as_holds(character, stance.stop)
    for key in stance.keys:
        key.check(character)
    drift = np.zeros(3)
    jump = 0.0
    guides: list[Rows] = []
    if before is None:
        frame, q0 = GroundFrame(), settings.reference
        footing = settings.footing(q0, holds)
        start = at_rest(footing)
    else:
        q, v = before
        frame, q0 = settings.placed(q, holds, stance.name)
        footing = settings.footing(q0, holds)
        if stance.slide is not None:
            drift = Kinematics(character, q, v).momentum[0, :3] / character.total_mass * (1.0, 1.0, 0.0)
        v = _without_drift(v, drift)
        after = _impact(settings, q, v, holds)
        jump = float(np.abs(after - v).max())
        local = frame.moved(character, q[None], back=True)[0]
        speed = frame.turned_velocity(character, after, back=True)
        start = from_motion(footing, local, speed)
        if stance.absorb is not None:
            guides = landing_rows(footing.figure, local, speed, min(stance.absorb, stance.duration))
        if isinstance(previous, StanceMotion) and previous.footing is footing and stance.slide is None:
            start = previous.last_state()  # the same modes: carried on as they are
        start = _stopped(footing, start, settings.steered(footing), stance.stop)
    nodes = stance.duration * np.linspace(0, 1, stance.nodes + 1) ** (2 if guides else 1)  # most at an impact
    nodes = np.unique(np.concatenate([nodes, [k.at for k in stance.keys if k.at is not None]]))
    spline = settings.spline(footing, nodes, start, hard_end=stance.rest)
    asked = asked_at(stance.keys, stance.duration, footing.figure, _sliding(frame, stance, drift))
    checks = np.linspace(0, stance.duration, CHECKS + 1)[1:]
    stretch = Stretch(footing, spline, start, stance.duration)
    bounds: list[Bound] = [TurnLimit(stretch)] if spline.size else []
    if spline.size and stance.limits:
        bounds.append(LimitRows(footing, spline, checks))
    if spline.size and stance.least_push is not None:
        first = 0.0 if before is None or guides else SETTLED
        bounds.append(GroundPush(stretch, stance.least_push, first, stance.friction))
    floor = None
    if spline.size and stance.above:
        floor = Floor(footing.figure, stance.above, stance.duration, settings.world)
        bounds.append(AboveGround(stretch, floor, float(frame.shift[2])))
    problem = StanceProblem(stretch, asked, bounds, guides, floor)
    places = current_places(character, q0, holds)
    motion = searched(
        problem,
        settings,
        np.zeros(spline.size),
        lambda solved: StanceMotion(stance, footing, frame, start, drift, places, problem, solved),
    )
    motion.facts["velocity jump at the start"] = jump
    return motion


def _sliding(frame: GroundFrame, stance: Stance, drift: Array) -> Callable[[float], GroundFrame]:
    """Where the segment's own frame is at a time."""
    rate = stance.slide

    def at(time: float) -> GroundFrame:
        if rate is None:
            return frame
        return GroundFrame(frame.shift - np.expm1(-rate * time) / rate * drift, frame.heading)

    return at


def _without_drift(v: Array, drift: Array) -> Array:
    if not drift.any():
        return v
    out = v.copy()
    out[:3] -= drift
    return out


def _impact(settings: Settings, q: Array, v: Array, holds: tuple[Hold, ...]) -> Array:
    """Velocity after held things have stopped: v − N⁻¹Jᵀ(JN⁻¹Jᵀ)⁻¹ J v with N = M + h²K.

    A blow lasts h: joints stiff enough to swing faster than that ride along with what carries them.
    """
    rows = hold_jacobian(Kinematics(settings.character, q), holds)[0]
    moving = rows @ v
    if np.abs(moving).max(initial=0.0) < 1e-7:
        return v
    stiff = settings.stiffness if settings.stiffness.ndim == 2 else np.diag(settings.stiffness)
    response = np.linalg.solve(mass_matrix(settings.character, q) + BLOW**2 * stiff, rows.T)  # (nv, r)
    gram = rows @ response
    gram += 1e-12 * np.trace(gram) * np.eye(len(gram))
    return v - response @ np.linalg.solve(gram, moving)


def _stopped(footing: Footing, start: StartState, low: int, points: Sequence[str]) -> StartState:
    """The state after points are stopped, with the least change of the slow modes' velocities.

    Left to all modes, nearly all of a blow would go to the fastest and be lost to the eye.
    """
    if not points:
        return start
    columns = np.stack([footing.figure.column(p) for p in points], axis=1)
    arms = footing.warp.handle(columns)[0].reshape(footing.figure.bones, 3, -1)  # (n, 3, h)
    said = footing.turning @ start.modal
    angles, rates = (said[:, k].reshape(-1, 3) for k in (0, 1))
    now = turned(angles + start.turns, rates + start.rates)
    speed = np.einsum("nab,nbh->ha", now.rate, arms)
    by_rate = np.einsum("nkab,nbh->hank", now.by_angle, arms).reshape(speed.size, -1)  # (3h, 3n)
    rows = by_rate @ footing.turning[:, :low]
    modal = start.modal.copy()
    modal[:low, 1] -= np.linalg.pinv(rows) @ speed.ravel()
    return StartState(modal, start.turns, start.rates, start.spin)


def landing_rows(figure: AffineFigure, q: Array, v: Array, time: float) -> list[Rows]:
    """From a pose (nq,) and velocity (nv,) in the figure's own frame to rest within a time [s]."""
    kin = Kinematics(figure.character, q, v)
    speed, spin = kin.momentum[0, :3] / figure.character.total_mass, kin.momentum[0, 3:]
    usual = figure.reference @ figure.centre
    found = []
    for s in np.linspace(0, 1, max(int(time / STEP), 4) + 1)[1:].tolist():
        place = usual + (kin.com[0] - usual) * (1 + 2 * s) * (1 - s) ** 2 + time * speed * s * (1 - s) ** 3
        builder = RowBuilder(figure, GroundFrame(), s * time)
        builder.add(PartialKey(CENTRE, position=place.tolist(), weight=WEIGHT))
        builder.add(PartialKey(CENTRE, angular_momentum=(spin * (1 - s) ** 2).tolist(), weight=0.2 * WEIGHT))
        found.append(builder.done())
    return found
