"""Rows of every kind of constraint: values as the constraint's own, derivatives as differences say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from poise import clips
from poise import constraints as c
from poise.constraints import Constraint
from poise.handles import Distance, JointValue, On, PointDifference, PointPosition, kinds
from poise.kinematics import Kinematics
from poise.methods.adapt.problem.samples import samples_of
from poise.methods.adapt.problem.unknowns import Space
from poise.methods.adapt.rows.kernels import OTHER
from poise.methods.adapt.rows.rows import block_of
from poise.methods.adapt.rows.table import RowTable
from poise.methods.adapt.rows.velocity import velocity_change
from poise.methods.adapt.solve.system import Base, System
from poise.motion import edit
from poise.operations.values.displacement import Displacement

_path = Path(__file__).resolve().parents[2] / "handles" / "handle_examples.py"
_spec = importlib.util.spec_from_file_location("handle_examples", _path)
handle_examples = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(handle_examples)

STEP = 1e-6


def system_of(constraints, *, clip="jump", layer=None, above=0.0, window=None, slot=None) -> System:
    motion = clips.get(clip)
    space = Space(motion, layer or Displacement(0.2), range(len(motion.character.bodies)))
    samples = samples_of([block_of(k, motion) for k in constraints], window)
    q, v = motion.q[samples.frames], motion.velocity[samples.frames]
    if len(samples.extra):
        q = np.concatenate([q, motion.at(samples.extra)])
        v = np.concatenate([v, motion.sampler.velocity(samples.extra)])
    nv = motion.character.nv
    over = np.zeros((0, nv)) if not above else above * np.random.default_rng(5).normal(size=(len(q), nv))
    table = RowTable(space, [block_of(k, motion) for k in constraints], samples, 1.0)
    return System(space, table, Base(q, v, over), space.slot if slot is None else slot)


def random_change(system: System, size: float, seed: int = 1) -> np.ndarray:
    return size * np.random.default_rng(seed).normal(size=(system.space.keys, system.space.size))


def dense_jacobian(system: System) -> np.ndarray:
    """∂e/∂x (R, n) from the rows' own entries, one unknown at a time."""
    columns = []
    for k in range(system.space.count):
        change = np.zeros((system.space.keys, system.space.size))
        dof, key = np.argwhere(system.space.slot == k)[0]
        change[key, dof] = 1.0
        columns.append(system.along(change))
    return np.stack(columns, axis=1)


def assert_derivative(system: System, at: np.ndarray, *, tolerance: float = 2e-6) -> None:
    direction = random_change(system, 1.0, 9)
    system.evaluate(at)
    exact = system.along(direction)
    ahead = system.evaluate(at + STEP * direction, jacobian=False)
    behind = system.evaluate(at - STEP * direction, jacobian=False)
    measured = (ahead - behind) / (2 * STEP)
    np.testing.assert_allclose(exact, measured, atol=tolerance * max(1.0, np.abs(measured).max()))


def compiled() -> list[Constraint]:
    where = c.Path([0.5, 1.0], [[0, 0, 1.0], [1.0, 0, 2.0]])
    return [
        c.pin("RightHandCentre", (0.5, -0.3, 1.2), 0.7),
        c.pin(On("LeftHand", (0.1, 0.2, 0.3)), where, (0.5, 1.0)),
        c.above("LeftToe", (0.2, 0.6), height=0.1, normal=(0.0, 0.6, 0.8)),
        c.joined("LeftHand", "RightHand", (0.4, 0.5), offset=(0.1, 0, 0)),
        c.keep_distance("Head", where, (0.5, 0.8), least=0.3, most=0.5),
        c.within(Distance("Hips", "LeftFoot"), (0.3, 0.4), most=0.5),
        c.constrain(PointDifference("Head", "RightToe", "xz"), (0.2, -1.0), 0.33),
        c.constrain(PointPosition("Head", "z"), 1.1, 0.71234),
        c.constrain(JointValue("LeftArm"), (0.3, -0.2, 0.5), (0.2, 0.3)),
        c.constrain(JointValue("LeftLeg"), 0.4, 0.25),
        c.constrain(JointValue("Hips", (1, 4)), (0.1, 0.2), 0.25),
    ]


def test_compiled_rows_say_what_the_constraint_says():
    wanted = compiled()
    system = system_of(wanted)
    assert not (system.table.details.kind == OTHER).any()
    at = random_change(system, 0.1)
    error = system.evaluate(at)
    motion = clips.get("jump")
    curve = system.space.curves(at)[0]
    for number, constraint in enumerate(wanted):
        times = constraint.when.times(motion)
        told = constraint.error(Kinematics(motion.character, edit.configuration(curve, motion, times)), times)
        np.testing.assert_allclose(error[system.table.rows_of(number)], told, atol=1e-11)


@pytest.mark.parametrize("above", [0.0, 0.2], ids=["top layer", "under a layer"])
def test_compiled_rows_have_exact_derivatives(above):
    system = system_of(compiled(), above=above)
    assert_derivative(system, random_change(system, 0.15))


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_rows_of_every_handle_have_exact_derivatives(kind):
    motion = clips.get("jump")
    rng = np.random.default_rng(3)
    handles = [h.bind(motion.character) for h in handle_examples.examples(motion.character) if h.kind == kind]
    assert handles
    kin = Kinematics(motion.character, motion.q[20:21], motion.velocity[20:21])
    wanted = [c.constrain(h, h.value(kin)[0], 0.4, name=f"{kind} {i}") for i, h in enumerate(handles)]
    system = system_of(wanted)
    assert_derivative(system, 0.05 * rng.normal(size=(system.space.keys, system.space.size)), tolerance=1e-5)


def test_rates_are_followed_too():
    system = system_of([c.moving("RightHandCentre", (1.0, 0, 0), 0.7), c.at_rest("LeftToe", (0.2, 0.25))])
    assert_derivative(system, random_change(system, 0.1), tolerance=1e-5)


def test_velocities_are_those_of_the_displaced_motion():
    system = system_of([c.at_rest("LeftToe", (0.2, 0.9))])
    at = random_change(system, 0.2)
    clip, frames = system.space.clip, system.table.samples.frames
    curve = system.space.curves(at)[0]
    found = velocity_change(system.space, system.stencil, at, clip.velocity[frames], False).v
    np.testing.assert_allclose(found, edit.velocity(curve, clip)[frames], atol=1e-11)


def test_a_row_feels_only_what_carries_it():
    system = system_of([c.pin("LeftToe", (0, 0, 0), 0.5)])
    character = system.space.clip.character
    felt = {character.names[character.dof_body[system.space.dofs[i]]] for i in system.table.entries.dof}
    assert felt == {"Hips", "LeftUpLeg", "LeftLeg", "LeftAnkle", "LeftFoot", "LeftToeBase"}
