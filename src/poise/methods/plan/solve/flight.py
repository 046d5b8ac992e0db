"""Solving a flight: parabola, kept momentum, splines of the shape, and the poses that come of it."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from poise.arrays import Array
from poise.character import JointKind
from poise.constraints.report import Outcome
from poise.dynamics import GRAVITY
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.methods.plan.limits.floor import Floor
from poise.methods.plan.limits.joint_limits import LimitRows
from poise.methods.plan.limits.turn_limit import TurnLimit
from poise.methods.plan.model.exponential import rotations
from poise.methods.plan.model.free_rotation import STAGES, spun_finely
from poise.methods.plan.model.ground_frame import GroundFrame
from poise.methods.plan.model.linear_dynamics import Footing
from poise.methods.plan.model.start_state import StartState, Stretch, from_motion
from poise.methods.plan.motion_piece import MotionPiece, true_residual
from poise.methods.plan.scene.hold import Hold, as_holds
from poise.methods.plan.scene.partial_key import PartialKey
from poise.methods.plan.scene.segment import Flight
from poise.methods.plan.scene.settings import Settings
from poise.methods.plan.solve.flight_problem import Ballistics, FlightProblem
from poise.methods.plan.solve.gauss_newton import Solved
from poise.methods.plan.solve.projection import current_places, project
from poise.methods.plan.solve.refinement import searched
from poise.methods.plan.solve.rows import Rows, asked_at
from poise.methods.plan.solve.stance_problem import Bound
from poise.world import World

CHECKS = 16
"""Instants per flight at which the ground and joint limits are looked at."""
FINE = 0.012
"""Longest step of the exported rotation [s]."""
TURN_TOLERANCE = 2e-3
"""A flight's turn counts as met when it is this close [rad]."""
TURNS = 6
"""Rounds in which the time of a flight and the level of what it lands on are found in turn."""
TURN_SLACK = 0.7
"""Where something lands, that decides the turn exactly, and the turn asked for only how often round [rad]."""


class FlightMotion(MotionPiece):
    """A solved flight."""

    def __init__(
        self,
        flight: Flight,
        footing: Footing,
        frame: GroundFrame,
        start: StartState,
        problem: FlightProblem,
        solved: Solved,
    ) -> None:
        super().__init__(flight.name, problem.duration, footing, frame, start, problem, solved)
        self.flight, self.problem = flight, problem

    def shape(self, times: Array) -> Array:
        """True poses before the whole is turned and moved (T, nq)."""
        return project(self.footing.figure, self.footing.warp.pose(rotations(self.angles(times))), None).q

    def shape_velocity(self, times: Array) -> Array:
        """Their velocities (T, nv), by differences of fourth order within a piece of the splines."""
        nodes = self.problem.spline.nodes
        h = min(4e-4, float(np.diff(nodes).min()) / 20)
        piece = np.clip(np.searchsorted(nodes, times, side="right"), 1, len(nodes) - 1)
        middle = np.clip(times, nodes[piece - 1] + 2 * h, nodes[piece] - 2 * h)  # forces jump at nodes
        where = (times - middle) / h  # −2 … 2
        spots = middle[:, None] + h * np.arange(-2, 3)
        q = self.shape(spots.ravel()).reshape(len(times), 5, -1)
        away = self.character.manifold.minus(q, q[:, 2:3])  # (T, 5, nv)
        values, slopes = _through_five(where)
        v = np.einsum("tk,tkv->tv", slopes / h, away)
        # Differences are vectors at the middle; carry rotations' rates to the time itself.
        return self._carried(v, np.einsum("tk,tkv->tv", values, away))

    def _carried(self, v: Array, away: Array) -> Array:
        slots = self.character.manifold.rotation_slots[1]
        if slots.size:
            v[:, slots] = np.einsum("trab,trb->tra", so3.right_jacobian(away[:, slots]), v[:, slots])
        return v

    def spun(self, times: Array) -> tuple[Array, Array]:
        """The rotation of the whole at sorted times (T,), and its course until the last of them (N, 3, 3)."""
        marks = np.unique(np.concatenate([[0.0], times]))
        if len(marks) == 1:
            return np.tile(self.start.spin, (len(times), 1, 1)), self.start.spin[None]
        gaps, total = np.diff(marks), self.problem.ballistics.momentum
        for longest in (FINE, FINE / 8, FINE / 64):  # a body that spins this fast is rare
            counts = np.ceil(gaps / longest).astype(int)
            steps = np.repeat(gaps / counts, counts)
            begins = np.concatenate([[0.0], np.cumsum(steps)[:-1]])
            inertia, momentum = self._moments((begins[:, None] + steps[:, None] * STAGES).ravel())
            inertia, momentum = inertia.reshape(-1, 3, 3, 3), momentum.reshape(-1, 3, 3)
            found = spun_finely(steps, inertia, momentum, total, self.start.spin)
            if np.abs(found).max() < 1.0 + 1e-6:
                ends = np.concatenate([[0], np.cumsum(counts)])
                return found[ends[np.searchsorted(marks, times)]], found
        raise np.linalg.LinAlgError("the shape runs away from its own momentum")

    def _moments(self, times: Array) -> tuple[Array, Array]:
        """Inertia (T, 3, 3) and angular momentum (T, 3) of the true shape."""
        kinds = {body.joint.kind for body in self.character.bodies}
        if kinds <= {JointKind.FREE, JointKind.BALL}:  # every turn of every bone is a true pose
            states = self.problem.spline.states(times, self.solved.y)
            said = np.moveaxis(states, 2, 0) @ self.footing.turning.T  # (2, T, 3n)
            angles, rates = said.reshape(2, len(times), -1, 3) + np.stack(
                self.start.left_over(times, self.duration)
            )
            return self.footing.momentum.values(*rotations(angles, rates))
        kin = Kinematics(self.character, self.shape(times), self.shape_velocity(times))
        return kin.inertia, kin.momentum[:, 3:]

    def pose(self, times: Array) -> Array:
        """True poses in the world (T, nq)."""
        times = np.asarray(times, dtype=np.float64)
        order = np.argsort(times, kind="stable")
        turns = np.empty((len(times), 3, 3))
        turns[order] = self.spun(times[order])[0]
        q = self.shape(times)
        kin = Kinematics(self.character, q)
        root = np.einsum("tab,tb->ta", turns, kin.positions[:, 0] - kin.com)
        root = root + self.problem.ballistics.place(times)
        span = self.character.coordinates(0)
        if self.character.bodies[0].joint.kind is JointKind.FREE:
            q[:, span.start : span.start + 3] = root
            q[:, span.start + 3 : span.stop] = so3.from_matrix(turns @ kin.rotations[:, 0])
        else:
            angle = np.arctan2(turns[:, 0, 2], turns[:, 0, 0])
            q[:, span] = np.stack([root[:, 0], root[:, 2], q[:, span.stop - 1] + angle], axis=1)
        return self.frame.moved(self.character, q)

    def true_residual(self, rows: Rows) -> Array:
        """What is left of rows in the exported motion."""
        q, v = self.state(rows.time)
        local = self.frame.moved(self.character, q[None], back=True)[0]
        v = self.frame.turned_velocity(self.character, v, back=True)
        return true_residual(self.footing.figure, rows, local, v)

    @cached_property
    def turned(self) -> float:
        """How far the whole has turned about the wanted axis at the end [rad]."""
        return self.problem.turned_by(self.spun(np.array([self.duration]))[1])[0]

    @property
    def turn_error(self) -> float:
        """By how much it misses the turn asked for [rad]."""
        if self.flight.turn is None:
            return 0.0
        off = abs(self.turned - float(np.linalg.norm(self.flight.turn)))
        return max(off - self.problem.turn_slack, 0.0)

    @property
    def worst(self) -> float:
        """The largest error of a key or of the turn, over its tolerance."""
        return max(super().worst, self.turn_error / TURN_TOLERANCE)

    def reason(self) -> str:
        """Why keys that are missed may be so."""
        if self.turn_error <= TURN_TOLERANCE or self.flight.turn is None:
            return "the flight cannot do it with the time and the spin it was given"
        got, wanted = np.degrees([self.turned, float(np.linalg.norm(self.flight.turn))])
        return f"it turns {got:.0f}° of the {wanted:.0f}° asked for: take off with more spin, or fly longer"

    def outcomes(self, begins: float) -> list[Outcome]:
        """How each key of the exported motion is met, the turn of the whole, and the ground."""
        found = super().outcomes(begins)
        if self.flight.turn is None:
            return found
        wanted, error, ends = float(np.linalg.norm(self.flight.turn)), self.turn_error, begins + self.duration
        met = error <= TURN_TOLERANCE
        turn = Outcome(
            f"{self.name}: turn of the whole body", f"{ends:.3f} s", (wanted,), (self.turned,), error, "rad",
            TURN_TOLERANCE, met, ends, reason="" if met else self.reason(),
        )  # fmt: skip
        return [turn, *found]


def solve_flight(
    flight: Flight, settings: Settings, before: tuple[Array, Array], heading: float
) -> FlightMotion:
    """From the pose and velocity at take-off."""
    character = settings.character
    lands = as_holds(character, flight.lands)
    for key in flight.keys:
        key.check(character)
        if key.angular_momentum is not None or (key.of == "com" and key.angular_velocity is not None):
            raise InputError(
                f"flight {flight.name!r} cannot change its angular momentum: that is the take-off's"
            )
    frame = GroundFrame(np.zeros(3), heading)
    q, v = before
    local = frame.moved(character, q[None], back=True)[0]
    speed = frame.turned_velocity(character, v, back=True)
    footing = settings.footing(settings.reference, ())
    start = from_motion(footing, local, speed)
    kin = Kinematics(character, local, speed)
    ballistics = Ballistics(
        kin.com[0], kin.momentum[0, :3] / character.total_mass, kin.momentum[0, 3:], np.array(GRAVITY)
    )
    level = _level(flight, footing, ballistics, frame, settings.world)
    duration = _duration(flight, footing, ballistics, level)
    nodes = np.linspace(0, duration, flight.nodes + 1)
    nodes = np.unique(np.concatenate([nodes, [k.at for k in flight.keys if k.at is not None]]))
    if nodes[-1] > duration * (1 + 1e-9):
        raise InputError(f"flight {flight.name!r} lasts {duration:.3f} s: it has a key at {nodes[-1]:g} s")
    spline = settings.spline(footing, nodes, start, hard_end=False)
    keys = [*flight.keys, *_landing(flight, lands, footing, ballistics, duration, frame, level)]
    asked = asked_at(keys, duration, footing.figure, lambda _: frame)
    floor = None
    if flight.above:
        floor = Floor(footing.figure, flight.above, duration, settings.world, 2 * CHECKS)
    turn = None
    if flight.turn is not None:
        turn = frame.rotation.T @ np.asarray(flight.turn, dtype=np.float64)
        if not np.linalg.norm(turn) > 0:
            raise InputError(f"flight {flight.name!r}: a turn of nothing has no axis; leave it out")
    checks = np.linspace(0, duration, CHECKS + 1)[1:]
    stretch = Stretch(footing, spline, start, duration)
    bounds: list[Bound] = [TurnLimit(stretch)]
    if flight.limits:
        bounds.append(LimitRows(footing, spline, checks))
    slack = TURN_SLACK if lands else 0.0
    problem = FlightProblem(stretch, ballistics, asked, floor, turn, slack, bounds)
    return searched(
        problem,
        settings,
        np.zeros(spline.size),
        lambda solved: FlightMotion(flight, footing, frame, start, problem, solved),
    )


def _level(
    flight: Flight, footing: Footing, ballistics: Ballistics, frame: GroundFrame, world: World
) -> float:
    """Height of what it lands on, above the plane on which the reference pose stands [m].

    How long it flies says where it comes down, and that how long: found in turn, a few times.
    """
    if world == World.flat(0.0) or not flight.lands:
        return 0.0
    level = 0.0
    for _ in range(TURNS):
        under = ballistics.place(_duration(flight, footing, ballistics, level)) + np.asarray(flight.offset)
        x, y, _z = frame.to_world(under)
        found = world.top(float(x), float(y))
        if not np.isfinite(found):
            raise InputError(
                f"flight {flight.name!r} lands at ({x:.2f}, {y:.2f}), where the world of the scene has "
                "nothing to stand on: add a surface there, or a ground"
            )
        if abs(found - level) < 1e-9:
            break
        level = found
    return level


def _duration(flight: Flight, footing: Footing, ballistics: Ballistics, level: float) -> float:
    """Until the centre of mass comes down to the height asked for."""
    if flight.duration is not None:
        return float(flight.duration)
    usual = footing.figure.reference @ footing.figure.centre
    height = float(usual[2]) + level if flight.height is None else float(flight.height)
    up, g = float(ballistics.speed[2]), -float(ballistics.gravity[2])
    over = up**2 + 2 * g * (float(ballistics.start[2]) - height)
    if over <= 0 or up + np.sqrt(over) <= 0:
        top = float(ballistics.start[2]) + max(up, 0.0) ** 2 / (2 * g)
        raise InputError(
            f"flight {flight.name!r} never reaches the height {height:.3f} m: its centre of mass leaves at "
            f"{float(ballistics.start[2]):.3f} m with {up:.2f} m/s and rises to {top:.3f} m"
        )
    return float((up + np.sqrt(over)) / g)


def _landing(
    flight: Flight, lands: tuple[Hold, ...], footing: Footing, ballistics: Ballistics, duration: float,
    frame: GroundFrame, level: float,
) -> list[PartialKey]:  # fmt: skip
    """Keys that bring what lands down as it stands in the reference pose, below the centre of mass."""
    figure = footing.figure
    usual = current_places(figure.character, figure.q0, lands)
    centre = figure.reference @ figure.centre
    yaw = float(flight.turn[2]) if flight.turn is not None else 0.0
    turn = GroundFrame(np.zeros(3), yaw).rotation
    under = ballistics.place(duration) * (1.0, 1.0, 0.0) + np.asarray(flight.offset, dtype=np.float64)
    under[2] += level
    keys = []
    for hold, place, rotation in zip(lands, usual.positions, usual.rotations):
        at = turn @ (place - centre * (1.0, 1.0, 0.0)) + under
        world = frame.to_world(at)
        orientation = None
        if hold.turns(figure.character):
            orientation = so3.from_matrix(frame.rotation @ turn @ rotation).tolist()
        keys.append(PartialKey(hold.what, position=world.tolist(), orientation=orientation))
    return keys


def _through_five(x: Array) -> tuple[Array, Array]:
    """Weights, each (T, 5), of values at −2 … 2 for the value and for the slope at x of their quartic."""
    inverse = np.linalg.inv(np.vander(np.arange(-2.0, 3.0), increasing=True))
    powers = np.vander(x, 5, increasing=True)
    slopes = np.concatenate([np.zeros((len(x), 1)), np.arange(1, 5) * powers[:, :4]], axis=1)
    return powers @ inverse, slopes @ inverse
