"""How far the linear model is from the truth: the exported motion under full inverse dynamics.

The style of a synthesised motion comes from linear forces; whether a body could do it is another question.
For the true motion q(t) the forces are f = M v̇ + c + g − τ₀ + K u + D v, where τ₀ balances gravity in the
reference pose. What the ground gives is taken out of them, f − Jᵀλ of least M⁻¹ norm, before they are
compared:

    E_true = ½ ∫ |f|²_{M⁻¹} dt     against     E_lin = ½ ∫ Σ f_i² dt

Also: the force of the ground F = m (c̈ − g), the friction it needs, and the point it acts at (ZMP).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from poise.arrays import Array
from poise.dynamics import GRAVITY, gravity_force, inverse_dynamics, mass_matrix
from poise.gravity import EARTH
from poise.kinematics import Kinematics
from poise.methods.plan.motion_piece import MotionPiece
from poise.methods.plan.scene.settings import Settings
from poise.methods.plan.solve.flight import FlightMotion
from poise.methods.plan.solve.projection import hold_jacobian, stretches
from poise.methods.plan.solve.stance import StanceMotion

STEP = 1e-3
"""Of the differences that give velocities and accelerations [s]."""


@dataclass(frozen=True)
class Plausibility:
    """Of one segment."""

    segment: str
    effort_ratio: float
    """E_true / E_lin."""
    least_vertical: float
    """Smallest vertical force of the ground, in weights; in the air 0 is right."""
    greatest_vertical: float
    friction: float
    """Largest ratio of horizontal to vertical force, while a fifth of the weight is on the ground."""
    zmp_outside: float
    """How far the point where the ground must push leaves what is held (its bounding box) [m]."""
    spin_drift: float
    """In the air: change of angular momentum, relative to it or to that of one radian per second."""
    parabola: float
    """In the air: distance of the centre of mass from its parabola [m]."""
    most_turn: float
    """Largest turn of a bone from its reference [rad]."""
    most_turned: str
    """Which bone that is."""
    stretch: float
    """How far warped bones were from rigid before projection."""
    projection: float
    """Largest change of a joint by projection [rad]."""

    def to_dict(self) -> dict[str, float | str]:
        """Plain data."""
        return asdict(self)


def check(piece: MotionPiece, settings: Settings, *, samples: int = 40) -> Plausibility:
    """Look at a solved segment with full dynamics."""
    character = piece.character
    margin = 2.1 * STEP
    times = np.linspace(margin, piece.duration - margin, samples)
    spots = (times[:, None] + STEP * np.arange(-2, 3)).ravel()
    q = piece.pose(spots).reshape(samples, 5, -1)
    away = character.manifold.minus(q, q[:, 2:3])
    v = np.einsum("k,tkv->tv", np.array([1, -8, 0, 8, -1]) / (12 * STEP), away)
    a = np.einsum("k,tkv->tv", np.array([-1, 16, -30, 16, -1]) / (12 * STEP**2), away)
    kin = Kinematics(character, q[:, 2], v)
    com = Kinematics(character, q.reshape(samples * 5, -1)).com.reshape(samples, 5, 3)
    push = np.einsum("k,tka->ta", np.array([-1, 16, -30, 16, -1]) / (12 * STEP**2), com) - np.array(GRAVITY)
    weight = EARTH
    airborne = isinstance(piece, FlightMotion)
    drift = parabola = outside = friction = 0.0
    if isinstance(piece, FlightMotion):
        total = piece.problem.ballistics.momentum @ piece.frame.rotation.T
        size = max(float(np.linalg.norm(total)), float(np.trace(kin.inertia[0])) / 3)
        # Forces jump at nodes, and differences across them say nothing of the motion.
        within = np.abs(times[:, None] - piece.problem.spline.nodes).min(axis=1) > 2 * STEP
        drift = float(np.abs(kin.momentum[within, 3:] - total).max()) / size
        path = piece.frame.to_world(piece.problem.ballistics.place(times))
        parabola = float(np.abs(kin.com - path).max())
    elif isinstance(piece, StanceMotion):
        loaded = push[:, 2] > 0.2 * weight
        if loaded.any():
            sideways = np.linalg.norm(push[loaded, :2], axis=1)
            friction = float((sideways / push[loaded, 2]).max())
        outside = _zmp_outside(piece, kin, push, times)
    effort = _true_effort(piece, settings, q[:, 2], v, a, times)
    angles = np.linalg.norm(_angles(piece, times), axis=2)
    stretch = step = 0.0
    if isinstance(piece, StanceMotion):
        stretch = float(stretches(piece.warped(times)).max())
        step = float(piece.projected(times).step.max())
    return Plausibility(
        segment=piece.name,
        effort_ratio=effort / max(piece.effort, 1e-12) if piece.effort > 1e-9 else float("nan"),
        least_vertical=0.0 if airborne else float(push[:, 2].min() / weight),
        greatest_vertical=0.0 if airborne else float(push[:, 2].max() / weight),
        friction=friction,
        zmp_outside=outside,
        spin_drift=drift,
        parabola=parabola,
        most_turn=float(angles.max()),
        most_turned=character.names[int(angles.max(axis=0).argmax())],
        stretch=stretch,
        projection=step,
    )


def _angles(piece: MotionPiece, times: Array) -> Array:
    assert isinstance(piece, (StanceMotion, FlightMotion))
    return piece.angles(times)


def _true_effort(piece: MotionPiece, settings: Settings, q: Array, v: Array, a: Array, times: Array) -> float:
    """½ ∫ |Φᵀ f|² dt of true forces, without those of the ground."""
    character = piece.character
    assert isinstance(piece, (StanceMotion, FlightMotion))
    figure, shapes = piece.footing.figure, piece.footing.modes.shapes
    root = slice(0, character.dofs(0).stop)
    stiff = settings.stiffness_on(figure.q0, piece.footing.holds)
    damping = settings.damping
    force = inverse_dynamics(character, q, v, a)
    local = piece.frame.moved(character, q, back=True)
    u = character.manifold.minus(local, figure.q0)
    u[:, root] = 0.0
    passive = (u + damping.stiffness * v) @ stiff
    passive += damping.mass * np.einsum("tij,tj->ti", mass_matrix(character, q), v)
    passive[:, root] = 0.0
    if isinstance(piece, StanceMotion):
        # What is held carries the root: of all forces there that do, the smallest.
        rows = hold_jacobian(Kinematics(character, q), piece.footing.holds)
        held = np.einsum("tri,ti->tr", np.linalg.pinv(rows[:, :, root].swapaxes(1, 2)), force[:, root])
        still = Kinematics(character, figure.q0)
        usual = gravity_force(character, figure.q0)
        own = hold_jacobian(still, piece.footing.holds)[0]
        force = force - np.einsum("trv,tr->tv", rows, held)
        force = force - (usual - own.T @ (np.linalg.pinv(own[:, root].T) @ usual[root]))
    total = ((force + passive) @ shapes) ** 2
    return 0.5 * float(np.trapezoid(total.sum(axis=1), times)) * piece.duration / float(times[-1] - times[0])


def _zmp_outside(piece: StanceMotion, kin: Kinematics, push: Array, times: Array) -> float:
    """Distance of the zero-moment point from the box of held bodies' lowest points on the ground."""
    mass = piece.character.total_mass
    step = np.gradient(kin.momentum[:, 3:], times, axis=0)  # moment about the centre of mass
    loaded = push[:, 2] > 0.2 * EARTH
    up = np.where(loaded, push[:, 2], EARTH)
    com = kin.com
    x = com[:, 0] - (push[:, 0] * com[:, 2] + step[:, 1] / mass) / up
    y = com[:, 1] - (push[:, 1] * com[:, 2] - step[:, 0] / mass) / up
    spots = []
    for hold in piece.footing.holds:
        body = None if hold.what == "com" else piece.character.point(hold.what).body
        if body is None:
            continue
        for part in piece.character.subtree(body):
            spots.append(kin.positions[:, part, :2])
            for name in piece.character.bodies[part].points:
                spots.append(kin.point(name)[:, :2])
    if not spots:
        return 0.0
    low, high = np.min(spots, axis=0), np.max(spots, axis=0)
    zmp = np.stack([x, y], axis=1)
    outside = np.maximum(np.maximum(low - zmp, zmp - high), 0.0).max(axis=1)
    return float(outside[loaded].max(initial=0.0))
