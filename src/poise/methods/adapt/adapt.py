"""Adapt a whole clip: the smallest change of the animation that meets constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import numpy as np

from poise.arrays import Array
from poise.kernels.compile_log import working_time
from poise.methods.adapt.problem.carried import carried_by, coefficients_of
from poise.methods.adapt.problem.displacement import bodies_of
from poise.methods.adapt.problem.motors import driven_beyond, speed_limits
from poise.methods.adapt.problem.prior import PosePrior
from poise.methods.adapt.problem.problem import Problem, Stage, Window
from poise.methods.adapt.problem.requirements import Item, free_joints, held_joints, requirements
from poise.methods.adapt.result import AdaptResult, Setup
from poise.methods.adapt.solve.gauss_newton import Descent, Effort
from poise.motion import Clip
from poise.motion.hung_feet import Hanging, hanging
from poise.operations.adapt import Change
from poise.operations.values.displacement import Displacement
from poise.watching import Progress, watcher

HOLD, EXACT = (1.0, 1e-2, 300.0), (50.0, 1e-2, 100.0)
"""Pull, smoothness and knees of the displacement that holds points, by default and exactly. It has a key at
every frame: fewer would ring."""
LIMBS = (4.0, 4e-3, 400.0)
"""The same where limbs alone hold points: they have nothing above them to help, so they pull harder."""
MET, STANDS = 2.5e-4, 2e-3
"""What counts as a foot that stands still [m]: exactly, and to the eye."""
DAMPING = 1e-4
"""Of the first step; displacements that pull harder begin more carefully."""
FINISH = 10
"""Steps that displacements on top may take at least: what they finish shall stand."""
MOVE = Effort(steps=1, factorisations=2, damping=1.0)
"""Of one move of the pointer: careful, but sure of who acts."""
ROUNDS = 4
"""How often, at most, a change goes on for motors that it drove beyond their speed."""
NEAR = 1.0
"""A drag changes the motion so long before and after [s]."""


def adapted(
    clip: Clip,
    items: Sequence[Item],
    asked: Change,
    *,
    prior: PosePrior | None = None,
    within: Window | None = None,
    progress: Progress | None = None,
    hung: Hanging | None = None,
    finely: Sequence[int] | None = None,
) -> AdaptResult:
    """Change a clip as little as possible so that constraints and foot plants hold.

    What is asked describes the displacement curve; where points are held over intervals a second, finer one
    on the joints that carry them follows. ``within`` [s] lets only that stretch change and looks at nothing
    outside it. Feet that hang beside the legs are hung under the shins for it; ``hung``: they already are.
    ``finely``: the bodies whose joints alone bend sharply there: what is above does not shake with a foot.
    """
    began = working_time()
    setup = _setup(clip, items, asked, prior, hung, finely)
    problem = setup.problem
    start = tuple(stage.start for stage in problem.stages)
    found = _solved(setup, start, problem.free.estimate.copy(), within, asked.iterations, progress, began)
    return _slowed(found, within, progress, began) if asked.joint_limits else found


def _slowed(
    found: AdaptResult, within: Window | None, progress: Progress | None, began: float
) -> AdaptResult:
    """On from a result in which motors turn faster than they can, though they did not come near it before."""
    tell = watcher("the adaptation", progress, None)
    for _ in range(ROUNDS):
        problem = found.setup.problem
        moved = np.unique(
            problem.clip.character.dof_body[np.concatenate([s.space.dofs for s in problem.stages])]
        )
        late = driven_beyond(found.in_problem(found.clip), moved.tolist(), {i.name for i in found.items})
        if not late:
            break
        setup, steps = found.setup.with_items([*found.items, *late]), found.setup.asked.iterations
        again = _solved(setup, found.coefficients, found.places, within, steps, lambda _: tell(1.0), began)
        descents = (*found.descents, *again.descents)
        found = AdaptResult(setup, again.coefficients, again.places, descents, again.seconds)
    return found


def continued(
    result: AdaptResult,
    items: Sequence[Item],
    *,
    within: Window | None = None,
    iterations: int | None = None,
    progress: Progress | None = None,
) -> AdaptResult:
    """The same motion adapted to other constraints, in the same way, on from an earlier result."""
    began = working_time()
    setup = result.setup.with_items(items)
    places = setup.problem.free.estimate.copy()
    if result.places.shape == places.shape:
        places = result.places
    steps = setup.asked.iterations if iterations is None else iterations
    return _solved(setup, result.coefficients, places, within, steps, progress, began)


def dragged(
    result: AdaptResult, items: Sequence[Item], within: Window, *, iterations: int = 1
) -> AdaptResult:
    """One move of the pointer: a step of the first displacement within a window, under those on top.

    ``items`` are those of the result with the dragged one replaced. What it costs depends on the window
    alone; ``continued`` refines the whole when the pointer rests.
    """
    began = working_time()
    setup = result.setup.with_items(items)
    places = result.places if result.places.shape == setup.problem.free.estimate.shape else None
    found, _ = setup.problem.solve(
        0,
        result.coefficients,
        setup.problem.free.estimate if places is None else places,
        window=within,
        above=True,
        effort=replace(MOVE, steps=iterations),
    )
    coefficients = (found.coefficients, *result.coefficients[1:])
    return AdaptResult(setup, coefficients, found.places, (found,), working_time() - began)


def around(clip: Clip, times: Sequence[float], *, near: float = NEAR) -> Window:
    """The window of a drag: from ``near`` [s] before the first time to as long after the last."""
    low, high = min(times) - near, max(times) + near
    return (low, high) if clip.loop else (max(0.0, low), min(clip.duration, high))


def _solved(
    setup: Setup,
    start: Sequence[Array],
    places: Array,
    within: Window | None,
    steps: int,
    progress: Progress | None,
    began: float,
) -> AdaptResult:
    """One displacement after the other, from coefficients."""
    problem, coefficients, descents = setup.problem, list(start), []
    tell, count = watcher("the adaptation", progress, None), len(problem.stages)
    for number in range(count):

        def watch(state: Descent, number: int = number) -> None:
            tell((number + min(1.0, state.steps / steps)) / count)

        pull = problem.stages[number].space.asked.pull
        effort = Effort(steps=steps, damping=DAMPING * max(1.0, pull) ** 2)
        if number:
            effort = replace(effort, steps=max(steps, FINISH), near=0.8 * MET, stands=0.5 * STANDS)
        found, _ = problem.solve(
            number, coefficients, places, window=within, aim=True, effort=effort, watch=watch
        )
        coefficients[number], places = found.coefficients, found.places
        descents.append(found)
    return AdaptResult(setup, tuple(coefficients), places, tuple(descents), working_time() - began)


def _setup(
    clip: Clip,
    items: Sequence[Item],
    asked: Change,
    prior: PosePrior | None,
    hung: Hanging | None,
    finely: Sequence[int] | None,
) -> Setup:
    given = None
    if hung is None:
        hung = hanging(clip.character)
        given = clip if hung is not None else None
    if hung is not None:
        clip = hung.there(clip)
        prior = None if prior is None else prior.hung(hung)
        asked = msgspec.structs.replace(asked, prices={**hung.prices, **asked.prices})
    first = Displacement(
        key_spacing=asked.key_spacing,
        basis=asked.basis,
        joints=asked.joints,
        ends=asked.ends,
        locked=asked.locked,
        smoothness=asked.smoothness,
    )
    told = asked.displacements
    free = free_joints(clip) if told is not None else bodies_of(first, clip.character, free_joints(clip))
    wanted = requirements(
        clip,
        [*items, *(speed_limits(clip, free) if asked.joint_limits else ())],
        floor=asked.floor,
        limits=asked.joint_limits,
        free=free,
        tolerance=MET if asked.exact else STANDS,
    )
    chosen = [first] if told is None else list(told)
    held = held_joints(wanted, free)
    if told is None and held:
        root = [i for i in free if clip.character.parents[i] < 0]
        names = tuple(clip.character.names[i] for i in [*root, *held])
        pull, smooth, knees = EXACT if asked.exact else HOLD if finely is None else LIMBS
        fine = Displacement(key_spacing=clip.dt, ends=first.ends, joints=names, locked=first.locked)
        chosen.append(msgspec.structs.replace(fine, pull=pull, smoothness=smooth, knees=knees))
    calm = [] if finely is None else [i for i in free if i not in finely]
    stages = [
        Stage.of(
            clip, each, free, asked.objective, asked.prices, prior if k == 0 else None, calm if k else []
        )
        for k, each in enumerate(chosen)
    ]
    way = carried_by(clip, items)
    if way is not None:
        stages[0] = stages[0].carried(coefficients_of(stages[0].space, way))
    problem = Problem(clip, tuple(stages), wanted.blocks, wanted.free_places())
    return Setup(problem, wanted, asked, hung, given)
