"""Compiled rows are the handles' own errors and Jacobians; curvature is the merit's second derivative."""

from __future__ import annotations

import numpy as np
import pytest

from handles.handle_examples import EXAMPLES, random_target
from poise.character import Character, JointKind
from poise.character.presets.humanoid import humanoid
from poise.character.presets.planar_humanoid import planar_humanoid
from poise.errors import InputError
from poise.handles import (
    AngularMomentum,
    CentreOfMass,
    Distance,
    Handle,
    LinearMomentum,
    PlaneDistance,
    PointDifference,
    PointPosition,
    RotationalInertia,
)
from poise.kinematics import Kinematics
from poise.kinematics.layout import layout
from poise.methods.key.pose.solver import PoseSolver
from poise.methods.key.pose.task import Task
from random_trees import random_character

OTHERS = {"pose", "linear_momentum", "angular_momentum", "attachment_point"}
"""Those without compiled rows, and those that need a pose before."""


def rows_at(solver: PoseSolver, q, targets, moved=None, momentum=None):
    """Errors (m,) and Jacobian (m, nv) in the handles' units."""
    from poise.methods.key.pose.rows.place import new_place
    from poise.methods.key.pose.rows.rows import rows_frame

    tree, plan, nv = layout(solver.character), solver._plan, solver.character.nv
    e, j = np.empty(len(plan.which)), np.zeros((len(plan.which), nv))
    moved = np.zeros(nv) if moved is None else moved
    momentum = np.zeros((6, nv)) if momentum is None else momentum
    rows_frame(tree, plan, q, solver._goals(targets, 1)[0], moved, momentum, new_place(tree, plan), e, j)
    scale = np.repeat(plan.scale, np.diff(plan.row))
    return e / scale, j / scale[:, None]


@pytest.mark.parametrize("kind", sorted(set(EXAMPLES) - OTHERS))
@pytest.mark.parametrize("root", [JointKind.FREE, JointKind.PLANAR])
def test_rows_equal_the_handles(kind, root, rng):
    for size in (4, 9):
        character = random_character(rng, size, root=root)
        q = character.manifold.plus(character.rest_pose(), 0.5 * rng.normal(size=character.nv))
        kin = Kinematics(character, q)
        handles = [handle.bind(character) for handle in EXAMPLES[kind](character)]
        targets = [random_target(rng, h, h.value(kin)[0]) for h in handles]
        e, j = rows_at(PoseSolver(character, [Task(h) for h in handles]), q, targets)
        wanted = np.concatenate([h.error(h.value(kin), t)[0] for h, t in zip(handles, targets)])
        slopes = np.concatenate([h.error_jacobian(kin, t)[0] for h, t in zip(handles, targets)])
        np.testing.assert_allclose(e, wanted, atol=1e-9, rtol=1e-9)
        np.testing.assert_allclose(j, slopes, atol=1e-8, rtol=1e-7)


def test_momentum_rows_are_those_of_the_step_from_the_previous_pose(rng):
    character, dt = random_character(rng, 7), 0.05
    before = character.manifold.plus(character.rest_pose(), 0.3 * rng.normal(size=character.nv))
    step = 0.2 * rng.normal(size=character.nv)
    q = character.manifold.plus(before, step)
    handles = [LinearMomentum(), AngularMomentum("zx")]
    solver = PoseSolver(character, [Task(h) for h in handles], momentum=True)
    matrix = Kinematics(character, before).momentum_matrix[0] / dt

    def error(at):
        return rows_at(solver, at, [np.zeros(3), np.zeros(2)], character.manifold.minus(at, before), matrix)[
            0
        ]

    kin = Kinematics(character, before, step / dt)
    np.testing.assert_allclose(error(q), np.concatenate([h.value(kin)[0] for h in handles]), atol=1e-9)
    _, j = rows_at(solver, q, [np.zeros(3), np.zeros(2)], step, matrix)
    shift = 1e-6 * np.eye(character.nv)
    plus = character.manifold.plus
    slopes = np.stack([(error(plus(q, d)) - error(plus(q, -d))) / 2e-6 for d in shift], axis=1)
    np.testing.assert_allclose(j, slopes, atol=1e-5)


def merit_model(solver: PoseSolver, q, pose, targets, w, multiplier):
    """Merit, gradient and full Hessian by the coordinates a step moves, and those coordinates."""
    from poise.methods.key.pose import merit
    from poise.methods.key.pose.coordinates import coordinates_frame, minus_frame
    from poise.methods.key.pose.hessian import CurvatureRoom, curvature_frame
    from poise.methods.key.pose.rows.place import new_place
    from poise.methods.key.pose.rows.rows import rows_frame
    from poise.solvers.prioritised import add_squares

    character, plan, setting = solver.character, solver._plan, solver._setting
    tree, nv, m = layout(character), character.nv, len(plan.which)
    links, at, goal = (
        (tree.kind, tree.q_start, tree.v_start),
        new_place(tree, plan),
        solver._goals(targets, 1)[0],
    )
    e, j, gap, x, y, wide = (
        np.empty(m),
        np.zeros((m, nv)),
        np.zeros(nv),
        np.zeros(nv),
        np.empty(m),
        np.empty(m),
    )
    g, h, shift = np.empty(nv), np.empty((nv, nv)), np.zeros(m)
    rows_frame(tree, plan, q, goal, np.zeros(nv), np.zeros((6, nv)), at, e, j)
    minus_frame(*links, pose, q, gap)
    coordinates_frame(*links, q, x)
    merit.gradient(setting.pose, w, multiplier, shift, e, j, gap, y, wide, g, h)
    forces = np.empty((len(plan.point_body), 3))
    room = CurvatureRoom(forces, np.empty((nv, 3)), np.zeros((nv, 3)), np.empty((6, nv)), np.empty(3))
    curvature_frame(tree, plan, at, goal, y, room, wide, h)
    merit.pose_curvature(tree.kind, tree.v_start, setting.pose, gap, h)
    add_squares(j, wide, h)
    for link in np.flatnonzero((tree.kind == 3) & (setting.bounded == 1)):
        merit.by_rotation_vector(tree.v_start[link], x, h, g)
    value = merit.merit(setting.pose, w, multiplier, shift, e, gap)
    return value, g, np.tril(h) + np.tril(h, -1).T, x


def curved(character: Character) -> list[list[Handle]]:
    tip, middle = character.names[-1], character.names[len(character.names) // 2]
    inertia = [[RotationalInertia(m)] for m in ("planar", "gyration", "tensor", "radii", "shape")]
    points: list[list[Handle]] = [[PointPosition(tip), PointDifference(middle, tip)], [CentreOfMass()]]
    return [
        *points,
        [PlaneDistance(tip, (1, 2, 3))],
        [Distance(middle, tip), Distance(tip, (1, 0, 2))],
        *inertia,
    ]


@pytest.mark.parametrize("which", range(9))
def test_gradient_and_hessian_are_the_derivatives_of_the_merit(which, rng):
    """By differences along the very steps the solver takes, with multipliers and limited balls."""
    from poise.methods.key.pose.coordinates import step_frame

    for character in (planar_humanoid(), humanoid(), random_character(rng, 5)):
        handles = [h.bind(character) for h in curved(character)[which]]
        solver = PoseSolver(character, [Task(h) for h in handles])
        plus, nv, tree = character.manifold.plus, character.nv, layout(character)
        q = plus(character.rest_pose(), 0.3 * rng.normal(size=nv))
        pose = plus(q, 0.3 * rng.normal(size=nv))
        kin = Kinematics(character, pose)
        targets = [h.value(kin)[0] for h in handles]
        m = len(solver._plan.which)
        w, multiplier = rng.uniform(1, 2, m), rng.normal(size=m)
        _, g, h, x = merit_model(solver, q, pose, targets, w, multiplier)
        far = np.full(nv, np.inf)

        def value(step, character=character, solver=solver, q=q, x=x, pose=pose, targets=targets, w=w,
                  multiplier=multiplier, tree=tree, far=far):  # fmt: skip
            out = np.empty(character.nq)
            step_frame(
                tree.kind, tree.q_start, tree.v_start, solver._setting.bounded, -far, far, q, x, step, out
            )
            return merit_model(solver, out, pose, targets, w, multiplier)[0]

        for _ in range(6):
            d = rng.normal(size=nv)
            d /= np.linalg.norm(d)
            eps = 1e-3
            up, down, here = value(eps * d), value(-eps * d), value(0 * d)
            up2, down2 = value(2 * eps * d), value(-2 * eps * d)
            first = (8 * (up - down) - (up2 - down2)) / (12 * eps)
            second = (16 * (up + down) - (up2 + down2) - 30 * here) / (12 * eps * eps)
            scale = 1 + abs(h).max()
            assert first == pytest.approx(g @ d, abs=2e-7 * scale)
            assert second == pytest.approx(d @ h @ d, abs=3e-5 * scale)


def test_what_cannot_be_a_task_says_so():
    with pytest.raises(InputError, match="holds a handle"):
        Task("LeftHand")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="level is 0, 1, 2"):
        Task(CentreOfMass(), -1)
    with pytest.raises(InputError, match="weight must be positive"):
        Task(CentreOfMass(), 0, 0.0)
